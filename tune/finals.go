package tune

import (
	"cmp"
	"math"
	"slices"
)

// After a search on levels, what it found has never been seen on full fidelity, where
// queues build up for longer and limits may bind that did not before. The finals let
// contenders meet there, by successive halving as in halving.go: those that stayed longest
// in the halving, points on the way back to the present configuration, and the best
// configuration of the first design. The ablation then begins at the winner, and what it
// leaves is measured on the instances of the finals too. The confirmation takes fresh ones.

// finalists is how many contenders there are.
const finalists = 8

// fallBackStep is how many more instances a fallback is measured on at a time.
const fallBackStep = 4

// finalRounds are the rounds of the finals: on how many instances those are compared that
// are still there, and how many stay.
var finalRounds = [...]struct{ on, stay int }{{2, 5}, {4, 3}, {8, 3}}

// recheckInstances is on how many instances of the finals what the ablation leaves is
// measured.
const recheckInstances = 4

// finalParts are how far points on the way lie from the present configuration, in parts
// of the way to the settings found.
var finalParts = [...]float64{2.0 / 3, 1.0 / 3}

// finalRuns are the runs of the finals, the present configuration's included.
func finalRuns() int {
	runs, field, before := 0, finalists, 1
	for i, r := range finalRounds {
		if i == 0 { // the design has measured the present configuration on one
			runs, field = r.on*field+r.on-1, r.stay
		} else {
			runs += (r.on - before) * (field + 1)
			field = r.stay
		}
		before = r.on
	}
	return runs
}

// finals chooses what the ablation begins at after a search on levels.
func (d *driver) finals() error {
	if !d.levels.on {
		return nil
	}
	field, err := d.finalField()
	if err != nil || len(field) == 0 {
		return err
	}
	var ins []instance
	var left []*trial // contenders that left last first
	for _, round := range finalRounds {
		ins = d.common(round.on)
		if err := d.measure("finals", append([]*trial{d.present}, field...), ins); err != nil {
			return err
		}
		d.sortByMerit(field, ins)
		stay := min(len(field), round.stay)
		left = append(slices.Clone(field[stay:]), left...)
		field = field[:stay]
	}
	d.levels.contenders = append(slices.Clone(field), left...)
	d.best, d.safe = d.nearest(field, ins), nil
	return nil
}

// nearest is, of contenders sorted by merit, the nearest to the present configuration of
// those whose merit is within one standard error of the best (L. Breiman, J. Friedman,
// R. Olshen and C. Stone, "Classification and Regression Trees", 1984, section 3.4.3): what
// goes less far is less likely to break on what few runs do not show.
func (d *driver) nearest(field []*trial, ins []instance) *trial {
	best := field[0]
	most := d.merit(best, ins)
	out, least := best, d.distance(best)
	for _, t := range field[1:] {
		_, sd := moments(d.differences(t, best, ins))
		if far := d.distance(t); far < least && d.merit(t, ins)-most <= sd/math.Sqrt(float64(len(ins))) {
			out, least = t, far
		}
	}
	return out
}

// distance is a trial's from the present configuration, in the unit cube.
func (d *driver) distance(t *trial) float64 {
	at, err := d.p.Space.Encode(t.settings)
	if err != nil {
		return math.Inf(1)
	}
	sum := 0.0
	for k, from := range d.p.Space.Present() {
		sum += (at[k] - from) * (at[k] - from)
	}
	return math.Sqrt(sum)
}

// sortByMerit orders trials by their merit on instances, best first, those that lose
// work behind all others.
func (d *driver) sortByMerit(ts []*trial, ins []instance) {
	merits := map[int]float64{}
	for _, t := range ts {
		merits[t.id] = d.merit(t, ins)
	}
	slices.SortStableFunc(ts, func(a, b *trial) int { return cmp.Compare(merits[a.id], merits[b.id]) })
}

// fallBack looks for another contender where the recommended settings do not keep the
// limits on the instances of the confirmation or lose work there: from the winner of the
// finals on, the first that does not. Each is measured on fallBackStep instances more at
// a time and left as soon as a run loses work or has no result.
func (d *driver) fallBack(ins []instance) error {
	most := d.spent + fallBackMost(len(ins))
	for _, t := range d.levels.contenders {
		if t == d.best || math.IsInf(d.merit(t, d.common(finalRounds[0].on)), 1) {
			continue
		}
		for n := fallBackStep; ; n += fallBackStep {
			on := ins[:min(n, len(ins))]
			if d.spent >= most {
				return nil
			}
			if err := d.measure("confirm", []*trial{t}, on); err != nil {
				return err
			}
			if s := d.score(t, on); s.Failed || s.Lost > 0 {
				break
			}
			if n < len(ins) {
				continue
			}
			if !d.infeasible(t, ins) && d.merit(t, ins) < d.merit(d.best, ins) {
				d.best, d.full, d.steps, d.late = t, t, nil, true
				return nil
			}
			break
		}
	}
	return nil
}

// finalField lists the contenders, without the present configuration.
func (d *driver) finalField() ([]*trial, error) {
	var field []*trial
	add := func(ts ...*trial) {
		for _, t := range ts {
			if t != nil && t != d.present && t.short == 0 && len(field) < finalists && !slices.Contains(field, t) {
				field = append(field, t)
			}
		}
	}
	from := d.best
	if from == d.present { // the levels' limits allowed nothing: what they ruled out
		from = d.found
	}
	way, err := d.wayPoints(from)
	if err != nil {
		return nil, err
	}
	add(d.best)
	add(way...)
	add(d.levels.design...)
	add(d.found, d.mild)
	add(d.levels.ranked...)
	return field, nil
}

// recheck measures what the ablation has left on the instances of the finals: where it
// keeps less there than the ablation may take, all changes stay.
func (d *driver) recheck() error {
	if !d.levels.on || d.best == d.full {
		return nil
	}
	ins := d.common(recheckInstances)
	if err := d.measure("check", []*trial{d.best}, ins); err != nil {
		return err
	}
	a, b := d.score(d.best, ins), d.score(d.full, ins)
	if !a.Failed && a.Lost <= b.Lost && a.Violation <= b.Violation {
		full := d.cost(d.full, d.usable(ins))
		if d.cost(d.best, d.usable(ins))-full <= ablationSlack*(d.cost(d.present, d.usable(ins))-full) {
			return nil
		}
	}
	d.best, d.steps = d.full, keepAll(d.steps)
	return nil
}

// fallBackMost is how many runs other contenders may take in a confirmation of so many
// instances.
func fallBackMost(instances int) int { return instances + 2*fallBackStep }

// boldest is the trial with the best objective, whatever limits say; nil if all lose
// work or have no result.
func (d *driver) boldest(ts []*trial, ins []instance) *trial {
	var best *trial
	for _, t := range ts {
		s := d.score(t, ins)
		if t != d.present && !s.Failed && s.Lost == 0 && (best == nil || s.Values[0] < d.score(best, ins).Values[0]) {
			best = t
		}
	}
	return best
}

// wayPoints are points on the way from the present configuration to a trial.
func (d *driver) wayPoints(t *trial) ([]*trial, error) {
	if t == nil || t == d.present {
		return nil, nil
	}
	to, err := d.p.Space.Encode(t.settings)
	if err != nil {
		return nil, err
	}
	var out []*trial
	for _, part := range finalParts {
		p := slices.Clone(to)
		for k, from := range d.p.Space.Present() {
			if !d.p.Space.Unordered(k) {
				p[k] = from + part*(to[k]-from)
			}
		}
		w, err := d.pointTrial(p, "retreat")
		if err != nil {
			return nil, err
		}
		out = append(out, w)
	}
	return out, nil
}
