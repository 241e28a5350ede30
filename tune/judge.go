package tune

import (
	"math"
	"slices"

	"schedtune/internal/stats"
)

// judge scores trials by the runs of the ledger.
type judge struct {
	p     Problem
	led   *ledger
	logs  bool   // objectives are compared on a log scale
	broke []bool // see brokenNow
	seen  int    // runs of the current configuration that it is from
}

// score returns a trial's mean over instances it has been measured on.
func (j *judge) score(t *trial, ins []instance) Score {
	s := Score{Values: make([]float64, len(j.p.Objectives))}
	ins = j.led.usable(ins)
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
		for k, ob := range j.p.Objectives {
			s.Values[k] += j.value(ob, o) / n
		}
		s.Lost += float64(j.newlyLost(t, in)) / n
	}
	s.parts = j.partsOf(t, ins)
	s.Lost += t.shortfall
	s.excess = j.excess(t, ins, 0)
	s.Violation = violation(s.excess, j.brokenNow())
	return s
}

// scores returns the scores of trials.
func (j *judge) scores(ts []*trial, ins []instance) []Score {
	return mapped(ts, func(t *trial) Score { return j.score(t, ins) })
}

// partsOf returns the means of a trial's parts over instances; nil unless all runs have them.
func (j *judge) partsOf(t *trial, ins []instance) []float64 {
	n := j.p.Composite.values()
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

// newlyLost counts the work that a trial has lost on an instance and the current
// configuration has not.
func (j *judge) newlyLost(t *trial, in instance) int {
	if t == j.led.present {
		return 0
	}
	n := 0
	for _, id := range t.runs[in].Lost {
		if _, too := slices.BinarySearch(j.led.present.runs[in].Lost, id); !too {
			n++
		}
	}
	return n
}

// stalled reports whether a trial has no result or loses work.
func (j *judge) stalled(t *trial, ins []instance) bool {
	s := j.score(t, ins)
	return s.Failed || s.Lost > 0
}

// infeasible reports whether a trial has no result, loses work or breaks a limit.
func (j *judge) infeasible(t *trial, ins []instance) bool { return !j.score(t, ins).feasible() }

// violation is one number for what is beyond the limits: the sum over those that the current
// configuration keeps, and behind any of it what is beyond those that it breaks. What breaks a
// limit that is kept now never comes before what keeps it, however much nearer another
// limit is then.
func violation(excess []float64, broken []bool) float64 {
	kept, others := 0.0, 0.0
	for k, e := range excess {
		if e = math.Max(0, e); broken != nil && broken[k] {
			others += e
		} else {
			kept += e
		}
	}
	return kept + lesser*others/(1+others)
}

// lesser is smaller than any violation of a limit that counts as one.
const lesser = 1e-9

// brokenNow reports by limit whether the current configuration breaks it over all
// of its runs.
func (j *judge) brokenNow() []bool {
	if j.led.present == nil || j.broke != nil && j.seen == len(j.led.present.runs) {
		return j.broke
	}
	ins := shared(j.led.present, j.led.present)
	j.seen = len(j.led.present.runs)
	j.broke = mapped(j.excess(j.led.present, ins, 0), func(e float64) bool { return e > 0 })
	return j.broke
}

// cautious is score with a margin for the limits: their means count with
// cautiousErrors standard errors on the wrong side, so that what is recommended
// does not keep a limit by luck. Fewer than four instances have no standard error.
func (j *judge) cautious(t *trial, ins []instance) Score {
	s := j.score(t, ins)
	if len(ins) >= 4 && !s.Failed {
		s.Violation = violation(j.excess(t, ins, cautiousErrors), j.brokenNow())
	}
	return s
}

// cautiousErrors is the one-sided 95 % point of the normal distribution.
const cautiousErrors = 1.645

// excess returns by how much what a trial comes to, moved by some standard errors to the
// wrong side, is beyond each limit, in parts of it, negative if within; 0 where no instance
// has the metric.
func (j *judge) excess(t *trial, ins []instance, errors float64) []float64 {
	out := make([]float64, len(j.p.Constraints))
	for k := range out {
		if x, part := j.excesses(t, k, ins); len(x) > 0 {
			_, sd := stats.Moments(x)
			out[k] = part(j.p.Constraints[k].Middle(x) + errors*sd/math.Sqrt(float64(len(x))))
		}
	}
	return out
}

// excesses returns Constraint.Excess of a trial on each instance that has the metric.
func (j *judge) excesses(t *trial, limit int, ins []instance) ([]float64, func(float64) float64) {
	c := j.p.Constraints[limit]
	x, _, part := c.Excess(j.metric(t, c.Metric, ins), j.metric(j.led.present, c.Metric, ins))
	return x, part
}

// value returns an outcome's objective as the search compares it: to be minimised,
// on a log scale if all is positive.
func (j *judge) value(ob Objective, o Outcome) float64 { return j.compared(ob, o.Metrics[ob.Metric]) }

// compared returns a metric's value as objectives are compared: less is better.
func (j *judge) compared(ob Objective, v float64) float64 {
	if j.logs {
		v = math.Log(math.Max(v, 1e-300))
	}
	return ob.minimised(v)
}

// compareByLogs has objectives compared on a log scale if the current configuration's
// are positive on all instances.
func (j *judge) compareByLogs(ins []instance) {
	j.logs = true
	for _, in := range j.led.usable(ins) {
		for _, ob := range j.p.Objectives {
			j.logs = j.logs && j.led.present.runs[in].Metrics[ob.Metric] > 0
		}
	}
}

// raw lists a trial's objective on instances, in the metric's own unit.
func (j *judge) raw(t *trial, ob Objective, ins []instance) []float64 {
	return mapped(ins, func(in instance) float64 { return t.runs[in].Metrics[ob.Metric] })
}

// cost returns a trial's mean of the first objective in the metric's own unit, negative where
// more is better: lower is better always.
func (j *judge) cost(t *trial, ins []instance) float64 {
	ob := j.p.Objectives[0]
	v, _ := stats.Moments(j.raw(t, ob, ins))
	return ob.minimised(v)
}

// differences returns a's values minus b's on instances both have results on.
func (j *judge) differences(a, b *trial, ins []instance) []float64 {
	ob := j.p.Objectives[0]
	return mapped(j.led.usable(ins), func(in instance) float64 { return j.value(ob, a.runs[in]) - j.value(ob, b.runs[in]) })
}

// sorted returns trials in the order of their scores on instances, best first.
func (j *judge) sorted(ts []*trial, ins []instance) []*trial {
	return mapped(order(j.scores(ts, ins)), func(i int) *trial { return ts[i] })
}

// pairs are a metric's values with two trials on the instances on which both have it.
func (j *judge) pairs(a, b *trial, metric string, ins []instance) (x, y []float64) {
	p := Objective{}.Pair(j.metric(a, metric, ins), j.metric(b, metric, ins))
	return p.Before, p.After
}

// metric lists a trial's values of a metric on the usable ones of instances, NaN where it has none.
func (j *judge) metric(t *trial, metric string, ins []instance) []float64 {
	return mapped(j.led.usable(ins), func(in instance) float64 { return t.runs[in].Metric(metric) })
}
