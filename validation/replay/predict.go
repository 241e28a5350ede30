package replay

import (
	"bytes"
	"context"
	"os"
	"slices"
	"sort"

	"schedtune/internal/simulate"
	"schedtune/internal/stats"
	"schedtune/simcore"
	"schedtune/simcore/yarn"
)

// Prediction compares many simulated replications of a scenario with what was
// recorded: the mean over this run and its repetitions, where there are any.
type Prediction struct {
	Errors
	Replications int       `json:"replications"`
	RecordedRuns []string  `json:"recorded_runs"`
	SpanQuantile []float64 `json:"makespan_p10_p50_p90_s"`
	Spread
}

// predict simulates the run's scenario n times with seeds seed, seed+1, …
// knowing only scenario, queue file and calibration.
func (r *Run) predict(ctx context.Context, cal *yarn.Calibration, seed uint64, n int, repeats []*Run) (*Prediction,
	error) {
	w, err := r.Planned(cal)
	if err != nil {
		return nil, err
	}
	c, err := r.planned()
	if err != nil {
		return nil, err
	}
	runs, err := r.Simulator(c, w, cal, simulate.Options{Times: yarn.UserTimes, Jitter: simulate.RecordedArrivals()})
	if err != nil {
		return nil, err
	}
	jobs := make([]JobError, len(r.Jobs))
	for i := range r.Jobs {
		jobs[i].Job = r.Jobs[i].Name
	}
	spans, err := Replicate(ctx, runs, seed, n, func(got []yarn.JobTimes, _ []simcore.DAGResult) {
		for j, t := range got {
			jobs[j].Simulated += (t.Finish - t.Submit).Seconds() / float64(n)
		}
	})
	if err != nil {
		return nil, err
	}
	p := &Prediction{Replications: n}
	all := append([]*Run{r}, repeats...)
	var recorded []float64
	for _, rec := range all {
		recorded = append(recorded, rec.Span())
		p.RecordedRuns = append(p.RecordedRuns, rec.Name)
		addRecorded(jobs, rec, float64(len(all)))
	}
	p.Errors = compare(jobs, stats.Mean(recorded), stats.Mean(spans))
	sort.Float64s(spans)
	p.Spread = spreadOf(recorded, spans, seed)
	for _, q := range []float64{0.1, 0.5, 0.9} {
		p.SpanQuantile = append(p.SpanQuantile, spans[int(q*float64(n-1)+0.5)])
	}
	return p, nil
}

// addRecorded adds to every job its completion time in a recorded run, over n runs.
func addRecorded(jobs []JobError, rec *Run, n float64) {
	for i := range jobs {
		for k := range rec.Jobs {
			if rec.Jobs[k].Name == jobs[i].Job {
				jobs[i].Recorded += rec.Jobs[k].completion() / n
			}
		}
	}
}

// sameScenario reports whether two runs are repetitions: equal nodes, planned
// jobs and queue files.
func sameScenario(a, b *Run) bool {
	x, errX := os.ReadFile(a.path("capacity-scheduler.xml"))
	y, errY := os.ReadFile(b.path("capacity-scheduler.xml"))
	return errX == nil && errY == nil && bytes.Equal(x, y) &&
		slices.Equal(a.Scenario.Nodes, b.Scenario.Nodes) && slices.Equal(a.Scenario.Jobs, b.Scenario.Jobs) &&
		slices.Equal(a.Scenario.Events, b.Scenario.Events)
}
