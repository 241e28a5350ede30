package study

import (
	"context"
	"math"
	"slices"
	"strings"

	"schedtune/internal/scenario"
	"schedtune/internal/simulate"
	"schedtune/simcore"
	"schedtune/tune"
)

// Runner turns settings and a seed into a simulation run. It is safe for
// concurrent use.
type Runner struct {
	*simulate.Runner
	space   *Space
	metrics []string
	room    *Room    // that candidates must leave
	parts   []*parts // of an outcome; nil = none
}

// slowdown ends the names of the metrics that need the times of jobs alone on the
// idle cluster.
const slowdown = "bounded-slowdown"

// slowdowns reports whether metrics need them.
func slowdowns(metrics []string) bool {
	return slices.ContainsFunc(metrics, func(m string) bool { return strings.HasSuffix(m, slowdown) })
}

// NewRunner prepares runs over the windows of a case (at least one). metrics
// are what an Outcome holds.
func NewRunner(c *scenario.Case, space *Space, windows []*simcore.Workload, metrics []string) (*Runner, error) {
	return newRunner(c, space, simulate.Options{Windows: windows}, metrics)
}

func newRunner(c *scenario.Case, space *Space, opt simulate.Options, metrics []string) (*Runner, error) {
	opt.Jitter = simulate.Replications()
	opt.Slowdowns = slowdowns(metrics)
	r, err := simulate.New(c, opt)
	if err != nil {
		return nil, err
	}
	return &Runner{Runner: r, space: space, metrics: metrics}, nil
}

// Metrics are the names of all that an outcome may hold.
func (r *Runner) Metrics() []string { return r.metrics }

// Outcome is one run for the search.
func (r *Runner) Outcome(ctx context.Context, it tune.Item) tune.Outcome {
	return r.outcome(r.Run(ctx, r.item(it.Settings, it.Seed, it.Window)))
}

// outcome returns what a search keeps of a run.
func (r *Runner) outcome(res *simcore.Result, err error) tune.Outcome {
	if err != nil {
		return tune.Outcome{Err: err.Error()}
	}
	m := make(map[string]float64, len(r.metrics))
	for _, name := range r.metrics {
		v, err := res.Value(name)
		if err != nil {
			return tune.Outcome{Err: err.Error()}
		}
		if !math.IsNaN(v) { // nothing of the kind in this window
			m[name] = v
		}
	}
	o := tune.Outcome{Metrics: m, Lost: res.Lost()}
	for _, p := range r.parts {
		o.Parts = append(o.Parts, p.of(res)...)
	}
	return o
}

// Simulate runs settings with a seed on a window; watch, which may be nil, is
// told of every container that comes or goes.
func (r *Runner) Simulate(ctx context.Context, set tune.Settings, seed uint64, window int,
	watch func(simulate.Change)) (*simcore.Result, error) {
	it := r.item(set, seed, window)
	it.Watch = watch
	return r.Run(ctx, it)
}

// item is the run of settings with a seed on a window.
func (r *Runner) item(set tune.Settings, seed uint64, window int) simulate.Item {
	changes, _ := r.space.Changes(set)
	return simulate.Item{Changes: changes, Slowstart: r.space.SlowstartOf(set), Defaults: r.space.DefaultsOf(set),
		Seed: seed, Window: window}
}
