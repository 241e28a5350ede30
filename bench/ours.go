package main

import (
	"schedtune/tune"
)

// method searches a problem and says after each step what it would recommend
// after that many runs.
type method struct {
	name string
	run  func(p *problem, seed uint64, see func(runs int, rec tune.Settings)) error
	most int // repeats at most, for methods that take minutes of their own; 0 is no limit
}

// searcher runs package tune with a sampler and parts left out. Ablation and
// confirmation are left out always: truth judges here.
func searcher(name, sampler string, off tune.Part) method {
	return method{name: name, run: func(p *problem, seed uint64, see func(int, tune.Settings)) error {
		return runStudy(p, p.space, sampler, off, seed, see)
	}}
}

// normalised is package tune with shares as independent weights.
func normalised() method {
	return method{name: "ours, shares normalised", run: func(p *problem, seed uint64, see func(int, tune.Settings)) error {
		space := p.alt
		if space == nil {
			space = p.space
		}
		return runStudy(p, space, "cmaes", 0, seed, see)
	}}
}

func runStudy(p *problem, space *tune.Space, sampler string, off tune.Part, seed uint64, see func(int, tune.Settings)) error {
	st, err := tune.NewStudy(tune.Problem{Name: p.name, Space: space, Objectives: []tune.Objective{{Metric: "cost"}}},
		tune.Options{Sampler: sampler, Seed: seed, Budget: p.budget, Patience: -1, Off: off | tune.PartAblation | tune.PartConfirm})
	if err != nil {
		return err
	}
	defer st.Close()
	runs := 0
	for {
		items, err := st.Ask()
		if err != nil {
			return err
		}
		see(runs, st.Incumbent())
		if items == nil {
			return nil
		}
		for _, it := range items {
			out := tune.Outcome{Metrics: map[string]float64{"cost": p.run(it.Settings, it.Seed)}}
			if err := st.Tell(out); err != nil {
				return err
			}
		}
		runs += len(items)
	}
}

// perBudget is package tune asked for studies of several lengths: what it
// recommends after N runs is the result of a study of N runs, halving
// included, as a user with that budget would get it.
func perBudget() method {
	return method{name: "ours", run: func(p *problem, seed uint64, see func(int, tune.Settings)) error {
		see(0, p.space.PresentSettings())
		for _, part := range p.ladder() {
			q := *p
			q.budget = int(part * float64(p.budget))
			if q.budget < 40 {
				continue
			}
			var last tune.Settings
			err := runStudy(&q, q.space, "cmaes", 0, seed, func(_ int, rec tune.Settings) { last = rec })
			if err != nil {
				return err
			}
			see(q.budget, last)
		}
		return nil
	}}
}

// ourMethods are the default, as studies of several lengths and as one study
// interrupted at any time, and each part switched off.
func ourMethods() []method {
	return []method{
		perBudget(),
		searcher("ours, interrupted", "cmaes", 0),
		searcher("ours, no common seeds", "cmaes", tune.PartCRN),
		searcher("ours, no race", "cmaes", tune.PartRace),
		searcher("ours, no halving", "cmaes", tune.PartHalving),
		searcher("ours, no margin", "cmaes", tune.PartMargin),
		searcher("ours, no restarts", "cmaes", tune.PartRestarts),
		searcher("ours, no noise handling", "cmaes", tune.PartNoise),
		searcher("ours, independent samples", "cmaes", tune.PartMirror),
		searcher("ours, ordered categories", "cmaes", tune.PartCategories),
		normalised(),
	}
}
