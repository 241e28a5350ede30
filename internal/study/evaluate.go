package study

import (
	"context"
	"fmt"
	"math"
	"sync"

	"schedtune/simcore"
	"schedtune/simcore/sched/capacity"
	"schedtune/simcore/yarn"
	"schedtune/tune"
	"schedtune/yarnconf"
)

// Runner turns settings and a seed into a simulation. It is safe for
// concurrent use: each run takes a simulator from a pool, and equal items give
// equal results on any of them.
type Runner struct {
	c       *Case
	space   *Space
	windows []*simcore.Workload
	jitter  yarn.Jitter
	metrics []string
	pools   []sync.Pool // one per window, of *yarn.Sim
	room    *room       // that candidates must leave

	mu       sync.Mutex
	compiled map[string]*yarnconf.Config // by the settings' key
}

// NewRunner prepares runs over the windows of a case (at least one). metrics
// are what an Outcome holds.
func NewRunner(c *Case, space *Space, windows []*simcore.Workload, metrics []string) *Runner {
	return &Runner{c: c, space: space, windows: windows, jitter: Spread(c), metrics: metrics,
		pools: make([]sync.Pool, len(windows)), compiled: map[string]*yarnconf.Config{}}
}

// Metrics are the names of all that an outcome may hold.
func (r *Runner) Metrics() []string { return r.metrics }

// Outcome is one run for the search.
func (r *Runner) Outcome(ctx context.Context, it tune.Item) tune.Outcome {
	res, err := r.Simulate(it.Settings, it.Seed, it.Window, nil)
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
	return tune.Outcome{Metrics: m, Lost: res.Lost()}
}

// Simulate runs settings with a seed on a window; watch, which may be nil, is told of every container that comes or goes.
func (r *Runner) Simulate(set tune.Settings, seed uint64, window int, watch func(simcore.Time, yarn.ContainerChange)) (*simcore.Result, error) {
	conf, err := r.config(set)
	if err != nil {
		return nil, err
	}
	sched, err := capacity.New(conf)
	if err != nil {
		return nil, err
	}
	sim, _ := r.pools[window].Get().(*yarn.Sim)
	if sim == nil {
		if sim, err = yarn.NewSim(r.c.Cluster, r.windows[window], yarn.Options{ScheduleCPU: conf.Calculator.Dominant}); err != nil {
			return nil, err
		}
	}
	defer r.pools[window].Put(sim)
	return sim.Run(yarn.RunConfig{Seed: seed, Slowstart: r.space.SlowstartOf(set), Calibration: r.c.Calibration, Jitter: r.jitter, PreemptEvery: yarn.PreemptionInterval(conf.Preemption.Enabled, conf.Preemption.MonitoringInterval), Trace: watch}, sched)
}

// config evaluates the queue file with the settings, once per settings.
func (r *Runner) config(set tune.Settings) (*yarnconf.Config, error) {
	changes, _ := r.space.Changes(set)
	key := fmt.Sprint(changes)
	r.mu.Lock()
	defer r.mu.Unlock()
	if conf := r.compiled[key]; conf != nil {
		return conf, nil
	}
	doc, err := r.c.Doc.EditValid(changes)
	if err != nil {
		return nil, err
	}
	conf, errs := yarnconf.Evaluate(doc)
	if len(errs) > 0 {
		return nil, errs[0]
	}
	if len(r.compiled) >= 4096 { // a long search must not grow without end
		clear(r.compiled)
	}
	r.compiled[key] = conf
	return conf, nil
}
