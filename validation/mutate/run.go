package mutate

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// runner tests the mutants of one package.
type runner struct {
	Options
	w        io.Writer
	pkg, dir string // as given, and its folder
	judges   []*judge
	tmp      string
}

// judge is a package whose tests run.
type judge struct {
	pkg, dir string
	groups   []string      // patterns of tests, the quickest first
	flags    []string      // that its tests need besides
	limit    time.Duration // of one group on one mutant
}

// Fates of a mutant.
const (
	killed   = "killed"
	timedOut = "killed (time)"
	survived = "survived"
	invalid  = "does not compile"
)

// covered runs the judges on the unchanged package and returns the package's files
// with the covered positions.
func (r *runner) covered() ([]*source, error) {
	about, err := exec.Command("go", "list", "-f", "{{.Dir}}\n{{.ImportPath}}", r.pkg).Output()
	if err != nil {
		return nil, err
	}
	lines := strings.Split(string(about), "\n")
	path := lines[1]
	r.dir = lines[0]
	byName := map[string]*source{}
	var files []*source
	for i, j := range r.judges {
		profile := filepath.Join(r.tmp, fmt.Sprintf("cover%d", i))
		args := []string{"test", "-vet=off", "-count=1", "-coverprofile", profile, "-coverpkg", path}
		if r.Run != "" {
			args = append(args, "-run", r.Run)
		}
		if out, err := exec.Command("go", append(args, j.pkg)...).CombinedOutput(); err != nil {
			return nil, fmt.Errorf("the tests of %s fail without a change: %w: %s", j.pkg, err, out)
		}
		text, err := os.ReadFile(profile)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(text)) {
			name, b, ok := parseBlock(strings.TrimSpace(line))
			if !ok || !strings.Contains(filepath.Base(name), r.File) {
				continue
			}
			if byName[name] == nil {
				byName[name] = &source{path: filepath.Join(r.dir, filepath.Base(name))}
				files = append(files, byName[name])
			}
			if b.count > 0 {
				byName[name].covered = append(byName[name].covered, b)
			}
		}
	}
	return files, nil
}

// measure makes the judges' test binaries without a change and measures their tests.
func (r *runner) measure() error {
	for i, j := range r.judges {
		binary := filepath.Join(r.tmp, fmt.Sprintf("judge%d.test", i))
		if out, err := exec.Command("go", "test", "-c", "-vet=off", "-o", binary, j.pkg).CombinedOutput(); err != nil {
			return fmt.Errorf("go test -c: %w: %s", err, out)
		}
		about, err := exec.Command("go", "list", "-f", "{{.Dir}}\n{{.TestImports}} {{.XTestImports}}", j.pkg).Output()
		if err != nil {
			return err
		}
		var imports string
		j.dir, imports, _ = strings.Cut(strings.TrimSpace(string(about)), "\n")
		if strings.Contains(imports, "pgregory.net/rapid") {
			j.flags = []string{"-rapid.nofailfile"} // it would keep what a mutant fails on among the sources
		}
		j.limit = 10 * time.Minute
		start := time.Now()
		out, fate := j.run(binary, r.Run, "-test.v")
		if fate != survived {
			return fmt.Errorf("the tests of %s fail without a change: %s: %s", j.pkg, fate, out)
		}
		j.limit = 3*time.Since(start) + 10*time.Second
		j.groups = quickestFirst(out)
	}
	return nil
}

// fate builds the judges with a mutant and runs them.
func (r *runner) fate(m *mutant) string {
	dir, err := os.MkdirTemp(r.tmp, "mutant")
	if err != nil {
		return invalid
	}
	defer os.RemoveAll(dir)
	changed, overlay, binary := filepath.Join(dir, "changed.go"), filepath.Join(dir, "overlay.json"),
		filepath.Join(dir, "judge.test")
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {m.file.path: changed}})
	if err := errors.Join(err, os.WriteFile(changed, m.apply(), 0o600), os.WriteFile(overlay, replace, 0o600)); err !=
		nil {
		return invalid
	}
	for _, j := range r.judges {
		if err := exec.Command("go", "test", "-c", "-vet=off", "-overlay", overlay, "-o", binary, j.pkg).Run(); err != nil {
			return invalid
		}
		for _, g := range j.groups {
			if _, fate := j.run(binary, g); fate != survived {
				return fate
			}
		}
	}
	return survived
}

var passed = regexp.MustCompile(`(?m)^--- PASS: (\w+) \(([\d.]+)s\)`)

// quickestFirst reads what tests took and returns patterns for the quickest, which
// take an eighth of the time, for those up to a half, and for the rest.
func quickestFirst(out string) []string {
	type test struct {
		name string
		took float64
	}
	var tests []test
	total := 0.0
	for _, m := range passed.FindAllStringSubmatch(out, -1) {
		took, err := strconv.ParseFloat(m[2], 64)
		if err != nil {
			continue
		}
		tests = append(tests, test{m[1], took})
		total += took
	}
	slices.SortStableFunc(tests, func(a, b test) int { return cmp.Compare(a.took, b.took) })
	var names [3][]string
	sum := 0.0
	for _, t := range tests {
		sum += t.took
		g := 2
		if sum <= total/8 {
			g = 0
		} else if sum <= total/2 {
			g = 1
		}
		names[g] = append(names[g], t.name)
	}
	var groups []string
	for _, n := range names {
		if len(n) > 0 {
			groups = append(groups, "^("+strings.Join(n, "|")+")$")
		}
	}
	return groups
}

// run runs the tests that match and returns their output and the fate of the mutant.
func (j *judge) run(binary, run string, flags ...string) (string, string) {
	ctx, stop := context.WithTimeout(context.Background(), j.limit)
	defer stop()
	// The limit on addresses keeps a mutant that allocates without end from the
	// machine's memory.
	args := []string{"-c", `ulimit -v 8388608; exec "$@"`, "sh", binary, "-test.failfast"}
	if run != "" {
		args = append(args, "-test.run", run)
	}
	args = append(append(args, j.flags...), flags...)
	cmd := exec.CommandContext(ctx, "sh", args...)
	cmd.Dir = j.dir
	cmd.WaitDelay = 10 * time.Second
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return out.String(), timedOut
	case err != nil:
		return out.String(), killed
	}
	return out.String(), survived
}
