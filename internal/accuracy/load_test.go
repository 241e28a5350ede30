package accuracy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"schedtune/simcore"
	"schedtune/trace"
)

// history is what a history of the period would hold.
func (p *Period) history() *trace.Trace {
	w := p.Case.Work
	t := &trace.Trace{Name: w.Name}
	ms := func(at simcore.Time) trace.Millis { return trace.Millis(at/simcore.Millisecond) + 1_700_000_000_000 }
	for i := range w.Jobs {
		from, seen := &w.Jobs[i], p.Seen[i]
		j := trace.NewJob(from.ID)
		j.Name, j.User, j.Queue, j.Type, j.Result = from.Name, w.Users[from.User], w.Queues[from.Queue], "MAPREDUCE",
			trace.Succeeded
		j.Submit, j.Finish, j.Slowstart = ms(seen.Submit), ms(seen.Finish), from.Slowstart
		j.Maps, j.Reduces = int(from.Maps), int(from.Reduces)
		j.MapSize, j.ReduceSize, j.AMSize = trace.Size{MiB: 1024, VCores: 1}, trace.Size{MiB: 1024, VCores: 1},
			trace.Size{MiB: 1024, VCores: 1}
		for k := range from.Maps + from.Reduces {
			kind := trace.Map
			if k >= from.Maps {
				kind = trace.Reduce
			}
			task, a := trace.NewTask(kind, int(k)), trace.NewAttempt(0)
			a.Start = ms(seen.Start)
			a.Finish, a.Result, task.Result = ms(seen.Start+w.Tasks.Duration[from.FirstTask+k]), trace.Succeeded, trace.Succeeded
			if kind == trace.Reduce {
				a.ShuffleEnd, a.SortEnd = a.Start, a.Start
			}
			task.Attempts = []trace.Attempt{a}
			j.Tasks = append(j.Tasks, task)
		}
		t.Jobs = append(t.Jobs, j)
	}
	return t
}

// folder writes a study's folder, a cluster and two histories.
func folder(t *testing.T, summary string) (dir string, q Request) {
	t.Helper()
	dir = t.TempDir()
	write := func(name string, data []byte) {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	w := newWorld(judgeSeed, 1003)
	hard, open := queueFile(t, true), queueFile(t, false)
	b, a, _ := w.pairOf(t, hard, open)
	for name, p := range map[string]*Period{"before.jsonl": b, "after.jsonl": a} {
		var text bytes.Buffer
		if err := p.history().WriteNative(&text); err != nil {
			t.Fatal(err)
		}
		write(name, text.Bytes())
	}
	write("nodes.yaml", fmt.Appendf(nil, "nodes:\n - {count: %d, memory: 8192, vcores: 8, cores: 8}\n",
		len(w.cluster.Nodes)))
	write("tuned/capacity-scheduler.xml", open.Bytes())
	write("tuned/rollback.xml", hard.Bytes())
	write("tuned/summary.json", []byte(summary))
	q = Request{Tuned: filepath.Join(dir, "tuned"), Before: []string{filepath.Join(dir, "before.jsonl")},
		After: []string{filepath.Join(dir, "after.jsonl")}}
	q.Inputs.Cluster = filepath.Join(dir, "nodes.yaml")
	q.Options = ChangeOptions{Seed: 1, Replications: 4}
	return dir, q
}

// The whole way from a study's folder and histories: promise and change are those
// of the folder, and a planted gain is seen.
func TestRun(t *testing.T) {
	_, q := folder(t,
		`{"schema":"schedtune/tune/v3","recommended":true,"objectives":["mean-completion"],"gain":[{"metric":"mean-completion","mean":0.3,"low":0.1,"high":0.5,"level":0.9}],
	"constraints":[{"metric":"queue.root.adhoc.mean-completion","expected":{"mean":-0.3,"low":-0.6,"high":0.2,"level":0.9}},
		{"metric":"queue.root.ml.mean-completion","expected":{"mean":5,"low":4,"high":6,"level":0.9}},
		{"metric":"queue.root.etl.p95-wait","expected":{"mean":0,"low":0,"high":0,"level":0.9}}],"changes":[]}`)
	r, err := Run(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	promised := 0
	for _, g := range r.Queues {
		switch p := g.Promised; {
		case p == nil:
			continue
		case g.Queue == "root.adhoc" && (*p != Promise{0.3, -0.2, 0.6, 0.9} || g.Held == nil || !*g.Held),
			g.Queue == "root.ml" && (*p != Promise{-5, -6, -4, 0.9} || g.Held == nil || *g.Held):
			t.Errorf("%s: promised %+v, came %+v, held %v", g.Queue, *p, g.Gain, g.Held)
		}
		promised++
	}
	if promised != 2 {
		t.Errorf("of %d of %d queues something was promised; want two", promised, len(r.Queues))
	}
	if r.Promised == nil || r.Promised.Gain != 0.3 || r.Held == nil || r.Gain == nil || r.Gain.Mean <= 0 {
		t.Errorf("promised %+v, gain %+v, notes %q", r.Promised, r.Gain, r.Notes)
	}
	if r.Match.Classes == 0 || len(r.Queues) != 3 || len(r.Wrong) != 4 || r.After.New >= r.After.Simulated {
		t.Errorf("%+v", r)
	}
	if !strings.Contains(r.Calibration, "histories") && !strings.Contains(r.Calibration, "period before") {
		t.Errorf("calibration %q, want one fitted on the period before", r.Calibration)
	}
	var text bytes.Buffer
	r.Print(&text)
	for _, want := range []string{r.Headline(), "expected", "observed", "simulated with new settings", "root.adhoc",
		"error before", "  expected: -30.0 % (90 % interval -60 to +20)\n", "+600) (the intervals do not overlap)\n"} {
		t.Run(want, func(t *testing.T) {
			if !strings.Contains(text.String(), want) {
				t.Errorf("no %q in\n%s", want, &text)
			}
		})
	}
	if data, err := json.Marshal(r); err != nil || strings.Contains(string(data), "NaN") {
		t.Errorf("%v", err)
	}
	q.Tuned, q.Inputs.Config = filepath.Join(q.Tuned, "capacity-scheduler.xml"), filepath.Join(q.Tuned, "rollback.xml")
	alone, err := Run(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	if alone.Promised != nil || alone.Gain.Mean != r.Gain.Mean {
		t.Errorf("with files alone: promised %+v, gain %v, want none and %v", alone.Promised, alone.Gain, r.Gain)
	}
}

// A study that recommends the current file promises nothing: its gain is that of settings which
// it has found and not recommended.
func TestRunOfUnproven(t *testing.T) {
	_, q := folder(t, `{"schema":"schedtune/tune/v3","recommended":false,"objectives":["mean-completion"],`+
		`"gain":[{"metric":"mean-completion","mean":0.3,"low":-0.1,"high":0.5,"level":0.9}],"changes":[]}`)
	r, err := Run(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	if r.Promised != nil || r.Objective != "mean-completion" || len(r.Notes) == 0 {
		t.Errorf("%s, promised %+v, notes %q; want mean-completion, nothing promised and a note of that", r.Objective,
			r.Promised, r.Notes)
	}
}

// A period without jobs has no figures, which are not zero.
func TestPrintWithoutJobs(t *testing.T) {
	var b strings.Builder
	(&ChangeReport{Advice: Wait, Objective: "makespan", Before: Side{Jobs: 2, Compared: 2, Recorded: 7.5,
		Simulated: 7.25}, Wrong: []Difference{{What: "makespan"}}}).Print(&b)
	if out := b.String(); !strings.Contains(out, "7.5            -\n") || !strings.Contains(out, "7.2            -\n") ||
		strings.Contains(out, "simulator:") {
		t.Error(out)
	}
}

func TestRunFaults(t *testing.T) {
	dir, q := folder(t, `{"schema":"other"}`)
	missing := q
	missing.Tuned = filepath.Join(dir, "no such")
	bare := q
	bare.Tuned = dir
	file := q
	file.Tuned, file.After = filepath.Join(dir, "tuned/capacity-scheduler.xml"), nil
	file.Inputs.Config = filepath.Join(dir, "tuned/rollback.xml")
	for _, c := range []struct {
		q    Request
		want string
	}{
		{q, "the folder of a study"},
		{missing, "no such: no such file or directory"},
		{bare, "summary.json: no such file or directory"},
		{file, "--after: missing; use histories"},
	} {
		t.Run(c.want, func(t *testing.T) {
			if _, err := Run(t.Context(), c.q); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

// An objective that no history tells is replaced, and the promise is not compared.
func TestRunOtherObjective(t *testing.T) {
	_, q := folder(t,
		`{"schema":"schedtune/tune/v3","recommended":true,"objectives":["utilisation"],"gain":[{"metric":"utilisation",`+
			`"mean":0.3}],"changes":[{"property":"p","file":"mapred-site.xml","from":"0.8","to":"0.5"},`+
			`{"property":"s","file":"spark-defaults.conf"}]}`)
	r, err := Run(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	if notes := strings.Join(r.Notes, "\n"); r.Objective != "mean-completion" || r.Promised != nil ||
		!strings.Contains(notes, "utilisation") || !strings.Contains(notes, "s of spark-defaults.conf changed too") {
		t.Errorf("%s, %+v, %q", r.Objective, r.Promised, r.Notes)
	}
}
