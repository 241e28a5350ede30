package accuracy

import (
	"math"
	"testing"

	"schedtune/trace"
)

// Logs that were made with known latencies on nodes that suffice are simulated close to
// their record; job histories without launch latencies end earlier than recorded.
func TestCheckTrace(t *testing.T) {
	for _, c := range []struct {
		path, scheduler string
		nodes, jobs     int
		worst, span     float64 // largest errors, as parts
	}{
		{"../../datasets/spark/eventlogs", "capacity", 16, 28, 0.1, 0.01},
		{"../testdata/runs/mapreduce/history", "capacity", 3, 6, 0.6, 0.1},
	} {
		t.Run(c.path, func(t *testing.T) {
			tr, err := trace.Open(c.path, trace.Options{})
			if err != nil {
				t.Fatal(err)
			}
			r, err := CheckTrace(t.Context(), tr)
			if err != nil {
				t.Fatal(err)
			}
			if r.Scheduler != c.scheduler || r.Nodes != c.nodes || r.Jobs != c.jobs || len(r.PerJob) != c.jobs {
				t.Errorf("got %s, %d nodes, %d jobs, %d compared; want %s, %d, %d, all", r.Scheduler, r.Nodes, r.Jobs,
					len(r.PerJob), c.scheduler, c.nodes, c.jobs)
			}
			if r.Errors.Worst > c.worst || math.Abs(r.Makespan.Error()) > c.span {
				t.Errorf("got a worst error of %.3f, makespan %.3f; want at most %.3f and %.3f", r.Errors.Worst,
					r.Makespan.Error(), c.worst, c.span)
			}
		})
	}
}

// A trace without completion times is simulated, and nothing is compared.
func TestCheckTraceWithoutTimes(t *testing.T) {
	j := trace.NewJob("job_1_0001")
	j.Submit = 0
	task := trace.NewTask(trace.Map, 0)
	task.Start, task.Finish, task.Attempts = 1000, 9000,
		[]trace.Attempt{{Start: 1000, Finish: 9000, Result: trace.Succeeded, Host: "h1"}}
	j.Tasks = []trace.Task{task}
	r, err := CheckTrace(t.Context(), &trace.Trace{Name: "t", Jobs: []trace.Job{j}})
	if err != nil {
		t.Fatal(err)
	}
	if r.Jobs != 1 || len(r.PerJob) != 0 || r.Makespan.Recorded != 0 || r.Makespan.Simulated <= 0 {
		t.Errorf("got %+v, want one simulated job and none compared", r)
	}
}

// Containers of more vcores than Hadoop allows by default are simulated.
func TestCheckTraceOfLargeContainers(t *testing.T) {
	j := trace.NewJob("application_1_0001")
	j.Submit, j.Finish = 0, 30_000
	j.MapSize, j.AMSize = trace.Size{MiB: 51200, VCores: 16}, trace.Size{MiB: 1024, VCores: 1}
	task := trace.NewTask(trace.Map, 0)
	task.Attempts = []trace.Attempt{{Start: 5000, Finish: 25_000, Result: trace.Succeeded, Host: "h1"}}
	j.Tasks = []trace.Task{task}
	r, err := CheckTrace(t.Context(), &trace.Trace{Name: "t", Jobs: []trace.Job{j}})
	if err != nil || r.Scheduler != "capacity" || r.Jobs != 1 {
		t.Errorf("%v, %+v, want one job of YARN", err, r)
	}
}
