package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"schedtune/internal/models"
	"schedtune/validation/testdata"
)

// fit runs the command and returns its exit code and streams.
func fitCmd(t *testing.T, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(args, strings.NewReader(stdin), &out, &errs)
	return code, out.String(), errs.String()
}

func ok(t *testing.T, args ...string) (stdout, stderr string) {
	t.Helper()
	code, out, errs := fitCmd(t, "", args...)
	if code != 0 {
		t.Fatalf("fit %s: exit %d\n%s", strings.Join(args, " "), code, errs)
	}
	return out, errs
}

var subcommands = []string{"overload", "classes", "release", "durations", "allocation", "contention", "mismatch"}

// Without an input every subcommand runs on embedded data and says so; the
// summary fits 100 columns; --json prints exactly one object with its schema;
// both are the same bytes in a second run.
func TestEmbedded(t *testing.T) {
	for _, c := range subcommands {
		out, errs := ok(t, c)
		if !strings.Contains(errs, "embedded") {
			t.Errorf("%s: standard error does not name the embedded data: %s", c, errs)
		}
		for _, line := range strings.Split(out, "\n") {
			if n := len([]rune(line)); n > 120 || n > 100 && !strings.Contains(line, "calibration, default") &&
				!strings.Contains(line, "golearn") {
				t.Errorf("%s: line of %d columns, at most 100: %s", c, n, line)
			}
		}
		if strings.Contains(out, "\x1b") {
			t.Errorf("%s: colour codes in a pipe", c)
		}
		doc, errs := ok(t, c, "--json", "--quiet")
		if errs != "" {
			t.Errorf("%s --quiet: standard error %q", c, errs)
		}
		dec := json.NewDecoder(strings.NewReader(doc))
		var v struct{ Schema string }
		if err := dec.Decode(&v); err != nil || v.Schema != "schedtune/fit-"+c+"/v1" || dec.More() {
			t.Errorf("%s --json: schema %q, %v", c, v.Schema, err)
		}
		if again, _ := ok(t, c, "--json", "--quiet"); again != doc {
			t.Errorf("%s --json: a second run printed other bytes", c)
		}
	}
}

// Every page of help has an example, and the exit code is 0.
func TestHelp(t *testing.T) {
	for _, c := range append([]string{""}, subcommands...) {
		out, _ := ok(t, strings.Fields(c+" -h")...)
		if !strings.Contains(out, "Examples:") {
			t.Errorf("fit %s -h has no example", c)
		}
	}
	if out, _ := ok(t, "--version"); strings.TrimSpace(out) == "" {
		t.Error("--version prints nothing")
	}
}

// Mistakes on the command line end with 2, failures with 1, each with one line
// that names the program.
func TestExitCodes(t *testing.T) {
	dir := t.TempDir()
	broken := filepath.Join(dir, "broken.json")
	if err := os.WriteFile(broken, []byte("{"), 0o666); err != nil {
		t.Fatal(err)
	}
	empty := filepath.Join(dir, "empty.json")
	if err := os.WriteFile(empty, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		code int
		args string
		want string
	}{
		{2, "nonsense", "unknown command"},
		{2, "overload --nonsense", "--nonsense: unknown flag"},
		{2, "overload extra", "unexpected argument"},
		{2, "overload --window 0", `--window "0": must be a whole number, 1 or more`},
		{2, "overload --compare weka", "must be one of golearn, none"},
		{2, "overload --model m --label x", "--model: cannot be combined"},
		{2, "overload --sample-rows 1", `--sample-rows "1": must be a whole number, 100 to 100000000`},
		{2, "classes --k -1", `--k "-1": must be a whole number, 0 to 1000`},
		{2, "classes --dataset nonsense", `--dataset "nonsense": must be one of default, `},
		{2, "classes --trace x --dataset default", "--trace, --dataset: exclude each other"},
		{2, "release --window 0", `--window "0": must be a number, above 0`},
		{2, "release --log a --trace b", "--log, --trace: exclude each other"},
		{2, "allocation --rates a --cluster b", "--rates: cannot be combined"},
		{2, "overload --learner magic", `--learner "magic": must be one of naive-bayes`},
		{2, "classes --seed -1", `fit: --seed "-1": must be a whole number, 0 to`},
		{2, "release --window ten", "--window \"ten\": must be a number, above 0\nhint: fit release -h shows"},
		{2, "durations --trace /does/not/exist --from csv", `--from "csv": must be one of`},
		{2, "durations --by colour", "must be one of class, name, queue, user, all"},
		{2, "allocation --solver cplex", "must be one of simplex, clp"},
		{2, "classes --trace x --from csv", `--from "csv": must be one of rumen`},
		{2, "allocation --rates a --dataset default", "--rates, --dataset: exclude each other"},
		{2, "release --log a --dataset default", "--log, --dataset: exclude each other"},
		{2, "release --log a --window Inf", `--window "Inf": must be a number, above 0`},
		{2, "overload --log - --log -", "--log - is given twice"},
		{2, "overload --log fit_test.go --log ./fit_test.go", "--log ./fit_test.go: given twice, also as fit_test.go"},
		{2, "release --log fit_test.go --log fit_test.go", "--log fit_test.go: given twice"},
		{2, "classes --trace - --trace -", "--trace - is given twice"},
		{1, "overload --log /does/not/exist", "no such file"},
		{1, "overload --model " + broken, "broken.json: is not a model.json of fit: unexpected end"},
		{2, "overload --label y", `--label: expression "y", position 1: unknown column "y"`},
		{2, "overload --label cpu>", `--label: expression "cpu>"`},
		{2, "overload --features y", `--features: expression "y"`},
		{2, "overload --node nope", `--node: column "nope": must be one of node, job_cpu`},
		{2, "overload --time nope", `--time: column "nope": must be one of time, job_cpu`},
		{2, "classes --features nope", `--features: feature "nope": must be one of input`},
		{1, "classes --model " + broken, "broken.json: is not a model.json"},
		{1, "classes --model " + empty, "empty.json: the file is empty"},
		{1, "release --model " + empty, "empty.json: the file is empty"},
		{1, "classes --trace /does/not/exist", "no such file"},
		{1, "release --model " + broken, "broken.json: is not a model.json"},
		{1, "durations --trace /does/not/exist", "no such file"},
		{1, "allocation --rates /does/not/exist", "no such file"},
	} {
		code, out, errs := fitCmd(t, "", strings.Fields(c.args)...)
		if code != c.code || !strings.Contains(errs, c.want) || !strings.Contains(errs, "fit: ") || out != "" {
			t.Errorf("fit %s: exit %d, want %d with %q\n%s%s", c.args, code, c.code, c.want, errs, out)
		}
	}
}

// fit overload reads standard input, reports unreadable rows by line, goes on with its
// model to the same model file as one pass.
func TestOverloadOnALog(t *testing.T) {
	var b bytes.Buffer
	if err := models.WriteSample(&b, 3000, 5); err != nil {
		t.Fatal(err)
	}
	log := b.String()
	dir := t.TempDir()
	code, out, errs := fitCmd(t, strings.Replace(log, "\n", "\nbad row\n", 1), "overload", "--log", "-", "--compare",
		"none", "--out", filepath.Join(dir, "whole"))
	if code != 0 || !strings.Contains(errs, "warning: stdin:2: 1 fields") || !strings.Contains(out, "1 unreadable row\n") {
		t.Fatalf("exit %d\n%s\n%s", code, errs, out)
	}
	cut := strings.LastIndexByte(log[:len(log)/2], '\n') + 1
	a, c := filepath.Join(dir, "a.csv"), filepath.Join(dir, "b.csv")
	header := log[:strings.IndexByte(log, '\n')+1]
	for name, text := range map[string]string{a: log[:cut], c: header + log[cut:]} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	ok(t, "overload", "--log", a, "-q", "--out", filepath.Join(dir, "first"))
	ok(t, "overload", "--log", c, "-q", "--model", filepath.Join(dir, "first", "model.json"), "--out",
		filepath.Join(dir, "second"))
	if learned(t, filepath.Join(dir, "whole")) != learned(t, filepath.Join(dir, "second")) {
		t.Error("the continued model differs from that of one pass")
	}
	for _, f := range []string{"summary.json", "summary.txt", "README.txt", "model.json", "curve.svg"} {
		if info, err := os.Stat(filepath.Join(dir, "second", f)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", f, err)
		}
	}
}

// learned is what a model file says of the learner itself.
func learned(t *testing.T, dir string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "model.json"))
	if err != nil {
		t.Fatal(err)
	}
	var m struct{ Features, Modes, Waiting, Model json.RawMessage }
	if err := json.Unmarshal(b, &m); err != nil {
		t.Fatal(err)
	}
	features := regexp.MustCompile(`"permutation_importance": .*`).ReplaceAllString(string(m.Features), "")
	return features + string(m.Modes) + string(m.Waiting) + string(m.Model)
}

// Finished results are replaced only where --replace says so.
func TestOutIsNotReplacedUnasked(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	ok(t, "classes", "-q", "--k", "2", "--out", dir)
	for _, c := range []string{"classes", "allocation"} {
		if code, _, errs := fitCmd(t, "", c, "-q", "--out", dir); code != 1 || !strings.Contains(errs, "or --replace") {
			t.Errorf("%s: exit %d: %s", c, code, errs)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "model.json")); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(dir + ".partial"); err == nil {
		t.Error("a refused command left a folder under way")
	}
	ok(t, "allocation", "-q", "--out", dir, "--replace")
	if _, err := os.Stat(filepath.Join(dir, "allocation.csv")); err != nil {
		t.Error(err)
	}
}

// An existing folder that is not ours is refused and left alone.
func TestOutRefusesForeignFolders(t *testing.T) {
	dir := t.TempDir()
	mine := filepath.Join(dir, "mine.txt")
	if err := os.WriteFile(mine, []byte("x"), 0o666); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := fitCmd(t, "", "allocation", "--out", dir); code != 1 ||
		!strings.Contains(errs, "not written by this program") {
		t.Errorf("exit %d: %s", code, errs)
	}
	if _, err := os.Stat(mine); err != nil {
		t.Error("a file in the folder is gone")
	}
}

// A folder that can't be written is told of before the input is read; a fit that
// fails leaves no folder.
func TestOutIsCheckedFirst(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for c, input := range map[string]string{"overload": "--log", "classes": "--trace", "release": "--log",
		"durations": "--trace", "allocation": "--rates"} {
		args := []string{c, input, filepath.Join(dir, "nosuch")}
		if code, _, errs := fitCmd(t, "", append(args, "--out", filepath.Join(file, "x"))...); code != 1 ||
			!strings.Contains(errs, filepath.Join("file", "x")+": ") {
			t.Errorf("%s into a file: exit %d, %s", c, code, errs)
		}
		if code, _, errs := fitCmd(t, "", append(args, "--out", filepath.Join(dir, "out"))...); code != 1 ||
			!strings.Contains(errs, "nosuch") {
			t.Errorf("%s: exit %d, %s", c, code, errs)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}

// The paper's example as a table on standard input.
func TestAllocationTable(t *testing.T) {
	code, out, _ := fitCmd(t, "class,alpha,R1,R2\nC1,2.45,9,5\nC2,2.45,2,1\n", "allocation", "--rates", "-")
	if code != 0 || !strings.Contains(out, "lambda 1.02041") || !strings.Contains(out, "C1 (0.5), C2 (0.5)") {
		t.Errorf("exit %d:\n%s", code, out)
	}
}

// Real histories: classes of a recorded run, continued and then used to
// allocate its nodes; durations give a calibration that replay accepts.
func TestOnRecordedRuns(t *testing.T) {
	t.Run("recorded", func(t *testing.T) {
		onRuns(t, testdata.Shared(t, "traces", "minimr", "run-01-A-ss005"), testdata.Shared(t, "traces", "minimr",
			"run-02-A-ss050"))
	})
	t.Run("made", func(t *testing.T) { onRuns(t, testdata.Run(t, "mapreduce"), testdata.Run(t, "elastic")) })
}

func onRuns(t *testing.T, one, two string) {
	dir := t.TempDir()
	ok(t, "classes", "-q", "--trace", one, "--trace", two, "--k", "3", "--out", filepath.Join(dir, "both"))
	ok(t, "classes", "-q", "--trace", one, "--k", "3", "--out", filepath.Join(dir, "one"))
	ok(t, "classes", "-q", "--trace", two, "--k", "3", "--model", filepath.Join(dir, "one", "model.json"), "--out",
		filepath.Join(dir, "two"))
	a, err := os.ReadFile(filepath.Join(dir, "both", "model.json"))
	if err != nil {
		t.Fatal(err)
	}
	if b, _ := os.ReadFile(filepath.Join(dir, "two", "model.json")); !bytes.Equal(a, b) {
		t.Error("continued classes differ from those of one pass")
	}
	cluster := filepath.Join(dir, "cluster.yaml")
	if err := os.WriteFile(cluster, []byte("nodes:\n  - {count: 4, memory: 1024, vcores: 8}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	out, _ := ok(t, "allocation", "-q", "--trace", one, "--cluster", cluster, "--classes",
		filepath.Join(dir, "both", "model.json"))
	if !strings.Contains(out, "proven") || !strings.Contains(out, "of 1 kind") {
		t.Errorf("allocation of four equal nodes:\n%s", out)
	}
	ok(t, "release", "-q", "--trace", one, "--window", "5")
	out, _ = ok(t, "durations", "-q", "--trace", one, "--trace", two, "--by", "name", "--out", filepath.Join(dir, "cal"))
	if !strings.Contains(out, "task container allocated -> JVM up") {
		t.Errorf("durations:\n%s", out)
	}
	if _, err := os.Stat(filepath.Join(dir, "cal", "calibration.json")); err != nil {
		t.Error(err)
	}
}

// Features are cut at commas, but not within a function's arguments.
func TestFeatureLists(t *testing.T) {
	doc, _ := ok(t, "overload", "-q", "--json", "--compare", "none", "--sample-rows", "1000", "--features",
		"max(disk,network), cpu", "--features", "abs(min(tasks,load1))")
	var v struct{ Features []struct{ Name string } }
	if err := json.Unmarshal([]byte(doc), &v); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(v.Features); got != "[{max(disk,network)} {cpu} {abs(min(tasks,load1))}]" {
		t.Errorf("features %s", got)
	}
	if code, _, errs := fitCmd(t, "", "overload", "-q", "--features", "cpu,"); code != 2 ||
		!strings.Contains(errs, "--features: expression \"\"") {
		t.Errorf("a trailing comma: exit %d, %s", code, errs)
	}
}

// What a trace lacks is said by every subcommand that reads it; a trace without
// single tasks gives empty lists; windows far too short are an error that names
// the trace.
func TestTracesThatTellLittle(t *testing.T) {
	swf := filepath.Join(t.TempDir(), "log.swf")
	if err := os.WriteFile(swf, []byte("1 5 2 10 3 -1 -1 3 60 -1 1 7 1 4 2 -1 -1 -1\n2 65 1 20 1 -1 -1 1 60 -1 1 8 1 4 "+
		"2 -1 -1 -1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	doc, errs := ok(t, "durations", "--trace", swf, "--json")
	if !strings.Contains(errs, "missing: single tasks") {
		t.Errorf("durations does not say what is missing: %q", errs)
	}
	for _, want := range []string{`"latencies": [`, `"durations": []`, `"fitted": []`} {
		if !strings.Contains(doc, want) {
			t.Errorf("no %s in\n%s", want, doc)
		}
	}
	rumen := testdata.Shared(t, "traces", "hadoop", "2jobs2min-rumen-jh.json.gz")
	code, _, errs := fitCmd(t, "", "release", "-q", "--trace", rumen, "--window", "1e-300")
	if code != 1 || !strings.Contains(errs, "2jobs2min-rumen-jh.json.gz: ") || !strings.Contains(errs, "longer windows") {
		t.Errorf("exit %d: %s", code, errs)
	}
}

// Job histories and SWIM traces, as an admin has them.
func TestOnOtherTraces(t *testing.T) {
	ok(t, "classes", "-q", "--trace", testdata.Shared(t, "traces", "swim",
		"FB-2009_samples_24_times_1hr_0_first50jobs.tsv"))
	rumen := testdata.Shared(t, "traces", "hadoop", "2jobs2min-rumen-jh.json.gz")
	ok(t, "durations", "-q", "--trace", rumen)
	ok(t, "release", "-q", "--trace", rumen)
	ok(t, "durations", "-q", "--trace", filepath.Join(testdata.Shared(t, "traces", "minimr", "run-01-A-ss005"), "history"))
	ok(t, "overload", "-q", "--log", filepath.Join(testdata.Shared(t, "traces", "minimr", "run-01-A-ss005"),
		"rest-nodes.jsonl.gz"))
}
