package schedtest

import (
	"fmt"
	"hash/fnv"
	"slices"
	"testing"

	"schedtune/simcore"
	"schedtune/simcore/mr1"
)

// Kit describes a scheduler for the conformance tests.
type Kit struct {
	// New returns a fresh scheduler for one run over the workload and cluster.
	New func(seed uint64, c *simcore.Cluster, w *simcore.Workload) (mr1.Scheduler, error)
	// Pool runs it on dynamic containers.
	Pool bool
	// Configure, if not nil, adapts the run to the scheduler (tracked output, for example).
	Configure func(*mr1.Config)
	// Rejects allows the scheduler not to serve some jobs; a run may then stall.
	Rejects bool
	// AllocsPerTask is the number of allocations that a launched task may cause after
	// warm-up.
	AllocsPerTask float64
	// Seeds is the number of random scenarios of each kind, 0 = 4.
	Seeds int
}

// scenario is a kind of run that every scheduler must pass.
type scenario struct {
	name string
	set  func(*mr1.Config)
}

// scenarios returns the kinds of runs.
func scenarios() []scenario {
	return []scenario{
		{"sampled", func(c *mr1.Config) {}},
		{"latency", func(c *mr1.Config) {
			c.OutOfBand, c.JobInit, c.Launch, c.LaunchJitter = true, 2*simcore.Second, simcore.Second, simcore.Second
		}},
		{"placed", func(c *mr1.Config) { c.Replication, c.OffSwitchFactor = 3, 1.5 }},
		{"resources", func(c *mr1.Config) { c.Model, c.Replication = simcore.Resources, 2 }},
		{"failures", func(c *mr1.Config) {
			c.Replication, c.Failures.Attempt, c.Failures.MaxAttempts = 2, 0.1, 50
		}},
		{"speculation", func(c *mr1.Config) {
			c.StragglerShare, c.StragglerFactor, c.Speculation.On, c.Speculation.After = 0.1, 5, true, 20*simcore.Second
		}},
	}
}

// Conform runs the conformance tests as subtests: safety (only pending tasks are
// launched, capacity is not exceeded, no task is lost or runs twice), liveness (all
// jobs finish, no run stalls), determinism (a seed has one history, traced or not),
// neutrality (names of nodes and jobs do not matter), cost (no allocation per
// task).
func Conform(t *testing.T, k Kit) {
	if k.Seeds == 0 {
		k.Seeds = 4
	}
	for _, sc := range scenarios() {
		t.Run(sc.name, func(t *testing.T) {
			for seed := range uint64(k.Seeds) {
				k.check(t, sc, seed)
			}
		})
	}
	t.Run("allocations", k.checkAllocations)
}

// config returns the configuration of a scenario.
func (k *Kit) config(sc scenario, seed uint64) mr1.Config {
	cfg := mr1.Config{DurationConfig: simcore.DurationConfig{Model: simcore.Sampled, Seed: seed}, Pool: k.Pool}
	sc.set(&cfg)
	if k.Configure != nil {
		k.Configure(&cfg)
	}
	return cfg
}

// check runs a scenario four ways and compares the histories.
func (k *Kit) check(t *testing.T, sc scenario, seed uint64) {
	t.Helper()
	w, c := Mixed(seed, 25), Uniform(6+int(seed), 3, simcore.Vec{3, 2})
	cfg := k.config(sc, seed)
	a := NewAuditor(c, w, k.Pool)
	cfg.Trace = a.Event
	first, err := k.run(cfg, c, w, seed)
	if err != nil {
		if !k.Rejects {
			t.Errorf("seed %d: got error %v, want none", seed, err)
		}
		return
	}
	for _, e := range a.Finish(first) {
		t.Errorf("seed %d: %s", seed, e)
	}
	cfg.Trace = nil
	second, err := k.run(cfg, c, w, seed)
	if err != nil {
		t.Errorf("seed %d, second run: %v", seed, err)
	} else if got, want := Digest(second), Digest(first); got != want {
		t.Errorf("seed %d: got digest %x without tracing, want %x as with it", seed, got, want)
	}
	c, w = renamed(c, w)
	third, err := k.run(cfg, c, w, seed)
	if err != nil {
		t.Errorf("seed %d, other names: %v", seed, err)
	} else if got, want := Digest(third), Digest(first); got != want {
		t.Errorf("seed %d: got digest %x with other names, want %x", seed, got, want)
	}
}

// renamed returns copies whose nodes and jobs have names in another alphabetical order. Queues,
// users and classes keep their names, because schedulers are configured with them.
func renamed(c *simcore.Cluster, w *simcore.Workload) (*simcore.Cluster, *simcore.Workload) {
	d, x := *c, *w
	d.Nodes, x.Jobs = slices.Clone(c.Nodes), slices.Clone(w.Jobs)
	for n := range d.Nodes {
		d.Nodes[n].Name = fmt.Sprintf("host%06d", 999999-n)
	}
	for j := range x.Jobs {
		x.Jobs[j].ID = fmt.Sprintf("task%06d", 999999-j)
		x.Jobs[j].Name = x.Jobs[j].ID
	}
	return &d, &x
}

// run runs a fresh scheduler.
func (k *Kit) run(cfg mr1.Config, c *simcore.Cluster, w *simcore.Workload, seed uint64) (*simcore.Result, error) {
	s, err := k.New(seed, c, w)
	if err != nil {
		return nil, err
	}
	return mr1.Run(cfg, c, w, s)
}

// checkAllocations compares the allocations of a run with those of a run with three times the maps
// in as many jobs.
func (k *Kit) checkAllocations(t *testing.T) {
	c := Uniform(6, 3, simcore.Vec{3, 2})
	sim := mr1.NewSim()
	count := func(w *simcore.Workload) float64 {
		return testing.AllocsPerRun(2, func() {
			s, err := k.New(1, c, w)
			if err == nil {
				_, err = sim.Run(k.config(scenarios()[0], 1), c, w, s)
			}
			if err != nil && !k.Rejects {
				t.Error(err)
			}
		})
	}
	small, large := Mixed(1, 20), Mixed(1, 20)
	for j := range large.Jobs {
		large.Jobs[j].Maps *= 3
	}
	tasks := float64(Tasks(large) - Tasks(small))
	if extra := count(large) - count(small); extra > k.AllocsPerTask*tasks+50 {
		t.Errorf("%.0f more tasks: got %.0f more allocations, want at most %.2f each", tasks, extra, k.AllocsPerTask)
	}
}

// Digest returns a hash of a result; equal histories have equal digests.
func Digest(r *simcore.Result) uint64 {
	h := fnv.New64a()
	for i := range r.Jobs {
		fmt.Fprintln(h, r.Jobs[i])
	}
	fmt.Fprintln(h, r.Total, r.Fairness, r.Dissatisfaction, r.End, r.Launches)
	return h.Sum64()
}

// Auditor checks the events of a run against its own counts. Its Event goes into Config.Trace.
type Auditor struct {
	c      *simcore.Cluster
	w      *simcore.Workload
	pool   bool
	on     [][2]int64
	state  map[simcore.Task]*taskAudit
	errors []string
}

// taskAudit counts the attempts of a task.
type taskAudit struct {
	running, done int
}

// NewAuditor returns an auditor for one run.
func NewAuditor(c *simcore.Cluster, w *simcore.Workload, pool bool) *Auditor {
	return &Auditor{c: c, w: w, pool: pool, on: make([][2]int64, len(c.Nodes)), state: map[simcore.Task]*taskAudit{}}
}

// errorf records one of the first five errors.
func (a *Auditor) errorf(at simcore.Time, format string, args ...any) {
	if len(a.errors) < 5 {
		a.errors = append(a.errors, fmt.Sprintf("%.3f s: ", at.Seconds())+fmt.Sprintf(format, args...))
	}
}

// Event handles one event.
func (a *Auditor) Event(at simcore.Time, e mr1.Event) {
	switch e.Kind {
	case mr1.TaskStarted:
		a.started(at, e)
	case mr1.TaskFinished, mr1.TaskFailed, mr1.TaskKilled:
		a.ended(at, e)
	}
}

// task returns the counts of a task.
func (a *Auditor) task(t simcore.Task) *taskAudit {
	s := a.state[t]
	if s == nil {
		s = &taskAudit{}
		a.state[t] = s
	}
	return s
}

// started checks the launch of an attempt.
func (a *Auditor) started(at simcore.Time, e mr1.Event) {
	s, on, slots := a.task(e.Task), &a.on[e.Node], a.c.Nodes[e.Node].Slots
	on[e.Task.Kind]++
	over := on[0] > slots[0] || on[1] > slots[1]
	if a.pool {
		over = on[0]+on[1] > slots[0]+slots[1]
	}
	if over {
		a.errorf(at, "node %d runs %d maps and %d reduces on slots %v", e.Node, on[0], on[1], slots)
	}
	if s.running++; s.done > 0 || s.running > 2 {
		a.errorf(at, "%s %d of job %d starts while %d run and %d are done", e.Task.Kind, e.Task.Index, e.Task.Job,
			s.running-1, s.done)
	}
	if at < a.w.Jobs[e.Task.Job].Submit {
		a.errorf(at, "job %d runs before its submission", e.Task.Job)
	}
}

// ended checks the end of an attempt.
func (a *Auditor) ended(at simcore.Time, e mr1.Event) {
	s := a.task(e.Task)
	a.on[e.Node][e.Task.Kind]--
	if s.running--; s.running < 0 {
		a.errorf(at, "%s %d of job %d ends without having started", e.Task.Kind, e.Task.Index, e.Task.Job)
	}
	if e.Kind == mr1.TaskFinished {
		if s.done++; s.done > 1 {
			a.errorf(at, "%s %d of job %d finishes twice", e.Task.Kind, e.Task.Index, e.Task.Job)
		}
	}
}

// Finish returns the errors of the run, with tasks that did not finish and jobs that did not end.
func (a *Auditor) Finish(r *simcore.Result) []string {
	for n, on := range a.on {
		if on != [2]int64{} {
			a.errorf(r.End, "node %d still runs %v", n, on)
		}
	}
	for i := range r.Jobs {
		a.finishJob(r, &r.Jobs[i])
	}
	return a.errors
}

// finishJob checks that a job ended and each of its tasks finished once.
func (a *Auditor) finishJob(r *simcore.Result, j *simcore.JobResult) {
	if j.Finish == simcore.Never {
		a.errorf(r.End, "job %d did not end", j.Job)
	}
	if j.Failed {
		return
	}
	for k, n := range [2]int32{a.w.Jobs[j.Job].Maps, a.w.Jobs[j.Job].Reduces} {
		for i := range n {
			t := simcore.Task{Job: j.Job, Kind: simcore.Kind(k), Index: i}
			if a.task(t).done != 1 {
				a.errorf(r.End, "%s %d of job %d is done %d times", t.Kind, i, j.Job, a.task(t).done)
			}
		}
	}
}
