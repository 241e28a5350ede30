package tune

import (
	"math"
	"math/bits"
	"slices"
)

// Sequential halving after Z. Karnin, T. Koren and O. Somekh, "Almost Optimal
// Exploration in Multi-Armed Bandits" (ICML 2013), on paired instances: the
// contenders share the seeds, each round spends the same number of runs, and
// the worse half leaves. The means a round compares include the rounds before.
// Where there are limits, the contender that keeps them best beyond doubt stays
// in the field, and is there for the confirmation if the best does not keep them.

// maxContenders bounds the field; there are fewer if they could not have six
// runs each.
const maxContenders = 12

// leastHalving is what a halving takes at least: three contenders on two
// instances, then two of them on two more.
const leastHalving = 3*2 + 2*2

// choose sets the recommended trial from the incumbent, the sampler's mean,
// the best of recent generations and the present configuration.
func (d *driver) choose() error {
	field, err := d.contenders()
	if err != nil {
		return err
	}
	if d.o.Off&PartHalving != 0 {
		d.best = d.withoutHalving(field)
		return nil
	}
	return d.halve(field)
}

// halve lets the worse half of a field leave until one is left.
func (d *driver) halve(field []*trial) error {
	before, all := d.spent, d.halvingRuns()
	budget := all
	rounds := bits.Len(uint(len(field) - 1))
	var ins []instance
	var left []*trial // the field, those that left last first
	for len(field) > 1 {
		least := 2
		if d.repeats() { // the field is larger, and most of it has a run already
			least = 1
		}
		if d.shortStudy() { // what rounding has left goes to the rounds that follow
			budget, rounds = all-(d.spent-before), bits.Len(uint(len(field)-1))
		}
		n := max(least, budget/rounds/len(field))
		if n = min(n, d.unspent()/d.runsOn(field)); n < 1 { // races may have left less
			break
		}
		ins = append(ins, d.instances(n, d.search)...)
		if err := d.measure("halving", field, ins); err != nil {
			return err
		}
		if d.guarded() {
			d.safe = d.safest(field, ins)
		}
		d.sortByScore(field, ins)
		half := (len(field) + 1) / 2
		left = append(slices.Clone(field[half:]), left...)
		field = field[:half]
		if last := len(field) - 1; d.safe != nil && last > 0 && !slices.Contains(field, d.safe) {
			field[last] = d.safe
		}
	}
	d.best, d.ranked = field[0], left
	return nil
}

// unspent is the number of runs that the halving may still take.
func (d *driver) unspent() int {
	later := 0.0
	if d.o.Off&PartAblation == 0 && len(d.p.Objectives) == 1 {
		later += d.ablationPart()
	}
	if d.o.Off&PartConfirm == 0 {
		later += d.confirmPart()
	}
	if d.budget == 0 {
		return math.MaxInt
	}
	return int(float64(d.budget)*(1-later)+1e-9) - d.spent
}

// halvingRuns is what the halving may take: its part of the budget, but in a short study
// without confirmation, which takes what is left otherwise, all that the search has left. The
// search ends a generation before its part is spent.
func (d *driver) halvingRuns() int {
	if d.shortStudy() && d.o.Off&PartConfirm != 0 {
		return d.unspent()
	}
	return d.share(d.halvingPart())
}

// runsOn is the number of runs of a field on one instance.
func (d *driver) runsOn(field []*trial) int {
	if d.paired && !slices.Contains(field, d.present) {
		return len(field) + 1
	}
	return len(field)
}

// safest is the best of the field by cautious scores.
func (d *driver) safest(field []*trial, ins []instance) *trial {
	return slices.MinFunc(field, func(a, b *trial) int {
		switch x, y := d.cautious(a, ins), d.cautious(b, ins); {
		case x.Less(y):
			return -1
		case y.Less(x):
			return 1
		}
		return 0
	})
}

// share is a part of the budget in runs.
func (d *driver) share(part float64) int { return int(part * float64(d.budget)) }

// contenders lists the field without repeats.
func (d *driver) contenders() ([]*trial, error) {
	if d.repeats() && !d.guarded() {
		if field, err := d.modelled(); err != nil || field != nil {
			return field, err
		}
	}
	field := []*trial{d.incumbent, d.present}
	if t, err := d.mean(); err != nil {
		return nil, err
	} else if t != nil {
		field = append(field, t)
	}
	seen := map[int]bool{}
	var out []*trial
	places := min(maxContenders, max(3, d.share(d.halvingPart())/6))
	if d.repeats() { // their runs tell who else deserves a place
		places = min(maxContenders, max(4, d.share(d.halvingPart())/3))
	}
	add := func(t *trial) {
		if !seen[t.id] && !t.failed && len(out) < places {
			seen[t.id] = true
			out = append(out, t)
		}
	}
	for _, t := range field {
		add(t)
	}
	retreats, err := d.retreats(field)
	if err != nil {
		return nil, err
	}
	for _, t := range retreats {
		add(t)
	}
	if d.repeats() {
		believed, _ := d.believed()
		for _, t := range believed {
			add(t)
		}
	}
	for k := len(d.recent) - 1; k >= 0; k-- {
		add(d.recent[k])
	}
	if len(out) == 0 {
		out = append(out, d.present)
	}
	return out, nil
}

// retreatParts are how far contenders step back from the best towards the
// present configuration.
var retreatParts = [...]float64{0.15, 0.35}

// retreats are, where there are limits, points between the best found and the
// present configuration. The best settings lie on a limit as a rule, all that
// the search has found lately lie around it, and chance decides on which side
// the confirmation sees them; a step towards settings known to keep the limit
// costs some of the gain and leaves less to chance.
func (d *driver) retreats(field []*trial) ([]*trial, error) {
	i := slices.IndexFunc(field, func(t *trial) bool { return t != d.present && t.point != nil })
	if !d.guarded() || i < 0 || d.present.point == nil {
		return nil, nil
	}
	var out []*trial
	for _, part := range retreatParts {
		p := slices.Clone(field[i].point)
		for k := range p {
			if !d.p.Space.Unordered(k) {
				p[k] += part * (d.present.point[k] - p[k])
			}
		}
		t, err := d.pointTrial(p, "retreat")
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}

// withoutHalving is what is recommended if the halving is switched off: the
// incumbent, or without races the sampler's belief, or the last best.
func (d *driver) withoutHalving(field []*trial) *trial {
	if d.o.Off&PartRace == 0 {
		return d.incumbent
	}
	for _, t := range field {
		if t.origin == "mean" {
			return t
		}
	}
	return field[len(field)-1]
}
