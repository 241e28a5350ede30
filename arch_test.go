package schedtune

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"
)

// rule says which of our packages one room may not import, and why.
type rule struct {
	from   string   // package path below the module, prefix match
	except []string // prefixes below from that the rule leaves alone
	banned []string // prefixes below the module, or full paths of other modules
	why    string
}

// leaves are the rooms of pure mathematics and of the queue file.
var leaves = []string{"lp", "cluster", "classify", "predict", "yarnconf"}

func rules() []rule {
	all := []string{"lp", "cluster", "classify", "predict", "yarnconf", "simcore", "trace", "datasets", "tune", "cmd", "conformance",
		"internal/study", "internal/report", "internal/replay", "internal/reproduce", "internal/live", "internal/remote"}
	var rs []rule
	for _, l := range leaves {
		var banned []string
		for _, r := range all {
			if r != l {
				banned = append(banned, r)
			}
		}
		rs = append(rs, rule{from: l, banned: banned, why: "a researcher must be able to take this core alone"})
	}
	return append(rs,
		rule{from: "fairconf", banned: []string{"lp", "cluster", "classify", "predict", "simcore", "trace", "datasets", "tune", "cmd", "conformance", "internal"},
			why: "a reader of queue files knows the other reader's arithmetic, nothing else"},
		rule{from: "simcore", except: []string{"simcore/sched"},
			banned: []string{"lp", "cluster", "classify", "predict", "yarnconf", "simcore/sched", "trace", "tune", "datasets", "cmd", "internal/study"},
			why:    "the kernel knows no scheduler and no mathematics of the papers"},
		rule{from: "simcore/sched", banned: []string{"trace", "tune", "datasets", "cmd", "internal/study", "internal/report"},
			why: "a scheduler sees the kernel and the mathematics, nothing else"},
		rule{from: "tune", banned: []string{"lp", "cluster", "classify", "predict", "yarnconf", "simcore", "trace", "datasets", "cmd", "internal/study", "internal/report"},
			why: "the search sees a parameter space and an evaluation function; it knows nothing of clusters"},
		rule{from: "trace", banned: []string{"tune", "simcore/sched", "datasets", "cmd", "internal/study"},
			why: "a reader of traces needs the kernel's types only"},
		rule{from: "datasets", banned: []string{"tune", "simcore/sched", "cmd", "internal/study"},
			why: "a data set is data"},
		rule{from: "", except: []string{"classify/batch", "bench"}, banned: []string{"github.com/sjwhitworth/golearn"},
			why: "golearn is there for comparison only, behind one adapter"},
	)
}

// TestImports walks the imports of every package and fails when an arrow
// points the wrong way. Test files are left out: they may compare rooms.
func TestImports(t *testing.T) {
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", "./...").Output()
	if err != nil {
		var ee *exec.ExitError
		if errors.As(err, &ee) {
			t.Fatalf("go list: %v\n%s", err, ee.Stderr)
		}
		t.Fatalf("go list: %v", err)
	}
	dec := json.NewDecoder(strings.NewReader(string(out)))
	seen := 0
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
		seen++
		for _, r := range rules() {
			r.check(t, p.ImportPath, p.Imports)
		}
	}
	if seen < 10 {
		t.Fatalf("only %d packages seen: the walk is broken", seen)
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
		for _, b := range r.banned {
			if (below(imp, b) && !below(imp, r.from)) || imp == b || strings.HasPrefix(imp, b+"/") && strings.Contains(b, ".") {
				t.Errorf("%s imports %s: %s", pkg, imp, r.why)
			}
		}
	}
}

// below reports whether a package of this module is the room or inside it.
func below(pkg, room string) bool {
	rel, ok := strings.CutPrefix(pkg, "schedtune")
	if !ok {
		return false
	}
	rel = strings.TrimPrefix(rel, "/")
	return room == "" || rel == room || strings.HasPrefix(rel, room+"/")
}

// TestImportRuleBites proves that the walk would notice a wrong arrow.
func TestImportRuleBites(t *testing.T) {
	var probe testing.T
	rule{from: "tune", banned: []string{"simcore"}}.check(&probe, "schedtune/tune", []string{"schedtune/simcore/yarn"})
	if !probe.Failed() {
		t.Error("an import of simcore by tune went unnoticed")
	}
}
