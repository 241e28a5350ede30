package schedtune

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// archFile holds the tables of packages, "| `path` | what it is for |", from the bottom up.
const archFile = "ARCHITECTURE.md"

var archRow = regexp.MustCompile("(?m)^\\| `([a-z0-9/-]+)` \\| .+ \\|$")

// pkg is a package of the module with its imports: those of the module without its name,
// those of others in full.
type pkg struct{ imports, testImports []string }

// packages lists the module's packages by path; one listing serves all tests.
func packages(t *testing.T) map[string]pkg {
	t.Helper()
	all, err := listed()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 50 {
		t.Fatalf("got %d packages, want 50 or more", len(all))
	}
	return all
}

var listed = sync.OnceValues(func() (map[string]pkg, error) {
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports,TestImports,XTestImports", "./...").Output()
	if err != nil {
		var ee *exec.ExitError
		if errors.As(err, &ee) {
			return nil, fmt.Errorf("go list: %w\n%s", err, ee.Stderr)
		}
		return nil, fmt.Errorf("go list: %w", err)
	}
	short := func(imports []string) []string {
		for i := range imports {
			imports[i] = strings.TrimPrefix(imports[i], "schedtune/")
		}
		return imports
	}
	dec := json.NewDecoder(strings.NewReader(string(out)))
	all := map[string]pkg{}
	for {
		var p struct {
			ImportPath                         string
			Imports, TestImports, XTestImports []string
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		all[strings.TrimPrefix(p.ImportPath, "schedtune/")] = pkg{short(p.Imports),
			short(append(p.TestImports, p.XTestImports...))}
	}
	return all, nil
})

// TestArchitecture compares the tables of ARCHITECTURE.md with the packages: each has a
// row, and imports only packages above it.
func TestArchitecture(t *testing.T) {
	text, err := os.ReadFile(archFile)
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range compareTable(string(text), packages(t)) {
		t.Errorf("%s: %s", archFile, problem)
	}
	if n := len(strings.Fields(string(text))); n > 1500 {
		t.Errorf("%s: got %d words, want at most 1500", archFile, n)
	}
}

// compareTable lists where the table and the packages differ.
func compareTable(text string, all map[string]pkg) []string {
	var out []string
	at := map[string]int{}
	for i, m := range archRow.FindAllStringSubmatch(text, -1) {
		at[m[1]] = i
		if _, ok := all[m[1]]; !ok {
			out = append(out, "row of "+m[1]+": there is no such package")
		}
	}
	for path, p := range all {
		row, ok := at[path]
		if !ok && path != "schedtune" {
			out = append(out, "no row of "+path)
		}
		for _, imp := range p.imports {
			if other, ok := at[imp]; ok && other > row {
				out = append(out, fmt.Sprintf("row of %s: its import %s is below it", path, imp))
			}
		}
	}
	slices.Sort(out)
	return out
}

// TestCompareTable checks that missing rows and imports from below are reported.
func TestCompareTable(t *testing.T) {
	got := compareTable("| `a` | first |\n| `b` | second |\n| `gone` | third |\n",
		map[string]pkg{"a": {imports: []string{"b", "fmt"}}, "b": {imports: []string{"a"}}, "c": {}})
	want := []string{"no row of c", "row of a: its import b is below it", "row of gone: there is no such package"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A rule says what packages may import, and why.
type rule struct {
	from   []string // packages and all below them; nil = all
	except []string // packages, and all below them, that the rule leaves alone
	only   []string // if not nil, the packages of the module, with all below them, that may be imported
	banned []string // packages of the module or of others, with all below them
	why    string
}

var rules = []rule{
	{from: []string{"classify/modelfile"}, only: []string{"classify", "internal/fileio", "internal/text"},
		why: "programs of others import it"},
	{from: []string{"lp", "classify", "predict"}, except: []string{"classify/modelfile"}, only: []string{"classify"},
		why: "the papers' mathematics is usable alone"},
	{from: []string{"cluster"}, only: []string{"internal/rng"}, why: "the papers' mathematics is usable alone"},
	{from: []string{"yarnconf"}, only: []string{"internal/fileio", "internal/text", "internal/java", "yarnconf"},
		why: "queue files are readable without a simulator"},
	{from: []string{"fairconf"}, only: []string{"internal/fileio", "internal/java", "yarnconf"},
		why: "queue files are readable without a simulator"},
	{from: []string{"simcore"}, except: []string{"simcore/sched"}, only: []string{"internal/rng", "internal/fileio",
		"internal/java", "internal/text", "simcore"},
		why: "the kernel and its runtimes know no mathematics, no files and no search"},
	{from: []string{"simcore"}, except: []string{"simcore/sched"}, banned: []string{"simcore/sched"},
		why: "a runtime knows its schedulers by its contract only"},
	{from: []string{"simcore/sched"}, only: []string{"lp", "cluster", "classify", "predict", "yarnconf", "fairconf",
		"internal/rng", "internal/java", "internal/text", "internal/fileio", "simcore"},
		why: "a scheduler uses its runtime, its settings and the mathematics"},
	{from: []string{"tune"}, only: []string{"internal/parallel", "internal/rng", "internal/stats", "internal/text"},
		why: "the search knows nothing of clusters"},
	{from: []string{"trace"}, only: []string{"internal/fileio", "internal/parallel", "internal/rng", "internal/text",
		"simcore", "trace"}, why: "a reader of histories makes workloads, nothing else"},
	{from: []string{"trace", "datasets"}, banned: []string{"simcore/sched"}, why: "a workload is independent of " +
		"schedulers"},
	{from: []string{"datasets"}, only: []string{"internal/fileio", "internal/rng", "simcore"}, why: "a data set is data"},
	{from: []string{"internal/fileio"}, only: []string{"internal/text"}, why: "everybody may import it"},
	{from: []string{"internal/java", "internal/parallel", "internal/rng", "internal/stats", "internal/text"},
		only: []string{}, why: "everybody may import a leaf"},
	{from: []string{"internal/scenario"}, banned: []string{"tune", "internal/simulate", "internal/study",
		"internal/report", "internal/rm"}, why: "inputs are read below simulation"},
	{from: []string{"internal/simulate"}, banned: []string{"tune", "internal/study", "internal/report", "internal/rm"},
		why: "simulation is below search"},
	{from: []string{"internal/study"}, banned: []string{"internal/report", "internal/rm"},
		why: "workers of a distributed study have no report"},
	{except: []string{"validation"}, banned: []string{"validation"}, why: "the product is built without what judges it"},
	{except: []string{"cmd"}, banned: []string{"cmd"}, why: "a command is nobody's library"},
	{except: []string{"classify/batch"}, banned: []string{"github.com/sjwhitworth/golearn"},
		why: "golearn is there for comparison, behind one adapter"},
}

// breaks lists the imports of a package that break the rule.
func (r rule) breaks(path string, imports []string) []string {
	if r.from != nil && !below(path, r.from) || below(path, r.except) {
		return nil
	}
	var out []string
	for _, imp := range imports {
		if below(imp, r.banned) || r.only != nil && ours(imp) && !below(imp, r.only) {
			out = append(out, imp)
		}
	}
	return out
}

// ours reports whether an import is of the module.
func ours(imp string) bool {
	return below(imp, []string{"lp", "cluster", "classify", "predict", "yarnconf", "fairconf", "simcore", "trace",
		"datasets", "tune", "internal", "cmd", "validation"})
}

// below reports whether a package is one of those or inside one.
func below(path string, of []string) bool {
	return slices.ContainsFunc(of, func(p string) bool { return path == p || strings.HasPrefix(path, p+"/") })
}

// forTests is what validation has for the tests of the product: reference material and run folders,
// recorded decisions played again, a ResourceManager.
var forTests = []string{"validation/testdata", "validation/testruns", "validation/conformance/replay",
	"validation/rmtest"}

// TestImports checks every package against the rules.
func TestImports(t *testing.T) {
	for path, p := range packages(t) {
		for _, r := range rules {
			for _, imp := range r.breaks(path, p.imports) {
				t.Errorf("%s imports %s: %s", path, imp, r.why)
			}
		}
		if below(path, []string{"validation"}) {
			continue
		}
		for _, imp := range p.testImports {
			if below(imp, []string{"validation"}) && !slices.Contains(forTests, imp) {
				t.Errorf("the tests of %s import %s: judges are tested in validation", path, imp)
			}
		}
	}
}

// TestRules checks that wrong imports are reported.
func TestRules(t *testing.T) {
	for _, c := range []struct{ path, imp string }{
		{"tune", "simcore/yarn"}, {"lp", "internal/rng"}, {"cmd/tune", "validation/replay"},
		{"internal/text", "internal/stats"},
		{"simcore/yarn", "simcore/sched/capacity"}, {"internal/models", "github.com/sjwhitworth/golearn/base"},
	} {
		t.Run(c.path+" "+c.imp, func(t *testing.T) {
			if !slices.ContainsFunc(rules, func(r rule) bool { return len(r.breaks(c.path, []string{c.imp})) > 0 }) {
				t.Errorf("%s imports %s: got no broken rule, want one", c.path, c.imp)
			}
		})
	}
}
