package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// slsText is a trace of two jobs with three tasks.
const slsText = `{"job.id":"a","job.user":"u","job.queue.name":"prod","job.start.ms":0,"job.end.ms":9000,"job.tasks":[
 {"container.start.ms":1000,"container.end.ms":5000,"container.type":"map","container.host":"/r/n1"},
 {"container.start.ms":1000,"container.end.ms":6000,"container.type":"reduce"}]}
{"job.id":"b","job.user":"v","job.queue.name":"batch","job.start.ms":60000,"job.end.ms":70000,"job.tasks":[
 {"container.start.ms":61000,"container.end.ms":62000,"container.type":"map"}]}
`

// call runs the program with a text on standard input.
func call(stdin string, args ...string) (code int, stdout, stderr string) {
	var out, log bytes.Buffer
	code = execute(args, strings.NewReader(stdin), &out, &log)
	return code, out.String(), log.String()
}

// Every format that import writes is read again with the same jobs, packed or
// not, from a file or from standard input.
func TestImportRoundTrips(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"x.jsonl", "x.jsonl.gz", "x.jsonl.zst", "x.sls.json", "x.sls.json.gz"} {
		out := filepath.Join(dir, name)
		if code, _, log := call(slsText, "import", "-q", "-", out); code != 0 || log != "" {
			t.Fatalf("%s: code %d, %s", name, code, log)
		}
		code, text, log := call("", "trace", "info", "--json", out)
		if code != 0 {
			t.Fatalf("%s: code %d, %s", name, code, log)
		}
		var info struct {
			Schema string
			Jobs   int
			Tasks  struct{ Maps, Reduces int }
			SpanMS int `json:"span_ms"`
		}
		if err := json.Unmarshal([]byte(text), &info); err != nil {
			t.Fatal(err)
		}
		if info.Schema != "schedtune/trace-info/v2" || info.Jobs != 2 || info.Tasks.Maps != 2 || info.Tasks.Reduces != 1 ||
			info.SpanMS != 70000 {
			t.Errorf("%s: %+v", name, info)
		}
	}
	left, err := filepath.Glob(filepath.Join(dir, ".*"))
	if err != nil || len(left) > 0 {
		t.Errorf("files left behind: %v %v", left, err)
	}
}

// Transforms on the command line: the second job alone; half a minute between
// the two; twice the tasks.
func TestImportTransforms(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--window", "30s,2m"}, "b,"},
		{[]string{"--load", "2"}, "b,,v,batch,,MAPREDUCE,succeeded,30000,"},
		{[]string{"--scale", "2"}, "a,,u,prod,,MAPREDUCE,succeeded,0,,9000,2,2,"},
		{[]string{"--anonymise"}, "job_2,,user2,batch,"},
	} {
		args := append([]string{"import", "-q", "--to", "csv", "-", "-"}, c.args...)
		code, out, log := call(slsText, args...)
		if code != 0 || !strings.Contains(out, "\n"+c.want) {
			t.Errorf("%v: code %d, %s%s, want a row with %s", c.args, code, out, log, c.want)
		}
	}
}

func TestTraceUsage(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "none.json")
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"import", "one"}, 2, "1 argument given; usage: tune import IN... OUT"},
		{[]string{"import", "-", "x.foo"}, 2, "x.foo: unknown format: the name must end in one of .jsonl, "},
		{[]string{"import", "trace_test.go", "./trace_test.go", "x.csv"}, 1, "./trace_test.go: given twice, also as " +
			"trace_test.go"},
		{[]string{"import", "-", "-", "--json"}, 2, "both use standard output"},
		{[]string{"import", "-", "x", "--window", "5"}, 2, `--window "5": must be FROM,TO`},
		{[]string{"import", "-", "-", "--load", "-1"}, 2, "--load \"-1\": must be a number, above 0"},
		{[]string{"import", "-", "-", "--to", "xls"}, 2, `--to "xls": must be one of native, sls, sls-nodes, csv`},
		{[]string{"import", "-", "-", "--from", "x"}, 2, `--from "x": must be one of rumen`},
		{[]string{"trace", "info", missing, "--from", "x"}, 2, `--from "x": must be one of rumen`},
		{[]string{"simulate", "--dataset", "nosuch"}, 2, `--dataset "nosuch": must be one of default, `},
		{[]string{"simulate", "--heartbeat", "3"}, 2, `--heartbeat "3": must be a duration such as 30s`},
		{[]string{"trace", "info", missing}, 1, "none.json"},
		{[]string{"trace", "usage", "-", "--per", "month"}, 2, `--per "month": must be one of all, week, day, hour`},
		{[]string{"trace", "usage", "-", "--csv", "--json"}, 2, "--csv, --json: exclude each other"},
		{[]string{"trace", "usage", "-", "--picture", "x.png"}, 2, "must end in .svg"},
		{[]string{"trace", "usage", "-", "--zone", "Mars"}, 2, `--zone: time zone "Mars" is unknown`},
		{[]string{"simulate", "--timeline", "x.pdf"}, 2, "must end in .csv or .svg"},
		{[]string{"simulate", "--scheduler", "nope"}, 2, `--scheduler: scheduler "nope"`},
		{[]string{"simulate", "--slowstart", "2"}, 2, "--slowstart \"2\": must be a number, 0 to 1"},
		{[]string{"simulate", "--dataset", "default", "--config", "x"}, 2, "--dataset: cannot be combined"},
	} {
		code, _, log := call(slsText, c.args...)
		if code != c.code || !strings.Contains(log, c.want) {
			t.Errorf("%v: code %d, %q; want %d and %q", c.args, code, log, c.code, c.want)
		}
	}
}

// Usage comes as text, as a table and as one object, from the same figures.
func TestTraceUsageForms(t *testing.T) {
	picture := filepath.Join(t.TempDir(), "usage.svg")
	code, text, log := call(slsText, "trace", "usage", "-", "--picture", picture)
	if code != 0 || !strings.Contains(text, "GiB-hours") {
		t.Fatalf("code %d, %q, %q", code, text, log)
	}
	if b, err := os.ReadFile(picture); err != nil || !bytes.Contains(b, []byte("<svg")) {
		t.Errorf("picture %.40q, %v", b, err)
	}
	_, object, _ := call(slsText, "trace", "usage", "-", "--json")
	var r struct {
		Schema string
		Queues []struct {
			Name   string
			Waited float64 `json:"waited_hours"`
		}
	}
	if err := json.Unmarshal([]byte(object), &r); err != nil || r.Schema != "schedtune/usage/v1" || len(r.Queues) == 0 {
		t.Fatalf("%v, %s", err, object)
	}
	_, table, _ := call(slsText, "trace", "usage", "-", "--csv")
	rows, err := csv.NewReader(strings.NewReader(table)).ReadAll()
	if err != nil || len(rows) < 2 {
		t.Fatalf("%v, %s", err, table)
	}
	if got, _ := strconv.ParseFloat(rows[1][6], 64); rows[1][1] != r.Queues[0].Name || got != r.Queues[0].Waited ||
		got <= 0 {
		t.Errorf("first row %v, want %+v", rows[1], r.Queues[0])
	}
}

// Waiting that the trace does not record is no waiting of 0 s.
func TestWaitingNotRecorded(t *testing.T) {
	const swim = "job0\t1000\t10\t64000000\t0\t0\njob1\t1010\t10\t64000000\t0\t0\n"
	code, text, log := call(swim, "trace", "usage", "-")
	if code != 0 || !strings.Contains(text, "2 jobs") || !strings.Contains(text, "waiting time not recorded") ||
		strings.Contains(text, "0 s") {
		t.Errorf("code %d, %q, %q", code, text, log)
	}
	if code, text, log = call(slsText, "trace", "usage", "-"); code != 0 || strings.Contains(text, "not recorded\n") ||
		!strings.Contains(text, "waiting for first containers") {
		t.Errorf("code %d, %q, %q", code, text, log)
	}
}

// A simulation prints one JSON object and writes the logs it was asked for;
// the same seed gives the same bytes.
func TestSimulateCommand(t *testing.T) {
	dir := t.TempDir()
	var first []byte
	for range 2 {
		files := map[string]string{"timeline": "t.svg", "heartbeat-log": "h.csv", "event-trace": "e.jsonl"}
		args := append([]string{"simulate", "--json", "--replications", "2"}, small()...)
		for _, flag := range []string{"timeline", "heartbeat-log", "event-trace"} {
			args = append(args, "--"+flag, filepath.Join(dir, files[flag]))
		}
		code, out, log := call("", args...)
		if code != 0 || log != "" {
			t.Fatalf("code %d: %s", code, log)
		}
		var got struct {
			Schema  string
			Metrics []struct{ Name string }
		}
		if err := json.Unmarshal([]byte(out), &got); err != nil || got.Schema != "schedtune/simulate/v1" ||
			len(got.Metrics) < 10 {
			t.Fatalf("%v %+v", err, got)
		}
		all := []byte(out)
		for _, flag := range []string{"timeline", "heartbeat-log", "event-trace"} {
			b, err := os.ReadFile(filepath.Join(dir, files[flag]))
			if err != nil || len(b) == 0 {
				t.Fatal(flag, err)
			}
			all = append(all, b...)
		}
		if first != nil && !bytes.Equal(first, all) {
			t.Error("two equal simulations differ")
		}
		first = all
	}
}

// A recorded trace is drawn; a name of no form is refused.
func TestTracksOfRecords(t *testing.T) {
	const folder = "../../internal/testdata/runs/mapreduce"
	path := filepath.Join(t.TempDir(), "h.json")
	must(t, 0, "trace", "info", folder, "--perfetto", path)
	if b, err := os.ReadFile(path); err != nil || !bytes.Contains(b, []byte("queue ")) {
		t.Errorf("%v, %d bytes without a group of a queue", err, len(b))
	}
	if _, log := must(t, 2, "trace", "info", folder, "--perfetto", path+".txt"); !strings.Contains(log, "--perfetto: ") {
		t.Errorf("error %q, want one that names --perfetto", log)
	}
}
