package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"schedtune/internal/cli"
	"schedtune/internal/text"
)

// The version is one object with --json.
func TestVersionObject(t *testing.T) {
	for _, args := range [][]string{{"--version", "--json"}, {"--json", "--version"}} {
		var v cli.VersionDocument
		out, _ := ok(t, args...)
		if err := json.Unmarshal([]byte(out), &v); err != nil || v.Schema != text.SchemaVersion || v.Go == "" ||
			len(v.Hadoop) != 3 {
			t.Errorf("fit %v: got %+v, %v, want the document", args, v, err)
		}
	}
	if out, _ := ok(t, "--version"); strings.Count(out, "\n") != 1 || !strings.Contains(out, "Hadoop 3.3, 3.4, 3.5") {
		t.Errorf("got %q, want one line", out)
	}
}

// The decisions of a prediction take the place of earlier ones as a whole, so that a run that is
// killed, or a full disk, leaves those.
func TestDecisionsAreWhole(t *testing.T) {
	dir := t.TempDir()
	log, rows := filepath.Join(dir, "log.csv"), filepath.Join(dir, "rows.csv")
	var b strings.Builder
	b.WriteString("time,node,decision,outcome,load\n")
	for i := range 40 {
		fmt.Fprintf(&b, "%d,n%d,1,%d,0.%d\n", i, i%4, i/5%2, 1+8*(i/5%2))
	}
	for name, content := range map[string]string{log: b.String(), rows: "earlier"} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	before, err := os.Open(rows)
	if err != nil {
		t.Fatal(err)
	}
	defer before.Close()
	ok(t, "overload", "--log", log, "--out", filepath.Join(dir, "model"))
	ok(t, "predict", "--log", log, "--model", filepath.Join(dir, "model"), "--out", rows)
	if text, err := io.ReadAll(before); err != nil || string(text) != "earlier" {
		t.Errorf("the file of before holds %q, %v, want it as it was", text, err)
	}
	if text, err := os.ReadFile(rows); err != nil || strings.Count(string(text), "\n") != 41 {
		t.Errorf("got %d lines, %v, want 41", strings.Count(string(text), "\n"), err)
	}
}

// Every flag of every command that is given empty, blank, a flag for a value, twice with different
// values, or a folder for a file is refused by its name.
func TestGivenValues(t *testing.T) {
	dir := t.TempDir()
	values := map[string][2]string{"int": {"100", "101"}, "float64": {"0.5", "0.6"}, "duration": {"5m", "6m"},
		"string": {"a", "b"}}
	for _, c := range newRootCmd(&env{Name: "fit", Stdout: io.Discard, Stderr: io.Discard}).Commands() {
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Value.Type() == "bool" {
				return
			}
			calls := [][]string{{"--" + f.Name, ""}, {"--" + f.Name, " "}, {"--" + f.Name, "--quiet"}}
			if v, single := values[f.Value.Type()]; single {
				calls = append(calls, []string{"--" + f.Name, v[0], "--" + f.Name, v[1]})
			}
			if what, usage := pflag.UnquoteUsage(f); what == "FILE" && !strings.Contains(usage, "folder") {
				calls = append(calls, []string{"--" + f.Name, dir})
			}
			for _, args := range calls {
				code, _, stderr := fitCmd(t, "", append([]string{c.Name()}, args...)...)
				if first, _, _ := strings.Cut(stderr, "\n"); code != cli.ExitUsage || !strings.Contains(first, "--"+f.Name) {
					t.Errorf("fit %s %q: exit %d, %q, want %d and the flag's name", c.Name(), args, code, first, cli.ExitUsage)
				}
			}
		})
	}
}
