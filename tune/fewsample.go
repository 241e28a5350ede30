package tune

import (
	"cmp"
	"math"
	"slices"
)

// sample are runs in blocks that share an instance, with what they tell a model.
type sample struct {
	trials []*trial
	points []Point
	on     []instance
	block  []int
	blocks int
	told   [][]float64 // figures of each run
}

// figureCount is how many figures a run has: whether it stood still or lost work (0 or 1),
// the objective as compared, and by limit the logarithm of the part of it that the run has.
// A run without result has the first alone.
func (d *driver) figureCount() int { return 2 + len(d.p.Constraints) }

// figures are those of a run.
func (d *driver) figures(t *trial, in instance) []float64 {
	o := t.runs[in]
	if o.Err != "" {
		return []float64{1}
	}
	out := []float64{0, d.value(d.p.Objectives[0], o)}
	if d.newlyLost(t, in) > 0 {
		out[0] = 1
	}
	for k := range d.p.Constraints {
		e := 0.0
		if x := d.excesses(t, k, []instance{in}); len(x) > 0 {
			e = min(math.Log1p(math.Max(x[0], -0.9)), excessMost)
		}
		out = append(out, e)
	}
	return out
}

// mostSample is about how many runs a model is fitted to; the oldest leave first.
const mostSample = 1024

// fewSample are the runs before the confirmation, but those on workloads that the present
// configuration has no result on.
func (d *driver) fewSample() (*sample, error) {
	common := d.few.common[max(0, len(d.few.common)-mostSample/(d.roundSize()+1)):]
	at := map[*trial]Point{}
	var all []*trial
	for _, t := range d.byKey {
		if !slices.ContainsFunc(common, t.ranOn) {
			continue
		}
		p, err := d.p.Space.Encode(t.settings)
		if err != nil {
			return nil, err
		}
		at[t], all = p, append(all, t)
	}
	slices.SortFunc(all, func(a, b *trial) int { return cmp.Compare(a.id, b.id) })
	s := &sample{blocks: len(common)}
	for b, in := range common {
		if len(d.usable([]instance{in})) == 0 {
			continue
		}
		for _, t := range all {
			if t.ranOn(in) {
				s.add(t, at[t], in, b, d.figures(t, in))
			}
		}
	}
	return s, nil
}

func (s *sample) add(t *trial, p Point, in instance, block int, told []float64) {
	s.trials, s.points, s.on = append(s.trials, t), append(s.points, p), append(s.on, in)
	s.block, s.told = append(s.block, block), append(s.told, told)
}

// complete leaves out runs that have no result.
func (s *sample) complete() *sample {
	out := &sample{blocks: s.blocks}
	for i, f := range s.told {
		if len(f) > 1 {
			out.add(s.trials[i], s.points[i], s.on[i], s.block[i], f)
		}
	}
	return out
}

// column are one figure of all runs.
func (s *sample) column(k int) []float64 {
	out := make([]float64, len(s.told))
	for i, f := range s.told {
		out[i] = f[k]
	}
	return out
}

// clipped is a column with values far behind their blocks' medians bounded: there it does
// not matter how far.
func (s *sample) clipped(k int) []float64 {
	out := s.column(k)
	of := make([][]float64, s.blocks)
	for i, b := range s.block {
		of[b] = append(of[b], out[i])
	}
	most := make([]float64, s.blocks)
	for b, v := range of {
		if len(v) > 0 {
			slices.Sort(v)
			middle := v[(len(v)-1)/2]
			most[b] = middle + 2*math.Max(middle-v[0], 0.1)
		}
	}
	for i, b := range s.block {
		out[i] = min(out[i], most[b])
	}
	return out
}

// rest is what a model leaves of a figure of all runs, without the blocks' means; said is what
// it says of them.
func (s *sample) rest(y, said []float64) []float64 {
	sum, n := make([]float64, s.blocks), make([]float64, s.blocks)
	out := make([]float64, len(y))
	for i, b := range s.block {
		out[i] = y[i] - said[i]
		sum[b] += out[i]
		n[b]++
	}
	for i, b := range s.block {
		out[i] -= sum[b] / n[b]
	}
	return out
}
