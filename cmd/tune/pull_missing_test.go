package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"schedtune/internal/cli"
	"schedtune/internal/rm"
	"schedtune/validation/rmtest"
)

// summaryOf reads the summary of a pulled folder.
func summaryOf(t *testing.T, dir string) *rm.PullSummary {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, rm.FileSummary))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(data, []byte(`"command": "tune pull"`)) {
		t.Errorf("the summary does not name the run: %s", data)
	}
	var s rm.PullSummary
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	return &s
}

// A history server that fails for the last 4 of 12 jobs: the folder is written with the
// other 8, says what it lacks wherever it is used, and the same command completes it
// without asking for the 8 again. Between them a pull that reaches no history server at
// all loses none of the 8.
func TestPullIncomplete(t *testing.T) {
	t.Parallel() // it waits more than it works
	f := rmtest.New(12)
	s := f.Serve(t)
	dir := filepath.Join(t.TempDir(), "cluster")
	pull := []string{"pull", "--rm", s.URL, "--history", s.URL, "--out", dir, "--since", ever, "--rate", "100000"}
	lateJobs := func(w http.ResponseWriter, r *http.Request) bool {
		for _, id := range []string{"job_1_0008", "job_1_0009", "job_1_0010", "job_1_0011"} {
			if strings.Contains(r.URL.Path, id) {
				http.Error(w, "no such job", http.StatusNotFound) // another try would not help, so that the test need not wait
				return true
			}
		}
		return false
	}
	f.Hook = lateJobs
	const lacks = "tasks of job_1_0008 and 3 more"
	out, stderr := must(t, cli.ExitFindings, pull...)
	if !strings.Contains(out, "8 jobs with their tasks") || !strings.Contains(stderr, "warning: missing: "+lacks+" (") ||
		!strings.Contains(stderr, "no such job") {
		t.Errorf("%s%s", out, stderr)
	}
	if sum := summaryOf(t, dir); sum.Jobs != 8 || sum.Apps != 12 || len(sum.Missing) != 1 ||
		sum.Missing[0].What != lacks || sum.Missing[0].Server != s.URL {
		t.Errorf("%+v", sum)
	}
	usedIncomplete(t, dir, lacks)

	f.Hook = func(w http.ResponseWriter, r *http.Request) bool {
		gone := strings.HasPrefix(r.URL.Path, "/ws/v1/history")
		if gone {
			http.Error(w, "gone", http.StatusForbidden)
		}
		return gone
	}
	out, _ = must(t, cli.ExitFindings, append(pull, "--json")...)
	if m := object(t, out); m["jobs"] != 8.0 || len(m["missing"].([]any)) != 1 {
		t.Errorf("what was read before is lost: %s", out)
	}

	f.Hook = nil
	clear(f.Counts)
	if _, stderr = must(t, 0, pull...); strings.Contains(stderr, "missing") {
		t.Errorf("%s", stderr)
	}
	if sum := summaryOf(t, dir); sum.Jobs != 12 || len(sum.Missing) != 0 {
		t.Errorf("%+v", sum)
	}
	for path := range f.Counts {
		if strings.Contains(path, "job_1_0007") {
			t.Errorf("%s is asked for again", path)
		}
	}
	// An incomplete pull takes the place of no complete folder.
	f.Hook = lateJobs
	if _, stderr = must(t, 1, pull...); !strings.Contains(stderr, "is not replaced") || !strings.Contains(stderr, lacks) {
		t.Errorf("%s", stderr)
	}
	if sum := summaryOf(t, dir); sum.Jobs != 12 || len(sum.Missing) != 0 {
		t.Errorf("%+v", sum)
	}
}

// usedIncomplete has an incomplete folder used by the commands that take one.
func usedIncomplete(t *testing.T, dir, lacks string) {
	t.Helper()
	files := []string{"--config", filepath.Join(dir, rm.FileConfig), "--cluster", filepath.Join(dir, rm.FileNodes),
		"--trace", filepath.Join(dir, rm.DirTrace)}
	for _, c := range [][]string{
		{"doctor", dir, "--replications", "2"},
		append([]string{"simulate"}, files...),
		append([]string{"--budget", "20", "--out", filepath.Join(t.TempDir(), "tuned")}, files...),
	} {
		out, stderr := must(t, 0, c...)
		if !strings.Contains(out+stderr, dir+": the pull is incomplete, without "+lacks) {
			t.Errorf("tune %s does not tell: %s%s", c[0], out, stderr)
		}
	}
}
