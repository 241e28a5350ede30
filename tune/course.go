package tune

import (
	"slices"
)

// course holds what all parts of a study share.
type course struct {
	*ledger
	*judge
	*plan
	*memory
	findings
	samplerName string
}

// findings holds what a study has found so far.
type findings struct {
	status    Status
	incumbent *trial  // best so far, by races or by the model of a search in rounds
	shownGain float64 // Progress.Gain
	changedAt int     // runs spent when the incumbent last changed
	chosen    bool    // the best has been chosen from the contenders

	best   *trial   // found
	others []*trial // further contenders, best first
	steps  []AblationStep

	chosenOn  []instance // of the choice among contenders
	figuresOn []instance // of the reduction
	reduced   *reduction // that measured them
	lifted    *Lifted    // what breaks limits and is better; nil = none found

	confirm  []instance // of the confirmation
	recorded []instance // of Problem.Again
	front    []*trial   // several objectives
	frontOn  []instance // what the front was measured on
}

func newCourse(p Problem, o Options) *course {
	l := newLedger(p, o)
	return &course{ledger: l, judge: &judge{ledger: l}, plan: newPlan(l), memory: &memory{},
		findings: findings{status: Running}}
}

// begin makes the current configuration the first trial.
func (c *course) begin() {
	t := c.trial(c.p.Space.PresentSettings(), c.p.Space.Present(), "present")
	c.present, c.incumbent, c.best, c.given = t, t, t, []*trial{t}
}

// lead makes a trial the incumbent.
func (c *course) lead(t *trial) { c.incumbent, c.best, c.changedAt = t, t, c.spent }

func (c *course) impatient() bool {
	return c.o.Patience > 0 && c.spent-c.changedAt > c.o.Patience && !c.multi()
}

// decide returns a decision that the clock takes, which the log keeps: a number of runs, 0 for no.
func (c *course) decide(name string, take func() int) int {
	v, err := c.o.Log.decide(name, take)
	must(err)
	return v
}

// changes lists the units in which a trial differs from the current configuration.
func (c *course) changes(t *trial) []unit {
	return slices.DeleteFunc(c.p.Space.units(), func(u unit) bool { return !c.p.Space.changed(u, t.settings) })
}

// joined returns the trial with the changes of all trials that were better than the
// incumbent, the better one's where two change the same setting; nil if there are
// fewer than two.
func (c *course) joined(ts []*trial, ins []instance) *trial {
	better := c.better(ts, ins)
	if len(better) < 2 {
		return nil
	}
	set := slices.Clone(c.incumbent.settings)
	for _, t := range slices.Backward(better) {
		for i := range set {
			if t.settings[i] != c.incumbent.settings[i] {
				set[i] = t.settings[i]
			}
		}
	}
	at, err := c.p.Space.Encode(set)
	must(err)
	return c.pointTrial(at, "candidates joined")
}

// better returns the trials better than the incumbent in the mean, best first.
func (c *course) better(ts []*trial, ins []instance) []*trial {
	inc := c.score(c.incumbent, ins)
	out := slices.DeleteFunc(slices.Clone(ts), func(t *trial) bool { return !c.score(t, ins).Less(inc) })
	return c.sorted(out, ins)
}

// driver runs a study from its first trial to the confirmation; it gets its runs by
// yielding requests to the Study in whose coroutine it runs.
type driver struct {
	*course
	rounds      *rounds      // nil with a sampler
	generations *generations // nil in rounds
}

func newDriver(p Problem, o Options) (*driver, error) {
	d := &driver{course: newCourse(p, o)}
	if d.inRounds() {
		d.samplerName, d.rounds = "model", &rounds{course: d.course}
		return d, nil
	}
	var err error
	d.generations, err = newGenerations(d.course)
	return d, err
}

// run is the whole study.
func (d *driver) run() {
	d.setReserve()
	switch {
	case d.rounds != nil:
		d.rounds.run()
		d.choose(d.rounds.contenders(), d.rounds.common.first)
		d.reduce(d.rounds.common.first, d.rounds.predict)
	default:
		d.generations.begin()
		d.generations.run()
		if d.multi() {
			d.generations.finishFront()
			break
		}
		fresh := d.drawn()
		d.choose(d.generations.contenders(), fresh)
		d.reduce(fresh, nil)
	}
	d.confirmBest()
}

// drawn returns instances of the search that nothing has used, the same first ones each time.
func (c *course) drawn() func(n int) []instance {
	var out []instance
	return func(n int) []instance {
		if more := n - len(out); more > 0 {
			out = append(out, c.instances(more, c.search)...)
		}
		return out[:n]
	}
}

// bestGuess returns the recommended trial, but before the contenders have been
// compared, what the sampler believes in, measured or not. The winner of the last
// race is safer and older. Before the sampler has been told anything it is who
// leads in the candidates' race.
func (d *driver) bestGuess() *trial {
	if d.generations == nil || d.chosen || d.multi() {
		return d.best
	}
	return d.generations.bestGuess()
}

// close ends the coroutines of the sampler.
func (d *driver) close() {
	if d.generations != nil {
		d.generations.close()
	}
}
