// Command mutate measures what the tests of a package notice: it changes one
// operator, constant or statement in a line that the tests execute, runs the
// tests, and counts the changes ("mutants") that make a test fail.
//
//	go run ./.ci/mutate -n 60 -seed 1 ./lp
//	go run ./.ci/mutate -n 60 -tests ./conformance/replay ./simcore/sched/capacity
//
// The sample is drawn with the seed from all mutants in covered lines. A mutant
// that does not compile is replaced by the next one drawn. Exit code 1: fewer
// than -min of the sample were killed, and none of them is in the -known list.
// Sources are never written: a mutant reaches the compiler through -overlay.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

func main() {
	r := runner{}
	n := flag.Int("n", 40, "number of mutants per package")
	seed := flag.Uint64("seed", 1, "seed of the sample")
	least := flag.Float64("min", 0.85, "share of the sample that must be killed, 0 to 1")
	tests := flag.String("tests", "", "further packages whose tests judge, separated by commas")
	flag.StringVar(&r.run, "run", "", "only tests that match, as go test -run")
	flag.BoolVar(&r.verbose, "v", false, "print killed mutants too")
	only := flag.String("file", "", "only files whose name contains this")
	flag.Parse()
	if flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "usage: mutate [flags] PACKAGE...")
		os.Exit(2)
	}
	ok := true
	for _, pkg := range flag.Args() {
		r.pkg, r.judges = pkg, []string{pkg}
		if *tests != "" {
			r.judges = append(r.judges, strings.Split(*tests, ",")...)
		}
		share, err := r.sample(*n, *seed, *only)
		if err != nil {
			fmt.Fprintf(os.Stderr, "mutate: %s: %v\n", pkg, err)
			os.Exit(1)
		}
		ok = ok && share >= *least
	}
	if !ok {
		os.Exit(1)
	}
}

// runner tests the mutants of one package.
type runner struct {
	pkg     string
	judges  []string // packages whose tests run, the cheapest first
	run     string
	verbose bool
	limit   time.Duration // of one mutant's tests
	tmp     string
}

// Fates of a mutant.
const (
	killed   = "killed"
	timedOut = "killed (time)"
	survived = "survived"
	invalid  = "does not compile"
)

// sample tests up to n mutants and returns the share that was killed.
func (r *runner) sample(n int, seed uint64, only string) (float64, error) {
	var err error
	if r.tmp, err = os.MkdirTemp("", "mutate"); err != nil {
		return 0, err
	}
	defer os.RemoveAll(r.tmp)
	files, err := r.covered(only)
	if err != nil {
		return 0, err
	}
	var all []mutant
	for _, f := range files {
		m, err := f.mutants()
		if err != nil {
			return 0, err
		}
		all = append(all, m...)
	}
	draw := rand.New(rand.NewPCG(seed, 0))
	draw.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	tested, dead := 0, 0
	for _, m := range all {
		if tested == n {
			break
		}
		fate, err := r.fate(m)
		if err != nil {
			return 0, err
		}
		if fate == invalid {
			continue
		}
		tested++
		if fate != survived {
			dead++
		}
		if fate == survived || r.verbose {
			fmt.Printf("%s: %s: %s\n", m, m.what, fate)
		}
	}
	share := float64(dead) / float64(max(tested, 1))
	fmt.Printf("%s: %d of %d killed (%.0f %%), sampled from %d with seed %d\n", r.pkg, dead, tested, 100*share, len(all), seed)
	return share, nil
}

// fate runs the judges on a mutant.
func (r *runner) fate(m mutant) (string, error) {
	changed := filepath.Join(r.tmp, "mutant.go")
	if err := os.WriteFile(changed, m.apply(), 0o600); err != nil {
		return "", err
	}
	overlay := filepath.Join(r.tmp, "overlay.json")
	b, err := json.Marshal(map[string]map[string]string{"Replace": {m.file.path: changed}})
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(overlay, b, 0o600); err != nil {
		return "", err
	}
	if out, err := exec.Command("go", "build", "-overlay", overlay, r.pkg).CombinedOutput(); err != nil {
		if !bytes.Contains(out, []byte("mutant.go")) && !bytes.Contains(out, []byte(filepath.Base(m.file.path))) {
			return "", fmt.Errorf("go build: %w: %s", err, out)
		}
		return invalid, nil
	}
	for _, judge := range r.judges {
		ctx, stop := context.WithTimeout(context.Background(), r.limit+time.Minute)
		out, err := r.test(ctx, judge, "-overlay", overlay, "-failfast", "-timeout", r.limit.String())
		late := ctx.Err() != nil || bytes.Contains(out, []byte("panic: test timed out"))
		stop()
		if late {
			return timedOut, nil
		}
		if err != nil {
			return killed, nil
		}
	}
	return survived, nil
}

// test runs the tests of a package.
func (r *runner) test(ctx context.Context, pkg string, flags ...string) ([]byte, error) {
	args := append([]string{"test", "-vet=off"}, flags...)
	if r.run != "" {
		args = append(args, "-run", r.run)
	}
	cmd := exec.CommandContext(ctx, "go", append(args, pkg)...)
	cmd.WaitDelay = 10 * time.Second
	return cmd.CombinedOutput()
}

// covered runs the judges on the unchanged package, sets the time limit from
// what they take, and returns the package's files with the covered positions.
func (r *runner) covered(only string) ([]*source, error) {
	dir, err := exec.Command("go", "list", "-f", "{{.Dir}} {{.ImportPath}}", r.pkg).Output()
	if err != nil {
		return nil, err
	}
	at, path, _ := strings.Cut(strings.TrimSpace(string(dir)), " ")
	byName := map[string]*source{}
	var files []*source
	start := time.Now()
	for i, judge := range r.judges {
		profile := filepath.Join(r.tmp, fmt.Sprintf("cover%d", i))
		if out, err := r.test(context.Background(), judge, "-count=1", "-coverprofile", profile, "-coverpkg", path); err != nil {
			return nil, fmt.Errorf("the tests of %s fail without a change: %w: %s", judge, err, out)
		}
		text, err := os.ReadFile(profile)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(text)) {
			name, b, ok := parseBlock(strings.TrimSpace(line))
			if !ok || !strings.Contains(filepath.Base(name), only) {
				continue
			}
			if byName[name] == nil {
				byName[name] = &source{path: filepath.Join(at, filepath.Base(name))}
				files = append(files, byName[name])
			}
			if b.count > 0 {
				byName[name].covered = append(byName[name].covered, b)
			}
		}
	}
	r.limit = 4*time.Since(start) + time.Minute
	return files, nil
}
