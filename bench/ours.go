package main

import (
	"schedtune/tune"
)

// method searches a problem and reports after each step what it would recommend
// after that many runs.
type method struct {
	name  string
	run   func(p *problem, seed uint64, see seeing) error
	least int  // runs of the shortest study that it can do
	rival bool // an optimiser in another process

	interpreter string // of a rival
}

// seeing receives what a method recommends after so many runs: one configuration, or
// a front of several objectives.
type seeing func(runs int, rec ...tune.Settings)

// runStudy is package tune. Ablation and confirmation are left out always: truth judges here.
func runStudy(p *problem, first []tune.Candidate, seed uint64, see seeing) error {
	problem := tune.Problem{Name: p.name, Space: p.space, Objectives: []tune.Objective{{Metric: "cost"}}}
	if p.study != nil {
		problem = *p.study
	}
	problem.Candidates = first
	st, err := tune.NewStudy(problem,
		tune.Options{Seed: seed, Budget: p.budget, Patience: p.budget, Off: tune.PartAblation | tune.PartConfirm, Threads: 1})
	if err != nil {
		return err
	}
	defer st.Close()
	return p.play(st, func(runs int) { see(runs, st.Incumbent()) })
}

// play does the runs that a study asks for until it asks for no more, and calls each with
// the number of runs done whenever the study has asked.
func (p *problem) play(st *tune.Study, each func(runs int)) error {
	runs := 0
	for {
		items, err := st.Ask()
		if err != nil {
			return err
		}
		each(runs)
		if items == nil {
			return nil
		}
		for _, it := range items {
			if err := st.Tell(p.outcomeOf(it)); err != nil {
				return err
			}
		}
		runs += len(items)
	}
}

// perBudget is package tune asked for studies of several lengths: what it
// recommends after N runs is the result of a study of N runs, halving
// included, as a user with that budget would get it.
func perBudget(name string, candidates bool) method {
	return method{name: name, run: func(p *problem, seed uint64, see seeing) error {
		see(0, p.space.PresentSettings())
		for _, n := range p.ladder() {
			q := *p
			q.budget = n
			var first []tune.Candidate
			if candidates {
				first = q.candidates
			}
			var last tune.Settings
			var spent int
			err := runStudy(&q, first, seed, func(runs int, rec ...tune.Settings) { spent, last = runs, rec[0] })
			if err != nil {
				return err
			}
			see(max(q.budget, spent), last)
		}
		return nil
	}}
}

// ourMethods are the default as studies of several lengths, without and with the command's candidates.
func ourMethods() []method {
	return []method{
		perBudget("ours", false),
		perBudget("ours, as the command", true),
	}
}

// outcomeOf does a run for package tune.
func (p *problem) outcomeOf(it tune.Item) tune.Outcome {
	if p.outcome != nil {
		return p.outcome(it.Settings, it.Seed, it.Window)
	}
	return tune.Outcome{Metrics: map[string]float64{"cost": p.run(it.Settings, it.Seed)}}
}
