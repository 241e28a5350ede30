package replay

import (
	"bytes"
	"context"
	"os"
	"slices"

	"schedtune/internal/simulate"
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
	p := &Prediction{Replications: n}
	for _, j := range r.Jobs {
		p.Jobs = append(p.Jobs, Row{Job: j.Name})
	}
	all := append([]*Run{r}, repeats...)
	for _, rec := range all {
		p.RecordedRuns = append(p.RecordedRuns, rec.Name)
	}
	var spans, recorded []float64
	if p.Summary, spans, recorded, err = Replicate(ctx, runs, seed, n, p.Jobs, all, nil); err != nil {
		return nil, err
	}
	slices.Sort(spans)
	p.Spread = spreadOf(recorded, spans, seed)
	for _, q := range []float64{0.1, 0.5, 0.9} {
		p.SpanQuantile = append(p.SpanQuantile, Nearest(spans, q))
	}
	return p, nil
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
