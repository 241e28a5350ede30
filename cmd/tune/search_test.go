package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"schedtune/internal/cli"
	"schedtune/internal/report"
	"schedtune/internal/study"
	"schedtune/internal/text"
	"schedtune/tune"
	"schedtune/validation/testdata"
	"schedtune/yarnconf"
)

// command runs tune in this process.
func command(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = execute(args, strings.NewReader(""), &out, &errs)
	return code, out.String(), errs.String()
}

// folder reads a folder's files.
func folder(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(p)
		rel, _ := filepath.Rel(dir, p)
		files[filepath.ToSlash(rel)] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestSearchOnQueueFiles runs the main job on Hadoop's own files and on a
// nested one, with the 19-job trace: the tuned file loads again, each level
// sums to 100, the gain has an interval from unused seeds, the same seed gives
// the same bytes with 1 and 2 workers. The jobs have a tenth of their tasks.
func TestSearchOnQueueFiles(t *testing.T) {
	trace := filepath.Join(t.TempDir(), "tenth.trace.json")
	must(t, cli.ExitOK, "import", "--scale", "0.1", testdata.Shared(t, "traces/hadoop/mumak-19-jobs.trace.json.gz"), trace)
	for name, config := range map[string]string{
		"stock":  testdata.Shared(t, "traces/hadoop/capacity-scheduler.stock.xml"),
		"sls":    testdata.Shared(t, "traces/hadoop/capacity-scheduler.sls-sample.xml"),
		"nested": "testdata/nested.xml",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tuned := searched(t, config, trace, "2")
			checkTuned(t, config, tuned)
			if name != "stock" { // one of them is enough to see that the number of workers changes nothing
				return
			}
			if diff := cmp.Diff(searched(t, config, trace, "1"), tuned); diff != "" {
				t.Errorf("1 and 2 workers differ:\n%s", diff)
			}
		})
	}
}

// searched is the folder of a study of a recorded trace under a queue file.
func searched(t *testing.T, config, trace, workers string) map[string]string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "tuned")
	code, _, stderr := command(t, "--config", config, "--trace", trace, "--embedded", "--objective", "makespan",
		"--budget", "80", "--workers", workers, "--out", out, "--quiet")
	if code != 0 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	return folder(t, out)
}

// checkTuned loads what was written and compares it with the original.
func checkTuned(t *testing.T, config string, files map[string]string) {
	t.Helper()
	doc, err := yarnconf.Parse("tuned", []byte(files[study.FileConfig]))
	if err != nil {
		t.Fatal(err)
	}
	if ps := doc.Validate(); len(ps) > 0 {
		t.Errorf("the tuned file does not validate: %v", ps)
	}
	original, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	if files[report.FileRollback] != string(original) {
		t.Error("rollback.xml is not the original")
	}
	before, err := yarnconf.Parse("before", original)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range before.Properties() {
		if !strings.HasPrefix(p.Name, "yarn.scheduler.capacity.root.") && !strings.Contains(p.Name, "per-node-heartbeat") &&
			!strings.Contains(p.Name, "locality-delay") && doc.Value(p.Name) != before.Value(p.Name) {
			t.Errorf("%s changed", p.Name)
		}
	}
	var sum struct {
		Gain        []tune.Gain
		Recommended bool
		Changes     []report.Change
	}
	if err := json.Unmarshal([]byte(files[report.FileSummary]), &sum); err != nil {
		t.Fatal(err)
	}
	if len(sum.Gain) == 0 && (sum.Recommended || len(sum.Changes) > 0) || len(sum.Gain) > 1 {
		t.Errorf("%d gains, recommended %v, %d changes", len(sum.Gain), sum.Recommended, len(sum.Changes))
	} else if len(sum.Gain) == 1 && (sum.Gain[0].N < 8 || sum.Gain[0].Level != 0.90 || sum.Gain[0].Again == nil ||
		sum.Gain[0].Again.Level != 0.90) {
		t.Errorf("no 90 %% interval from unused workloads, or none on the trace again: %+v", sum.Gain)
	}
	if sum.Recommended != (len(sum.Changes) > 0) {
		t.Errorf("recommended %v, but %d changes", sum.Recommended, len(sum.Changes))
	}
}

// TestNothingHelps: three jobs one after another in one open queue. The runs
// of both configurations are equal, so nothing is better.
func TestNothingHelps(t *testing.T) {
	out := filepath.Join(t.TempDir(), "tuned")
	code, stdout, stderr := command(t, "--config", "testdata/lone.xml", "--cluster", "testdata/four.yaml", "--trace",
		"testdata/lone.json",
		"--budget", "80", "--out", out, "--quiet")
	if code != 0 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	if !strings.Contains(stdout, "No change recommended") {
		t.Errorf("output does not say that nothing is recommended:\n%s", stdout)
	}
	want, _ := os.ReadFile("testdata/lone.xml")
	if got := folder(t, out)[study.FileConfig]; got != string(want) {
		t.Errorf("the original was not written as it was:\n%s", cmp.Diff(string(want), got))
	}
	code, _, stderr = command(t, "--config", "testdata/lone.xml", "--cluster", "testdata/four.yaml", "--trace",
		"testdata/lone.json",
		"--budget", "80", "--fail-if-not-recommended", "--quiet")
	if code != 3 {
		t.Errorf("--fail-if-not-recommended: exit %d, want 3: %s", code, stderr)
	}
}

// TestBadInput: one line that names file, place and the reason; nothing
// written.
func TestBadInput(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return p
	}
	nested, _ := os.ReadFile("testdata/nested.xml")
	lone, _ := os.ReadFile("testdata/lone.json")
	truncated := write("truncated.xml", string(nested[:600]))
	sum97 := write("sum97.xml", strings.Replace(string(nested), ">37.5<", ">34.5<", 1))
	negative := write("negative.json", strings.Replace(string(lone), `"finishTime": 1700000063000`,
		`"finishTime": 1690000000000`, -1))
	otherQueue := write("queue.json", strings.ReplaceAll(string(lone), `"default"`, `"gold"`))
	empty := write("empty.json", "")
	blocked := write("file", "")
	for _, c := range []struct {
		name string
		args []string
		code int
		want []string
	}{
		{"truncated XML", []string{"--config", truncated}, 1, []string{"truncated.xml:"}},
		{"sum 97", []string{"--config", sum97}, 1, []string{"sum97.xml:", "capacity"}},
		{"unknown queue", []string{"--config", "testdata/lone.xml", "--trace", otherQueue}, 1,
			[]string{"queue.json", "job_1700000000000_0001", `"gold"`, "root.default"}},
		{"negative duration", []string{"--config", "testdata/lone.xml", "--trace", negative}, 1,
			[]string{"negative.json", "job_1700000000000_0001"}},
		{"empty trace", []string{"--config", "testdata/lone.xml", "--trace", empty}, 1, []string{"empty.json"}},
		{"missing trace", []string{"--trace", filepath.Join(dir, "none.json")}, 1, []string{"none.json"}},
		{"unwritable folder", []string{"--out", filepath.Join(blocked, "x")}, 1, []string{"file"}},
		{"folder of others", []string{"--out", dir}, 1, []string{dir}},
		{"unknown flag", []string{"--objectiv", "makespan"}, 2, []string{"--objectiv"}},
		{"unknown objective", []string{"--objective", "speed"}, 2, []string{"speed", "makespan"}},
		{"bad budget", []string{"--budget", "many"}, 2, []string{"--budget", "5m"}},
		{"unknown command", []string{"tuen"}, 2, []string{"tuen"}},
		{"unknown parameter", []string{"--params", "capacitie"}, 2, []string{"capacitie", "maximum-capacity"}},
		{"bad constraint", []string{"--constraint", "p95 under 3"}, 2, []string{"--constraint"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := folder(t, dir)
			out := filepath.Join(dir, "out")
			args := append([]string{"--embedded", "--quiet"}, c.args...)
			for flag, value := range map[string]string{"--budget": "20", "--out": out} {
				if !slices.Contains(args, flag) {
					args = append(args, flag, value)
				}
			}
			code, stdout, stderr := command(t, args...)
			if code != c.code {
				t.Errorf("exit %d, want %d", code, c.code)
			}
			if stdout != "" {
				t.Errorf("standard output: %q", stdout)
			}
			lines := strings.Split(strings.TrimSpace(stderr), "\n")
			if len(lines) > 2 || len(lines) == 2 && !strings.HasPrefix(lines[1], "hint: ") {
				t.Errorf("want one line and at most a hint:\n%s", stderr)
			}
			for _, w := range c.want {
				if !strings.Contains(lines[0], w) {
					t.Errorf("%q does not name %q", lines[0], w)
				}
			}
			if diff := cmp.Diff(before, folder(t, dir)); diff != "" {
				t.Errorf("something was left behind:\n%s", diff)
			}
			if _, err := os.Stat(out + ".partial"); err == nil {
				t.Error("a partial folder was left behind")
			}
		})
	}
}

// TestJSON: exactly one object on standard output, the same bytes each time.
func TestJSON(t *testing.T) {
	args := small("--objective", "makespan", "--json", "--budget", "60")
	code, first, stderr := command(t, args...)
	if code != 0 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	_, second, _ := command(t, args...)
	if first != second {
		t.Error("two runs differ")
	}
	dec := json.NewDecoder(strings.NewReader(first))
	var v struct {
		Schema string
		Best   struct{ Settings map[string]any }
	}
	if err := dec.Decode(&v); err != nil {
		t.Fatal(err)
	}
	if v.Schema != text.SchemaTune || len(v.Best.Settings) == 0 {
		t.Errorf("schema %q, %d settings", v.Schema, len(v.Best.Settings))
	}
	if _, err := dec.Token(); err != io.EOF {
		t.Error("more than one object")
	}
}

// With --stability the study is made again with other seeds, and what is kept in how many
// is in the text and in the document.
func TestStability(t *testing.T) {
	args := small("--params", "maximum-capacity,user-limit-factor", "--budget", "80", "--stability", "2")
	if out, _ := must(t, 0, args...); !strings.Contains(out, "stability: 2 studies with other seeds and workloads") {
		t.Error(out)
	}
	out, _ := must(t, 0, append(args, "--json")...)
	if st, _ := object(t, out)["stability"].(map[string]any); st == nil || st["studies"] != 2.0 {
		t.Errorf("%v", st)
	}
}

// TestInterrupt stops a long search with a signal and one right after it: exit
// code 130 and a complete folder with the best so far.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "tuned")
	cmd := process(context.Background(), small("--budget", "1000000", "--time-limit", "0", "--out", out)...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(out+".partial", report.FileTrials)
	for start := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		if data, err := os.ReadFile(log); err == nil && bytes.Count(data, []byte(`"metrics":`)) > 20 {
			break // runs of the search
		}
		if time.Since(start) > 5*time.Minute {
			t.Fatal("no log after five minutes")
		}
	}
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} { // timeout(1) sends two
		if err := cmd.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Millisecond)
	}
	err := cmd.Wait()
	exit, ok := err.(*exec.ExitError)
	if !ok || exit.ExitCode() != 130 {
		t.Fatalf("ended with %v, want exit code 130", err)
	}
	files := folder(t, out)
	for _, name := range []string{study.FileConfig, report.FileSummary, report.FileTrials, report.FileRollback} {
		if files[name] == "" {
			t.Errorf("%s is missing or empty", name)
		}
	}
}

// Progress tells how much better the best so far is; before one is known, the phase alone.
func TestProgressText(t *testing.T) {
	for want, p := range map[string]tune.Progress{
		"present":                          {Phase: "present"},
		"search, best so far 3.8 % better": {Phase: "search", Gain: 0.038},
	} {
		if got := progressText(p); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
