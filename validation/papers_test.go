package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func command(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = execute(args, strings.NewReader(""), &out, &errs)
	return code, out.String(), errs.String()
}

// must runs a command that has to end with this exit code.
func must(t *testing.T, want int, args ...string) (stdout, stderr string) {
	t.Helper()
	code, stdout, stderr := command(t, args...)
	if code != want {
		t.Fatalf("validation %s: exit %d, want %d\n%s%s", strings.Join(args, " "), code, want, stdout, stderr)
	}
	return stdout, stderr
}

func TestPapers(t *testing.T) {
	out, _ := must(t, 0, "papers", "coshh", "--table", "section 3.2", "--quiet")
	if !strings.Contains(out, "lambda") || strings.Count(out, "met ") < 5 || strings.Contains(out, "missed") {
		t.Errorf("worked program: %s", out)
	}
	dir := filepath.Join(t.TempDir(), "results")
	out, _ = must(t, 0, "papers", "omo", "--table", "2", "--replications", "1", "--out", dir, "--json", "--quiet")
	var doc papersJSON
	if err := json.Unmarshal([]byte(out), &doc); err != nil || doc.Schema != "schedtune/reproduce/v3" ||
		len(doc.Sections) != 1 {
		t.Errorf("schema %q, %d sections, error %v; want schedtune/reproduce/v3 and 1", doc.Schema, len(doc.Sections), err)
	}
	for _, name := range []string{"omo.md", "omo.csv"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	if _, stderr := must(t, 2, "papers", "nope"); !strings.Contains(stderr, "coupling, coshh, learning, omo, thesis") {
		t.Errorf("unknown paper: %q", stderr)
	}
	if _, stderr := must(t, 2, "papers", "--table", "2"); !strings.Contains(stderr, "needs a paper") {
		t.Errorf("table without paper: %q", stderr)
	}
}
