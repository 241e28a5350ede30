package study

import (
	"fmt"

	"schedtune/internal/accuracy"
	"schedtune/internal/rng"
	"schedtune/internal/scenario"
	"schedtune/internal/simulate"
	"schedtune/simcore"
	"schedtune/tune"
)

// A study looks for what helps on similar workloads, not for what
// helps on its one path: the search runs on drawn workloads, and the gain is
// confirmed on fresh ones.

// DefaultWorkloads is how many workloads are drawn for the search, and as many
// again for the confirmation. Each generation of the search sees another one;
// more than there are generations change nothing.
const DefaultWorkloads = 64

// defaultSpread is by how much periods of a cluster differ beyond what blocks of
// the recorded one show; docs/accuracy.md says where the figures come from.
func defaultSpread() Spread {
	return Spread{Load: 0.2, User: 0.25, Queue: 0.2, Tasks: 0.15, Time: 0.1}
}

// purposeWorkload is that of the draws of workloads.
const purposeWorkload = 0x776c

// workloads says how a study's windows are drawn.
type workloads struct {
	recorded int // windows of the trace
	search   int // drawn for the search, and as many for the confirmation; 0 = none
	spread   Spread
	key      rng.Key
}

// workloadsOf follows a request.
func workloadsOf(req *Request, c *scenario.Case, windows []*simcore.Workload) workloads {
	recorded := len(windows)
	w := workloads{recorded: recorded, search: req.Workloads, spread: defaultSpread(),
		key: rng.NewKey(req.Options.Seed, purposeWorkload)}
	if w.search == 0 {
		w.search = DefaultWorkloads
	}
	if w.search < 0 || len(c.Work.Jobs) < 2 {
		w.search = 0
	}
	if recorded > 1 {
		w.spread.Part = 1 / float64(recorded)
	}
	if w.spread.Seasons = seasonsOf(c.Work, windows); w.spread.Seasons != nil {
		w.spread.Part = 1
	}
	return w
}

// options lets runs draw from a case's workload.
func (w *workloads) options(c *scenario.Case, windows []*simcore.Workload) simulate.Options {
	spread, key := w.spread, w.key
	return simulate.Options{Windows: windows, Drawn: 2 * w.search, Draw: func(i int) *simcore.Workload {
		return Workload(c.Work, spread, key.At(uint64(i)))
	}}
}

// set lets the problem run on them.
func (w *workloads) set(p *tune.Problem, errors map[string]tune.ModelError) {
	p.Windows = w.recorded + 2*w.search
	if w.search == 0 {
		p.Predict = &tune.Prediction{Level: 0.90, Same: true, Errors: errors}
		return
	}
	p.Name += fmt.Sprintf(" %d %x %+v", w.search, w.key, w.spread)
	for i := range w.recorded {
		p.Again = append(p.Again, i)
	}
	for i := w.recorded + w.search; i < p.Windows; i++ {
		p.HoldOut = append(p.HoldOut, i)
	}
	p.Predict = &tune.Prediction{Level: 0.90, Periods: float64(w.recorded), Errors: errors}
}

// modelErrors are the simulator's errors about the effect of a change, by metric.
func (req *Request) modelErrors(metrics []string) map[string]tune.ModelError {
	out := map[string]tune.ModelError{}
	for _, m := range metrics {
		if out[m] = accuracy.DefaultError(m); req.Present != nil {
			out[m] = req.Present.Error(m)
		}
	}
	return out
}

// judged tells on which windows all metrics are shown: those of the recorded workload and,
// unless runs are dear, those of the confirmation. All others are for the search, which looks
// at objectives and limits alone.
func (w *workloads) judged(dear bool) func(window int) bool {
	return func(window int) bool { return window < w.recorded || !dear && window >= w.recorded+w.search }
}
