package tune

import (
	"cmp"
	"slices"

	"schedtune/internal/rng"
)

// Contenders of a short study. Its best configuration has most likely been measured in a
// generation, once: on twelve problems the best of 170 points had a fifth of the regret
// of what the search's mean and the last generations' bests came to. A model of all that
// was measured (boost.go) tells which points may be it, and so does by how much each was
// better than the model says: the estimate lies between the two, as in kriging with
// noise, since a single run tells little, and the model little about differences among
// the best.

// believedShare is the part of a point's residual that is taken for its own.
const believedShare = 0.7

// believed lists the trials of the search, those first that cost least by the estimate,
// and the model behind it; nothing where there is none.
func (d *driver) believed() ([]*trial, costModel) {
	a := archive{made: d.composition(d.p.Space, 0), threads: d.o.Threads}
	for _, g := range d.learned {
		a.add(g.points, g.scores, g.block)
	}
	if len(a.points) < preLeast {
		return nil, nil
	}
	m := a.model(d.believedKey())
	if m == nil {
		return nil, nil
	}
	estimates := a.estimates(m, believedShare)
	var out []*trial
	cost, runs := map[*trial]float64{}, map[*trial]float64{}
	for i, p := range a.points {
		t := d.byKey[keyOf(d.p.Space.Decode(p))]
		if t == nil {
			continue
		}
		if runs[t] == 0 {
			out = append(out, t)
		}
		cost[t] += estimates[i]
		runs[t]++
	}
	slices.SortStableFunc(out, func(x, y *trial) int { return cmp.Compare(cost[x]/runs[x], cost[y]/runs[y]) })
	return out, m
}

func (d *driver) believedKey() rng.Key {
	return rng.NewKey(d.o.Seed, purposeSampler).At(purposeModel)
}

// modelled is the field of a short study on one workload without limits: the sampler's
// mean, the winner of the last race, and in turn where local searches of the model end that
// begin at the first of the believed, and these themselves. The present configuration takes part where the
// estimate has it among them, for it has been measured in the search too. It is nil without a model.
func (d *driver) modelled() ([]*trial, error) {
	believed, m := d.believed()
	if m == nil {
		return nil, nil
	}
	var field []*trial
	if t, err := d.mean(); err != nil {
		return nil, err
	} else if t != nil {
		field = append(field, t)
	}
	if d.incumbent != d.present {
		field = append(field, d.incumbent)
	}
	for i, t := range believed {
		if i < descents {
			at, err := d.p.Space.Encode(t.settings)
			if err != nil {
				return nil, err
			}
			at = descendBy(m.at, at, d.p.Space.Present(), d.believedKey().At(uint64(i)))
			end, err := d.pointTrial(at, "model")
			if err != nil {
				return nil, err
			}
			field = append(field, end)
		}
		field = append(field, t)
	}
	places := min(maxContenders, max(4, d.halvingRuns()/3))
	var out []*trial
	for _, t := range field {
		if !t.failed && len(out) < places && !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out, nil
}

// descents is how many local searches of the model there are.
const descents = 2

// estimates are the costs of the points: what the model says, and a part of how each
// point's own differs from it and from its block's mean.
func (a *archive) estimates(m costModel, part float64) []float64 {
	out, sum, n := make([]float64, len(a.points)), make([]float64, a.blocks), make([]float64, a.blocks)
	y := a.costs(m)
	for i, b := range a.block {
		out[i] = m.at(a.points[i])
		sum[b] += y[i] - out[i]
		n[b]++
	}
	for i, b := range a.block {
		out[i] += part * (y[i] - out[i] - sum[b]/n[b])
	}
	return out
}

// costs are what the points have shown, as the model counts it.
func (a *archive) costs(m costModel) []float64 {
	c, ok := m.(*compositeModel)
	if !ok || c.limits == nil {
		return a.y
	}
	out := slices.Clone(a.bare)
	for i, s := range a.scores {
		for _, e := range s.excess {
			out[i] += limitWeight * max(0, squash(e))
		}
	}
	return out
}
