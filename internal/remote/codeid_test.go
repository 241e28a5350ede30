package remote

import (
	"io/fs"
	"maps"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"schedtune"
)

// TestSource compares the embedded list with the import graph of what a simulation
// runs, and changes one file of each package: every change must change the hash.
func TestSource(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}",
		"schedtune/internal/simulate").Output()
	if err != nil {
		t.Skipf("go list: %v", err)
	}
	want := []string{"internal/study"}
	for _, p := range strings.Fields(string(out)) {
		if rel, ours := strings.CutPrefix(p, "schedtune/"); ours {
			want = append(want, rel)
		}
	}
	tree, one := fstest.MapFS{}, map[string]string{}
	err = fs.WalkDir(schedtune.Source, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(schedtune.Source, name)
		tree[name] = &fstest.MapFile{Data: data}
		if strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			one[path.Dir(name)] = name
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(want)
	if got := slices.Sorted(maps.Keys(one)); !slices.Equal(got, want) {
		t.Fatalf("embedded packages:\n%q, want those that a simulation imports:\n%q", got, want)
	}
	base := treeHash(t, tree)
	one["the module"], one["a data set"] = "go.mod", "datasets/tables/coshh-1.csv"
	for pkg, name := range one {
		data := tree[name].Data
		tree[name] = &fstest.MapFile{Data: append(slices.Clone(data), "//"...)}
		if treeHash(t, tree) == base {
			t.Errorf("%s: a change of %s leaves the hash as it was", pkg, name)
		}
		tree[name] = &fstest.MapFile{Data: data}
	}
	tree["simcore/another_test.go"] = &fstest.MapFile{Data: []byte("x")}
	if treeHash(t, tree) != base {
		t.Error("a new test file changes the hash")
	}
}

func treeHash(t *testing.T, tree fs.FS) string {
	t.Helper()
	h, err := sourceHash(tree)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// The identity is one, and short enough for names on a message server.
func TestID(t *testing.T) {
	a, err := CodeID()
	if err != nil {
		t.Fatal(err)
	}
	b, _ := CodeID()
	if len(a) != 16 || a != b {
		t.Errorf("%q, then %q", a, b)
	}
	one, err := selfTest()
	if err != nil {
		t.Fatal(err)
	}
	if two, _ := selfTest(); one != two {
		t.Error("the self-test differs from itself")
	}
}
