package tune

import "schedtune/internal/stats"

// attribute sets the steps: what each change that remains brings.
func (a *ablation) attribute() {
	a.steps = nil
	gain := a.cost(a.present, a.ins) - a.cost(a.now, a.ins)
	if !a.room(len(a.kept)) || !(gain > 0) {
		return
	}
	ts := a.singles()
	best, scores := a.score(a.now, a.ins), a.scores(ts, a.ins)
	var path []*trial
	var ordered []unit
	for _, k := range order(scores) {
		ordered = append(ordered, a.kept[k])
		path = append(path, a.reverted(ordered...))
		step := AblationStep{Change: a.kept[k].name, Kept: true, Loses: scores[k].Failed || scores[k].Lost > best.Lost,
			Limits: a.broken(ts[k])}
		if !scores[k].Failed {
			v, _ := stats.Moments(a.raw(ts[k], a.p.Objectives[0], a.ins))
			lost := (a.cost(ts[k], a.ins) - a.cost(a.now, a.ins)) / gain
			step.Alone, step.Value, step.Interval = &lost, &v, a.lostInterval(ts[k])
		}
		a.steps = append(a.steps, step)
	}
	a.kept = ordered
	for _, u := range a.changes(a.full) {
		if !a.p.Space.changed(u, a.now.settings) {
			a.steps = append(a.steps, AblationStep{Change: u.name})
		}
	}
	if a.room(len(path)) {
		a.measured(path...)
		a.walk(path, gain)
	}
}

// lostInterval is the interval of the part of the gain that a trial lacks of the
// best: mean(x)/mean(g) of the paired losses x and gains g, whose pseudo-values are
//
//	L + (x_i - L g_i) / mean(g),   L = mean(x)/mean(g)
//
// (delta method, as in meanGain). Nil for fewer than two pairs or no gain.
func (a *ablation) lostInterval(t *trial) *Interval {
	ob := a.p.Objectives[0]
	best, present, then := a.raw(a.now, ob, a.ins), a.raw(a.present, ob, a.ins), a.raw(t, ob, a.ins)
	gain, lost := 0.0, 0.0
	for i := range best {
		gain += present[i] - best[i]
		lost += then[i] - best[i]
	}
	if len(best) < 2 || gain == 0 {
		return nil
	}
	pseudo := make([]float64, len(best))
	part := lost / gain // either sign of the objective gives the same
	for i := range pseudo {
		pseudo[i] = part + (then[i]-best[i]-part*(present[i]-best[i]))*float64(len(best))/gain
	}
	iv := MeanInterval(pseudo, 0.90)
	return &iv
}

// walk sets the losses along the path from the settings that remain to the
// current ones. Where a run on the path has no result, there are no losses.
func (a *ablation) walk(path []*trial, gain float64) {
	last := a.cost(a.now, a.ins)
	losses := make([]float64, len(path))
	for k, t := range path {
		if a.score(t, a.ins).Failed {
			a.failed = true
			return
		}
		v := a.cost(t, a.ins)
		losses[k], last = (v-last)/gain, v
	}
	for k := range losses {
		a.steps[k].Loss = &losses[k]
	}
}

// broken lists the limits that a trial breaks where the settings that remain keep them.
func (a *ablation) broken(t *trial) []string {
	var out []string
	kept := a.excess(a.now, a.ins, 0)
	for k, e := range a.excess(t, a.ins, 0) {
		if e > 0 && kept[k] <= 0 {
			out = append(out, a.p.Constraints[k].Text)
		}
	}
	return out
}

// keepAll returns steps with all changes kept.
func keepAll(steps []AblationStep) []AblationStep {
	return mapped(steps, func(s AblationStep) AblationStep {
		s.Kept = true
		return s
	})
}
