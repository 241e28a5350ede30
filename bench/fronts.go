package main

import (
	"math"
	"slices"
	"strings"
	"sync"

	"schedtune/internal/study"
	"schedtune/tune"
)

// Problems of two objectives: the simulator problems' workloads and queue file, for
// makespan against mean response ratio, and for the mean completion of one queue
// against that of another. All objectives are minimised and count in parts of what the
// current configuration has on the same workload, with limits, lost jobs and a shortfall added
// by the rule of the trees (treecost.go), the same for all methods and for the truth;
// package tune gets them as the command gives them.

// frontObjectives lists the pairs.
func frontObjectives() [][]string {
	return [][]string{
		{"makespan", "mean-response-ratio"},
		{"queue.root.prod.mean-completion", "queue.root.batch.mean-completion"},
	}
}

// frontMargin is the reference point over the truth of the current configuration, in
// every objective. It was fixed before the first run.
const frontMargin = 1.1

// frontProblems lists workloads times pairs of objectives; with asCommand the studies see
// workloads drawn like the trace and have the limits that the command has by default.
func frontProblems(instance uint64, budget int, asCommand bool) ([]*problem, error) {
	var out []*problem
	for _, mix := range workloads() {
		for _, pair := range frontObjectives() {
			q := study.Request{Objectives: pair, Windows: 1, Workloads: -1, Params: []string{"*"}}
			name := mix.name + " " + strings.Join(pair, ", ")
			if asCommand {
				q.Workloads, q.Constraints, name = study.DefaultWorkloads, []string{study.Protection(5)},
					name+", drawn workloads, limits"
			}
			s, err := mix.study(instance, q)
			if err != nil {
				return nil, err
			}
			out = append(out, frontProblem(s, name, !asCommand, instance, budget))
		}
	}
	return out, nil
}

// frontProblem puts a problem together; on the trace alone fewer seeds tell the truth than on
// drawn workloads.
func frontProblem(s *study.Study, name string, plain bool, instance uint64, budget int) *problem {
	p := &problem{name: name, space: s.Space.Space, best: math.NaN(), budget: budget, instance: instance,
		candidates: s.Problem.Candidates, study: &s.Problem}
	p.outcome = outcomesOf(s)
	searched, held := held(&s.Problem)
	g := &guarded{Problem: &s.Problem, jobs: float64(len(s.Case.Work.Jobs))}
	many := treeTruth
	if plain {
		many = simHeldOut
	}
	ins := instances(many, held)
	p.runs = func(set tune.Settings, seed uint64) []float64 {
		return g.costs(p, set, []at{{seed, searched[seed%uint64(len(searched))]}})
	}
	truth := func(set tune.Settings) []float64 { return g.costs(p, set, ins) }
	present := truth(p.space.PresentSettings())
	ref := [2]float64{frontMargin * present[0], frontMargin * present[1]}
	var mu sync.Mutex
	known := map[string][]float64{}
	p.volume = func(front []tune.Settings) float64 {
		mu.Lock()
		defer mu.Unlock()
		var values [][2]float64
		for _, set := range front {
			k := set.Key()
			if known[k] == nil {
				known[k] = truth(set)
			}
			values = append(values, [2]float64(known[k]))
		}
		return -dominatedArea(values, ref) / (ref[0] * ref[1])
	}
	return p
}

// dominatedArea is the area between points and a reference point that is worse in both
// objectives; points beyond it count for nothing.
func dominatedArea(points [][2]float64, ref [2]float64) float64 {
	points = slices.Clone(points)
	slices.SortFunc(points, func(a, b [2]float64) int {
		return slices.Compare(a[:], b[:])
	})
	area, top := 0.0, ref[1]
	for _, p := range points {
		if p[0] < ref[0] && p[1] < top {
			area += (ref[0] - p[0]) * (top - p[1])
			top = p[1]
		}
	}
	return area
}

// means are the means of columns.
func means(rows [][]float64) []float64 {
	out := make([]float64, len(rows[0]))
	for _, r := range rows {
		for k, v := range r {
			out[k] += v
		}
	}
	for k := range out {
		out[k] /= float64(len(rows))
	}
	return out
}

// archive keeps the points whose measured means no other's dominate.
type archive []entry

type entry struct {
	set    tune.Settings
	values []float64
}

// add reports whether the archive has changed.
func (a *archive) add(s tune.Settings, values []float64) bool {
	for _, o := range *a {
		if noWorse(o.values, values) {
			return false
		}
	}
	*a = append(slices.DeleteFunc(*a, func(o entry) bool { return noWorse(values, o.values) }), entry{s, values})
	return true
}

// noWorse reports whether a is at most b in every objective.
func noWorse(a, b []float64) bool {
	for k := range a {
		if a[k] > b[k] {
			return false
		}
	}
	return true
}

func (a archive) settings() []tune.Settings {
	var out []tune.Settings
	for _, o := range a {
		out = append(out, o.set)
	}
	return out
}

// frontMethods are the default on several objectives, with and without the command's
// candidates, as studies of several lengths; random search; and the optimisers in
// Python.
func frontMethods(python string) []method {
	return []method{
		ours("ours, as the command", true),
		ours("ours", false),
		baseline("random, 2 seeds", 2, randomLoop),
		rival(python, "NSGA-II of pymoo, 2 seeds", "nsga2", 2),
		rival(python, "NSGA-II of pymoo, population 24, 2 seeds", "nsga2_small", 2),
		rival(python, "MO-CMA-ES of DEAP, 2 seeds", "mocma", 2),
	}
}
