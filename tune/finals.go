package tune

import "slices"

// After a search on levels, what it found has never been seen on full fidelity, where
// queues build up for longer and limits may bind that did not before. The finals let a
// few contenders meet there, by successive halving as in halving.go: the settings found,
// with and without the ablation, what the first stage found, which leaves costly
// parameters alone, points on the way back to the present configuration, and the best
// configuration of the first design. The confirmation then takes fresh instances.

// Numbers of the finals.
const (
	finalists       = 5 // contenders
	finalSurvivors  = 2 // of the first round
	firstFinal      = 2 // instances of the first round
	secondFinal     = 3 // more of the second
	finalRuns       = (finalists+1)*firstFinal + (finalSurvivors+1)*secondFinal
	designContender = 1 // of the first design
)

// finalParts are how far points on the way lie from the present configuration, in parts
// of the way to the settings found.
var finalParts = [...]float64{2.0 / 3, 1.0 / 3}

// finals chooses what is confirmed after a search on levels.
func (d *driver) finals() error {
	if !d.levels.on {
		return nil
	}
	field, err := d.finalField()
	if err != nil || len(field) == 0 {
		return err
	}
	var ins []instance
	for round, n := range []int{firstFinal, secondFinal} {
		ins = append(ins, d.instances(n, d.levels.whole)...)
		if err := d.measure("finals", append([]*trial{d.present}, field...), ins); err != nil {
			return err
		}
		d.sortByScore(field, ins)
		if round == 0 {
			field = field[:min(len(field), finalSurvivors)]
		}
	}
	if d.safe = nil; len(field) > 1 {
		d.safe = field[1]
	}
	if field[0] != d.best {
		d.best, d.full, d.steps = field[0], field[0], nil
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
	add(d.best)
	way, err := d.wayPoints(d.best)
	if err != nil {
		return nil, err
	}
	if d.best == d.present { // the levels' limits allowed nothing: what they ruled out
		if way, err = d.wayPoints(d.found); err != nil {
			return nil, err
		}
	}
	add(way...)
	add(d.levels.design...)
	add(d.mild, d.full, d.found)
	return field, nil
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
