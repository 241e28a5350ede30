package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"schedtune/internal/cli"
	"schedtune/internal/fileio"
	"schedtune/internal/report"
	"schedtune/internal/study"
	"schedtune/validation/rmtest"
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
		`{"schema":"schedtune/tune/v3","study":{"status":"cancelled"}}`} {
		dir := studyFolder(t, s.URL, summary, capacities...)
		if m := apply(cli.ExitNotRecommended, dir, "--yes"); m["made"] != false || f.Puts != 0 {
			t.Errorf("%s: %v, %d sent", summary, m, f.Puts)
		}
		apply(cli.ExitChanges, dir, "--unconfirmed", "--detailed-exitcode")
	}
	apply(cli.ExitNotRecommended, studyFolder(t, s.URL, `{"recommended":false,"single_gain":null}`, capacities...))
	apply(cli.ExitOK, studyFolder(t, s.URL, `{"recommended":false,"single_gain":{"mean":0.2}}`, capacities...))
	dir := studyFolder(t, s.URL, `{"schema":"schedtune/tune/v3","recommended":true}`, capacities...)
	apply(cli.ExitOK, dir)
	apply(cli.ExitChanges, dir, "--detailed-exitcode")
	if m := apply(cli.ExitChanges, dir, "--detailed-exitcode", "--yes"); m["made"] != true || m["effective"] != true {
		t.Errorf("%v", m)
	}
	apply(cli.ExitOK, dir, "--detailed-exitcode", "--yes") // nothing is left to do
}

// What was applied though it is not recommended is rolled back too.
func TestRollBackUnconfirmed(t *testing.T) {
	f := rmtest.New(12)
	s := f.Serve(t)
	dir := studyFolder(t, s.URL, `{"schema":"schedtune/tune/v3","recommended":false}`, capacities...)
	current := filepath.Join(dir, study.FileConfig)
	if err := os.Rename(current, filepath.Join(dir, report.FileFound)); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(filepath.Join(dir, report.FileRollback), current); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		want string
		args []string
	}{{"70", []string{"apply", dir, "--unconfirmed"}}, {"60", []string{"rollback", dir}}, {"60", []string{"rollback", dir}}} {
		must(t, 0, append(step.args, "--rm", s.URL, "--rate", "100000", "--yes", "--quiet")...)
		if got := f.Conf["yarn.scheduler.capacity.root.a.capacity"]; got != step.want {
			t.Errorf("%v: got capacity %s, want %s", step.args[0], got, step.want)
		}
	}
}

// A change whose effective values are others is not success, and says which.
func TestApplyWithoutEffect(t *testing.T) {
	f := rmtest.New(12)
	f.Conf["yarn.scheduler.capacity.root.a.user-limit-factor"] = "1"
	s := f.Serve(t)
	dir := studyFolder(t, s.URL, "", "<name>yarn.scheduler.capacity.root.a.user-limit-factor</name><value>1<",
		"<name>yarn.scheduler.capacity.root.a.user-limit-factor</name><value>5.5<",
		"user-limit-factor</name>\n    <value>1<", "user-limit-factor</name>\n    <value>5.5<")
	for _, first := range []bool{true, false} { // the same command again finds the same
		out, _ := must(t, cli.ExitFindings, "apply", dir, "--rm", s.URL, "--rate", "100000", "--yes", "--json", "--quiet")
		m := object(t, out)
		if notes := m["notes"].([]any); m["made"] != first || m["in_force"] == first || m["effective"] != false ||
			len(notes) == 0 || !strings.Contains(notes[len(notes)-1].(string), "user-limit-factor is 1 instead of 5.5") {
			t.Errorf("first time %v: %s", first, out)
		}
	}
}

// An address that is none is an error of usage that names its flag.
func TestAddressesOfFlags(t *testing.T) {
	for flag, args := range map[string][]string{
		"--rm": {"apply", studyFolder(t, rmtest.New(12).Serve(t).URL, "", capacities...), "--rm", "ftp://x"},
		"--history": {"pull", "--rm", "http://localhost:1", "--history", "localhost:19888", "--out",
			filepath.Join(t.TempDir(), "p")},
	} {
		if _, errs := must(t, cli.ExitUsage, args...); !strings.Contains(errs, flag) {
			t.Errorf("%v: %q, want %s in it", args, errs, flag)
		}
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
