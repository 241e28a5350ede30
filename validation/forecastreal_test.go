package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"schedtune/validation/testdata"
)

// Missing or wrong flags of the commands are usage errors that name them.
func TestReproduceRealUsage(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"scenarios", dir, "--scenarios", "0"}, 2, "--scenarios"},
		{[]string{"scenarios"}, 2, "arg"},
		{[]string{"tune", dir, "--name", "x"}, 2, "--present"},
		{[]string{"tune", dir, "--name", "x", "--present", dir, "--settings", dir}, 1, "scenario.json"},
		{[]string{"scenarios", dir, "--settings", dir}, 1, "scenario.json"},
		{[]string{"compare"}, 2, "arg"},
	} {
		code, out, errs := command(t, append([]string{"forecast-real"}, c.args...)...)
		if code != c.code || out != "" || !strings.Contains(errs, c.want) {
			t.Errorf("%v: code %d, want %d, with %q in %q", c.args, code, c.code, c.want, errs)
		}
	}
}

// Tuned on the run of the repository and "recorded" again as it was, the gain that
// came is none, and the table and JSON say so; before that there is no pair.
func TestReproduceRealCommands(t *testing.T) {
	run := testdata.RunUnder(t, "mapreduce", "0.2")
	dir, out := t.TempDir(), t.TempDir()
	code, text, errs := command(t, "forecast-real", "tune", dir, "--name", "own", "--present", run, "--settings", run,
		"--budget", "120", "--objective", "makespan")
	if code != 0 || !strings.HasPrefix(text, "own: ") || !strings.Contains(text, "makespan") {
		t.Fatalf("code %d: %q %q", code, text, errs)
	}
	if code, text, _ = command(t, "forecast-real", "compare", dir, "--records", out); code != 0 ||
		!strings.Contains(text, "no pair is recorded yet") {
		t.Errorf("code %d: %q", code, text)
	}
	if err := os.CopyFS(filepath.Join(out, "own-tuned-a"), os.DirFS(run)); err != nil {
		t.Fatal(err)
	}
	if code, text, errs = command(t, "forecast-real", "compare", dir, "--records", out); code != 0 ||
		!strings.Contains(text, "| own | makespan |") || !strings.Contains(text, "| 0.0 |") ||
		strings.Contains(text, "-0.0") {
		t.Errorf("code %d: %q %q", code, text, errs)
	}
	code, text, errs = command(t, "forecast-real", "compare", dir, "--records", out, "--json")
	var pairs realPairsJSON
	if err := json.Unmarshal([]byte(text), &pairs); code != 0 || err != nil ||
		pairs.Schema != "schedtune/real-pairs/v1" || len(pairs.Pairs) != 1 {
		t.Fatalf("code %d, %v: %q %q", code, err, text, errs)
	}
	if r := pairs.Pairs[0]; r.Came != 0 || fmt.Sprint(r.Before) != fmt.Sprint(r.After) {
		t.Errorf("%+v", r)
	}
}
