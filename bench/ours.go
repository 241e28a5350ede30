package main

import (
	"time"

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

// ours is package tune asked for studies of several lengths, without or with the command's
// candidates: what it recommends after N runs is the result of a study of N runs, halving
// included, as a user with that budget would get it. Ablation and confirmation are left out:
// truth judges here.
func ours(name string, candidates bool) method {
	return method{name: name, run: func(p *problem, seed uint64, see seeing) error {
		see(0, p.space.PresentSettings())
		problem := tune.Problem{Name: p.name, Space: p.space, Objectives: []tune.Objective{{Metric: "cost"}}}
		if p.study != nil {
			problem = *p.study
		}
		if problem.Candidates = nil; candidates {
			problem.Candidates = p.candidates
		}
		for _, n := range p.ladder() {
			opt := tune.Options{Seed: seed, Budget: n, Off: tune.PartAblation | tune.PartConfirm, Threads: 1}
			if p.volume == nil {
				opt.Patience = n
			}
			st, err := tune.NewStudy(problem, opt)
			if err != nil {
				return err
			}
			runs, err := p.play(st)
			if err != nil {
				return err
			}
			rec := []tune.Settings{st.Progress().Incumbent}
			if p.volume != nil {
				rec = nil
				for _, f := range st.Result().Front {
					rec = append(rec, f.Settings)
				}
			}
			st.Close()
			if len(rec) > 0 {
				see(max(n, runs), rec...)
			}
		}
		return nil
	}}
}

// play does the runs that a study asks for until it asks for no more, and returns their number.
func (p *problem) play(st *tune.Study) (runs int, err error) {
	for {
		items, err := st.Ask()
		if err != nil || items == nil {
			return runs, err
		}
		for _, it := range items {
			if err := st.Tell(p.outcomeOf(it)); err != nil {
				return runs, err
			}
		}
		runs += len(items)
	}
}

// ourMethods are the default as studies of several lengths, without and with the command's candidates.
func ourMethods() []method {
	return []method{
		ours("ours", false),
		ours("ours, as the command", true),
	}
}

// outcomeOf does a run for package tune.
func (p *problem) outcomeOf(it tune.Item) tune.Outcome {
	defer p.meter.add(time.Now(), 1)
	if p.outcome != nil {
		return p.outcome(it.Settings, it.Seed, it.Window)
	}
	return tune.Outcome{Metrics: map[string]float64{"cost": p.run(it.Settings, it.Seed)}}
}
