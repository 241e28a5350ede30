// Package papers runs the experiments of the five papers on the simulator
// and holds the outcome against the published figures: value, ours, interval,
// verdict. Every table, and every figure whose numbers the papers state, has
// its rows.
//
// Nothing here decides what is simulated: workloads and clusters come from
// package datasets, schedulers from simcore/sched, and what a paper leaves open
// from datasets/assumptions.go.
package papers

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"schedtune/datasets"
	"schedtune/internal/simulate"
	"schedtune/simcore"
	"schedtune/simcore/mr1"
	"schedtune/simcore/sched"
)

// Options sets a reproduction; the zero value is the published set-up.
type Options struct {
	Workers int    // runs at a time; 0 = all cores. The results do not depend on it.
	Seed    uint64 // first seed; replication i uses Seed + i
	// Replications of every experiment; 0 = each experiment's own number.
	Replications int
	// Clock measures scheduling time for the papers that report it, beside the
	// operations that are judged; nil leaves those rows out. Its figures are the only
	// ones that differ between runs.
	Clock func() time.Duration
	// Progress, if set, is told what has been done; it is called from one
	// goroutine at a time.
	Progress func(done int, what string)
}

// runner executes simulations in parallel.
type runner struct {
	ctx    context.Context
	opt    Options
	sims   sync.Pool
	sets   map[string]*datasets.Set
	thesis map[thesisWay]map[int]*thesisRun // by experiment
	coshh  *datasets.CoshhReading
	way    thesisWay                  // how the thesis's experiments are run
	change func(trial) (trial, error) // of an experiment; nil for none
	heap   bool                       // reduces on YARN have heaps as large as their containers
	filled map[string][]Section       // by paper and first section
	mu     sync.Mutex
	done   int
}

func newRunner(ctx context.Context, opt Options) *runner {
	if opt.Workers <= 0 {
		opt.Workers = runtime.GOMAXPROCS(0)
	}
	return &runner{
		coshh: &datasets.CoshhReadings()[0],
		ctx:   ctx, opt: opt, sets: map[string]*datasets.Set{}, filled: map[string][]Section{}, thesis: map[thesisWay]map[int]*thesisRun{},
		sims: sync.Pool{New: func() any { return mr1.NewSim() }},
	}
}

// load returns a data set, built once.
func (r *runner) load(name string) (*datasets.Set, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if s := r.sets[name]; s != nil {
		return s, nil
	}
	s, err := datasets.Load(name)
	if err == nil {
		r.sets[name] = s
	}
	return s, err
}

// trial is one configuration of an experiment: what runs on what.
type trial struct {
	set       *datasets.Set
	pool      bool // one pool of containers, whatever the scheduler
	scheduler string
	queues    *sched.MR1Config // of capacity-mr1; nil for others
	record    bool             // events are recorded
	series    bool             // with the running tasks over time
	timed     bool             // the scheduler's operations are counted, and its time measured with a clock
	shift     uint64           // added to the seeds
}

// outcome is one run.
type outcome struct {
	*simcore.Result
	scheduler mr1.Scheduler
	recording *recording // nil unless asked for
	took      time.Duration
	ops       float64 // operations of the scheduler
	workload  *simcore.Workload
	class     []int32 // for the thesis: class of type i+1
}

// run simulates the trial with one seed.
func (r *runner) run(t *trial, seed uint64) (*outcome, error) {
	spec, err := sched.Parse(t.scheduler)
	if err != nil {
		return nil, err
	}
	o := simulate.SetOptions(t.set)
	o.Seed, o.MR1 = seed, t.queues
	s, err := spec.New(o)
	if err != nil {
		return nil, err
	}
	cfg := t.set.Config
	cfg.Seed, cfg.Pool, cfg.Shares = seed, t.pool || spec.Entry.Pool, o.Grants
	out := &outcome{scheduler: s, workload: t.set.Workload, class: classesByName(t.set.Workload)}
	if t.record {
		out.recording = newRecording(len(t.set.Workload.Jobs), t.series)
		cfg.Trace = out.recording.event
	}
	var timed, counted *schedTime
	if t.timed {
		counted = countOperations(s)
	}
	if r.opt.Clock != nil && t.timed {
		// The clock may be that of a thread.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		timed = measureTime(s, r.opt.Clock)
		s = timed.Scheduler()
	}
	if counted != nil {
		s = counted.Around(s)
	}
	sim := r.sims.Get().(*mr1.Sim)
	defer r.sims.Put(sim)
	if out.Result, err = sim.RunContext(r.ctx, cfg, t.set.Cluster, t.set.Workload, s); err != nil {
		return nil, fmt.Errorf("data set %s, scheduler %s, seed %d: %w", t.set.Name, t.scheduler, seed, err)
	}
	if timed != nil {
		out.took = timed.AllBeats()
	}
	if counted != nil {
		out.ops = float64(counted.AllBeats())
	}
	return out, nil
}

// classesByName lists the classes in the order of their names, as the thesis
// numbers its types.
func classesByName(w *simcore.Workload) []int32 {
	out := make([]int32, len(w.Classes))
	for i := range out {
		out[i] = int32(i)
	}
	slices.SortFunc(out, func(a, b int32) int { return strings.Compare(w.Classes[a], w.Classes[b]) })
	return out
}

// measure runs every trial n times with common seeds and returns
// figure(result) as [trial][replication][figure]. Replications run in
// parallel; their order in the answer is that of the seeds.
func (r *runner) measure(what string, n int, trials []trial, figure func(*outcome) []float64) ([][][]float64, error) {
	n = r.replications(n)
	if r.change != nil {
		trials = slices.Clone(trials)
		for i := range trials {
			var err error
			if trials[i], err = r.change(trials[i]); err != nil {
				return nil, err
			}
		}
	}
	out := make([][][]float64, len(trials))
	for i := range out {
		out[i] = make([][]float64, n)
	}
	err := r.each(len(trials)*n, func(k int) error {
		i, rep := k%len(trials), k/len(trials)
		o, err := r.run(&trials[i], r.opt.Seed+trials[i].shift+uint64(rep))
		if err != nil {
			return err
		}
		out[i][rep] = figure(o)
		return nil
	})
	r.tell(what)
	return out, err
}

// replications is an experiment's number unless the options set one.
func (r *runner) replications(n int) int {
	if r.opt.Replications > 0 {
		return r.opt.Replications
	}
	return n
}

// each calls f(0) to f(n-1) on the workers and returns the error of the
// smallest index.
func (r *runner) each(n int, f func(int) error) error {
	return simulate.Each(r.ctx, n, r.opt.Workers, f)
}

func (r *runner) tell(what string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done++
	if r.opt.Progress != nil {
		r.opt.Progress(r.done, what)
	}
}

// value reads a metric that is known to exist; NaN otherwise.
func value(res *outcome, metric string) float64 {
	v, err := res.Value(metric)
	if err != nil {
		return math.NaN()
	}
	return v
}
