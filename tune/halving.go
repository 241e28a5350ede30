package tune

import "math/bits"

// Sequential halving after Z. Karnin, T. Koren and O. Somekh, "Almost Optimal
// Exploration in Multi-Armed Bandits" (ICML 2013), on paired instances: the
// contenders share the seeds, each round spends the same number of runs, and
// the worse half leaves. The means a round compares include the rounds before.

// maxContenders bounds the field; there are fewer if they could not have six
// runs each.
const maxContenders = 12

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
	budget := d.share(halvingShare)
	rounds := bits.Len(uint(len(field) - 1))
	var ins []instance
	for r := 0; len(field) > 1; r++ {
		n := max(2, budget/rounds/len(field))
		ins = append(ins, d.instances(n, d.search)...)
		if err := d.measure("halving", field, ins); err != nil {
			return err
		}
		d.sortByScore(field, ins)
		field = field[:(len(field)+1)/2]
	}
	d.best = field[0]
	return nil
}

// share is a part of the budget in runs.
func (d *driver) share(part float64) int { return int(part * float64(d.budget)) }

// contenders lists the field without repeats.
func (d *driver) contenders() ([]*trial, error) {
	field := []*trial{d.incumbent, d.present}
	if r, ok := d.sampler.(Recommender); ok {
		if p := r.Recommend(); p != nil {
			t, err := d.pointTrial(p, "mean")
			if err != nil {
				return nil, err
			}
			field = append(field, t)
		}
	}
	seen := map[int]bool{}
	var out []*trial
	places := min(maxContenders, max(3, d.share(halvingShare)/6))
	add := func(t *trial) {
		if !seen[t.id] && !t.failed && len(out) < places {
			seen[t.id] = true
			out = append(out, t)
		}
	}
	for _, t := range field {
		add(t)
	}
	for k := len(d.recent) - 1; k >= 0; k-- {
		add(d.recent[k])
	}
	if len(out) == 0 {
		out = append(out, d.present)
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
