package tune

import (
	"math"
	"slices"
	"sort"
)

// score is a trial's mean over instances it has been measured on.
func (d *driver) score(t *trial, ins []instance) Score {
	s := Score{Values: make([]float64, len(d.p.Objectives))}
	ins = d.usable(ins)
	if len(ins) == 0 {
		s.Failed = true
		return s
	}
	n := float64(len(ins))
	for _, in := range ins {
		o, ok := t.runs[in]
		if !ok || o.Err != "" {
			return Score{Values: s.Values, Failed: true}
		}
		for k, ob := range d.p.Objectives {
			s.Values[k] += d.value(ob, o) / n
		}
		s.Lost += float64(d.newlyLost(t, in)) / n
	}
	s.parts = d.partsOf(t, ins)
	s.Lost += t.short
	s.excess = d.excess(t, ins, 0)
	s.Violation = violation(s.excess)
	return s
}

// partsOf are the means of a trial's parts over instances; nil unless all runs have them.
func (d *driver) partsOf(t *trial, ins []instance) []float64 {
	n := d.p.Composite.values()
	if n == 0 {
		return nil
	}
	out := make([]float64, n)
	for _, in := range ins {
		parts := t.runs[in].Parts
		if len(parts) != n {
			return nil
		}
		for k, v := range parts {
			out[k] += v / float64(len(ins))
		}
	}
	return out
}

// newlyLost counts the work that a trial has lost on an instance and the present
// configuration has not.
func (d *driver) newlyLost(t *trial, in instance) int {
	lost := t.runs[in].Lost
	if len(lost) == 0 || t == d.present {
		return 0
	}
	n := 0
	present := d.present.runs[in].Lost
	for _, id := range lost {
		if _, too := slices.BinarySearch(present, id); !too {
			n++
		}
	}
	d.lossy = d.lossy || n > 0
	return n
}

// guarded reports whether candidates can be infeasible: there are limits, or one
// has lost work.
func (d *driver) guarded() bool { return len(d.p.Constraints) > 0 || d.lossy }

// violation sums what is beyond the limits.
func violation(excess []float64) float64 {
	sum := 0.0
	for _, e := range excess {
		sum += math.Max(0, e)
	}
	return sum
}

// cautious is score with a margin for the limits: their means count with
// cautiousErrors standard errors on the wrong side, so that what is recommended
// does not keep a limit by luck. Fewer than four instances tell no error.
func (d *driver) cautious(t *trial, ins []instance) Score {
	s := d.score(t, ins)
	if len(ins) >= 4 && !s.Failed {
		s.Violation = violation(d.excess(t, ins, cautiousErrors))
	}
	return s
}

// cautiousErrors is the one-sided 95 % point of the normal distribution.
const cautiousErrors = 1.645

// excess is by how much a trial's means, moved by some standard errors to the
// wrong side, are beyond each limit, negative if within; 0 where no instance
// holds what is limited.
func (d *driver) excess(t *trial, ins []instance, errors float64) []float64 {
	out := make([]float64, len(d.p.Constraints))
	for k := range d.p.Constraints {
		x := d.excesses(t, k, ins)
		if len(x) == 0 {
			continue
		}
		mean, sd := moments(x)
		out[k] = mean + errors*sd/math.Sqrt(float64(len(x)))
	}
	return out
}

// excesses are by how much a trial is beyond a limit on each instance that has the
// metric, in parts of the limit's mean. Relative limits are paired: each value
// is compared with the present configuration's on the same instance, so that the
// spread is that of the difference.
func (d *driver) excesses(t *trial, limit int, ins []instance) []float64 {
	c := d.p.Constraints[limit]
	var values, limits []float64
	scale := 0.0
	for _, in := range d.usable(ins) {
		v, ok := t.runs[in].Metrics[c.Metric]
		most := c.Limit
		if c.Factor != 0 {
			p, has := d.present.runs[in].Metrics[c.Metric]
			most, ok = c.Factor*p, ok && has
		}
		if ok {
			values, limits = append(values, v), append(limits, most)
			scale += most
		}
	}
	scale /= float64(max(1, len(values)))
	for i := range values {
		values[i] = c.excess(values[i], limits[i], scale)
	}
	return values
}

// usable are the instances on which the present configuration has a result, or
// has not been measured: what it can't run itself tells nothing of the others.
func (d *driver) usable(ins []instance) []instance {
	if d.failed == 0 {
		return ins
	}
	out := make([]instance, 0, len(ins))
	for _, in := range ins {
		if d.present.runs[in].Err == "" {
			out = append(out, in)
		}
	}
	return out
}

// value is an outcome's objective as the search compares it: to be minimised,
// on a log scale if all is positive.
func (d *driver) value(ob Objective, o Outcome) float64 {
	return d.compared(ob, o.Metrics[ob.Metric])
}

// compared is a metric's value as objectives are compared: less is better.
func (d *driver) compared(ob Objective, v float64) float64 {
	if d.logs {
		v = math.Log(math.Max(v, 1e-300))
	}
	if ob.Maximize {
		v = -v
	}
	return v
}

// sortByScore orders trials by their scores on instances, best first.
func (d *driver) sortByScore(ts []*trial, ins []instance) {
	scores := map[int]Score{}
	for _, t := range ts {
		scores[t.id] = d.score(t, ins)
	}
	sort.SliceStable(ts, func(a, b int) bool { return scores[ts[a].id].Less(scores[ts[b].id]) })
}
