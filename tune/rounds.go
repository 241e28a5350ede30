package tune

import (
	"math"
	"slices"

	"schedtune/internal/parallel"
	"schedtune/internal/rng"
)

// Searches in rounds, on workloads that differ: few runs on each teach generations that
// learn from ranks little. A model of all runs (fewmodel.go) says what is measured next, as in
// sequential model-based optimization (F. Hutter, H. Hoos and K. Leyton-Brown, "Sequential
// Model-Based Optimization for General Algorithm Configuration", LION 2011, whose procedure
// Intensify also measures the best again beside what is new):
//
//  1. A design on one workload: the present configuration, the caller's candidates and
//     points drawn around the present one.
//  2. Rounds, each on another workload: the best so far, where local searches of the model
//     end, and in the first round the changes of all candidates that were better.
//
// Studies of few runs go on as few.go says, others with halving, ablation and confirmation,
// whose contenders are the model's best.
//
// The workloads are of known places in the order of their work (fewworkloads.go).

const (
	fewDesign = 12   // configurations of the design
	fewRadius = 0.5  // of the way from the present point to one anywhere
	fewRound  = 7    // configurations of a round beside the present one, at least
	mostRound = 32   // and at most
	fewAgain  = 2    // of these that have been measured before
	fewSlack  = 0.03 // of the gain that changes may cost by the model to be taken back
)

// inRounds reports whether a study is searched in rounds.
func (d *driver) inRounds() bool {
	return d.budget >= tinyRuns && len(d.search) > 1 && len(d.p.Objectives) == 1 && d.o.TimeBudget == 0 &&
		d.o.Sampler == nil && d.o.Method == "" && d.o.Replicates == 1 && d.o.Off&^(PartAblation|PartConfirm) == 0
}

// searchInRounds is the search of a longer study that is searched in rounds, and the
// choice of what it recommends.
func (d *driver) searchInRounds(reserve float64) error {
	m, err := d.rounds(rng.NewKey(d.o.Seed, purposeFew), func() bool { return d.affords(d.roundSize()+1, reserve) })
	if err != nil {
		return err
	}
	if d.status == NoProgress {
		d.shrink(reserve)
	}
	others := without(m.ranked(), d.present)
	places := min(maxContenders, max(3, d.share(d.halvingPart())/6))
	field := append(others[:min(places-1, len(others))], d.present)
	if err := d.halve(field); err != nil || d.best == d.present || d.o.Off&PartAblation != 0 {
		return err
	}
	d.mild, _, _, err = d.reduced(m, d.best)
	return err
}

// rounds makes the design and rounds as long as the budget has one more and progress is made,
// and returns the model of all.
func (d *driver) rounds(key rng.Key, affords func() bool) (*fewModel, error) {
	if err := d.startFew(); err != nil {
		return nil, err
	}
	m, err := d.fewModel(key)
	for err == nil && affords() {
		if d.impatient() {
			d.status = NoProgress
			return m, nil
		}
		m, err = d.nextRound(m, key)
	}
	d.status = BudgetSpent
	return m, err
}

// nextRound measures a round and fits the model again.
func (d *driver) nextRound(m *fewModel, key rng.Key) (*fewModel, error) {
	d.gen++
	key = key.At(uint64(d.gen))
	if err := d.round(m, key); err != nil {
		return nil, err
	}
	m, err := d.fewModel(key)
	if err != nil {
		return nil, err
	}
	if best := m.ranked()[0]; best != d.incumbent {
		d.incumbent, d.best, d.changedAt = best, best, d.spent
	}
	d.remember(d.incumbent)
	d.forget()
	return m, nil
}

// roundSize is how many configurations a round has beside the present one: more in long
// studies, so that the model is not fitted too often.
func (d *driver) roundSize() int { return min(max(fewRound, d.budget/60), mostRound) }

// startFew measures the design.
func (d *driver) startFew() error {
	t, err := d.trial(d.p.Space.PresentSettings(), d.p.Space.Present(), "present")
	if err != nil {
		return err
	}
	d.present, d.incumbent, d.best, d.given = t, t, t, []*trial{t}
	d.few.heavy = d.heaviest(d.search)
	field, err := d.design()
	if err != nil {
		return err
	}
	if err := d.together("design", field, 1); err != nil {
		return err
	}
	d.races = d.common(1)
	d.logs = d.allPositive(t)
	return d.presentRan(d.common(1))
}

// together measures trials beside the present configuration on the n-th common workload.
func (d *driver) together(phase string, field []*trial, n int) error {
	on := d.common(n)[n-1:]
	field = append([]*trial{d.present}, field...)
	if err := d.measure(phase, field, on); err != nil {
		return err
	}
	g := generation{block: ownBlock, on: on}
	for _, t := range field {
		p, err := d.p.Space.Encode(t.settings)
		if err != nil {
			return err
		}
		g.points, g.scores = append(g.points, p), append(g.scores, d.score(t, on))
	}
	d.history = append(d.history, g)
	return nil
}

// design is the caller's candidates and points around the present configuration.
func (d *driver) design() ([]*trial, error) {
	var out []*trial
	add := func(t *trial, err error) error {
		if err == nil && t.short == 0 && t != d.present && !slices.Contains(out, t) {
			out = append(out, t)
		}
		return err
	}
	for _, c := range d.p.Candidates[:min(len(d.p.Candidates), fewDesign-1)] {
		set, err := d.p.Space.Complete(c.Settings)
		if err != nil {
			return nil, err
		}
		if err := add(d.trial(set, nil, c.Name)); err != nil {
			return nil, err
		}
	}
	d.given = append(d.given, out...)
	key := rng.NewKey(d.o.Seed, purposeDesign)
	for n := uint64(0); len(out) < fewDesign-1 && n < 4*fewDesign; n++ {
		p := d.p.Space.Present()
		for k := range p {
			p[k] += fewRadius * (key.At(n).Float64(uint64(k)) - p[k])
		}
		if err := add(d.pointTrial(p, "design")); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// round measures the next configurations.
func (d *driver) round(m *fewModel, key rng.Key) error {
	ranked := m.ranked()
	var field []*trial
	seen := without(ranked, d.present)
	if d.gen > 1 {
		field = append(field, seen[:min(fewAgain, len(seen))]...)
	} else if t, err := d.joined(seen, d.common(1)); err != nil {
		return err
	} else if t != nil && t.short == 0 && len(t.runs) == 0 {
		field = append(field, t)
	}
	size := d.roundSize()
	for i := 0; len(field) < size && i < 4*size; {
		ends, err := d.descents(m, ranked, key, i, min(size-len(field), 4*size-i))
		if err != nil {
			return err
		}
		i += len(ends)
		for _, p := range ends {
			t, err := d.pointTrial(p, "model")
			if err != nil {
				return err
			}
			if t.short == 0 && len(t.runs) == 0 && !slices.Contains(field, t) {
				field = append(field, t)
			}
		}
	}
	return d.together("search", field, len(d.few.common)+1)
}

// descents are where n local searches of the model end, beginning with the i-th of a round.
func (d *driver) descents(m *fewModel, ranked []*trial, key rng.Key, i, n int) ([]Point, error) {
	out := make([]Point, n)
	for k := range out {
		from, err := d.p.Space.Encode(ranked[(i+k)%len(ranked)].settings)
		if err != nil {
			return nil, err
		}
		out[k] = from
	}
	parallel.Each(d.o.Threads, n, func(k int) {
		out[k] = descendBy(m.at, out[k], d.p.Space.Present(), key.At(uint64(i+k)))
	})
	return out, nil
}

// without are trials but for one.
func without(ts []*trial, one *trial) []*trial {
	return slices.DeleteFunc(slices.Clone(ts), func(t *trial) bool { return t == one })
}

// reduced is a trial without the changes that the model sees nothing in, least loss first,
// as long as fewSlack of its gain pays for them; nil if none goes.
func (d *driver) reduced(m *fewModel, t *trial) (less *trial, gone, kept []unit, err error) {
	kept = d.changes(t)
	most := (1 - fewSlack) * math.Min(0, m.costOf(t.settings))
	for len(kept) > 1 {
		least, at := math.Inf(1), 0
		for i, u := range kept {
			if c := m.costOf(d.p.Space.revert(t.settings, append(slices.Clone(gone), u))); c < least {
				least, at = c, i
			}
		}
		if least > most {
			break
		}
		gone, kept = append(gone, kept[at]), slices.Delete(slices.Clone(kept), at, at+1)
	}
	if len(gone) == 0 {
		return nil, nil, kept, nil
	}
	less, err = d.trial(d.p.Space.revert(t.settings, gone), nil, "ablation")
	return less, gone, kept, err
}
