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
	"testing"
)

// archFile holds the table of packages: "| `path` | what it is for | imports |",
// from the bottom up.
const archFile = "ARCHITECTURE.md"

var archRow = regexp.MustCompile("^\\| `([a-z0-9/-]+)` \\| (.*) \\| (.*) \\|$")

// row is a line of the table.
type row struct {
	line    int
	path    string
	purpose string
	imports []string
	free    bool // its imports are not listed
}

// whatTheyNeed stands in the rows of packages whose imports are not listed.
const whatTheyNeed = "what they need"

// readTable reads the rows out of the document's lines.
func readTable(lines []string) []row {
	var rows []row
	for i, l := range lines {
		m := archRow.FindStringSubmatch(l)
		if m == nil {
			continue
		}
		r := row{line: i, path: m[1], purpose: m[2]}
		r.free = m[3] == whatTheyNeed
		if m[3] != "none" && !r.free {
			for _, imp := range strings.Split(m[3], ", ") {
				r.imports = append(r.imports, strings.Trim(imp, "`"))
			}
		}
		rows = append(rows, r)
	}
	return rows
}

func (r *row) String() string {
	imports := "none"
	if r.free {
		imports = whatTheyNeed
	} else if len(r.imports) > 0 {
		imports = "`" + strings.Join(r.imports, "`, `") + "`"
	}
	return fmt.Sprintf("| `%s` | %s | %s |", r.path, r.purpose, imports)
}

// packages lists the module's packages with what each imports of the module and
// of others. Test files are left out: they may compare anything.
func packages(t *testing.T) map[string][]string {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", "./...").Output()
	if err != nil {
		var ee *exec.ExitError
		if errors.As(err, &ee) {
			t.Fatalf("go list: %v\n%s", err, ee.Stderr)
		}
		t.Fatalf("go list: %v", err)
	}
	dec := json.NewDecoder(strings.NewReader(string(out)))
	all := map[string][]string{}
	for {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		all[strings.TrimPrefix(p.ImportPath, "schedtune/")] = p.Imports
	}
	if len(all) < 10 {
		t.Fatalf("only %d packages seen: the walk is broken", len(all))
	}
	return all
}

// own are the imports that belong to the module, in order of name.
func own(imports []string) []string {
	var out []string
	for _, imp := range imports {
		if p, ok := strings.CutPrefix(imp, "schedtune/"); ok {
			out = append(out, p)
		}
	}
	slices.Sort(out)
	return out
}

// TestArchitecture compares the table of ARCHITECTURE.md with the packages: each
// has a row, every import is named in it, and imports only packages above. With
// -update it writes the imports into the table.
func TestArchitecture(t *testing.T) {
	text, err := os.ReadFile(archFile)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	rows := readTable(lines)
	all := packages(t)
	if *update {
		for i := range rows {
			rows[i].imports = own(all[rows[i].path])
			lines[rows[i].line] = rows[i].String()
		}
		if err := os.WriteFile(archFile, []byte(strings.Join(lines, "\n")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, problem := range compareTable(rows, all) {
		t.Errorf("%s: %s; a new package needs a row below all that it imports, and `go test -run TestArchitecture -update .` writes the imports", archFile, problem)
	}
}

// compareTable lists where the table and the packages differ.
func compareTable(rows []row, all map[string][]string) []string {
	var out []string
	at := map[string]int{}
	for i := range rows {
		at[rows[i].path] = i
	}
	for path, imports := range all {
		i, ok := at[path]
		if !ok {
			if path != "schedtune" {
				out = append(out, "no row for "+path)
			}
			continue
		}
		for _, imp := range own(imports) {
			if !rows[i].free && !slices.Contains(rows[i].imports, imp) {
				out = append(out, fmt.Sprintf("%s imports %s", path, imp))
			}
			if k, ok := at[imp]; ok && k > i {
				out = append(out, fmt.Sprintf("%s imports %s, which stands below it", path, imp))
			}
		}
	}
	for _, r := range rows {
		if _, ok := all[r.path]; !ok {
			out = append(out, "there is no package "+r.path)
		}
	}
	slices.Sort(out)
	return out
}

// TestArchitectureNotices proves that missing rows, imports and arrows that run
// up are noticed.
func TestArchitectureNotices(t *testing.T) {
	rows := readTable([]string{"| `a` | first | none |", "| `b` | second | `a` |", "| `gone` | third | none |"})
	got := compareTable(rows, map[string][]string{"a": {"schedtune/b", "fmt"}, "b": {"schedtune/a"}, "c": nil})
	want := []string{"a imports b", "a imports b, which stands below it", "no row for c", "there is no package gone"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// rule says what packages may not import, and why.
type rule struct {
	from   string   // package path below the module, prefix match
	except []string // prefixes below from that the rule leaves alone
	banned []string // prefixes below the module, or full paths of other modules
	why    string
}

func rules() []rule {
	// packages of mathematics and of queue files, for use on their own
	leaves := []string{"lp", "cluster", "classify", "predict", "yarnconf"}
	var rs []rule
	for _, l := range leaves {
		banned := []string{"simcore", "trace", "datasets", "tune", "cmd", "conformance", "internal/scenario", "internal/simulate", "internal/study", "internal/report"}
		for _, other := range leaves {
			if other != l {
				banned = append(banned, other)
			}
		}
		rs = append(rs, rule{from: l, banned: banned, why: "it can be used without the rest"})
	}
	return append(rs,
		rule{from: "fairconf", banned: []string{"lp", "cluster", "classify", "predict", "simcore", "trace", "datasets", "tune", "cmd", "conformance", "internal/scenario", "internal/simulate", "internal/study", "internal/report"},
			why: "a reader of queue files uses the other reader's arithmetic and what decodes both"},
		rule{from: "simcore", except: []string{"simcore/sched"},
			banned: []string{"lp", "cluster", "classify", "predict", "yarnconf", "simcore/sched", "trace", "tune", "datasets", "cmd", "internal/scenario", "internal/simulate", "internal/study"},
			why:    "kernel and runtimes know no scheduler and no mathematics of the papers"},
		rule{from: "simcore/sched", banned: []string{"trace", "tune", "datasets", "cmd", "internal/scenario", "internal/simulate", "internal/study", "internal/report"},
			why: "a scheduler uses its runtime and the mathematics, nothing else"},
		rule{from: "tune", banned: []string{"lp", "cluster", "classify", "predict", "yarnconf", "simcore", "trace", "datasets", "cmd", "internal/scenario", "internal/simulate", "internal/study", "internal/report"},
			why: "the search uses a parameter space and an evaluation function; it knows nothing of clusters"},
		rule{from: "trace", banned: []string{"tune", "simcore/sched", "datasets", "cmd", "internal/scenario", "internal/simulate", "internal/study"},
			why: "a reader of traces uses the kernel's types only"},
		rule{from: "datasets", banned: []string{"tune", "simcore/sched", "cmd", "internal/scenario", "internal/simulate", "internal/study"},
			why: "a data set is data"},
		rule{from: "internal/scenario", banned: []string{"tune", "cmd", "internal/simulate", "internal/study", "internal/report", "internal/rm"}, why: "inputs are read below running"},
		rule{from: "internal/study", banned: []string{"cmd", "internal/report", "internal/report/html", "internal/report/timeline", "internal/rm"}, why: "a study is searched without its report, on other machines too"},
		rule{from: "internal/simulate", banned: []string{"tune", "cmd", "internal/study", "internal/report", "internal/rm"}, why: "running is below searching"},
		rule{from: "", except: []string{"classify/batch", "bench"}, banned: []string{"github.com/sjwhitworth/golearn"},
			why: "golearn is there for comparison only, behind one adapter"},
		rule{from: "", except: []string{"tune", "bench"}, banned: []string{"math/rand"},
			why: "draws are seeded and counter-based (internal/rng), so that runs are paired; eaopt takes a Rand from tune"},
	)
}

// TestImports walks the imports of every package and fails when one breaks a
// rule.
func TestImports(t *testing.T) {
	for path, imports := range packages(t) {
		for _, r := range rules() {
			r.check(t, path, imports)
		}
	}
}

func (r rule) check(t *testing.T, pkg string, imports []string) {
	t.Helper()
	if !below(pkg, r.from) {
		return
	}
	for _, x := range r.except {
		if below(pkg, x) {
			return
		}
	}
	for _, imp := range imports {
		rel, inside := strings.CutPrefix(imp, "schedtune/")
		for _, b := range r.banned {
			if inside && below(rel, b) && !below(rel, r.from) || imp == b || strings.HasPrefix(imp, b+"/") && strings.Contains(b, ".") {
				t.Errorf("%s imports %s: %s", pkg, imp, r.why)
			}
		}
	}
}

// below reports whether a path is a package or inside it.
func below(path, pkg string) bool {
	return pkg == "" || path == pkg || strings.HasPrefix(path, pkg+"/")
}

// TestImportRuleBites proves that the walk would notice a wrong import.
func TestImportRuleBites(t *testing.T) {
	var probe testing.T
	rule{from: "tune", banned: []string{"simcore"}}.check(&probe, "tune", []string{"schedtune/simcore/yarn"})
	if !probe.Failed() {
		t.Error("an import of simcore by tune went unnoticed")
	}
}
