package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"schedtune/internal/cli"
	"schedtune/internal/fileio"
	"schedtune/validation/rmtest"
	"schedtune/validation/testdata"
)

// ever is a window that reaches back to the made-up cluster's jobs.
const ever = "200000h"

// object parses standard output as the one JSON object it must be, in the form of its schema.
func object(t *testing.T, stdout string) map[string]any {
	t.Helper()
	return fitted(t, stdout)
}

// must runs tune and expects an exit code.
func must(t *testing.T, want int, args ...string) (stdout, stderr string) {
	t.Helper()
	code, stdout, stderr := command(t, args...)
	if code != want {
		t.Fatalf("tune %s: exit %d, want %d\n%s%s", strings.Join(args, " "), code, want, stdout, stderr)
	}
	return stdout, stderr
}

// TestLiveCircle goes the whole way on a made-up cluster: pull, check, explain,
// doctor, apply, roll back.
func TestLiveCircle(t *testing.T) {
	f := rmtest.New(12)
	s := f.Serve(t)
	dir := filepath.Join(t.TempDir(), "cluster")
	out, _ := must(t, 0, "pull", "--rm", s.URL, "--history", s.URL, "--out", dir, "--since", ever, "--rate", "100000",
		"--json", "--quiet")
	if m := object(t, out); m["jobs"] != 12.0 || m["applications"] != 12.0 {
		t.Errorf("%v", m)
	}
	if _, stderr := must(t, cli.ExitFindings, "pull", "--rm", s.URL, "--spark-history", s.URL, "--out", dir+"2",
		"--quiet"); !strings.Contains(stderr, "a history server of Spark") {
		t.Errorf("another service in place of Spark's history: %s", stderr)
	}
	config, nodes := filepath.Join(dir, "capacity-scheduler.xml"), filepath.Join(dir, "nodes.json")
	out, _ = must(t, 0, "check", config, "--json")
	object(t, out)
	out, _ = must(t, 0, "explain", config, "--cluster", nodes, "--queue", "a", "--user", "u", "--trace",
		filepath.Join(dir, "trace"), "--json")
	if m := object(t, out); m["queue"] != "root.a" {
		t.Errorf("%v", m)
	}
	out, _ = must(t, 0, "doctor", dir, "--replications", "3", "--json", "--quiet")
	m := object(t, out)
	if e, _ := m["evaluation"].(map[string]any); e == nil || len(e["differences"].([]any)) != 0 || m["replay"] == nil {
		t.Errorf("%s", out)
	}
	applyCircle(t, f, s.URL, config)
}

func applyCircle(t *testing.T, f *rmtest.Fake, url, config string) {
	t.Helper()
	tuned := t.TempDir()
	text, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	better := strings.NewReplacer("<value>60<", "<value>70<", "<value>40<", "<value>30<").Replace(string(text))
	for name, body := range map[string]string{"rollback.xml": string(text), "capacity-scheduler.xml": better,
		"mapred-site.xml": "<configuration/>"} {
		if err := os.WriteFile(filepath.Join(tuned, name), []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out, _ := must(t, 0, "apply", tuned, "--rm", url, "--rate", "100000")
	if !strings.Contains(out, filepath.Join(tuned, "mapred-site.xml")+": the ResourceManager does not manage settings "+
		"of jobs") {
		t.Errorf("got %s, want a note about mapred-site.xml", out)
	}
	if f.Puts != 0 || !strings.Contains(out, "root.a.capacity: 60 -> 70") || !strings.Contains(out, "nothing was sent") {
		t.Errorf("%d sent: %s", f.Puts, out)
	}
	out, _ = must(t, 0, "apply", tuned, "--rm", url, "--rate", "100000", "--yes", "--json")
	if m := object(t, out); m["made"] != true || f.Puts != 1 || f.Conf["yarn.scheduler.capacity.root.a.capacity"] != "70" {
		t.Errorf("%s", out)
	}
	record, err := os.ReadFile(filepath.Join(tuned, fileio.Applied))
	if err != nil {
		t.Fatal(err)
	}
	object(t, string(record))
	if out, _ := must(t, 0, "apply", tuned, "--rm", url, "--rate", "100000", "--yes"); !strings.Contains(out,
		"already holds these settings: no change needed") || f.Puts != 1 {
		t.Errorf("%s", out)
	}
	out, _ = must(t, 0, "apply", tuned, "--rm", url, "--rate", "100000", "--yes", "--json")
	if m := object(t, out); m["made"] != false || m["in_force"] != true {
		t.Errorf("%s", out)
	}
	must(t, 0, "rollback", tuned, "--rm", url, "--rate", "100000", "--yes")
	if f.Conf["yarn.scheduler.capacity.root.a.capacity"] != "60" {
		t.Errorf("after the rollback: %v", f.Conf)
	}
	f.Conf["yarn.scheduler.capacity.node-locality-delay"] = "3"
	if _, stderr := must(t, 1, "apply", tuned, "--rm", url, "--rate", "100000", "--yes"); !strings.Contains(stderr,
		"is not the one that was tuned") || f.Puts != 2 {
		t.Errorf("%s", stderr)
	}
}

// TestWatch: two rounds, the second of which sees what changed; the cluster is
// left alone.
func TestWatch(t *testing.T) {
	t.Parallel()
	f := rmtest.New(12)
	s := f.Serve(t)
	dir := filepath.Join(t.TempDir(), "watch")
	args := []string{"watch", "--rm", s.URL, "--history", s.URL, "--out", dir, "--window", ever, "--rate", "100000",
		"--budget", "20", "--every", "1s"}
	out, _ := must(t, 0, append(args, "--rounds", "1", "--json")...)
	if m := object(t, out); m["error"] != nil || m["verdict"] == "" {
		t.Errorf("%s", out)
	}
	f.Conf["yarn.scheduler.capacity.root.a.user-limit-factor"] = "3"
	torn, err := os.OpenFile(filepath.Join(dir, watchLog), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := torn.WriteString(`{"schema":"schedtune/wat`); errors.Join(err, torn.Close()) != nil { // a full disk
		t.Fatal(err)
	}
	// The second call goes on from the first, as one that cron starts does.
	if out, _ = must(t, 0, append(args, "--rounds", "2")...); strings.Count(out,
		"drift of configuration: root.a.user-limit-factor went from") != 1 {
		t.Errorf("%s", out)
	}
	log, err := os.ReadFile(filepath.Join(dir, watchLog))
	if err != nil || strings.Count(string(log), "\n") != 3 || f.Puts != 0 {
		t.Errorf("%v, %d changes made: %s", err, f.Puts, log)
	}
	for line := range strings.Lines(string(log)) {
		object(t, line)
	}
	if _, err := os.Stat(filepath.Join(dir, "round-0003", "pull", "nodes.json")); err != nil {
		t.Error(err)
	}
}

// TestLiveUsage: mistakes on the command line end with 2, in the files and on
// the network with 1, all on one line, and a folder of somebody else's is left
// alone.
func TestLiveUsage(t *testing.T) {
	other := t.TempDir()
	if err := os.WriteFile(filepath.Join(other, "mine.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		code int
		args []string
	}{
		{2, []string{"pull", "--out", "x"}},
		{2, []string{"pull", "--rm", "http://127.0.0.1:1"}},
		{2, []string{"pull", "--rm", "http://127.0.0.1:1", "--out", "x", "--auth", "magic:y"}},
		{2, []string{"pull", "--rm", "http://127.0.0.1:1", "--out", "x", "--rate", "0"}},
		{2, []string{"pull", "--rm", "no address", "--out", "x"}},
		{1, []string{"pull", "--rm", "http://127.0.0.1:1", "--out", other}},
		{2, []string{"explain", "x.xml"}},
		{1, []string{"check", "a", "b"}},
		{2, []string{"simulate", "--scheduler", "nosuch"}},
		{1, []string{"check", "testdata"}},
		{1, []string{"doctor", other}},
		{1, []string{"apply", other, "--rm", "http://127.0.0.1:1"}},
		{2, []string{"apply", other, "--rm", "http://127.0.0.1:1", "--yes", "--dry-run"}},
		{1, []string{"watch", "--rm", "http://127.0.0.1:1", "--out", other}},
		{2, []string{"watch", "--rm", "http://127.0.0.1:1", "--out", "x", "--json"}},
		{2, []string{"watch", "--rm", "http://127.0.0.1:1", "--out", "x", "--protect", "much"}},
	} {
		_, stderr := must(t, c.code, c.args...)
		if lines := strings.Split(strings.TrimSpace(stderr), "\n"); len(lines) > 2 || len(lines) == 2 &&
			!strings.HasPrefix(lines[1], "hint:") {
			t.Errorf("%v: %q", c.args, stderr)
		}
	}
	if _, err := os.Stat("x"); err == nil {
		t.Error("a folder was made for a command that could not run")
	}
	if names, _ := os.ReadDir(other); len(names) != 1 {
		t.Errorf("%v", names)
	}
}

// slsTrace is a workload that only the queue adhoc's limits hold back: six
// jobs of one user, ten tasks of 1,024 MiB and 30 s each, of which start says
// when they begin, in milliseconds.
func slsTrace(start func(job, task int) int) string {
	var b strings.Builder
	for i := 0; i < 6; i++ {
		end := 0
		for k := 0; k < 10; k++ {
			end = max(end, start(i, k)+30000)
		}
		fmt.Fprintf(&b,
			`{"am.type":"mapreduce","job.start.ms":%d,"job.end.ms":%d,"job.queue.name":"adhoc","job.id":"job_%d","job.user":"u","job.tasks":[`, i*1000, end+3000, i)
		for k := 0; k < 10; k++ {
			if k > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b,
				`{"container.host":"/r/n%d","container.start.ms":%d,"container.end.ms":%d,"container.priority":20,"container.type":"map"}`, k%3+1, start(i, k), start(i, k)+30000)
		}
		b.WriteString("]}\n")
	}
	return b.String()
}

// simulatedStarts is when tasks begin with the settings of inputs, so that a
// history made of them is one of these settings.
func simulatedStarts(t *testing.T, inputs ...string) func(job, task int) int {
	t.Helper()
	events := filepath.Join(t.TempDir(), "events.jsonl")
	must(t, 0, append([]string{"simulate", "--quiet", "--event-trace", events}, inputs...)...)
	text, err := os.ReadFile(events)
	if err != nil {
		t.Fatal(err)
	}
	var starts [6][]int
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		var e map[string]any
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		if id, ok := e["job"].(string); ok && e["event"] == "allocated" && e["am"] != true {
			i := int(id[len(id)-1] - '0')
			starts[i] = append(starts[i], int(1000*e["t"].(float64))+2000)
		}
	}
	return func(job, task int) int { return starts[job][task] }
}

// TestRealMainCircle goes the whole way on a real ResourceManager: pull, tune,
// apply, read back, roll back.
func TestRealMainCircle(t *testing.T) {
	rm := rmtest.StartRM(t, "memory")
	dir := t.TempDir()
	pulled, tuned, jobs := filepath.Join(dir, "pulled"), filepath.Join(dir, "tuned"), filepath.Join(dir, "sls.json")
	must(t, 0, "pull", "--rm", rm.URL, "--out", pulled, "--quiet")
	inputs := []string{"--config", filepath.Join(pulled, "capacity-scheduler.xml"), "--site",
		filepath.Join(pulled, "yarn-site.xml"),
		"--cluster", filepath.Join(pulled, "nodes.json"), "--trace", jobs}
	write := func(start func(job, task int) int) {
		if err := os.WriteFile(jobs, []byte(slsTrace(start)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(func(job, _ int) int { return job*1000 + 2000 })
	write(simulatedStarts(t, inputs...))
	out, _ := must(t, 0, append(inputs, "--objective", "makespan", "--budget", "60", "--workers", "1", "--out", tuned,
		"--json", "--quiet")...)
	if m := object(t, out); m["recommended"] != true {
		t.Fatalf("nothing is recommended where an improvement is plain: %v", m["verdict"])
	}
	before := folder(t, pulled)
	out, _ = must(t, 0, "apply", tuned, "--rm", rm.URL, "--auth", "simple:root", "--yes", "--json")
	m := object(t, out)
	if r, _ := m["record"].(map[string]any); m["made"] != true || r == nil || r["read_back"] != true ||
		len(r["warnings"].([]any)) != 0 {
		t.Errorf("%s", out)
	}
	must(t, 0, "rollback", tuned, "--rm", rm.URL, "--auth", "simple:root", "--yes")
	again := filepath.Join(dir, "again")
	must(t, 0, "pull", "--rm", rm.URL, "--out", again, "--quiet")
	if folder(t, again)["capacity-scheduler.xml"] != before["capacity-scheduler.xml"] {
		t.Error("the configuration after the rollback is not the one before")
	}
}

// TestPullHistoryFiles takes jobs from history files instead of a history
// server.
func TestPullHistoryFiles(t *testing.T) {
	from := t.TempDir()
	name := "job_1329348432655_0001-1329348443227-user-Sleep+job-1329348468601-10-1-SUCCEEDED-default.jhist"
	data, err := os.ReadFile(testdata.Shared(t, "traces", "hadoop", name))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(from, name), data, 0o600); err != nil {
		t.Fatal(err)
	}
	s := rmtest.New(1).Serve(t) // an application that the history does not have
	dir := filepath.Join(t.TempDir(), "cluster")
	out, _ := must(t, 0, "pull", "--rm", s.URL, "--rate", "100000", "--since", ever, "--jhist", from, "--out", dir,
		"--json", "--quiet")
	if m := object(t, out); m["jobs"] != 1.0 {
		t.Errorf("%v", m)
	}
	for _, n := range []string{name, "apps.json"} {
		if _, err := os.Stat(filepath.Join(dir, "trace", n)); err != nil {
			t.Error(err)
		}
	}
	if _, stderr := must(t, 1, "pull", "--rm", s.URL, "--jhist", t.TempDir(), "--out", dir); !strings.Contains(stderr,
		"no *.jhist file found") {
		t.Errorf("%s", stderr)
	}
}

// Two watches of one folder would write over each other's rounds: the second is refused.
// A folder whose first round was killed, which left no round in the log, is gone on from.
func TestWatchFolder(t *testing.T) {
	f := rmtest.New(3)
	s := f.Serve(t)
	dir := filepath.Join(t.TempDir(), "watch")
	args := []string{"watch", "--rm", s.URL, "--history", s.URL, "--out", dir, "--window", ever, "--rate", "100000",
		"--budget", "20", "--rounds", "1", "--quiet"}
	lock, err := ourWatch(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, stderr := must(t, 1, args...); !strings.Contains(stderr, "in use by another tune watch") ||
		!strings.Contains(stderr, dir) {
		t.Errorf("%s", stderr)
	}
	if err := os.MkdirAll(filepath.Join(dir, "round-0001", "pull.partial"), 0o777); err != nil {
		t.Fatal(err)
	}
	lock.Close() // as the end of its process does
	if out, stderr := must(t, 0, args...); !strings.Contains(out, "round 2, ") {
		t.Errorf("%s%s", out, stderr)
	}
}
