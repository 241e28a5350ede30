package sparkreplay

import (
	"context"
	"math"
	"slices"

	"schedtune/internal/simulate"
	"schedtune/simcore"
	"schedtune/simcore/yarn"
	"schedtune/validation/replay"
)

// Prediction compares many simulated replications of a scenario with what was
// recorded: the mean over equal runs.
type Prediction struct {
	Errors
	Low   float64   `json:"makespan_p5_s"` // of the simulated makespans
	High  float64   `json:"makespan_p95_s"`
	Spans []float64 `json:"makespans_recorded_s"`
	// Of the simulated means over DAGs, if there are any.
	DAGLow  float64 `json:"dag_completion_p5_s,omitempty"`
	DAGHigh float64 `json:"dag_completion_p95_s,omitempty"`
}

// inner returns the 5 and 95 % quantiles of a list, 0 of an empty one.
func inner(list []float64) (low, high float64) {
	if len(list) == 0 {
		return 0, 0
	}
	slices.Sort(list)
	return replay.Nearest(list, 0.05), replay.Nearest(list, 0.95)
}

// Predict simulates the run's scenario n times with seeds seed, seed+1, …
// knowing only scenario, queue file and calibration. equal are further runs of
// the same scenario.
func (r *Run) Predict(ctx context.Context, cal *yarn.Calibration, seed uint64, n int, equal []*Run) (*Prediction,
	error) {
	w := r.scenario()
	runs, err := r.Simulator(r.Cluster(), w, cal, simulate.Options{Times: yarn.UserTimes,
		Jitter: yarn.Jitter{Launch: true, Phases: true}})
	if err != nil {
		return nil, err
	}
	p := &Prediction{}
	for _, j := range w.Jobs {
		p.Apps = append(p.Apps, replay.Row{App: j.ID})
	}
	all := append([]*Run{r}, equal...)
	var recorded []*replay.Run
	for _, run := range all {
		recorded = append(recorded, &run.Run)
		p.RecordedTime += run.executorTime() / float64(len(all))
	}
	var spans, means []float64
	var dags []simcore.DAGResult
	p.Summary, spans, p.Spans, err = replay.Replicate(ctx, runs, seed, n, p.Apps, recorded,
		func(got []yarn.JobTimes, ended []simcore.DAGResult) {
			for j := range got {
				p.SimulatedTime += got[j].ExecutorTime.Seconds() / float64(n)
			}
			if dags = append(dags, ended...); len(ended) > 0 {
				means = append(means, meanDAG(ended))
			}
		})
	if err != nil {
		return nil, err
	}
	p.compareDAGs(w, dags, all)
	p.Executors = math.Abs(p.SimulatedTime/p.RecordedTime - 1)
	p.Low, p.High = inner(spans)
	p.DAGLow, p.DAGHigh = inner(means)
	return p, nil
}
