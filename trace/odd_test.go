package trace

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"schedtune/trace/sparklog"
)

// write puts a text into a file of its own.
func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// A file that is missing, or belongs to another option, is refused with what is
// allowed.
func TestNotATrace(t *testing.T) {
	_, err := Open("nosuch", Options{})
	if !errors.Is(err, fs.ErrNotExist) || !strings.HasPrefix(err.Error(), "nosuch: no such file or directory: must be "+
		"a trace file, a folder") {
		t.Error(err)
	}
	for name, c := range map[string]struct{ text, want string }{
		"sls.nodes.json": {`{"rack":"/r","nodes":[{"node":"a","memory-mb":1,"vcores":1}]}`, "give it with --cluster"},
		"topology.json": {`{"name":"<root>","children":[{"name":"r","children":[{"name":"h","children":null}]}]}`,
			"give it with --cluster"},
		"rm.json":      {"{\n \"nodes\": {\"node\": []}}", "give it with --cluster"},
		"cluster.yaml": {"# ours\nnodes:\n  - {count: 2, memory: 1, vcores: 1}\n", "give it with --cluster"},
		"nodes.csv":    {"node,node_id,mib,vcores,rack\nn1,h:1,1024,8,/r\n", "give it with --cluster"},
		"cs.xml": {"<?xml version=\"1.0\"?>\n<?xml-stylesheet href=\"x\"?>\n<!-- a\nlicence -->\n<configuration/>",
			"give it with --config"},
		"logs.tar":   {strings.Repeat("\x00", 257) + "ustar\x0000", "unpack it"},
		"stdout.txt": {"Container: container_1_0001_01_000001 on n1_45454\nLogType:stderr\n", "what yarn logs prints"},
	} {
		path := write(t, name, c.text)
		if _, err := Open(path, Options{}); err == nil || !strings.HasPrefix(err.Error(), path+": ") &&
			!strings.HasPrefix(err.Error(), path+":1: unknown format") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := Open(filepath.Dir(path), Options{}); !errors.Is(err, ErrEmpty) {
			t.Errorf("folder of %s: %v", name, err)
		}
	}
}

// Jobs of one id, and times below 0 other than -1, are kept and unknown: a note
// counts them and names the first, once.
func TestNotesOnOddJobs(t *testing.T) {
	sls := func(id, start string) string {
		return `{"job.id":"` + id + `","job.start.ms":` + start +
			`,"job.tasks":[{"container.start.ms":7,"container.end.ms":9}]}` + "\n"
	}
	tasks := `"mapTasks":[{"taskID":"task_1_1_m_000000"}],"finishTime":9}` + "\n"
	for _, c := range []struct{ text, want string }{
		{sls("a", "1") + sls("b", "2") + sls("b", "3") + sls("a", "4") + sls("b", "5"), "assumed: jobs with the id of an " +
			"earlier one, kept as jobs of their own; the first is b (3 times)"},
		{sls("a", "-1") + sls("b", "-2") + sls("c", "-300"), "dropped: times below 0 other than -1, taken as unknown; the " +
			"first: job b (2 times)"},
		{`{"jobID":"job_1_1","submitTime":-5,` + tasks, "taken as unknown; the first: job job_1_1"},
		{"1 5 -7 10 3 -1 -1 3 60 -1 1 7 1 4 2 -1 -1 -1\n", "taken as unknown; the first: job job_1"},
		{"2011-01-01 00:00:00,000 INFO x: appId=application_1_1,submitTime=5,launchTime=-9,finishTime=-3\n",
			"the first: job application_1_1 (2 times)"},
		{`{"jobs":{"job":[{"id":"job_1_1","submitTime":5,"startTime":-4}]}}`, "taken as unknown; the first: job job_1_1"},
		{`{"schema":"schedtune/trace/v1"}` + "\n" + `{"id":"j","times":[5,-4,-1,-1,-1,-1]}`,
			"taken as unknown; the first: job j"},
	} {
		tr, err := Read(strings.NewReader(c.text), "x", Options{})
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		var notes []string
		for _, n := range tr.Notes {
			notes = append(notes, n.String())
		}
		if text := strings.Join(notes, "\n"); !strings.Contains(text+"\n", c.want+"\n") {
			t.Errorf("no %q in\n%s", c.want, text)
		}
		for i := range tr.Jobs {
			tr.Jobs[i].eachTime(func(m *Millis) {
				if *m < Unknown {
					t.Errorf("%s: a time of %d", c.text, *m)
				}
			})
		}
		roundTrip(t, tr) // with the notes as they are
	}
}

// A Spark application made by hand whose tasks ran nowhere is refused.
func TestSparkMadeByHand(t *testing.T) {
	app := &sparklog.App{ID: "a", Stages: []sparklog.Stage{{Attempts: []sparklog.Task{{Executor: 5, Finish: 10}}}}}
	j := NewJob("a")
	j.Submit, j.Spark = 0, app
	if _, _, err := (&Trace{Name: "made", Jobs: []Job{j}}).Workload(WorkloadOptions{}); err == nil ||
		!strings.Contains(err.Error(), "executor") {
		t.Error(err)
	}
	if err := app.Write(io.Discard); err == nil || !strings.Contains(err.Error(), "executor") {
		t.Error(err)
	}
}
