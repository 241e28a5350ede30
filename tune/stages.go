package tune

import "slices"

// The search in two stages. Some parameters are costly: moving a share takes
// from somebody else. They stay at their current values for the first half of
// the search, which is easier there, having fewer dimensions; then everything
// may move, from the best so far. Settings without a costly change are
// recommended where they bring all but ablationSlack of the gain (see ablate).

// costly reports whether the search has two stages: some parameters are costly, and
// some others are free.
func (s *Space) costly() bool {
	free := func(p Param) bool { return !p.Costly && !p.Fixed && p.Tied == "" && p.Kind != Share }
	costly := func(p Param) bool { return p.Costly && !p.Fixed }
	return slices.ContainsFunc(s.params, costly) && slices.ContainsFunc(s.params, free)
}

// touches reports whether settings change a costly parameter.
func (s *Space) touches(set Settings) bool {
	return slices.ContainsFunc(indices(len(set)), func(i int) bool {
		return s.params[i].Costly && set[i].Value != s.params[i].Present
	})
}

// subspace is a space whose costly parameters stay at their current values. Its
// methods map its points to those of the whole space and back; a nil subspace is
// the whole space.
type subspace struct {
	*Space
	at    []int // per coordinate, that of the whole space
	whole Point // the current point of the whole space
}

func newSubspace(whole *Space) (*subspace, error) {
	ps := slices.Clone(whole.params)
	for i := range ps {
		ps[i].Fixed = ps[i].Fixed || ps[i].Costly
	}
	cheap, err := NewSpace(ps...)
	if err != nil {
		return nil, err
	}
	first := map[string]int{}
	for _, u := range whole.axes {
		first[u.label] = u.first
	}
	s := &subspace{Space: cheap, whole: whole.Present()}
	for _, u := range cheap.axes {
		for j := range u.dim {
			s.at = append(s.at, first[u.label]+j)
		}
	}
	return s, nil
}

// expand returns a point's place in the whole space.
func (s *subspace) expand(p Point) Point {
	if s == nil {
		return p
	}
	out := slices.Clone(s.whole)
	for k, c := range s.at {
		out[c] = p[k]
	}
	return out
}

// reduce returns the place of a point of the whole space; nil for none.
func (s *subspace) reduce(p Point) Point {
	if s == nil || p == nil {
		return p
	}
	out := make(Point, len(s.at))
	for k, c := range s.at {
		out[k] = p[c]
	}
	return out
}

func (s *subspace) expandAll(ps []Point) []Point { return mapped(ps, s.expand) }
func (s *subspace) reduceAll(ps []Point) []Point { return mapped(ps, s.reduce) }

// firstStage is the part of the search's runs, or of its time, in which costly
// parameters stay.
const firstStage = 0.5

// nextStage lets every parameter move once the first stage has had its runs or
// makes no more progress.
func (g *generations) nextStage() {
	if g.restricted == nil {
		return
	}
	over := g.impatient() || float64(g.spent) >= firstStage*float64(g.budget)*(1-g.reserve)
	if !over && g.o.TimeBudget > 0 {
		over = 0 < g.decide("all-parameters", func() int {
			if float64(g.o.Clock()) >= firstStage*0.75*float64(g.o.TimeBudget) {
				return g.spent
			}
			return 0
		})
	}
	if !over {
		return
	}
	g.lastRace()
	g.moderated, g.changedAt = g.incumbent, g.spent
	if g.affords(len(g.later) + 2) {
		g.raceCandidates(g.later)
	}
	g.restricted = nil
	g.restart()
}
