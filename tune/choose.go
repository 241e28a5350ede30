package tune

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"schedtune/internal/stats"
)

// Sequential halving after Z. Karnin, T. Koren and O. Somekh, "Almost Optimal Exploration in
// Multi-Armed Bandits" (ICML 2013), on paired instances: the contenders share the workloads, each
// round spends the same number of runs, and the worse half leaves. The means a round compares
// include the rounds before. Gains count for the chance that the decision takes them.

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
	hoped := len(c.chosenOn) >= leastRisk && c.hope(best, c.chosenOn) > 0 // which a limit that is broken narrowly allows
	if hoped || c.score(best, c.chosenOn).Less(c.score(c.present, c.chosenOn)) {
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

// ranked returns trials in the order of what is hoped of them on instances, and of their scores
// where too few tell of limits and risks, or where the current configuration breaks a limit.
func (c *course) ranked(ts []*trial, ins []instance) []*trial {
	if len(c.usable(ins)) < leastRisk || slices.Contains(c.brokenNow(), true) {
		return c.sorted(ts, ins)
	}
	hope := map[*trial]float64{}
	for _, t := range ts {
		hope[t] = c.hope(t, ins)
	}
	out := c.sorted(ts, ins)
	slices.SortStableFunc(out, func(a, b *trial) int { return cmp.Compare(hope[b], hope[a]) })
	return out
}

// leastRisk is on how many instances limits and risks show at least.
const leastRisk = 6

// hope is a trial's gain times the chance that a confirmation on minConfirm instances finds neither a limit
// broken nor a risk above those allowed; 0 if it fails, loses work or gains nothing.
func (c *course) hope(t *trial, ins []instance) float64 {
	ins = c.usable(ins)
	if s := c.score(t, ins); s.Failed || s.Lost > 0 {
		return 0
	}
	n := float64(len(ins))
	spread := 1/n + 1.0/minConfirm // of the difference of two means, in variances of one instance
	out := stats.Mean(c.differences(c.present, t, ins))
	for k := range c.p.Constraints {
		if x := c.excesses(t, k, ins); len(x) > 1 {
			mean, sd := stats.Moments(x)
			out *= keepChance(mean, sd*math.Sqrt(spread))
		}
	}
	d := Decide(c.evidence(t, ins))
	allowed := func(p *float64, most float64) {
		if p != nil {
			q := min(max(*p, 1/(2*n)), 1-1/(2*n))
			out *= keepChance(*p-most, math.Sqrt(q*(1-q)*spread))
		}
	}
	allowed(d.Worse, d.Risk.Worse)
	for _, q := range d.Protected {
		allowed(q.Worse, d.Risk.Queue)
	}
	return max(0, out)
}

// nearest returns, of trials in their order, the nearest to the current configuration of those
// within one standard error of the first (L. Breiman, J. Friedman, R. Olshen and C. Stone,
// "Classification and Regression Trees", 1984, section 3.4.3): what goes less far is less
// likely to break on what few runs do not show.
func (c *course) nearest(ts []*trial, ins []instance) *trial {
	out, best := ts[0], c.score(ts[0], ins)
	for _, t := range ts[1:] {
		s := c.score(t, ins)
		if s.Failed || best.Failed || s.Lost != best.Lost || s.Violation > best.Violation ||
			c.hope(t, ins) < (1-reductionSlack)*c.hope(ts[0], ins) {
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
