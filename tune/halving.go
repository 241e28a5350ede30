package tune

import (
	"math/bits"
	"slices"
)

// Sequential halving after Z. Karnin, T. Koren and O. Somekh, "Almost Optimal
// Exploration in Multi-Armed Bandits" (ICML 2013), on paired instances: the
// contenders share the seeds, each round spends the same number of runs, and
// the worse half leaves. The means a round compares include the rounds before.
// Where there are limits, the contender that keeps them best beyond doubt stays
// in the field, and is there for the confirmation if the best does not keep them.

// maxContenders bounds the field; there are fewer if they could not have six
// runs each.
const maxContenders = 12

// leastHalving is what a halving takes at least: three contenders on two
// instances, then two of them on two more.
const leastHalving = 3*2 + 2*2

// places is how many contenders there are, of which each has so many runs.
func (c *course) places(least, runs, each int) int {
	return min(maxContenders, max(least, runs/each))
}

// halve lets the worse half of a field leave until one is left, which becomes the best.
// least is the number of instances that a round takes at least.
func (c *course) halve(field []*trial, least int) {
	before, all := c.spent, c.halvingRuns()
	budget := all
	rounds := bits.Len(uint(len(field) - 1))
	var ins []instance
	c.others = nil
	for len(field) > 1 {
		if c.short() { // what rounding has left goes to the rounds that follow
			budget, rounds = all-(c.spent-before), bits.Len(uint(len(field)-1))
		}
		n := max(least, budget/rounds/len(field))
		if n = min(n, c.unspent()/c.runsOn(field)); n < 1 { // races may have left less
			break
		}
		ins = append(ins, c.instances(n, c.search)...)
		c.measure("halving", field, ins)
		if c.guarded() {
			c.safe = c.safest(field, ins)
		}
		field = c.sorted(field, ins)
		half := (len(field) + 1) / 2
		c.others = append(slices.Clone(field[half:]), c.others...)
		field = field[:half]
		if last := half - 1; c.safe != nil && last > 0 && !slices.Contains(field, c.safe) {
			field[last] = c.safe
		}
	}
	c.best = field[0]
}

// halvingRuns is what the halving may take: its part of the budget, but in a short study
// without confirmation, which takes what is left otherwise, all that the search has left. The
// search ends a generation before its part is spent.
func (c *course) halvingRuns() int {
	if c.short() && !c.o.confirms() {
		return c.unspent()
	}
	return c.share(c.halvingPart())
}

// runsOn is the number of runs of a field on one instance.
func (c *course) runsOn(field []*trial) int {
	if c.paired() && !slices.Contains(field, c.present) {
		return len(field) + 1
	}
	return len(field)
}

// safest returns the best of the field by cautious scores.
func (c *course) safest(field []*trial, ins []instance) *trial {
	return field[order(mapped(field, func(t *trial) Score { return c.cautious(t, ins) }))[0]]
}
