package tune

// The confirmation of a study of few runs, most of which it takes: the recommended and the
// present configuration on as few fresh workloads as a verdict needs, and other contenders of
// the finals only if the recommended one does not keep the limits there or loses work.

// fallBackStep is on how many instances more a contender is measured at a time.
const fallBackStep = 4

// fewestAgain is how often the history itself is run.
const fewestAgain = 4

// fewConfirmRuns are its runs.
func (d *driver) fewConfirmRuns() int {
	if d.o.Off&PartConfirm != 0 {
		return 0
	}
	n := 2 * minConfirm
	if len(d.p.Again) > 0 {
		n += 2 * fewestAgain
	}
	return n
}

// confirmFew makes the confirmation.
func (d *driver) confirmFew() error {
	ins := d.instances(minConfirm, d.held)
	field := []*trial{d.present, d.best}
	if err := d.measure("confirm", field, ins[:fallBackStep]); err != nil {
		return err
	}
	if first := d.score(d.best, ins[:fallBackStep]); first.Failed || first.Lost > 0 {
		field = field[:1]
	}
	if err := d.measure("confirm", field, ins); err != nil {
		return err
	}
	if err := d.presentRan(ins); err != nil {
		return err
	}
	if len(field) == 1 || d.infeasible(d.best, ins) {
		if err := d.fallBack(ins); err != nil {
			return err
		}
		if err := d.measure("confirm", []*trial{d.best}, ins); err != nil { // where none is better
			return err
		}
	}
	if err := d.measureAgain([]*trial{d.present, d.best}, fewestAgain); err != nil {
		return err
	}
	d.confirm = d.usable(ins)
	return nil
}

// fallBack looks for another contender where the recommended settings do not keep the
// limits on the instances of the confirmation or lose work there: the first that does not,
// of those that have shown no loss before. Each is measured on fallBackStep instances more at
// a time, as far as the budget goes, and left as soon as a run loses work or has no result.
func (d *driver) fallBack(ins []instance) error {
	left := d.budget - d.spent - d.missing(d.best, ins)
	if len(d.p.Again) > 0 {
		left -= 2 * fewestAgain
	}
	for _, t := range d.few.contenders {
		if t == d.best || d.lossBefore(t) {
			continue
		}
		through := true
		for n := fallBackStep; through && d.missing(t, ins) > 0; n += fallBackStep {
			on := ins[:min(n, len(ins))]
			runs := d.missing(t, on)
			if left -= runs; left < 0 {
				return nil
			}
			if err := d.measure("confirm", []*trial{t}, on); err != nil {
				return err
			}
			s := d.score(t, on)
			through = !s.Failed && s.Lost == 0
		}
		if s := d.score(t, ins); through && !d.infeasible(t, ins) && s.Less(d.score(d.best, ins)) && s.Less(d.score(d.present, ins)) {
			d.best, d.full, d.steps, d.late = t, t, nil, true
			return nil
		}
	}
	return nil
}

// missing counts the instances that a trial has not been measured on.
func (d *driver) missing(t *trial, ins []instance) int {
	n := 0
	for _, in := range ins {
		if !t.ranOn(in) {
			n++
		}
	}
	return n
}
