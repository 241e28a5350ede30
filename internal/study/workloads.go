package study

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"
	"schedtune/internal/inputs"
	"schedtune/internal/resample"
	"schedtune/internal/rng"
	"schedtune/internal/run"
	"schedtune/simcore"
	"schedtune/tune"
)

// A study looks for what helps on workloads like the recorded one, not for what
// helps on its one path: the search runs on drawn workloads, and the gain is
// confirmed on fresh ones.

// DefaultWorkloads is how many workloads are drawn for the search, and as many
// again for the confirmation. Each generation of the search sees another one;
// more than there are generations change nothing.
const DefaultWorkloads = 64

// DefaultSpread is by how much periods of a cluster differ beyond what blocks of
// the recorded one show; docs/search.md says where the figures come from.
func DefaultSpread() resample.Spread {
	return resample.Spread{Load: 0.2, User: 0.25, Queue: 0.2, Tasks: 0.15, Time: 0.1}
}

// DefaultModelError is the simulator's error about the effect of a change where
// nothing is known of the cluster at hand: with calibrations of their clusters
// tuned real runs were predicted within 0.3 to 5 %, and so were the present ones.
var DefaultModelError = tune.ModelError{Spread: 0.05}

// purposeWorkload keys the draws of workloads.
const purposeWorkload = 0x776c

// workloads says how a study's windows are drawn.
type workloads struct {
	recorded int // windows of the trace
	search   int // drawn for the search, and as many for the confirmation; 0 = none
	spread   resample.Spread
	key      rng.Key
}

// workloadsOf follows a request.
func workloadsOf(req *Request, c *inputs.Case, recorded int) workloads {
	w := workloads{recorded: recorded, search: req.Workloads, spread: DefaultSpread(), key: rng.NewKey(req.Options.Seed, purposeWorkload)}
	if w.search == 0 {
		w.search = DefaultWorkloads
	}
	if w.search < 0 || len(c.Work.Jobs) < 2 {
		w.search = 0
	}
	if req.Spread != nil {
		w.spread = *req.Spread
	}
	if recorded > 1 {
		w.spread.Part = 1 / float64(recorded)
	}
	return w
}

// options lets runs draw from a case's workload.
func (w *workloads) options(c *inputs.Case, windows []*simcore.Workload) run.Options {
	spread, key := w.spread, w.key
	return run.Options{Windows: windows, Drawn: 2 * w.search, Draw: func(i int) *simcore.Workload {
		return resample.Workload(c.Work, spread, key.At(uint64(i)))
	}}
}

// set lets the problem run on them.
func (w *workloads) set(p *tune.Problem, model *tune.ModelError) {
	p.Windows = w.recorded + 2*w.search
	if w.search == 0 {
		return
	}
	p.Name += fmt.Sprintf(" %d %x %+v", w.search, w.key, w.spread)
	for i := range w.recorded {
		p.Again = append(p.Again, i)
	}
	for i := w.recorded + w.search; i < p.Windows; i++ {
		p.HoldOut = append(p.HoldOut, i)
	}
	e := DefaultModelError
	if model != nil {
		e = *model
	}
	p.Predict = &tune.Prediction{Level: 0.90, Periods: float64(w.recorded), Errors: map[string]tune.ModelError{"": e}}
}

// longer is the interval of a prediction for a period some times as long, from a
// history as long: the spread between workloads shrinks with the root of the
// length where what is far apart does not depend on each other.
func longer(g tune.Gain, times float64) (low, high float64) {
	sign := -1.0
	if dir, err := simcore.Direction(g.Metric); err == nil && dir == simcore.Higher {
		sign = 1
	}
	ratio := func(gain float64) float64 { return math.Log(math.Max(1+sign*gain, 1e-9)) }
	model := distuv.UnitNormal.Quantile((1+g.Level)/2) * g.Model
	end := func(gain float64) float64 {
		h := ratio(gain) - ratio(g.Mean)
		shorter := math.Sqrt(math.Max(0, h*h-model*model)/times + model*model)
		return sign * math.Expm1(ratio(g.Mean)+math.Copysign(math.Min(shorter, math.Abs(h)), h))
	}
	return end(g.Low), end(g.High)
}

// promiseLines say what stands behind the headline's interval and what would
// narrow it; none where nothing is predicted.
func (sum *Summary) promiseLines() []string {
	var out []string
	for _, g := range sum.Gain {
		if g.Again == nil {
			continue
		}
		span := func(low, high float64) string {
			a, b := change(g.Metric, low), change(g.Metric, high)
			return fmt.Sprintf("%+.1f to %+.1f", min(a, b), max(a, b))
		}
		out = append(out,
			fmt.Sprintf("%s on this trace again: %+.1f %% (%.0f %% interval %s, %d seeds)", g.Metric, change(g.Metric, g.Again.Mean), 100*g.Again.Level, span(g.Again.Low, g.Again.High), g.Again.N),
			fmt.Sprintf("%s expected on a workload like this: %+.1f %% (%.0f %% interval %s, %d workloads that the search has not seen)", g.Metric, change(g.Metric, g.Mean), 100*g.Level, span(g.Low, g.High), g.N))
		if g.Optimism != nil {
			out = append(out, fmt.Sprintf("  optimism of the search: its own workloads showed %+.1f points of gain beyond that", 100**g.Optimism))
		}
		out = append(out,
			fmt.Sprintf("  it is workloads that differ: three times as much history, for as long a period: about %s; more runs do not narrow it", span(longer(g, 3))))
	}
	return out
}

// change turns a gain into the change of the metric in percent.
func change(name string, gain float64) float64 {
	if dir, err := simcore.Direction(name); err == nil && dir == simcore.Higher {
		return 100 * gain
	}
	return -100 * gain
}
