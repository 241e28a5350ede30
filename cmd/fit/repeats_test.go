package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every line of the examples must parse: the command exists and so do its
// flags.
func TestExamplesParse(t *testing.T) {
	e := &env{Name: "fit"}
	root := newRootCmd(e)
	lines := strings.Split(root.Example, "\n")
	for _, c := range root.Commands() {
		lines = append(lines, strings.Split(c.Example, "\n")...)
	}
	seen := 0
	for _, line := range lines {
		line = strings.TrimSpace(line)
		if line, _, _ = strings.Cut(line, " |"); !strings.HasPrefix(line, "fit ") {
			continue
		}
		seen++
		args := strings.Fields(strings.NewReplacer("'load1/cpus > 1'", "x").Replace(line))[1:]
		c, rest, err := newRootCmd(e).Find(args)
		if err != nil || c.Name() != args[0] {
			t.Errorf("%s: %v", line, err)
			continue
		}
		if err := c.ParseFlags(rest); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
	if seen < 10 {
		t.Errorf("%d examples, want at least 10", seen)
	}
}

// What counts twice is said: a copy of a log under another name, the log, jobs or windows
// that a model was made from. Logs without rows, and a log that goes on, are no copies.
func TestRepeatsAreSaid(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const head = "node,load1,cpus\n"
	rows := strings.Repeat("a,1,4\nb,9,4\na,6,4\n", 20)
	one, copied, other := put("one.csv", head+rows), put("copied.csv", head+rows), put("other.csv", head+rows+"a,1,4\n")
	none, nothing := put("none.csv", head), put("nothing.csv", head)
	windows := put("windows.csv", "released,available\n1,5\n2,5\n3,6\n")
	out := func(name string) string { return filepath.Join(dir, name) }
	said := func(want string, args ...string) {
		t.Helper()
		_, errs := ok(t, args...)
		if want == "" && strings.Contains(errs, "twice") || !strings.Contains(errs, want) {
			t.Errorf("fit %s: standard error has no %q, or names a repetition:\n%s", strings.Join(args, " "), want, errs)
		}
	}
	said("copied.csv holds what "+one+" holds: its rows count twice", "overload", "--compare", "none", "--log", one,
		"--log", other, "--log", copied)
	said("", "overload", "--compare", "none", "--log", one, "--log", other, "--log", none, "--log", nothing, "--out",
		out("o"))
	said("", "overload", "--compare", "none", "--log", one, "--out", out("p"))
	model := filepath.Join(out("p"), "model.json")
	said("the log is the last one in the model", "overload", "--compare", "none", "--log", copied, "--model", model)
	said("", "overload", "--compare", "none", "--log", other, "--model", model)
	said("again.csv holds what "+windows, "release", "--log", windows, "--log",
		put("again.csv", "released,available\n1,5\n2,5\n3,6\n"))
	said("", "release", "--log", windows, "--out", out("r"))
	said("count twice", "release", "--log", windows, "--model", filepath.Join(out("r"), "model.json"))
	said("", "release", "--log", put("later.csv", "released,available\n1,5\n2,5\n4,6\n"), "--model",
		filepath.Join(out("r"), "model.json"))
	said("", "classes", "--dataset", "coshh-facebook", "--out", out("c"))
	said("102 of the 102 jobs are in the model already", "classes", "--dataset", "coshh-facebook", "--model",
		filepath.Join(out("c"), "model.json"))
	said("", "classes", "--dataset", "coshh-yahoo", "--model", filepath.Join(out("c"), "model.json"))
}

// A table of jobs is read in place of traces, and its model is refused where sizes of jobs are meant.
func TestJobTable(t *testing.T) {
	dir := t.TempDir()
	table, out := filepath.Join(dir, "jobs.csv"), filepath.Join(dir, "out")
	if err := os.WriteFile(table, []byte("id,cpu,queue\na,1,x\nb,1.1,x\nc,900,y\nd,880,y\ne,NA,z\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	printed, errs := ok(t, "classes", "--jobs", table, "--out", out)
	if !strings.Contains(printed, "jobs.csv: 4 jobs, 2 classes") || !strings.Contains(errs, "queue") ||
		!strings.Contains(errs, "jobs.csv:6: ") {
		t.Errorf("printed\n%s\nwith\n%s\nwant two classes of 4 jobs, a column left out and a bad row", printed, errs)
	}
	model := filepath.Join(out, "model.json")
	if printed, _ = ok(t, "classes", "--jobs", table, "--model", model, "--assign"); !strings.Contains(printed, "of the model") {
		t.Errorf("printed\n%s\nwant the classes of the model", printed)
	}
	for _, args := range [][]string{{"classes", "--model", model}, {"allocation", "--classes", model},
		{"classes", "--jobs", table, "--jobs", table}, {"classes", "--jobs", table, "--trace", "x"}} {
		if code, _, _ := fitCmd(t, "", args...); code == 0 {
			t.Errorf("fit %s: no error", strings.Join(args, " "))
		}
	}
}
