package diagnose

import (
	"slices"
	"strings"
	"testing"

	"schedtune/internal/simulate"
	"schedtune/simcore"
	"schedtune/simcore/yarn"
	"schedtune/trace"
	"schedtune/trace/tezlog"
)

// At 20 s a session in the queue waits for its DAG at 50 s with two idle containers, one of which
// ends at 26 s while the other has a task at 50 s; one of another session works, and its idle one
// stays to the end of the run. What had ended by then, and containers without a task yet, do not count.
func TestIdleTez(t *testing.T) {
	const s = simcore.Second
	work := &simcore.Workload{Queues: []string{"root.bi", "root.etl"}, Jobs: []simcore.Job{
		{ID: "session", Tez: &simcore.TezApp{Session: true}},
		{ID: "other", Queue: 1, Tez: &simcore.TezApp{Session: true}}, {}}}
	idle := &idleTez{work: work, at: 20 * s, held: map[[2]int32]*tezHeld{}}
	change := func(at simcore.Time, job simcore.JobID, ord int32, delta int) {
		idle.watch(&simulate.Change{At: at, Job: job, Unit: ord, Delta: delta, Master: ord == 0, Memory: 1024})
	}
	task := func(from, to simcore.Time, job simcore.JobID, ord int32) {
		idle.event(from, yarn.SparkEvent{Job: job, Kind: yarn.SparkTaskStart, Executor: ord})
		idle.event(to, yarn.SparkEvent{Job: job, Kind: yarn.SparkTaskEnd, Executor: ord})
	}
	for job := range simcore.JobID(3) {
		for ord := range int32(5) {
			change(1*s, job, ord, 1)
		}
	}
	for ord := range int32(3) {
		task(2*s, 10*s, 0, ord+1)
	}
	change(12*s, 0, 3, -1)
	task(2*s, 30*s, 1, 1)
	task(2*s, 15*s, 1, 2)
	change(26*s, 0, 1, -1)
	change(40*s, 0, 5, 1)
	task(50*s, 55*s, 0, 2)
	dags := []simcore.DAGResult{{Job: 0, Submit: 1 * s, Finish: 10 * s}, {Job: 1, Submit: 1 * s, Finish: 30 * s},
		{Job: 0, DAG: 1, Submit: 50 * s, Finish: 55 * s}}
	want := []TezHolding{
		{"root.bi", "session", 3072, "2048 MiB in 2 idle containers for up to 30s yet and 1024 MiB in 1 AM without a " +
			"DAG for up to 30s yet"},
		{"root.etl", "other", 1024, "1024 MiB in 1 idle container to the end of the run"},
	}
	got := idle.holders(dags)
	if !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	for i, queue := range []string{"root.bi", "root.etl"} { // the queue that is asked about comes first
		notes := TezHoldings(slices.Clone(got), queue, "")
		if len(notes) != 2 || !strings.Contains(notes[0], queue) || !strings.Contains(notes[0], want[i].App) {
			t.Errorf("notes %q, want two, that on %s first", notes, queue)
		}
	}
}

// TestHeldInTrace: the notes on a queue's load count what sessions of Tez and their idle containers hold.
func TestHeldInTrace(t *testing.T) {
	tr := &trace.Trace{Jobs: []trace.Job{{ID: "session", Queue: "root.bi", User: "u", Finish: 60_000,
		AMSize:  trace.Size{MiB: 512},
		MapSize: trace.Size{MiB: 1024}, Tez: &tezlog.App{Conf: map[string]string{"tez.am.mode.session": "true"},
			Containers: []tezlog.Container{{Stopped: 50_000}},
			DAGs: []tezlog.DAG{{ID: 1, Submit: 20_000, End: 40_000, Vertices: []tezlog.Vertex{{Attempts: []tezlog.Attempt{
				{Start: 25_000, End: 40_000}}}}}}}}, {Queue: "root.bi"}}}
	load, _, _ := FromTrace(tr, "root.bi", "u")
	want := []string{"the trace has AMs of Tez sessions without a DAG in the queue that hold up to 512 MiB at a time, each " +
		"for 20.0 s on average: session up to 512 MiB",
		"the trace has idle containers of Tez in the queue that hold up to 1024 MiB at a time, each for 10.0 s on " +
			"average: session up to 1024 MiB"}
	if !slices.Equal(load.held, want) {
		t.Errorf("got %q, want %q", load.held, want)
	}
}
