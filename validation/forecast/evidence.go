package forecast

import (
	"context"
	"math"
	"slices"

	"schedtune/internal/study"
	"schedtune/simcore"
	"schedtune/tune"
)

// What a decision rests on, measured anew on workloads that are kept from the search with seeds of
// its own: so decisions can be made again by other rules without any study (decide.go), and no rule
// is judged by the runs that chose the configuration.

// Evidence is one case's.
type Evidence struct {
	Metrics []Paired  // the objective, then the mean completion of every queue with jobs
	Lost    float64   // jobs per workload that the current configuration finishes
	Failed  int       // workloads without a run
	Limits  []float64 // by how much each limit is exceeded in the mean, as a part of it
	Errors  map[string]tune.ModelError
}

// Paired are the values of a metric with the current and the found configuration on the same workloads.
type Paired struct {
	Metric        string
	Before, After []float64
}

// gathered is on how many workloads; undone, on how many a change is taken back.
const (
	gathered = 32
	undone   = 16
)

// fresh are windows that are kept from the search, each with a seed of its own.
func fresh(s *study.Study, n int) (windows []int) {
	all := s.Problem.HoldOut
	for i := range min(n, len(all)) {
		windows = append(windows, all[i*len(all)/min(n, len(all))])
	}
	return windows
}

// runOn simulates settings on a window that is kept from the search.
func runOn(ctx context.Context, s *study.Study, set tune.Settings, window int) (*simcore.Result, error) {
	return s.Runner.Simulate(ctx, set, 1<<49+uint64(window), window, nil)
}

// gather measures a configuration against the current one.
func gather(ctx context.Context, s *study.Study, set tune.Settings) (Evidence, error) {
	e := Evidence{Errors: s.Problem.Predict.Errors, Limits: make([]float64, len(s.Problem.Constraints))}
	e.Metrics = []Paired{{Metric: s.Problem.Objectives[0].Metric}}
	for _, q := range s.Case.Work.Queues {
		e.Metrics = append(e.Metrics, Paired{Metric: "queue." + q + ".mean-completion"})
	}
	count := 0.0
	for _, w := range fresh(s, gathered) {
		a, err := runOn(ctx, s, s.Space.PresentSettings(), w)
		if err != nil {
			continue // what the current configuration can't run says nothing
		}
		b, err := runOn(ctx, s, set, w)
		if err != nil {
			e.Failed++
			continue
		}
		count++
		e.Lost += float64(newlyLost(a, b))
		for i := range e.Metrics {
			p := &e.Metrics[i]
			x, err1 := a.Value(p.Metric)
			y, err2 := b.Value(p.Metric)
			if err1 == nil && err2 == nil && !math.IsNaN(x) && !math.IsNaN(y) {
				p.Before, p.After = append(p.Before, x), append(p.After, y)
			}
		}
	}
	e.Lost /= math.Max(1, count)
	for k, l := range s.Problem.Constraints {
		i := slices.IndexFunc(e.Metrics, func(p Paired) bool { return p.Metric == l.Metric })
		if i >= 0 && l.Factor != 0 {
			if before := sum(e.Metrics[i].Before); before > 0 {
				e.Limits[k] = sum(e.Metrics[i].After)/(l.Factor*before) - 1
			}
		}
	}
	return e, ctx.Err()
}

func sum(v []float64) float64 {
	total := 0.0
	for _, x := range v {
		total += x
	}
	return total
}

// takeBack measures what each change of a recommended file costs if it alone is taken back.
// The shares of siblings go together.
func takeBack(ctx context.Context, s *study.Study, set tune.Settings, o *Outcome) error {
	var names []string
	for _, p := range o.Evidence.Metrics {
		names = append(names, p.Metric)
	}
	present := s.Space.PresentSettings()
	measured := func(set tune.Settings) (means map[string]float64, lost float64, ok bool) {
		means = map[string]float64{}
		for _, w := range fresh(s, undone) {
			a, err := runOn(ctx, s, present, w)
			if err != nil {
				continue
			}
			b, err := runOn(ctx, s, set, w)
			if err != nil {
				return nil, 0, false
			}
			lost += float64(newlyLost(a, b))
			for _, n := range names {
				if v, err := b.Value(n); err == nil && !math.IsNaN(v) {
					means[n] += v
				}
			}
		}
		return means, lost, true
	}
	o.TakenBack = true
	with, lost, ok := measured(set)
	if !ok {
		return ctx.Err()
	}
	group := map[string]string{}
	for _, p := range s.Space.Params() {
		group[p.Name] = p.Name
		if p.Kind == tune.Share {
			group[p.Name] = "shares of " + p.Group
		}
	}
	for i := range o.Changes {
		c := &o.Changes[i]
		undo := slices.Clone(set)
		for k := range undo {
			if group[undo[k].Name] == group[c.Name] {
				undo[k].Value = present[k].Value
			}
		}
		without, more, ok := measured(undo)
		c.Needed = !ok || more > lost
		if !ok {
			continue
		}
		if with[names[0]] > 0 {
			c.Objective = without[names[0]]/with[names[0]] - 1
		}
		for _, n := range names[1:] {
			if with[n] > 0 {
				c.Queue = math.Max(c.Queue, without[n]/with[n]-1)
			}
		}
	}
	return ctx.Err()
}
