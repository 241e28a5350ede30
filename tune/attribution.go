package tune

// attribute sets the steps: what each change that remains brings.
func (a *ablation) attribute() error {
	d := a.d
	d.steps = nil
	gain := d.cost(d.present, a.ins) - d.cost(a.best, a.ins)
	if !a.room(len(a.kept)) || !(gain > 0) {
		return nil
	}
	ts, err := a.singles()
	if err != nil {
		return err
	}
	best := d.score(a.best, a.ins)
	scores := make([]Score, len(ts))
	for k, t := range ts {
		scores[k] = d.score(t, a.ins)
	}
	var path []*trial
	var back, ordered []unit
	for _, k := range order(scores) {
		back = append(back, a.kept[k])
		ordered = append(ordered, a.kept[k])
		t, err := a.without(back...)
		if err != nil {
			return err
		}
		path = append(path, t)
		step := AblationStep{Change: a.kept[k].name, Kept: true, Loses: scores[k].Failed || scores[k].Lost > best.Lost, Limits: d.broken(ts[k], a.best, a.ins)}
		if !scores[k].Failed {
			v, _ := moments(d.raw(ts[k], d.p.Objectives[0], a.ins))
			lost := (d.cost(ts[k], a.ins) - d.cost(a.best, a.ins)) / gain
			step.Alone, step.Value, step.Interval = &lost, &v, a.lostInterval(ts[k])
		}
		d.steps = append(d.steps, step)
	}
	a.kept = ordered
	for _, u := range d.changes(d.full) {
		if !d.p.Space.changed(u, a.best.settings) {
			d.steps = append(d.steps, AblationStep{Change: u.name})
		}
	}
	if !a.room(len(path)) {
		return nil
	}
	if err := a.measure(path...); err != nil {
		return err
	}
	a.walk(path, gain)
	return nil
}

// lostInterval is the interval of the part of the gain that a trial lacks of the
// best: mean(x)/mean(g) of the paired losses x and gains g, whose pseudo-values are
//
//	L + (x_i - L g_i) / mean(g),   L = mean(x)/mean(g)
//
// (delta method, as in meanGain). Nil for fewer than two pairs or no gain.
func (a *ablation) lostInterval(t *trial) *Interval {
	d, ob := a.d, a.d.p.Objectives[0]
	best, present, then := d.raw(a.best, ob, a.ins), d.raw(d.present, ob, a.ins), d.raw(t, ob, a.ins)
	pseudo := make([]float64, len(best))
	gain, lost := 0.0, 0.0
	for i := range best {
		gain += present[i] - best[i]
		lost += then[i] - best[i]
	}
	if len(best) < 2 || gain == 0 {
		return nil
	}
	part := lost / gain // either sign of the objective gives the same
	for i := range pseudo {
		pseudo[i] = part + (then[i]-best[i]-part*(present[i]-best[i]))*float64(len(best))/gain
	}
	iv := MeanInterval(pseudo, 0.90)
	return &iv
}

// walk sets the losses along the path from the settings that remain to the
// present ones. Where a run on the path has no result, no losses are told.
func (a *ablation) walk(path []*trial, gain float64) {
	last := a.d.cost(a.best, a.ins)
	losses := make([]float64, len(path))
	for k, t := range path {
		if a.d.score(t, a.ins).Failed {
			a.failed = true
			return
		}
		v := a.d.cost(t, a.ins)
		losses[k], last = (v-last)/gain, v
	}
	for k := range losses {
		a.d.steps[k].Loss = &losses[k]
	}
}

// broken names the limits that a trial breaks on instances where another keeps
// them.
func (d *driver) broken(t, keeper *trial, ins []instance) []string {
	var out []string
	kept := d.excess(keeper, ins, 0)
	for k, e := range d.excess(t, ins, 0) {
		if e > 0 && kept[k] <= 0 {
			out = append(out, d.p.Constraints[k].Text)
		}
	}
	return out
}
