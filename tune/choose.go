package tune

import (
	"math"
	"math/bits"
	"slices"

	"schedtune/internal/stats"
)

// Sequential halving after Z. Karnin, T. Koren and O. Somekh, "Almost Optimal Exploration in
// Multi-Armed Bandits" (ICML 2013), on paired instances: the contenders share the workloads, each
// round spends the same number of runs, and the worse half leaves. The means a round compares
// include the rounds before. What a decision would not take for its risk counts as a violation.

// maxContenders bounds the field; there are fewer if they could not have six runs each.
const maxContenders = 12

// mostChoice is the largest number of workloads that contenders meet on.
const mostChoice = 24

// places is how many contenders there are, of which each has so many runs.
func (c *course) places(least, runs, each int) int {
	return min(maxContenders, max(least, runs/each))
}

// choose makes the best of the contenders the best found, and the current configuration where
// none is better; on returns the first workloads of the comparison.
func (c *course) choose(field []*trial, on func(n int) []instance) {
	field = without(distinct(field), c.present)
	left, n := c.budget-c.spent-c.reduceRuns()-c.confirmReserve(), 0
	c.others, c.best, c.chosen = nil, c.present, true
	for len(field) > 0 {
		before, all := c.spent, append([]*trial{c.present}, field...)
		m := c.payable(all, on, n, left/max(1, bits.Len(uint(len(field)-1))))
		if m == 0 {
			break
		}
		n = m
		c.chosenOn = on(n)
		c.measure("halving", all, c.chosenOn)
		left -= c.spent - before
		field = c.ranked(field, c.chosenOn)
		if len(field) < 3 {
			break
		}
		half := (len(field) + 1) / 2
		c.others, field = append(slices.Clone(field[half:]), c.others...), field[:half]
	}
	if len(field) == 0 {
		return
	}
	best := c.nearest(field, c.chosenOn)
	c.others = append(without(field, best), c.others...)
	if c.score(best, c.chosenOn).Less(c.score(c.present, c.chosenOn)) {
		c.best, c.incumbent = best, best
	}
}

// payable is on how many instances so many runs let trials be measured, if that is on more than n; one
// at least where they have not met.
func (c *course) payable(ts []*trial, on func(n int) []instance, n, runs int) int {
	m := n
	for m < mostChoice {
		need := 0
		for _, t := range ts {
			need += missing(t, on(m+1))
		}
		if need > runs && (m > 0 || c.budget-c.spent < need) {
			break
		}
		m++
	}
	return m
}

// ranked returns trials in the order of their scores on instances, where a risk that a decision
// would not take counts as a violation.
func (c *course) ranked(ts []*trial, ins []instance) []*trial {
	scores := mapped(ts, func(t *trial) Score {
		s := c.score(t, ins)
		s.Violation += c.risk(t, ins)
		return s
	})
	return mapped(order(scores), func(i int) *trial { return ts[i] })
}

// leastRisk is on how many instances a risk shows at least.
const leastRisk = 6

// risk is by how much a trial's probabilities of harm are above those allowed on instances, in
// all and beyond what one instance more or less would change.
func (c *course) risk(t *trial, ins []instance) float64 {
	ins = c.usable(ins)
	if t == c.present || len(ins) < leastRisk || c.score(t, ins).Failed {
		return 0
	}
	d := Decide(c.evidence(t, ins))
	more := func(p *float64, most float64) float64 {
		if p == nil {
			return 0
		}
		return math.Max(0, *p-most-1/float64(len(ins)))
	}
	sum := more(d.Worse, d.Risk.Worse)
	for _, q := range d.Protected {
		sum += more(q.Worse, d.Risk.Queue)
	}
	return sum
}

// nearest returns, of trials in their order, the nearest to the current configuration of those
// within one standard error of the first (L. Breiman, J. Friedman, R. Olshen and C. Stone,
// "Classification and Regression Trees", 1984, section 3.4.3): what goes less far is less
// likely to break on what few runs do not show.
func (c *course) nearest(ts []*trial, ins []instance) *trial {
	out, best := ts[0], c.score(ts[0], ins)
	for _, t := range ts[1:] {
		s := c.score(t, ins)
		if s.Failed || best.Failed || s.Lost != best.Lost || s.Violation != best.Violation || c.risk(t, ins) > 0 {
			continue
		}
		mean, sd := stats.Moments(c.differences(t, ts[0], ins))
		if mean <= sd/math.Sqrt(float64(len(ins))) && c.distance(t) < c.distance(out) {
			out = t
		}
	}
	return out
}

// distance is a trial's from the current configuration, in the unit cube.
func (c *course) distance(t *trial) float64 {
	sum := 0.0
	at := c.pointOf(t)
	for k, from := range c.p.Space.Present() {
		sum += (at[k] - from) * (at[k] - from)
	}
	return math.Sqrt(sum)
}
