package tune

import (
	"cmp"
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
	costFigure         // the objective as compared
	limitFigure        // and further: by limit the logarithm of the part of it that the run has
)

// figureCount is how many figures a run has.
func (j *judge) figureCount() int { return limitFigure + len(j.p.Constraints) }

// figures returns those of a run.
func (j *judge) figures(t *trial, in instance) []float64 {
	o := t.runs[in]
	if o.Err != "" {
		return []float64{1}
	}
	out := []float64{0, j.value(j.p.Objectives[0], o)}
	if j.newlyLost(t, in) > 0 {
		out[stallFigure] = 1
	}
	for k := range j.p.Constraints {
		e := 0.0
		if x := j.excesses(t, k, []instance{in}); len(x) > 0 {
			e = min(math.Log1p(math.Max(x[0], -0.9)), mostExcess)
		}
		out = append(out, e)
	}
	return out
}

// mostSample is about how many runs a model is fitted to; the oldest leave first.
const mostSample = 1024

// sample returns the runs before the confirmation, but those on workloads that the current
// configuration has no result on.
func (r *rounds) sample() *sample {
	common := r.common.drawn[max(0, len(r.common.drawn)-mostSample/(r.roundSize()+1)):]
	var all []*trial
	for _, t := range r.byKey {
		if slices.ContainsFunc(common, t.ranOn) {
			all = append(all, t)
		}
	}
	slices.SortFunc(all, func(a, b *trial) int { return cmp.Compare(a.id, b.id) })
	s := &sample{blocks: len(common)}
	points := mapped(all, r.pointOf)
	for b, in := range common {
		if len(r.usable([]instance{in})) == 0 {
			continue
		}
		for i, t := range all {
			if t.ranOn(in) {
				s.runs = append(s.runs, sampledRun{t, points[i], in, b, r.figures(t, in)})
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

// clipped returns a column with values far behind their blocks' medians bounded: there it does
// not matter how far.
func (s *sample) clipped(k int) []float64 {
	out := s.column(k)
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
		out[i] = min(out[i], middle+2*math.Max(middle-v[0], 0.1))
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
