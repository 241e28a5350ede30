package tune

// confirmFew is the confirmation after a search on levels, whose runs cost more than
// all before: the recommended and the present configuration are measured on one
// instance of full fidelity per 60 runs of the budget, and other contenders of the finals
// only if the recommended one does not keep the limits there or loses work.
func (d *driver) confirmFew() error {
	ins := d.instances(d.fewConfirm(), d.held)
	if err := d.measure("confirm", []*trial{d.present, d.best}, ins[:fallBackStep]); err != nil {
		return err
	}
	field := []*trial{d.present, d.best}
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
	if err := d.measureAgain([]*trial{d.present, d.best}, d.fewAgain()); err != nil {
		return err
	}
	ins = d.usable(ins)
	d.confirm = ins
	return nil
}

// fewConfirm and fewAgain are the numbers of instances of such a confirmation.
func (d *driver) fewConfirm() int {
	return min(maxConfirm, max(minConfirm, (d.budget+d.levels.cut)/60))
}
func (d *driver) fewAgain() int { return min(maxAgain, max(fewestAgain, d.fewConfirm()/4)) }

// fewConfirmRuns are its runs at most, and plannedConfirm those where the recommended
// configuration keeps the limits and loses no work.
func (d *driver) fewConfirmRuns() float64 {
	if len(d.p.Constraints) > 0 {
		return d.plannedConfirm() + float64(d.fewConfirm())
	}
	return d.plannedConfirm()
}

// fewestAgain is how often the history itself is run at least.
const fewestAgain = 4

func (d *driver) plannedConfirm() float64 {
	n := 2 * d.fewConfirm()
	if len(d.p.Again) > 0 {
		n += 2 * d.fewAgain()
	}
	return float64(n)
}
