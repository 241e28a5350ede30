package tune

// When the answer is known: a round costs the same whatever it brings, and what further rounds can bring is estimated
// from what the last ones brought, by the newest model. A search ends whose second half brought no more than
// enoughGain or enoughShare of the gain so far beyond the best of what had led in the first: an easy problem after
// few rounds, a hard one as long as going on pays.

const (
	enoughRounds = 10    // rounds of a half, at least
	vainRounds   = 8     // where nothing was found that is better than the current configuration
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
	back = max(back, len(v.best)/2)
	if len(v.best) < 2*back {
		return false
	}
	then, known := 0.0, false
	for _, t := range v.best[:len(v.best)-back] {
		if c, ok := costs[t]; ok && (!known || c < then) {
			then, known = c, true
		}
	}
	return known && then-last <= max(enoughGain, enoughShare*min(-last, mostGain))
}
