package tune

// When the answer is known: a round costs the same whatever it brings, and what further rounds can bring is estimated
// from what the last ones brought, both by the newest model. A search ends whose last two thirds brought no more than
// enoughGain or enoughShare of the gain so far: an easy problem after few rounds, a hard one as long as going on pays.

const (
	enoughRounds = 10    // rounds that are looked back on, at least
	vainRounds   = 12    // where nothing was found that is better than the current configuration
	enoughGain   = 0.003 // of the objective, in logarithms
	enoughShare  = 0.02  // of the gain so far
	mostGain     = 0.5   // what counts of it: keeping a limit that is broken now is a large one
)

// enough tells whether the answer is known.
type enough struct {
	best []*trial // after each round
}

// known reports, after a round, whether more of them bring nothing.
func (v *enough) known(m *model) bool {
	ranked := m.ranked()
	v.best = append(v.best, ranked[0])
	costs := m.estimates()
	last := costs[ranked[0]]
	back := enoughRounds
	if last > -enoughGain {
		back = vainRounds
	}
	back = max(back, 2*len(v.best)/3)
	if len(v.best) <= back {
		return false
	}
	then, ok := costs[v.best[len(v.best)-1-back]]
	return ok && then-last <= max(enoughGain, enoughShare*min(-last, mostGain))
}
