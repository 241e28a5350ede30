package tune

import (
	"math"
	"slices"
)

// sample holds runs in blocks that share an instance, with what they show to a model.
type sample struct {
	runs   []sampledRun
	blocks int
}

type sampledRun struct {
	t       *trial
	point   Point
	on      instance
	block   int
	figures []float64
}

func (s *sample) points() []Point { return mapped(s.runs, func(r sampledRun) Point { return r.point }) }

func (s *sample) block() []int { return mapped(s.runs, func(r sampledRun) int { return r.block }) }

// Figures of a run. A run without result has the first alone.
const (
	stallFigure = iota // whether it stalled or lost work (0 or 1)
	costFigure         // and further: the objectives as compared, and by limit the logarithm of the part that the run has
)

// figures tell what runs show to a model.
type figures struct {
	p     Problem
	o     Options
	led   *ledger
	judge *judge
	known []*knowledge // by objective; nil: nothing is known
}

func newFigures(p Problem, o Options, l *ledger, j *judge) *figures {
	f := &figures{p: p, o: o, led: l, judge: j}
	for k := range p.Objectives {
		f.known = append(f.known, newKnowledge(p, k, func(v float64) float64 { return j.compared(p.Objectives[k], v) }))
	}
	return f
}

// knowledge returns what is known of an objective; nil if nothing.
func (f *figures) knowledge(objective int) *knowledge { return f.known[objective] }

// limitFigure is the figure of a limit.
func (f *figures) limitFigure(k int) int { return costFigure + len(f.p.Objectives) + k }

// count is how many figures a run has.
func (f *figures) count() int { return f.limitFigure(len(f.p.Constraints)) }

// of returns those of a run.
func (f *figures) of(t *trial, in instance) []float64 {
	o := t.runs[in]
	if o.Err != "" {
		return []float64{1}
	}
	out := make([]float64, f.count())
	for k, ob := range f.p.Objectives {
		out[costFigure+k] = f.judge.value(ob, o)
	}
	if f.judge.newlyLost(t, in) > 0 {
		out[stallFigure] = 1
	}
	for k := range f.p.Constraints {
		if x, part := f.judge.excesses(t, k, []instance{in}); len(x) > 0 {
			out[f.limitFigure(k)] = min(math.Log1p(math.Max(part(x[0]), leastExcess)), mostExcess)
		}
	}
	return out
}

// mostSample is about how many runs a model is fitted to; of the rest the oldest configurations leave
// that have one run.
const mostSample = 1024

// sample returns the runs before the confirmation, but those on workloads that the current
// configuration has no result on.
func (f *figures) sample(w *workloads) *sample {
	on := f.led.usable(w.drawn)
	var all []*trial
	runs := 0
	for _, t := range slices.Backward(f.led.all()) {
		if n := len(on) - missing(t, on); n > 1 || n == 1 && runs < mostSample {
			all = append(all, t)
			runs += n
		}
	}
	slices.Reverse(all)
	s := &sample{blocks: len(on)}
	points := mapped(all, f.led.pointOf)
	for b, in := range on {
		for i, t := range all {
			if t.ranOn(in) {
				s.runs = append(s.runs, sampledRun{t, points[i], in, b, f.of(t, in)})
			}
		}
	}
	return s
}

// complete leaves out runs that have no result.
func (s *sample) complete() *sample {
	return &sample{slices.DeleteFunc(slices.Clone(s.runs), func(r sampledRun) bool { return len(r.figures) == 1 }),
		s.blocks}
}

// column returns one figure of all runs.
func (s *sample) column(k int) []float64 {
	return mapped(s.runs, func(r sampledRun) float64 { return r.figures[k] })
}

// clipped returns a column with values far behind their blocks' medians, and behind the current configuration's,
// bounded: there it does not matter how far.
func (s *sample) clipped(k int, current *trial) []float64 {
	out := s.column(k)
	least := slices.Repeat([]float64{math.Inf(-1)}, s.blocks) // what is never bounded
	for i, r := range s.runs {
		if r.t == current {
			least[r.block] = out[i]
		}
	}
	of := make([][]float64, s.blocks)
	for i, r := range s.runs {
		of[r.block] = append(of[r.block], out[i])
	}
	for _, v := range of {
		slices.Sort(v)
	}
	for i, r := range s.runs {
		v := of[r.block]
		middle := v[(len(v)-1)/2]
		out[i] = min(out[i], max(middle+2*math.Max(middle-v[0], 0.1), least[r.block]))
	}
	return out
}

// residuals returns what predictions leave of values, without the means of their blocks.
func residuals(values, predicted []float64, block []int, blocks int) []float64 {
	out := make([]float64, len(values))
	for i := range out {
		out[i] = values[i] - predicted[i]
	}
	centreBlocks(out, block, blocks)
	return out
}

// centreBlocks subtracts the means of their blocks from values.
func centreBlocks(values []float64, block []int, blocks int) {
	sum, n := make([]float64, blocks), make([]float64, blocks)
	for i, b := range block {
		sum[b] += values[i]
		n[b]++
	}
	for i, b := range block {
		values[i] -= sum[b] / n[b]
	}
}
