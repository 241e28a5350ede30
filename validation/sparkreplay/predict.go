package sparkreplay

import (
	"context"
	"math"
	"slices"

	"schedtune/internal/simulate"
	"schedtune/internal/stats"
	"schedtune/simcore"
	"schedtune/simcore/yarn"
)

// Prediction compares many simulated replications of a scenario with what was
// recorded: the mean over equal runs.
type Prediction struct {
	Errors
	Low   float64   `json:"makespan_p5_s"` // of the simulated makespans
	High  float64   `json:"makespan_p95_s"`
	Spans []float64 `json:"makespans_recorded_s"`
}

// Predict simulates the run's scenario n times with seeds seed, seed+1, …
// knowing only scenario, queue file and calibration. equal are further runs of
// the same scenario.
func (r *Run) Predict(ctx context.Context, cal *yarn.Calibration, seed uint64, n int, equal []*Run) (*Prediction, error) {
	w := r.scenario()
	s, err := r.simulator(w, yarn.UserTimes)
	if err != nil {
		return nil, err
	}
	p := &Prediction{}
	p.Apps = make([]AppError, len(w.Jobs))
	var spans []float64
	for i := range n {
		got, err := s.run(ctx, yarn.RunConfig{Seed: seed + uint64(i), Slowstart: -1, Calibration: cal, Jitter: simulate.RecordedArrivals()})
		if err != nil {
			return nil, err
		}
		first, last := simcore.Never, simcore.Time(0)
		for j := range got {
			first, last = min(first, got[j].Submit), max(last, got[j].Finish)
			p.Apps[j].Simulated += (got[j].Finish - got[j].Submit).Seconds() / float64(n)
			p.SimulatedTime += got[j].ExecutorTime.Seconds() / float64(n)
		}
		spans = append(spans, (last - first).Seconds())
	}
	all := append([]*Run{r}, equal...)
	var abs []float64
	for j := range p.Apps {
		x := &p.Apps[j]
		x.App, x.Recorded = w.Jobs[j].ID, meanTime(all, w.Jobs[j].ID)
		x.Error = x.Simulated/x.Recorded - 1
		abs = append(abs, math.Abs(x.Error))
	}
	for _, run := range all {
		p.Spans = append(p.Spans, run.span())
		p.RecordedTime += run.executorTime() / float64(len(all))
	}
	p.Median, p.Mean = stats.Median(abs), mean(abs)
	p.RecordedSpan, p.SimulatedSpan = mean(p.Spans), mean(spans)
	p.Makespan, p.Executors = math.Abs(p.SimulatedSpan/p.RecordedSpan-1), math.Abs(p.SimulatedTime/p.RecordedTime-1)
	slices.Sort(spans)
	p.Low, p.High = spans[int(0.05*float64(n-1)+0.5)], spans[int(0.95*float64(n-1)+0.5)]
	return p, nil
}

// meanTime is the mean completion time of an application over runs, in seconds.
func meanTime(runs []*Run, app string) (mean float64) {
	for _, r := range runs {
		for k := range r.Apps {
			if a := &r.Apps[k]; a.Name == app {
				mean += (a.Finish - a.Submit).Seconds() / float64(len(runs))
			}
		}
	}
	return mean
}

// span is the recorded makespan in seconds.
func (r *Run) span() float64 {
	first, last := simcore.Never, simcore.Time(0)
	for i := range r.Apps {
		first, last = min(first, r.Apps[i].Submit), max(last, r.Apps[i].Finish)
	}
	return (last - first).Seconds()
}
