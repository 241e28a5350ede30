package main

import (
	"context"
	"fmt"
	"math"
	"sync"

	"schedtune/internal/scenario"
	"schedtune/internal/study"
	"schedtune/tune"
)

// Weights of what a cost adds to an objective in parts of the current configuration's: limits by
// how far they are exceeded, lost jobs by their part of all, a shortfall as it is.
const (
	violationWeight = 3
	lossWeight      = 10
	failureCost     = 10
)

// treeTruth is the number of held-out runs behind a truth.
const treeTruth = 24

// study prepares a study of a tree's case; nil where its current configuration can't run it.
func (t treeSpec) study(c *scenario.Case) *study.Study {
	q := study.Request{Objectives: []string{t.objective}, Windows: 1}
	if t.limit != "" {
		q.Constraints = []string{t.limit}
	}
	if !t.drawn {
		q.Workloads = -1
	}
	s, err := study.PrepareCase(context.Background(), c, q)
	if err != nil {
		return nil
	}
	return s
}

// treeProblem prepares the problem of a number; nil without an error means that its
// current configuration can't run it.
func treeProblem(number, budget int) (*problem, error) {
	t := drawTree(number)
	c, err := treeCase(t)
	if err != nil {
		return nil, err
	}
	s := t.study(c)
	if s == nil {
		return nil, nil
	}
	g := &guarded{Problem: &s.Problem, jobs: float64(len(c.Work.Jobs))}
	searched, held := held(&s.Problem)
	p := &problem{name: t.String(), space: s.Space.Space, best: math.NaN(), budget: budget, instance: uint64(number),
		candidates: s.Problem.Candidates,
		study:      &s.Problem, judged: []int{0, 50, 100, 150, 200, 300, 500, 1000, 2000}}
	p.outcome = outcomesOf(s)
	p.run = func(set tune.Settings, seed uint64) float64 {
		in := []at{{seed, searched[seed%uint64(len(searched))]}}
		return g.cost(p, set, in)
	}
	ins := instances(treeTruth, held)
	p.truth = func(set tune.Settings) float64 { return g.cost(p, set, ins) }
	return p, nil
}

// held splits the windows into those of the search and those of the truth.
func held(p *tune.Problem) (searched, held []int) {
	out := map[int]bool{}
	for _, w := range p.HoldOut {
		out[w] = true
	}
	for w := range max(1, p.Windows) {
		if out[w] {
			held = append(held, w)
		} else {
			searched = append(searched, w)
		}
	}
	if len(held) == 0 {
		held = searched
	}
	return searched, held
}

// at is an instance: a seed on a window.
type at struct {
	seed   uint64
	window int
}

// instances are those behind a truth.
func instances(n int, windows []int) (out []at) {
	for i := range n {
		out = append(out, at{1<<50 + uint64(i), windows[i%len(windows)]})
	}
	return out
}

// outcomesOf does runs of a study.
func outcomesOf(s *study.Study) func(set tune.Settings, seed uint64, window int) tune.Outcome {
	return func(set tune.Settings, seed uint64, window int) tune.Outcome {
		return s.Runner.Outcome(context.Background(), tune.Item{Settings: set, Seed: seed, Window: window})
	}
}

// guarded turns objective, limits and what is lost into one cost relative to the
// current configuration on the same instances.
type guarded struct {
	*tune.Problem
	jobs float64

	mu      sync.Mutex
	present map[at]tune.Outcome
}

// now returns the outcome of the current configuration.
func (g *guarded) now(p *problem, in at) tune.Outcome {
	g.mu.Lock()
	defer g.mu.Unlock()
	o, ok := g.present[in]
	if !ok {
		if g.present == nil {
			g.present = map[at]tune.Outcome{}
		}
		o = p.outcome(p.space.PresentSettings(), in.seed, in.window)
		g.present[in] = o
	}
	return o
}

// lost is the part of the jobs that a run has lost and the current configuration's has not.
func (g *guarded) lost(o, was tune.Outcome) float64 {
	return math.Max(0, float64(len(o.Lost)-len(was.Lost))) / g.jobs
}

// cost is the mean objective over the current configuration's, 1 for that one, and what is
// added for limits, losses and shortfall.
func (g *guarded) cost(p *problem, set tune.Settings, ins []at) float64 {
	return g.costs(p, set, ins)[0]
}

// costs are those of all objectives.
func (g *guarded) costs(p *problem, set tune.Settings, ins []at) []float64 {
	out, n, lost := make([]float64, len(g.Objectives)), make([]float64, len(g.Objectives)), 0.0
	over := make([]float64, len(g.Constraints))
	for _, in := range ins {
		was := g.now(p, in)
		if was.Err != "" {
			continue
		}
		o := p.outcome(set, in.seed, in.window)
		if o.Err != "" {
			return g.failure()
		}
		for k, ob := range g.Objectives {
			a, b := o.Metrics[ob.Metric], was.Metrics[ob.Metric]
			if ob.Maximize {
				a, b = b, a
			}
			if b > 0 {
				out[k] += a / b
				n[k]++
			}
		}
		lost += g.lost(o, was) / float64(len(ins))
		for k, c := range g.Constraints {
			limit := c.Limit
			if c.Factor != 0 {
				limit = c.Factor * was.Metrics[c.Metric]
			}
			if v, ok := o.Metrics[c.Metric]; ok && limit > 0 {
				over[k] += (v/limit - 1) / float64(len(ins))
			}
		}
	}
	more := lossWeight * lost
	for _, v := range over {
		more += violationWeight * math.Max(0, v)
	}
	if g.Shortfall != nil {
		more += g.Shortfall(set)
	}
	for k := range out {
		if n[k] == 0 {
			return g.failure()
		}
		out[k] = out[k]/n[k] + more
	}
	return out
}

// failure is what settings cost that have no result.
func (g *guarded) failure() []float64 {
	out := make([]float64, len(g.Objectives))
	for k := range out {
		out[k] = failureCost
	}
	return out
}

// treeProblems are the first problems of one half that can run.
func treeProblems(count, first, budget int) ([]*problem, error) {
	var out []*problem
	for n := first; len(out) < count; n += 2 {
		p, err := treeProblem(n, budget)
		if err != nil {
			return nil, fmt.Errorf("tree %d: %w", n, err)
		}
		if p != nil {
			out = append(out, p)
		}
	}
	return out, nil
}
