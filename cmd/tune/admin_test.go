package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"schedtune/internal/diagnose"
	"schedtune/internal/fileio"
	"schedtune/internal/report"
	"schedtune/internal/study"
	"schedtune/yarnconf"
)

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

// A result that could not be written is a failure.
func TestFullDiskIsAFailure(t *testing.T) {
	for _, args := range [][]string{{"check", "testdata/lone.xml"}, {"check", "testdata/lone.xml", "--json"}} {
		var errs bytes.Buffer
		if code := execute(args, strings.NewReader(""), fullDisk{}, &errs); code != 1 || !strings.Contains(errs.String(),
			"no space left") {
			t.Errorf("%v: exit %d, %s", args, code, &errs)
		}
	}
}

// An interrupted study has put its folder in place; the same command takes its
// log up again. A finished one is not gone on with.
func TestTakeUp(t *testing.T) {
	for status, want := range map[string]bool{"cancelled": true, "budget-spent": false} {
		out := filepath.Join(t.TempDir(), "tuned")
		earlier, err := fileio.OpenOutput(out, "tune")
		if err != nil {
			t.Fatal(err)
		}
		write := func(name, text string) {
			if err := earlier.WriteFile(name, []byte(text)); err != nil {
				t.Fatal(err)
			}
		}
		write(report.FileSummary, `{"schema":"schedtune/tune/v1","study":{"status":"`+status+`"}}`)
		write(report.FileTrials, "log\n")
		if err := earlier.Commit(); err != nil {
			t.Fatal(err)
		}
		dir, err := fileio.OpenOutput(out, "tune")
		if err != nil {
			t.Fatal(err)
		}
		var f searchFlags
		f.out.Dir, f.out.Replace = out, true
		if err := errors.Join(f.checkEarlier(&env{}, dir), f.takeUp(dir)); err != nil {
			t.Fatal(err)
		}
		text, _ := os.ReadFile(dir.Path(report.FileTrials))
		if (string(text) == "log\n") != want {
			t.Errorf("%s: %q", status, text)
		}
	}
}

// explain grants sizes by the settings recorded beside the queue file, as a study does, unless
// --site gives others.
func TestExplainTakesRecordedSettings(t *testing.T) {
	run := "../../internal/testdata/runs/mapreduce/"
	site := filepath.Join(t.TempDir(), "yarn-site.xml")
	if err := os.WriteFile(site,
		[]byte("<configuration><property><name>yarn.scheduler.minimum-allocation-mb</name><value>128</value></property></configuration>"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		site      []string
		container int64
		note      bool
	}{{nil, 512, true}, {[]string{"--site", site}, 384, false}} {
		code, out, stderr := command(t, append([]string{"explain", run + "capacity-scheduler.xml", "--cluster",
			run + "nodes.csv", "--queue", "root.prod", "--user", "u", "--container", "300", "--json"}, c.site...)...)
		var a diagnose.LimitsDocument
		if err := json.Unmarshal([]byte(out), &a); code != 0 || err != nil || a.Container != c.container ||
			strings.Contains(stderr, "settings.xml; --site FILE overrides") != c.note {
			t.Errorf("%v: exit code %d, %v, containers of %d MiB, want %d; %s", c.site, code, err, a.Container, c.container,
				stderr)
		}
	}
}

// - is standard input for check and explain too, once, with the same answer as
// for the file, which is then called stdin.
func TestConfigurationFromStdin(t *testing.T) {
	text, err := os.ReadFile("testdata/nested.xml")
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"check", "-"}, {"check", "-", "--against", "testdata/lone.xml"},
		{"explain", "-", "--queue", "root.ops", "--user", "u", "--json"}} {
		var out, errs bytes.Buffer
		code := execute(args, bytes.NewReader(text), &out, &errs)
		file := slices.Clone(args)
		file[1] = "testdata/nested.xml"
		wantCode, want, _ := command(t, file...)
		if args[0] == "explain" { // its run names the file
			doc, other := object(t, out.String()), object(t, strings.ReplaceAll(want, file[1], "stdin"))
			delete(doc, "run")
			delete(other, "run")
			if diff := cmp.Diff(other, doc); diff != "" {
				t.Errorf("%v: %s", args, diff)
			}
			continue
		}
		if want = strings.ReplaceAll(want, file[1], "stdin"); code != wantCode || out.String() != want || want == "" {
			t.Errorf("%v: exit %d, %s%s\nwant %d, %s", args, code, &out, &errs, wantCode, want)
		}
	}
	for _, args := range [][]string{{"check", "-", "--site", "-"}, {"explain", "-", "--queue", "q", "--user", "u",
		"--trace", "-"}} {
		if code, _, stderr := command(t, args...); code != 2 || !strings.Contains(stderr, "- is given twice") {
			t.Errorf("%v: exit %d, %s", args, code, stderr)
		}
	}
	if code, stdout, _ := command(t, "check", "-"); code != 5 || !strings.Contains(stdout, "stdin:") {
		t.Errorf("nothing on standard input: exit %d, %s", code, stdout)
	}
}

// Mistakes on the command line are usage errors that name the flag, what is
// expected, and the help of the command they belong to.
func TestUsageOfSubcommands(t *testing.T) {
	for _, x := range []struct {
		args []string
		want []string
	}{
		{[]string{"check"}, []string{"no FILE", "--embedded", "hint: tune check -h"}},
		{[]string{"explain", "--nosuch"}, []string{"hint: tune explain -h"}},
		{[]string{"--seed", "-1"}, []string{"tune: --seed \"-1\": must be a whole number, 0 to " +
			"9007199254740991\nhint: tune -h"}},
		{[]string{"--workers", "x"}, []string{`tune: --workers "x": must be a whole number`}},
		{[]string{"--config"}, []string{"tune: --config: needs a value, a file"}},
		{[]string{"compare", "--json=2"}, []string{`tune: --json "2": must be true or false`, "hint: tune compare -h"}},
		{[]string{"--scheduler", "omo", "--dataset", "nosuch"},
			[]string{`tune: --dataset "nosuch": must be one of default, `}},
		{[]string{"--scheduler", "omo", "--stability", "3"}, []string{"tune: --stability: needs --scheduler capacity"}},
		{[]string{"--sampler", "x"}, []string{`tune: --sampler "x": must be one of cmaes`}},
		{[]string{"--constraint", "queue.nosuch.p95-wait <= 60s"},
			[]string{
				`tune: --constraint: metric "queue.nosuch.p95-wait": queue "nosuch": must be one of root.batch, root.adhoc, `}},
	} {
		code, _, stderr := command(t, x.args...)
		if code != 2 {
			t.Errorf("%v: exit %d", x.args, code)
		}
		for _, want := range x.want {
			if !strings.Contains(stderr, want) {
				t.Errorf("%v: no %q in %s", x.args, want, stderr)
			}
		}
	}
}

// The same warning for each of many queues is shown a few times and counted;
// errors are all shown.
func TestManyWarningsAlike(t *testing.T) {
	var names []string
	changes := []yarnconf.Change{{Key: yarnconf.Prefix + "root.queues"}}
	for i := range 20 {
		q := fmt.Sprintf("root.q%d", i)
		names = append(names, fmt.Sprintf("q%d", i))
		changes = append(changes, yarnconf.Change{Key: yarnconf.Key(q, yarnconf.Capacity), Value: "5"},
			yarnconf.Change{Key: yarnconf.Key(q, "state"), Value: "OFF"},
			yarnconf.Change{Key: yarnconf.Key(q, yarnconf.UserFactor), Value: "1"})
	}
	changes[0].Value = strings.Join(names, ",")
	file := filepath.Join(t.TempDir(), "cs.xml")
	if err := os.WriteFile(file, yarnconf.Fragment("", changes), 0o666); err != nil {
		t.Fatal(err)
	}
	code, stdout, _ := command(t, "check", file)
	if code != 5 || strings.Count(stdout, "keeps a single user") != 5 || strings.Count(stdout, `"OFF": must be`) != 20 ||
		!strings.Contains(stdout, "15 more warnings about user-limit-factor") ||
		!strings.Contains(stdout, "20 errors, 20 warnings") {
		t.Errorf("exit %d\n%s", code, stdout)
	}
}

func TestNotesReadWell(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cs.xml")
	text := yarnconf.Fragment("", []yarnconf.Change{{Key: yarnconf.Prefix + "root.queues", Value: "a"},
		{Key: yarnconf.Key("root.a", yarnconf.Capacity), Value: "100"},
		{Key: "mapreduce.map.speculative", Value: "true"}, {Key: yarnconf.Prefix + "schedule-asynchronously.enable",
			Value: "false"}})
	if err := os.WriteFile(file, text, 0o666); err != nil {
		t.Fatal(err)
	}
	old := filepath.Join(t.TempDir(), "old.xml")
	if err := os.WriteFile(old, yarnconf.Fragment("", []yarnconf.Change{{Key: yarnconf.Prefix + "root.queues", Value: "a"},
		{Key: yarnconf.Key("root.a", yarnconf.Capacity), Value: "100"}}), 0o666); err != nil {
		t.Fatal(err)
	}
	_, stdout, _ := command(t, "check", file, "--against", old)
	for _, want := range []string{"a change takes effect from the next job on (", "a change takes effect after a " +
		"restart ("} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
}

// folderOf writes a folder as a study of an objective leaves it.
func folderOf(t *testing.T, objective, status string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "tuned")
	dir, err := fileio.OpenOutput(out, "tune")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		report.FileSummary: `{"schema":"schedtune/tune/v3","recommended":true,"objectives":["` + objective +
			`"],"study":{"status":"` +
			status + `"}}`,
		report.FileRollback: "<configuration/>", study.FileConfig: "<configuration/>",
	} {
		if err := dir.WriteFile(name, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := dir.Commit(); err != nil {
		t.Fatal(err)
	}
	return out
}

// A finished study is not replaced without a flag, be it of another objective or of the
// same; one that was interrupted is not applied without a flag.
func TestFoldersOfOtherStudies(t *testing.T) {
	t.Parallel()
	run := func(args ...string) (string, int) {
		var out, errs bytes.Buffer
		code := execute(args, strings.NewReader(""), &out, &errs)
		return errs.String(), code
	}
	done := folderOf(t, "p95-wait", "budget-spent")
	before := folder(t, done)
	text, code := run("--objective", "makespan", "--budget", "20", "--out", done, "--quiet")
	if code == 0 || !strings.Contains(text, "finished result of another command") ||
		!strings.Contains(text, "another --out") {
		t.Errorf("exit code %d: %s", code, text)
	}
	if text, code = run("--objective", "p95-wait", "--params", "capacity", "--budget", "20", "--out", done,
		"--quiet"); code != 1 || !strings.Contains(text, "or --replace") {
		t.Errorf("the same objective: exit code %d: %s", code, text)
	}
	if after := folder(t, done); !maps.Equal(before, after) {
		t.Errorf("the folder has changed: %v", after)
	}
	if text, code = run("plan", "--objective", "makespan", "--budget", "20", "--out", done, "--quiet"); code == 0 ||
		!strings.Contains(text, "finished result of another command") {
		t.Errorf("plan: exit code %d: %s", code, text)
	}
	if text, code = run("pull", "--rm", "http://localhost:1", "--out", done, "--quiet"); code != 1 ||
		!strings.Contains(text, "another --out") {
		t.Errorf("pull: exit code %d: %s", code, text)
	}
	if after := folder(t, done); !maps.Equal(before, after) {
		t.Errorf("the folder has changed: %v", after)
	}
	if text, code = run("--objective", "makespan", "--params", "capacity", "--budget", "20", "--out", done, "--quiet",
		"--replace"); code != 0 {
		t.Errorf("--replace: exit code %d: %s", code, text)
	}
	if after := folder(t, done); maps.Equal(before, after) {
		t.Error("--replace has left the folder as it was")
	}
	interrupted := folderOf(t, "makespan", "cancelled")
	if text, code = run("apply", interrupted, "--rm", "http://localhost:1"); code == 0 ||
		!strings.Contains(text, "was interrupted") || !strings.Contains(text, "--unconfirmed") {
		t.Errorf("apply: exit code %d: %s", code, text)
	}
	if text, _ = run("apply", interrupted, "--rm", "http://localhost:1", "--unconfirmed"); strings.Contains(text,
		"was interrupted") {
		t.Errorf("apply --unconfirmed: %s", text)
	}
	if text, _ = run("rollback", interrupted, "--rm", "http://localhost:1"); strings.Contains(text, "was interrupted") {
		t.Errorf("rollback: %s", text)
	}
}
