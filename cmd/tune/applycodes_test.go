package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"schedtune/internal/cli"
	"schedtune/internal/fileio"
	"schedtune/internal/report"
	"schedtune/internal/rm/rmtest"
	"schedtune/internal/study"
)

// studyFolder writes a folder that changes settings of the queues of a made-up cluster.
func studyFolder(t *testing.T, url, summary string, change ...string) string {
	t.Helper()
	dir := t.TempDir()
	must(t, 0, "pull", "--rm", url, "--history", url, "--out", dir+"/pull", "--since", ever, "--rate", "100000", "--quiet")
	text, err := os.ReadFile(filepath.Join(dir, "pull", "capacity-scheduler.xml"))
	if err != nil {
		t.Fatal(err)
	}
	better := strings.NewReplacer(change...).Replace(string(text))
	for name, body := range map[string]string{report.FileRollback: string(text), study.FileConfig: better,
		report.FileSummary: summary} {
		if body == "" {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

var capacities = []string{"<value>60<", "<value>70<", "<value>40<", "<value>30<"}

// What tune apply finds has a code of the table.
func TestApplyExitCodes(t *testing.T) {
	f := rmtest.New(12)
	s := f.Serve(t)
	apply := func(want int, dir string, more ...string) map[string]any {
		t.Helper()
		out, _ := must(t, want, append([]string{"apply", dir, "--rm", s.URL, "--rate", "100000", "--json", "--quiet"},
			more...)...)
		return object(t, out)
	}
	for _, summary := range []string{`{"schema":"schedtune/tune/v3","recommended":false,"reason":"gain-not-sure"}`,
		`{"schema":"schedtune/tune/v2","proven":false}`, `{"schema":"schedtune/tune/v3","study":{"status":"cancelled"}}`} {
		dir := studyFolder(t, s.URL, summary, capacities...)
		if m := apply(cli.ExitNotRecommended, dir, "--yes"); m["made"] != false || f.Puts != 0 {
			t.Errorf("%s: %v, %d sent", summary, m, f.Puts)
		}
		apply(cli.ExitChanges, dir, "--unconfirmed", "--detailed-exitcode")
	}
	dir := studyFolder(t, s.URL, `{"schema":"schedtune/tune/v3","recommended":true}`, capacities...)
	apply(cli.ExitOK, dir)
	apply(cli.ExitChanges, dir, "--detailed-exitcode")
	if m := apply(cli.ExitChanges, dir, "--detailed-exitcode", "--yes"); m["made"] != true || m["effective"] != true {
		t.Errorf("%v", m)
	}
	apply(cli.ExitOK, dir, "--detailed-exitcode", "--yes") // nothing is left to do
}

// A change whose effective values are others is not success, and says which.
func TestApplyWithoutEffect(t *testing.T) {
	f := rmtest.New(12)
	f.Conf["yarn.scheduler.capacity.root.a.user-limit-factor"] = "1"
	s := f.Serve(t)
	dir := studyFolder(t, s.URL, "", "<name>yarn.scheduler.capacity.root.a.user-limit-factor</name><value>1<",
		"<name>yarn.scheduler.capacity.root.a.user-limit-factor</name><value>5.5<",
		"user-limit-factor</name>\n    <value>1<", "user-limit-factor</name>\n    <value>5.5<")
	out, _ := must(t, cli.ExitFindings, "apply", dir, "--rm", s.URL, "--rate", "100000", "--yes", "--json", "--quiet")
	m := object(t, out)
	if notes := m["notes"].([]any); m["made"] != true || m["effective"] != false || len(notes) == 0 ||
		!strings.Contains(notes[len(notes)-1].(string), "user-limit-factor is 1 instead of 5.5") {
		t.Errorf("%s", out)
	}
	out, _ = must(t, cli.ExitFindings, "apply", dir, "--rm", s.URL, "--rate", "100000", "--yes", "--json", "--quiet")
	if m := object(t, out); m["made"] != false || m["in_force"] != true || m["effective"] != false {
		t.Errorf("the same command again: %s", out)
	}
}

// A change whose command was killed after it was sent is recorded as made by the next one.
func TestApplyCompletesItsRecord(t *testing.T) {
	f := rmtest.New(12)
	s := f.Serve(t)
	dir := studyFolder(t, s.URL, "", capacities...)
	args := []string{"apply", dir, "--rm", s.URL, "--rate", "100000", "--yes", "--json", "--quiet"}
	must(t, 0, args...)
	record := filepath.Join(dir, fileio.Applied)
	data, err := os.ReadFile(record)
	if err != nil {
		t.Fatal(err)
	}
	killed := strings.Replace(string(data), `"status": "made"`, `"status": "intended"`, 1)
	if err := os.WriteFile(record, []byte(killed), 0o600); err != nil || killed == string(data) {
		t.Fatalf("%v: %s", err, data)
	}
	out, _ := must(t, 0, args...)
	if r, _ := object(t, out)["record"].(map[string]any); r == nil || r["status"] != "made" {
		t.Errorf("%s", out)
	}
	if data, err = os.ReadFile(record); err != nil || !strings.Contains(string(data), `"status": "made"`) || f.Puts != 1 {
		t.Errorf("%v, %d sent: %s", err, f.Puts, data)
	}
}
