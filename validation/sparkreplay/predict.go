package sparkreplay

import (
	"context"
	"slices"

	"schedtune/internal/simulate"
	"schedtune/internal/stats"
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
	at := func(q float64) float64 { return list[int(q*float64(len(list)-1)+0.5)] }
	return at(0.05), at(0.95)
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
	p.Apps = make([]AppError, len(w.Jobs))
	var means []float64
	var dags []simcore.DAGResult
	spans, err := replay.Replicate(ctx, runs, seed, n, func(got []yarn.JobTimes, ended []simcore.DAGResult) {
		for j := range got {
			p.Apps[j].Simulated += (got[j].Finish - got[j].Submit).Seconds() / float64(n)
			p.SimulatedTime += got[j].ExecutorTime.Seconds() / float64(n)
		}
		if dags = append(dags, ended...); len(ended) > 0 {
			means = append(means, meanDAG(ended))
		}
	})
	if err != nil {
		return nil, err
	}
	all := append([]*Run{r}, equal...)
	for j := range p.Apps {
		p.Apps[j].App, p.Apps[j].Recorded = w.Jobs[j].ID, meanTime(all, w.Jobs[j].ID)
	}
	for _, run := range all {
		p.Spans = append(p.Spans, run.Span())
		p.RecordedTime += run.executorTime() / float64(len(all))
	}
	p.compareDAGs(w, dags, all)
	p.sum(stats.Mean(p.Spans), stats.Mean(spans))
	p.Low, p.High = inner(spans)
	p.DAGLow, p.DAGHigh = inner(means)
	return p, nil
}

// meanTime is the mean completion time of an application over runs, in seconds.
func meanTime(runs []*Run, app string) (mean float64) {
	for _, r := range runs {
		for _, a := range r.Apps {
			if a.Name == app {
				mean += (a.Finish - a.Submit).Seconds() / float64(len(runs))
			}
		}
	}
	return mean
}
