package tune

import "slices"

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

// finalRounds are the rounds of the finals: how many more instances, and how many stay.
var finalRounds = [...]struct{ more, stay int }{{1, 4}, {1, 2}, {2, 2}}

// finalParts are how far points on the way lie from the present configuration, in parts
// of the way to the settings found.
var finalParts = [...]float64{2.0 / 3, 1.0 / 3}

// finalInstances is on how many instances the last contenders have been measured.
func finalInstances() int {
	n := 0
	for _, r := range finalRounds {
		n += r.more
	}
	return n
}

// finalRuns are the runs of the finals, the present configuration's included.
func finalRuns() int {
	runs, field := 0, finalists
	for _, r := range finalRounds {
		runs += r.more * (field + 1)
		field = r.stay
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
		ins = append(ins, d.instances(round.more, d.levels.whole)...)
		if err := d.measure("finals", append([]*trial{d.present}, field...), ins); err != nil {
			return err
		}
		d.sortByScore(field, ins)
		stay := min(len(field), round.stay)
		left = append(slices.Clone(field[stay:]), left...)
		field = field[:stay]
	}
	d.levels.finals, d.levels.contenders = ins, append(slices.Clone(field), left...)
	d.best, d.safe = field[0], nil
	return nil
}

// fallBack looks for another contender where the recommended settings do not keep the
// limits on the instances of the confirmation or lose work there: from the winner of the
// finals on, the first that does not. Each is measured on fallBackStep instances more at
// a time and left as soon as a run loses work or has no result.
func (d *driver) fallBack(ins []instance) error {
	most := d.spent + len(ins) + 2*fallBackStep
	for _, t := range d.levels.contenders {
		if t == d.best {
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
			if !d.infeasible(t, ins) {
				d.best, d.full, d.steps = t, t, nil
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
	if !d.levels.on || d.best == d.full || d.best == d.present {
		return nil
	}
	ins := d.levels.finals
	if err := d.measure("check", []*trial{d.best}, ins); err != nil {
		return err
	}
	a, b := d.score(d.best, ins), d.score(d.full, ins)
	if !a.Failed && a.Lost <= b.Lost && a.Violation <= b.Violation {
		full := d.cost(d.full, d.usable(ins))
		if d.cost(d.best, d.usable(ins))-full <= 2*ablationSlack*(d.cost(d.present, d.usable(ins))-full) {
			return nil
		}
	}
	d.best, d.steps = d.full, keepAll(d.steps)
	return nil
}

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
