// Package mr1 is the Hadoop 1 runtime: a JobTracker that hands out slots on
// heartbeats, and the contract of its schedulers (Scheduler).
//
//	s, err := sched.New("fair", sched.Options{Seed: 1}) // or any type with the method Pick
//	var cfg mr1.Config
//	cfg.Seed = 1
//	result, err := mr1.Run(cfg, cluster, workload, s)
//	makespan, ok := result.Value("makespan")            // seconds
//
// A Sim keeps its memory from run to run. Equal inputs and seed give equal runs. A pick that
// is not pending or does not fit ends the run with a *PickError, work that nobody launches
// with ErrStalled. What the package is not: YARN, which is simcore/yarn.
package mr1

import (
	"context"
	"fmt"

	"schedtune/internal/rng"
	"schedtune/simcore"
	"schedtune/simcore/internal/kernel"
)

// Sim is the Hadoop 1 runtime: a JobTracker, task trackers with slots and
// heartbeats. It owns all memory of a run and reuses it for the next one, so a
// worker that evaluates many configurations keeps one Sim. A Sim is not safe
// for concurrent use; a Cluster and a Workload may be shared by many.
type Sim struct {
	cfg     Config
	cluster *simcore.Cluster
	work    *simcore.Workload
	view    View

	scheduling
	clock

	jobs    []jobState
	nodes   []nodeState
	slots   []slotState
	more    []slotMore       // by slot
	nodeOf  []simcore.NodeID // by slot
	slotAt  []int32          // first slot by rank, and the number of slots
	active  jobList
	waiting [2]jobList

	totals
	idleState
	taskState

	rec  kernel.Recorder
	dur  kernel.Durations
	exec *kernel.Exec

	execOn bool
	beatState
}

// scheduling is the scheduler and the optional methods that it has; nil where it lacks one.
type scheduling struct {
	sched    Scheduler
	observer Observer
	beater   Beater
	gate     Gate
	ticker   Ticker
	sleeper  Sleeper
	asleep   bool // ticks are left out
	preempt  Preempter
	placer   Placer
	admitter Admitter
	watched  uint32 // kinds of event somebody wants, as bits
}

// clock is the time of the run and what comes next.
type clock struct {
	now       simcore.Time
	beat      int64
	period    simcore.Time
	perPeriod float64     // 1 / period
	control   kernel.Tree // of events that are not a node's
	tree      kernel.Tree // one leaf per node, by rank: the earliest event of its slots
	idle      idleRing
	err       error
}

// totals are counts over all jobs and nodes, and how far the run has come.
type totals struct {
	totalPending [2]int32
	totalRunning [2]int32
	totalFree    [2]int32 // by pool of slots
	totalSlots   [2]int32 // by pool of slots, living nodes

	arrived, readied int // cursors into Workload.Jobs
	left             int // unfinished jobs
	lastLaunch       simcore.Time
}

// idleState is what decides which heartbeats of idle nodes are simulated.
type idleState struct {
	idleDirty bool
	restless  bool         // idle heartbeats may matter though no task is ready
	idleAt    simcore.Time // the idle heartbeats done up to here: time and rank
	idleRank  int32
	idleNext  int32 // rank of the idle heartbeat in the tree
}

// taskState is what is known of single tasks, and what can befall them.
type taskState struct {
	detail  bool // tasks are tracked singly
	plain   bool // nothing but task times and a fixed latency decides when a map ends
	task    []uint8
	failed  []uint8 // failed attempts by task
	where   []int32 // node that finished a map
	place   placement
	rates   []float64 // scratch of speculation
	latency rng.Key
	mishap  rng.Key
}

// beatState is the state of the heartbeat that is being handled, and scratch space.
type beatState struct {
	wide      bool     // the nodes' state is larger than a core's cache
	expected  [2]int32 // ranks of the next two heartbeats, as lookAhead guessed them
	over      []int32
	scratch   []Attempt
	beating   *nodeState   // whose heartbeat is being handled; its leaf is written at the end
	soonest   simcore.Time // of that node's events then
	recount   bool         // one was withdrawn: soonest has to be looked for
	lastEnded int32        // slot
	pickAny   bool         // the kernel chose the task being launched, of locality pickLoc
	pickLoc   simcore.Locality
}

// NewSim returns a simulator that can be run many times.
func NewSim() *Sim {
	s := &Sim{}
	s.view.s = s
	return s
}

// Run simulates one workload on a cluster under a scheduler.
func Run(cfg Config, c *simcore.Cluster, w *simcore.Workload, sched Scheduler) (*simcore.Result, error) {
	return NewSim().Run(cfg, c, w, sched)
}

// Run simulates one workload on a cluster under a scheduler. The scheduler
// must be fresh. The workload ends when its last job does.
func (s *Sim) Run(cfg Config, c *simcore.Cluster, w *simcore.Workload, sched Scheduler) (*simcore.Result, error) {
	return s.RunContext(context.Background(), cfg, c, w, sched)
}

// RunContext is Run that ends with the error of the context soon after that ends.
func (s *Sim) RunContext(ctx context.Context, cfg Config, c *simcore.Cluster, w *simcore.Workload,
	sched Scheduler) (*simcore.Result, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	if err := simcore.Validate(c, w); err != nil {
		return nil, err
	}
	if sched == nil {
		return nil, fmt.Errorf("mr1: no scheduler is given")
	}
	cfg.setDefaults(len(c.Nodes))
	s.reset(cfg, c, w, sched)
	if st, ok := sched.(Starter); ok {
		st.Start(&s.view)
	}
	if err := s.loop(ctx); err != nil {
		return nil, fmt.Errorf("mr1: workload %q, seed %d: %w", w.Name, cfg.Seed, err)
	}
	return s.result(), nil
}

func (s *Sim) result() *simcore.Result {
	slots := simcore.Vec{}
	for i := range s.slots {
		slots[s.slots[i].pool]++
	}
	r := s.rec.Result(slots, s.now)
	r.Beats = s.beat
	r.Occupy(s.cluster)
	if s.execOn {
		r.Traffic = s.exec.Served()
	}
	return r
}

func (s *Sim) loop(ctx context.Context) error {
	until := min(s.cfg.Until, s.tree.Limit()-1)
	for events := 1; s.left > 0 && s.err == nil; events++ {
		if events%kernel.ContextEvery == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		leaf, at, _ := s.control.Next()
		rank, nodeAt, _ := s.tree.Next()
		if next := min(at, nodeAt); next == simcore.Never {
			return s.stalled()
		} else if next > until {
			return fmt.Errorf("%w: %.0f s", ErrHorizon, until.Seconds())
		}
		if s.wide && nodeAt < at {
			s.lookAhead(rank, nodeAt)
		}
		switch {
		case at <= nodeAt:
			s.now = at
			s.handle(leaf)
		case s.execOn:
			s.now = nodeAt
			s.nodeDue(rank)
		default:
			s.now = nodeAt
			s.heartbeat(rank)
		}
		if s.asleep && !s.sleeper.Sleeps() {
			s.wake(at <= nodeAt && leaf < leafTick)
		}
		if s.idleDirty {
			s.armIdle()
		}
	}
	return s.err
}

// wake sets the next tick, as if none had been left out; now: one at this time is still to come.
func (s *Sim) wake(now bool) {
	period := max(s.ticker.Period(), 1)
	next := (s.now + period - 1) / period * period
	if next == s.now && !now {
		next += period
	}
	s.asleep = false
	s.control.Set(leafTick, next)
	s.lastLaunch = s.now // the ticks left out would have seen what ran
}

func (s *Sim) handle(leaf int32) {
	switch leaf {
	case leafArrival:
		s.arrivals()
	case leafReady:
		s.initialised()
	case leafExec:
		s.execute()
	case leafTick:
		s.tick()
	case leafIdle:
		s.idleBeat()
	}
}

// tell hands an event to whoever watches its kind.
func (s *Sim) tell(e Event) {
	if s.watched>>e.Kind&1 != 0 {
		s.told(e)
	}
}

// tellJob tells an event of a job.
func (s *Sim) tellJob(k EventKind, j simcore.JobID) {
	s.tell(Event{Kind: k, Node: simcore.None, Task: simcore.Task{Job: j, Index: simcore.AnyTask}})
}

// told is tell of an event that is watched.
func (s *Sim) told(e Event) {
	if s.cfg.Trace != nil {
		s.cfg.Trace(s.now, e)
	}
	if s.observer != nil {
		s.observer.Observe(&s.view, e)
	}
}

// stalled says what is stuck.
func (s *Sim) stalled() error {
	return fmt.Errorf("%w (scheduler %s at %.3f s: %d jobs unfinished, pending %d maps and %d reduces, running %d and "+
		"%d, free slots %d and %d)",
		ErrStalled, schedulerName(s.sched), s.now.Seconds(), s.left, s.totalPending[simcore.Map],
		s.totalPending[simcore.Reduce],
		s.totalRunning[simcore.Map], s.totalRunning[simcore.Reduce], s.totalFree[0], s.totalFree[1])
}

// checkStall ends the run when nothing runs towards an end and nothing has
// been launched for too long.
func (s *Sim) checkStall() {
	if s.now-s.lastLaunch <= s.cfg.Stall || s.err != nil ||
		s.totalPending[simcore.Map]+s.totalPending[simcore.Reduce] == 0 {
		return
	}
	for i := range s.slots {
		if s.slots[i].job != simcore.None && (s.slots[i].at != simcore.Never || s.works(int32(i))) {
			s.lastLaunch = s.now // something will end: wait as long again
			return
		}
	}
	s.err = s.stalled()
}

func (s *Sim) works(i int32) bool {
	return s.execOn && s.exec.Running(i) && !s.exec.Asleep(i)
}

func (s *Sim) tick() {
	if s.readied > 0 || s.arrived > 0 {
		s.ticker.Tick(&s.view)
		s.idleDirty = true
	}
	next := s.now + max(s.ticker.Period(), 1)
	if s.sleeper != nil && s.sleeper.Sleeps() {
		s.asleep, next = true, simcore.Never
	}
	s.control.Set(leafTick, next)
	s.checkStall()
}
