// Package learners measures what the papers' mathematics brings on YARN, against the tuned
// Capacity Scheduler: cases are drawn (a workload, a queue file, a cluster), every
// choice is made on one period, and the next is played with seeds that no choice has
// seen.
package learners

import (
	"context"
	"fmt"
	"math"

	"schedtune/internal/scenario"
	"schedtune/internal/simulate"
	"schedtune/internal/study"
	"schedtune/simcore"
	"schedtune/tune"
	"schedtune/validation/forecast"
	"schedtune/yarnconf"
)

// Request is what to measure.
type Request struct {
	forecast.Sample
	Progress func(done int) // from one goroutine at a time; may be nil
}

// Metrics that are reported; the first is what is tuned for.
var metrics = []string{"mean-completion", "makespan"}

// slowstarts are the fixed values that are tried.
var slowstarts = []float64{0.05, 0.25, 0.5, 0.8, 0.95, 1}

// Outcome is one case: the figures of every variant, by metric and seed.
type Outcome struct {
	Case      string
	Skipped   string   // why the case says nothing; empty = it does
	Stuck     []string // variants of which a run does not end, as jobs lock each other out
	Slowstart float64  // the best fixed one of the first period, with the current configuration
	Tuned     float64  // the same with the tuned file
	Changes   int      // of the tuned file
	Figures   map[string][][]float64
}

// setup is how one variant runs.
type setup struct {
	name      string
	spec      string
	changes   []yarnconf.Change
	slowstart float64
	other     *scenario.Case // in place of the next period with the current configuration; nil = that
}

// Run measures the cases. Equal requests give equal outcomes for any number of
// workers.
func Run(ctx context.Context, r Request) ([]Outcome, error) {
	cases, err := r.Draw()
	if err != nil {
		return nil, err
	}
	return forecast.Each(ctx, len(cases), r.Workers,
		func(i int) string { return cases[i].Name },
		func(i int) (Outcome, error) { return r.measure(ctx, &cases[i], i) },
		func(count int, _ *Outcome) {
			if r.Progress != nil {
				r.Progress(count)
			}
		})
}

// measure makes every choice of a case on its first period and plays the second.
func (r *Request) measure(ctx context.Context, c *forecast.Case, number int) (Outcome, error) {
	o := Outcome{Case: c.Name, Figures: map[string][][]float64{}}
	key := forecast.Key(r.Seed, number)
	machines := machines(c.Now.Cluster, number)
	if err := allowPriorities(c); err != nil {
		return o, err
	}
	now, next := physical(c.Now, machines, key.At(1)), physical(c.Next, machines, key.At(2))
	for _, period := range []*scenario.Case{now, next} {
		if _, err := play(ctx, period, setup{slowstart: -1}); err != nil { // what cannot run at all is no case
			o.Skipped = err.Error()
			return o, nil
		}
	}
	tuned, err := r.search(ctx, now, r.Seed+uint64(number))
	if err != nil {
		return o, err
	}
	o.Changes = len(tuned.changes)
	if o.Slowstart, err = bestSlowstart(ctx, now, nil, slowstarts, r.Seed); err != nil {
		return o, err
	}
	if o.Tuned, err = bestSlowstart(ctx, now, tuned.changes, append([]float64{tuned.slowstart}, slowstarts...),
		r.Seed); err != nil {
		return o, err
	}
	tuned.slowstart = o.Tuned
	setups, err := r.setups(now, next, tuned, o.Slowstart)
	if err != nil {
		return o, err
	}
	for _, s := range setups {
		figures, err := play(ctx, next, s)
		if err != nil { // a stalled run, for example
			o.Stuck = append(o.Stuck, s.name)
			continue
		}
		o.Figures[s.name] = figures
	}
	return o, ctx.Err()
}

// Names of the variants that others are compared with.
const (
	present = "current configuration"
	fixed   = "current configuration, best fixed slowstart"
	tunedCS = "tuned Capacity Scheduler"
	advice  = tunedCS + ", shares and labels of the allocation"

	presentAdvice = present + ", shares and labels of the allocation"
)

// allowPriorities lifts the cluster's bound of application priorities, which batch finish
// works by and nothing else here.
func allowPriorities(c *forecast.Case) error {
	doc, err := c.Now.Doc.EditValid([]yarnconf.Change{{Key: "yarn.cluster.max-application-priority", Value: "10"}})
	c.Now.Doc, c.Next.Doc = doc, doc
	return err
}

// setups lists the variants.
func (r *Request) setups(now, next *scenario.Case, tuned setup, slowstart float64) ([]setup, error) {
	list := []setup{
		{name: present, slowstart: -1},
		{name: fixed, slowstart: slowstart},
		{name: tunedCS, changes: tuned.changes, slowstart: tuned.slowstart},
	}
	for _, p := range policies {
		if p.onPresent {
			list = append(list, setup{name: present + ", " + p.name, spec: simulate.Capacity + ":" + p.spec,
				slowstart: slowstart})
		}
		list = append(list, setup{name: tunedCS + ", " + p.name, spec: simulate.Capacity + ":" + p.spec,
			changes: tuned.changes, slowstart: tuned.slowstart})
	}
	for _, base := range []struct {
		name    string
		changes []yarnconf.Change
		start   float64
	}{{presentAdvice, nil, slowstart}, {advice, tuned.changes, tuned.slowstart}} {
		other, err := advise(now, next, base.changes)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", base.name, err)
		}
		if other != nil {
			list = append(list, setup{name: base.name, slowstart: base.start, other: other})
		}
	}
	return list, nil
}

// policies are the papers' rules on YARN.
var policies = []struct {
	name, spec string
	onPresent  bool
}{
	{"OMO lazy start", "reduces=omo", true},
	{"OMO lazy start and batch finish", "reduces=omo,batch=true", true},
	{"Coupling mismatch", "reduces=coupling", true},
	{"Coupling peeking", "peek=true", false},
	{"Coupling peeking, beta 0.1", "peek=true,beta=0.1", false},
	{"Coupling peeking, beta 0.5", "peek=true,beta=0.5", false},
	{"guard, naive Bayes", "guard=bayes", false},
	{"guard, perceptron", "guard=perceptron", false},
	{"guard, load limit alone", "guard=limit", false},
}

// options are those of every run.
func options(spec string) simulate.Options {
	return simulate.Options{Scheduler: spec, Model: simcore.Resources, Jitter: simulate.Replications()}
}

// search tunes the queue file and the slowstart for the mean completion time.
func (r *Request) search(ctx context.Context, c *scenario.Case, seed uint64) (setup, error) {
	space, _, err := study.NewSpace(c, nil)
	if err != nil {
		return setup{}, err
	}
	runner, err := simulate.New(c, options(""))
	if err != nil {
		return setup{}, err
	}
	evaluate := func(ctx context.Context, it tune.Item) tune.Outcome {
		changes, _ := space.Changes(it.Settings)
		res, err := runner.Run(ctx, simulate.Item{Changes: changes, Slowstart: space.SlowstartOf(it.Settings), Seed: it.Seed})
		if err != nil {
			return tune.Outcome{Err: err.Error()}
		}
		return tune.Outcome{Metrics: map[string]float64{metrics[0]: simulate.Value(res, metrics[0])}, Lost: res.Lost()}
	}
	res, err := tune.Search(ctx, tune.Problem{Name: c.Work.Name, Space: space.Space,
		Objectives: []tune.Objective{{Metric: metrics[0]}},
		Evaluator:  tune.Pool(1, evaluate)}, tune.Options{Budget: r.Budget, Seed: seed, Threads: 1})
	if err != nil {
		return setup{}, err
	}
	changes, _ := space.Changes(res.Best.Settings)
	return setup{changes: changes, slowstart: space.SlowstartOf(res.Best.Settings)}, nil
}

// bestSlowstart is the tried value with the least mean completion time on three seeds.
func bestSlowstart(ctx context.Context, c *scenario.Case, changes []yarnconf.Change, tried []float64, seed uint64) (
	float64, error) {
	runner, err := simulate.New(c, options(""))
	if err != nil {
		return 0, err
	}
	best, least := tried[0], 0.0
	for i, s := range tried {
		sum := 0.0
		for k := range uint64(3) {
			res, err := runner.Run(ctx, simulate.Item{Changes: changes, Slowstart: s, Seed: seed + k})
			if err != nil { // locked, which is as bad as can be
				sum = math.Inf(1)
				break
			}
			sum += simulate.Value(res, metrics[0])
		}
		if i == 0 || sum < least {
			best, least = s, sum
		}
	}
	return best, nil
}

// freshSeed is the first of the seeds that no choice has seen.
const freshSeed = 1 << 50

// play runs a variant on the next period.
func play(ctx context.Context, next *scenario.Case, s setup) ([][]float64, error) {
	if s.other != nil {
		next = s.other
	}
	runner, err := simulate.New(next, options(s.spec))
	if err != nil {
		return nil, err
	}
	out := make([][]float64, len(metrics))
	for i := range uint64(replication) {
		res, err := runner.Run(ctx, simulate.Item{Changes: s.changes, Slowstart: s.slowstart, Seed: freshSeed + i})
		if err != nil {
			return nil, err
		}
		for m, name := range metrics {
			out[m] = append(out[m], simulate.Value(res, name))
		}
	}
	return out, nil
}
