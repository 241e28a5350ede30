package tune

import (
	"cmp"
	"slices"

	"schedtune/internal/rng"
)

// The contenders of the halving after a search by generations.

// contenders lists the incumbent, the current configuration, the sampler's mean and, as
// far as there are places, what else may be the best.
func (g *generations) contenders() []*trial {
	if g.repeats() && !g.guarded() {
		if field := g.modelled(); len(field) > 0 {
			return field
		}
	}
	field := []*trial{g.incumbent, g.present}
	if t := g.mean(); t != nil {
		field = append(field, t)
	}
	places := g.places(3, g.chooseRuns(), 6)
	field = append(field, g.retreats(field)...)
	if g.repeats() { // their runs show who else deserves a place
		places = g.places(4, g.chooseRuns(), 3)
		ranking, _ := g.modelRanking()
		field = append(field, ranking...)
	}
	for _, t := range slices.Backward(g.recent) {
		field = append(field, t)
	}
	if field = firstSound(field, places); len(field) == 0 {
		return []*trial{g.present}
	}
	return field
}

// firstSound returns the first n different trials that have not failed.
func firstSound(ts []*trial, n int) []*trial {
	ts = slices.DeleteFunc(distinct(ts), func(t *trial) bool { return t.failed })
	return ts[:min(n, len(ts))]
}

// retreatParts are how far contenders step back from the best towards the
// current configuration.
var retreatParts = [...]float64{0.15, 0.35}

// retreats returns, where there are limits, points between the best found and the
// current configuration. The best settings lie on a limit as a rule, all that
// the search has found lately lie around it, and chance decides on which side
// the confirmation sees them; a step towards settings known to keep the limit
// costs some of the gain and leaves less to chance.
func (g *generations) retreats(field []*trial) []*trial {
	i := slices.IndexFunc(field, func(t *trial) bool { return t != g.present && t.point != nil })
	if !g.guarded() || i < 0 || g.present.point == nil {
		return nil
	}
	return mapped(retreatParts[:], func(part float64) *trial { return g.retreat(field[i], part) })
}

// retreat is the trial of a point a part of the way from a trial to the current configuration.
func (c *course) retreat(t *trial, part float64) *trial {
	p := c.pointOf(t)
	for k, now := range c.p.Space.Present() {
		if !c.p.Space.Unordered(k) {
			p[k] += part * (now - p[k])
		}
	}
	return c.pointTrial(p, "retreat")
}

// Contenders of a short study. Its best configuration has most likely been measured in a
// generation, once: on twelve problems the best of 170 points had a fifth of the regret
// of what the search's mean and the last generations' bests came to. A model of all that
// was measured (boost.go) says which points may be it, and so does by how much each was
// better than the model predicts: the estimate lies between the two, as in kriging with
// noise, since a single run shows little, and the model little about differences among
// the best.

// ownShare is the part of a point's residual that is taken for its own.
const ownShare = 0.7

// descents is how many local searches of the model begin at its best points.
const descents = 2

// modelRanking lists the trials of the search, those first that cost least by the estimate,
// and the model behind it; nothing where there is none.
func (g *generations) modelRanking() ([]*trial, *costModel) {
	a := archive{known: g.knowledge(g.p.Space, 0), threads: g.o.Threads}
	for _, b := range g.learned {
		a.add(b.points, b.scores, b.block)
	}
	m := a.model(g.rankingKey())
	if m == nil {
		return nil, nil
	}
	var out []*trial
	cost, runs := map[*trial]float64{}, map[*trial]float64{}
	for i, e := range a.estimates(m, ownShare) {
		t := g.trialAt(a.points[i])
		if t == nil {
			continue
		}
		if runs[t] == 0 {
			out = append(out, t)
		}
		cost[t] += e
		runs[t]++
	}
	slices.SortStableFunc(out, func(x, y *trial) int { return cmp.Compare(cost[x]/runs[x], cost[y]/runs[y]) })
	return out, m
}

func (g *generations) rankingKey() rng.Key {
	return rng.NewKey(g.o.Seed, purposeSampler).At(purposeModel)
}

// modelled returns the field of a short study on one workload without limits: the sampler's
// mean, the winner of the last race, and in turn where local searches of the model end that
// begin at the first of its ranking, and these themselves. The current configuration takes
// part where the ranking has it among them, for it has been measured in the search too. It is
// nil without a model.
func (g *generations) modelled() []*trial {
	ranking, m := g.modelRanking()
	if m == nil {
		return nil
	}
	var field []*trial
	if t := g.mean(); t != nil {
		field = append(field, t)
	}
	if g.incumbent != g.present {
		field = append(field, g.incumbent)
	}
	for i, t := range ranking {
		if i < descents {
			end := descend(m.at, g.pointOf(t), g.p.Space.Present(), g.rankingKey().At(uint64(i)))
			field = append(field, g.pointTrial(end, "model"))
		}
		field = append(field, t)
	}
	return firstSound(field, g.places(4, g.chooseRuns(), 3))
}
