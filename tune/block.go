package tune

import "slices"

// What a generation is measured on.

// shortInstanceRuns is how many runs of a short study there are to each instance that its
// generations are measured on, in turn, where there is one workload: fresh seeds for each
// generation leave its points comparable with no others but by the model (bench/tried.md).
const shortInstanceRuns = 50

// shortInstances is the number of these instances.
func (g *generations) shortInstances() int { return max(1, g.budget/shortInstanceRuns) }

// repeats reports whether generations are measured on shortInstances in turn. Where
// workloads differ, each generation has another: a few would be all that the search sees.
func (g *generations) repeats() bool {
	return g.short() && len(g.search) == 1 && !g.multi()
}

// block returns what a generation is measured on, and the number of the block: a fresh
// instance, or one of the first races', on which the current configuration and the caller's
// candidates have runs, or that of a front's epoch.
func (g *generations) block() ([]instance, int) {
	switch {
	case g.multi():
		if g.epoch.over(g.gen) {
			g.epoch.on, g.epoch.since = g.instances(1, g.search), g.gen
		}
		return g.epoch.on, g.epoch.since
	case !g.repeats():
		return g.instances(1, g.search), ownBlock
	}
	k := g.gen % g.shortInstances()
	return g.first(g.shortInstances())[k : k+1], k
}

// blockOf returns the number of a block that others may share, or ownBlock.
func (g *generations) blockOf(ins []instance) int {
	if g.repeats() && len(ins) == 1 {
		if k := slices.Index(g.raced, ins[0]); k < g.shortInstances() {
			return k // ownBlock if it is none of these
		}
	}
	return ownBlock
}
