package tune

import (
	"cmp"

	"schedtune/internal/rng"
)

// generations proposes what a sampler by name asks for.
type generations struct {
	*parts
	name    string
	sampler Sampler
	points  []Point // asked and not measured
}

// A front's generations are measured on the same instance for some time: parents have
// their runs on it, so that a generation costs its offspring only and the population is
// what is best there; with the next instance the parents are measured again, and what
// was good by luck falls back. Where workloads differ the time is short, since one would
// be all that the search sees.
const (
	frontRuns       = 8 * frontPopulation // children on one instance, where there is one workload
	variedRuns      = 3 * frontPopulation // where there are several
	frontPopulation = 24                  // at most; smaller in studies of fewer than three times as many runs
	frontChildren   = 8                   // of a generation
	shortChildren   = 4                   // in a short study
)

// children are those of a front's generation.
func children(c *parts) int {
	if c.plan.budget < shortRuns {
		return shortChildren
	}
	return frontChildren
}

// frontEpoch is how many generations a front is on one instance.
func frontEpoch(c *parts) int {
	if len(c.led.search) > 1 {
		return variedRuns / children(c)
	}
	return frontRuns / children(c)
}

func newGenerations(c *parts) (*generations, string, error) {
	g := &generations{parts: c, name: cmp.Or(c.o.Method, defaultSampler(len(c.p.Objectives)))}
	return g, g.name, g.start(SamplerConfig{})
}

// start makes the sampler.
func (g *generations) start(cfg SamplerConfig) (err error) {
	g.close()
	cfg.Space, cfg.Seed = g.p.Space, uint64(rng.NewKey(g.o.Seed, purposeSampler))
	cfg.Objectives, cfg.costs, cfg.threads = len(g.p.Objectives), g.model.costs, g.o.Threads
	g.sampler, err = NewSampler(g.name, cfg)
	return err
}

// design implements proposer: the candidates, the best of which the sampler begins at; NSGA-II has them in its
// first generation.
func (g *generations) design(given []*trial) []*trial {
	if g.name != "nsga2" {
		return given
	}
	must(g.start(SamplerConfig{First: mapped(given, g.led.pointOf), Children: children(g.parts),
		Population: min(frontPopulation, max(8, g.plan.budget/3/2*2))}))
	return nil
}

// ask returns the points of the next generation.
func (g *generations) ask() []Point {
	if g.led.gen == 0 && g.points == nil && g.found.best != g.led.present {
		must(g.start(SamplerConfig{Start: g.led.pointOf(g.found.best)}))
	}
	if g.points == nil {
		g.points = g.sampler.Ask()
	}
	return g.points
}

// runs implements proposer.
func (g *generations) runs() int {
	if !g.p.multi() {
		return len(g.ask()) + 2
	}
	k := (g.led.gen + 1) / frontEpoch(g.parts)
	on, n := g.work.first(k + 1)[k], 1
	for _, p := range g.ask() {
		if t := g.led.trialAt(p); t == nil || t.misses(on) {
			n++
		}
	}
	return n
}

// propose implements proposer; the best so far is measured again.
func (g *generations) propose() []*trial {
	out := mapped(g.ask(), func(p Point) *trial { return g.led.pointTrial(p, g.name) })
	if !g.p.multi() {
		out = append(out, g.found.best)
	}
	return out
}

// learn implements proposer.
func (g *generations) learn(field []*trial, b generation) {
	if g.points == nil {
		return // of the design
	}
	of := map[*trial]Score{}
	for i, t := range field {
		of[t] = b.scores[i]
	}
	scores := mapped(g.points, func(p Point) Score { return of[g.led.trialAt(p)] })
	g.sampler.Tell(g.points, scores, b.block)
	g.points = nil
}

// close implements proposer.
func (g *generations) close() {
	if c, ok := g.sampler.(closer); ok {
		c.close()
		g.sampler = nil
	}
}
