package tune

import (
	"errors"
	"fmt"
	"math"
)

// run is the whole study.
func (d *driver) run(yield func([]request) bool) error {
	d.yield = yield
	err := d.phases()
	if errors.Is(err, errStop) {
		return nil
	}
	return err
}

func (d *driver) phases() error {
	if d.ofFewRuns() {
		return d.fewRuns()
	}
	reserve := d.reserve()
	if d.inRounds() {
		if err := d.searchInRounds(reserve); err != nil {
			return err
		}
	} else {
		if err := d.start(); err != nil {
			return err
		}
		if err := d.generations(reserve); err != nil {
			return err
		}
		if len(d.p.Objectives) > 1 {
			return d.finishFront()
		}
		if err := d.choose(); err != nil {
			return err
		}
	}
	d.chosen = true
	if err := d.ablate(); err != nil {
		return err
	}
	return d.confirmBest()
}

// Parts of the budget for the phases after the search.
const (
	halvingShare  = 0.12
	ablationShare = 0.12
	confirmShare  = 0.10
	frontShare    = 0.20 // measuring the front, with several objectives
)

// halvingPart is the halving's part of the budget: at least the ten runs that
// three contenders need, within 30 %.
func (d *driver) halvingPart() float64 { return d.atLeast(halvingShare, leastHalving, 0.3) }

// ablationPart is the ablation's part of the budget: at least four runs for
// each of its first configurations, within a quarter.
func (d *driver) ablationPart() float64 {
	if d.budget == 0 || d.o.Off&PartConfirm != 0 {
		return d.ablationWants()
	}
	return max(0, d.ablationWants()-max(0, d.confirmPart()-confirmMost))
}

// ablationWants is the ablation's part where the confirmation's is no more than
// confirmMost.
func (d *driver) ablationWants() float64 {
	if d.p.Predict != nil && !d.p.Predict.Same { // workloads differ more than seeds do
		return d.atLeast(2*ablationShare, 4*len(d.p.Space.units()), 0.2)
	}
	return d.atLeast(ablationShare, 8*len(d.p.Space.units()), 0.25)
}

// confirmMost bounds the confirmation's part, but for studies that could not confirm two
// configurations with it.
const confirmMost = 0.3

// confirmPart is the confirmation's: three configurations on the fewest instances, or two of
// a front and, with limits, what another of its points takes, within confirmMost; two in any case, in studies of tinyRuns and more.
func (d *driver) confirmPart() float64 {
	runs := 3 * d.leastConfirm()
	if len(d.p.Objectives) > 1 {
		runs = 2 * d.leastConfirm()
		if len(d.p.Constraints) > 0 {
			runs += d.leastConfirm() + secondRuns
		}
	}
	part := d.atLeast(confirmShare, runs, confirmMost)
	if d.budget >= tinyRuns {
		part = math.Max(part, float64(d.verdictRuns())/float64(d.budget))
	}
	return part
}

// tinyRuns is the budget from which on it holds. A smaller one leaves no search beside
// what a verdict needs, and the confirmation may take more than is left of it.
const tinyRuns = 100

// leastConfirm is on how many instances a configuration is confirmed at least.
func (d *driver) leastConfirm() int {
	if len(d.p.Again) > 0 {
		return minConfirm + minAgain
	}
	return minConfirm
}

// atLeast is a part of the budget that gives some runs, within limits.
func (d *driver) atLeast(part float64, runs int, most float64) float64 {
	if d.budget == 0 {
		return part
	}
	return math.Max(part, math.Min(most, float64(runs)/float64(d.budget)))
}

// reserve is what the phases after the search need, in parts of the budget.
func (d *driver) reserve() float64 {
	r := 0.0
	if len(d.p.Objectives) > 1 { // the front is measured and confirmed, nothing else
		r = frontShare
		if d.o.Off&PartConfirm == 0 {
			r += d.confirmPart()
		}
		return r
	}
	if d.o.Off&PartHalving == 0 {
		r += d.halvingPart()
	}
	if d.o.Off&PartAblation == 0 {
		r += d.ablationPart()
	}
	if d.o.Off&PartConfirm == 0 {
		r += d.confirmPart()
	}
	return r
}

// start measures the present configuration and the caller's candidates.
func (d *driver) start() error {
	t, err := d.trial(d.p.Space.PresentSettings(), d.p.Space.Present(), "present")
	if err != nil {
		return err
	}
	d.present, d.incumbent, d.best = t, t, t
	d.given = []*trial{t}
	d.races = d.instances(d.firstInstances(), d.search)
	if err := d.measure("present", []*trial{t}, d.races); err != nil {
		return err
	}
	if err := d.presentRan(d.races); err != nil {
		return err
	}
	d.logs = d.allPositive(t)
	var cands []*trial
	for _, c := range d.p.Candidates {
		set, err := d.p.Space.Complete(c.Settings)
		if err != nil {
			return err
		}
		t, err := d.trial(set, nil, c.Name)
		if err != nil {
			return err
		}
		if d.holding && d.p.Space.touches(set) {
			d.later = append(d.later, t)
			continue
		}
		cands = append(cands, t)
	}
	d.given = append(append(d.given, cands...), d.later...)
	if len(d.p.Objectives) > 1 {
		return d.beginFront() // no order to race by
	}
	if err := d.raceCandidates(cands); err != nil {
		return err
	}
	if len(d.p.Constraints) > 0 {
		if s := d.score(d.incumbent, d.races[:d.firstInstances()]); !s.Failed && s.Lost == 0 && s.Violation == 0 {
			d.step = cautiousStep
		}
	}
	if d.incumbent == d.present && d.step == 0 {
		return nil
	}
	return d.restartAt(d.incumbent)
}

// PresentError says that the present configuration has no result, with which run and why.
type PresentError struct {
	Seed   uint64 // of the run
	Reason string // the run's error
}

// Error names the seed and the reason.
func (e *PresentError) Error() string {
	return fmt.Sprintf("the present configuration has no result with seed %d, so that nothing can be compared with it: %s", e.Seed, e.Reason)
}

// presentRan returns a *PresentError if the present configuration has no result: there
// is nothing then that another could be better than. On workloads drawn like the
// history it may fail now and then.
func (d *driver) presentRan(ins []instance) error {
	if d.p.Predict != nil && len(d.usable(ins)) > 0 {
		return nil
	}
	for _, in := range ins {
		if text := d.present.runs[in].Err; text != "" {
			return &PresentError{in.seed, text}
		}
	}
	return nil
}

// firstInstances is the number of instances the present configuration is
// measured on at once: those of the first race, within a hundredth of the
// budget, since in a short study no race comes soon.
func (d *driver) firstInstances() int {
	if d.budget == 0 {
		return firstRung
	}
	return min(firstRung, max(1, d.budget/100))
}

// restartAt lets the sampler begin at a candidate that beat the present
// configuration, or with another step. The sampler has not been asked yet and holds nothing.
func (d *driver) restartAt(t *trial) error {
	at, err := d.p.Space.Encode(t.settings)
	if err != nil {
		return err
	}
	return d.newSampler(at)
}

func (d *driver) allPositive(t *trial) bool {
	for _, in := range d.usable(d.races) {
		for _, ob := range d.p.Objectives {
			if !(t.runs[in].Metrics[ob.Metric] > 0) {
				return false
			}
		}
	}
	return true
}
