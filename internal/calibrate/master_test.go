package calibrate

import (
	"fmt"
	"slices"
	"testing"

	"schedtune/simcore/yarn"
	"schedtune/trace"
)

// Six masters that were launched at 1 s and started their jobs 5, 6, 7, 8, 9 and 10 s
// later: besides the work of a master, of which the built-in figure is 1871.6 ms by 1.06
// threads, they waited 5 to 10 s less 1765.7 ms. With launches per machine the quickest
// quarter of the jobs, at 6.25 s, counts. The same AMs of a folder without the
// ResourceManager's list tell nothing.
func TestMasterStart(t *testing.T) {
	tr := &trace.Trace{Name: "t"}
	for i := range 6 {
		j := trace.NewJob(fmt.Sprintf("job_1_%04d", i))
		j.Type, j.Result, j.Submit, j.MasterLaunch, j.Launch, j.Finish = "MAPREDUCE", trace.Succeeded, 0, 1000,
			trace.Millis(6000+1000*i), 30000
		task := trace.NewTask(trace.Map, 0)
		task.Start, task.Finish = 20000, 29000
		j.Tasks = []trace.Task{task}
		tr.Jobs = append(tr.Jobs, j)
	}
	for scope, want := range map[string]yarn.Latency{yarn.ScopeNode: {3284.3, 3734.3, 4234.3, 4734.3, 5234.3, 5734.3,
		6234.3, 6734.3, 7234.3, 7734.3, 8184.3}, yarn.ScopeCluster: {4484}} {
		base := yarn.Default()
		base.CPUScope, base.Cores = scope, 2
		r, err := FitLatencies("t", []*trace.Trace{tr}, base)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(r.Calibration.AMStart, want) || !slices.Contains(r.Fitted, "am_start_ms") {
			t.Errorf("%s: %v, want %v; fitted %v", scope, r.Calibration.AMStart, want, r.Fitted)
		}
	}
	for i := range tr.Jobs {
		tr.Jobs[i].MasterLaunch = trace.Unknown
	}
	r, err := FitLatencies("t", []*trace.Trace{tr}, yarn.Default())
	if err != nil || slices.Contains(r.Fitted, "am_start_ms") || !slices.Equal(r.Calibration.AMStart,
		yarn.Default().AMStart) {
		t.Errorf("%v, %v", r.Fitted, err)
	}
}
