package forecast

import (
	"context"
	"math"
	"slices"

	"schedtune/internal/study"
	"schedtune/simcore"
	"schedtune/tune"
)

// What each change of a recommended file is worth, measured on workloads that are kept from the
// search with seeds of its own.

// undone is on how many workloads a change is taken back.
const undone = 16

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

// takeBack measures what each change of a recommended file costs if it alone is taken back.
// The shares of siblings go together.
func takeBack(ctx context.Context, s *study.Study, set tune.Settings, o *Outcome) error {
	names := []string{s.Problem.Objectives[0].Metric}
	for _, q := range s.Case.Work.Queues {
		names = append(names, "queue."+q+".mean-completion")
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
	with, lost, ok := measured(set)
	if !ok { // the file itself has no result on one of them
		return ctx.Err()
	}
	o.TakenBack = true
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

// neededObjective and neededQueue are what taking a change back must cost for it to count as one
// with an effect: of the objective, or of some queue's jobs.
const (
	neededObjective = 0.01
	neededQueue     = 0.05
)

// withoutEffect counts the changes of a recommended file that cost nothing to take back.
func (o *Outcome) withoutEffect() int {
	n := 0
	for _, c := range o.Changes {
		if o.Recommended && !c.Needed && c.Objective <= neededObjective && c.Queue <= neededQueue {
			n++
		}
	}
	return n
}
