package yarn

import (
	"context"
	"errors"
	"fmt"

	"schedtune/simcore"
	"schedtune/simcore/internal/kernel"
)

// Purposes of random draws, one stream each. A draw is a function of the run's seed, the
// purpose and a number (of a node, job, attempt), so that a changed setting does not shift other
// draws. The order must not change: histories depend on it.
const (
	drawPhase   = iota + 0x59a0 // phase of a node's heartbeats
	drawSubmit                  // latency of a client's submission
	drawArrival                 // shift of a submission between replications
	drawMaster                  // latency of a master's start
	drawLaunch                  // latencies of launches; of Spark all latencies
	drawWork                    // work of submissions, masters and launches
	drawExit                    // latencies of exits and kills
	drawShuffle                 // latencies around a shuffle
	drawCommit                  // latencies of a job's end
	_
	_
	drawRound   // first node of an asynchronous round
	drawMonitor // readings of the preemption monitor's clock
	drawSpot    // life of a spot instance
	drawLosses  // which node of a kind is lost
	drawLook    // phase of the checks for missed heartbeats
	drawWarm    // phase of a running master's heartbeats
	drawEnd
)

// Sim simulates runs of one workload on one cluster. It keeps its memory from run to run; only one
// goroutine at a time may use it. state.go groups most of its state by topic.
type Sim struct {
	// Of all runs.
	cluster *simcore.Cluster // with the nodes that may join
	work    *simcore.Workload
	opt     Options
	plan    plan

	// The current run.
	cfg   RunConfig
	sched Scheduler
	traits
	abilities
	latencies

	// Its events.
	tree  kernel.Tree // all future events
	now   simcore.Time
	leaf  int32        // owner of the current event: orders equal times
	bound simcore.Time // before, events need no check of the horizon and of changes
	alarm simcore.Time // before, events need no check of progress
	leaves
	liveness

	// Task times.
	durs   kernel.Durations
	exec   *kernel.Exec // of the resource model; kept for further runs
	execOn bool         // the run uses the resource model
	over   []int32      // slots of attempts that exec has just ended

	rec kernel.Recorder // metrics

	jobTables
	taskTables
	nodeTables
	timers
	scratch
}

// Leaves of the event tree. Those of shared cores, of nodes and of slots follow the fixed ones.
// Events of one instant happen in this order.
const (
	arrivalLeaf = iota // submissions
	roundLeaf          // preemption rounds
	execLeaf           // ends of work on shared resources
	updateLeaf         // updates of the scheduler
	roundsLeaf         // asynchronous rounds
	keepLeaf           // policies for dynamic queues
	sortLeaf           // sorting of nodes
	policyLeaf         // windows of policies
	nodesLeaf          // nodes that join and leave
	fixedLeaves
)

// cpuLeaf returns the leaf of a set of shared cores.
func (s *Sim) cpuLeaf(i int) int32 { return fixedLeaves + int32(i) }

// nodeLeaf returns the leaf of a node.
func (s *Sim) nodeLeaf(n int32) int32 { return s.firstNode + n }

// slotLeaf returns the leaf of a slot.
func (s *Sim) slotLeaf(sl int32) int32 { return s.firstSlot + sl }

// NewSim prepares a workload for runs on a cluster. It does not change them; other simulators may
// share them. Errors name the node or job.
func NewSim(c *simcore.Cluster, w *simcore.Workload, opt Options) (*Sim, error) {
	if c == nil || w == nil {
		return nil, errors.New("yarn: no cluster or no workload is given")
	}
	el, err := newElastic(c)
	if err != nil {
		return nil, err
	}
	c = c.Whole()
	s := &Sim{cluster: c, work: w, opt: opt, liveness: liveness{patience: uselessSpan},
		nodeTables: nodeTables{elastic: el}}
	if err := s.plan.build(c, w); err != nil {
		return nil, err
	}
	if err := s.planPrograms(); err != nil {
		return nil, err
	}
	for _, d := range w.Tasks.Duration {
		s.patience = max(s.patience, uselessSpan+4*d)
	}
	if n := len(c.Elastic.Changes); n > 0 {
		s.patience += c.Elastic.Changes[n-1].At // nodes may be long in coming
	}
	return s, nil
}

// Twin returns a simulator of the same workload on the same cluster, for runs beside those of this
// one. Both share what runs do not change.
func (s *Sim) Twin() *Sim {
	e := s.elastic
	t := &Sim{cluster: s.cluster, work: s.work, opt: s.opt, plan: s.plan, liveness: liveness{patience: s.patience},
		nodeTables: nodeTables{elastic: &elastic{plan: e.plan, base: e.base, still: e.still}}}
	if s.spark != nil {
		t.spark = &sparkMaster{plans: s.spark.plans, programs: newPrograms[sparkApp, *sparkApp](t)}
	}
	if s.tez != nil {
		t.tez = &tezMaster{plans: s.tez.plans, programs: newPrograms[tezApp, *tezApp](t)}
	}
	return t
}

// Run simulates one run, to the end of the last job. The scheduler must be fresh, with nothing
// registered. Run returns an error for a setting out of range, for a scheduler that does not
// support the cluster, and for a run that stalls or exceeds the horizon, with the
// first job that waits.
func (s *Sim) Run(cfg RunConfig, sched Scheduler) (*simcore.Result, error) {
	return s.RunContext(context.Background(), cfg, sched)
}

// RunContext is Run that returns the context's error soon after the context ends.
func (s *Sim) RunContext(ctx context.Context, cfg RunConfig, sched Scheduler) (*simcore.Result, error) {
	if sched == nil {
		return nil, fmt.Errorf("yarn: no scheduler")
	}
	if err := s.reset(cfg, sched); err != nil {
		return nil, err
	}
	if s.updater != nil {
		s.armUpdate()
	}
	horizon := s.tree.Limit()
	if s.opt.Horizon > 0 {
		horizon = min(horizon, s.opt.Horizon)
	}
	s.changes.begin(&cfg)
	if err := s.loop(ctx, horizon); err != nil {
		return nil, err
	}
	if r := s.rounds.sched; r != nil && r.Fault() != nil {
		return nil, fmt.Errorf("yarn: %w", r.Fault())
	}
	return s.result(), nil
}

// loop handles one event after the other until all jobs have ended.
func (s *Sim) loop(ctx context.Context, horizon simcore.Time) error {
	s.bound, s.alarm = min(horizon, s.changes.due), -1
	for events := 1; s.left > 0 && s.err == nil; events++ {
		if events%kernel.ContextEvery == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		leaf, at, ok := s.tree.Next()
		if !ok || at > s.bound {
			if err := s.beyond(at, ok, horizon); err != nil {
				return err
			}
			s.bound = min(horizon, s.changes.due)
			continue
		}
		s.now, s.leaf = at, leaf
		switch {
		case leaf >= s.firstSlot:
			s.slotEvent(leaf - s.firstSlot)
		case leaf >= s.firstNode:
			s.nodeBeat(leaf - s.firstNode)
		default:
			s.rareEvent(leaf)
		}
		if s.prefetches {
			s.prefetchRising(leaf)
		}
		if s.updater != nil && !s.armed {
			s.armUpdate()
		}
		if at > s.alarm {
			if s.alarm = s.checkProgress(at); s.alarm < at {
				return s.stalled()
			}
		}
	}
	return s.err
}

// beyond makes the change that is due before the next event, which is at an instant if
// there is one (ok), or returns an error if the run cannot continue.
func (s *Sim) beyond(at simcore.Time, ok bool, horizon simcore.Time) error {
	if !ok {
		if s.hopeless(s.progress) {
			return s.stalled()
		}
		at = simcore.Never // the next switch may let jobs continue
	}
	if at <= s.changes.due {
		return fmt.Errorf("yarn: %d jobs unfinished at the horizon of %v", s.left, horizon.Std())
	}
	return s.changeNow()
}

// rareEvent handles the event of a leaf other than those of nodes and containers.
func (s *Sim) rareEvent(leaf int32) {
	switch {
	case leaf >= fixedLeaves:
		s.cpuEvent(int(leaf) - fixedLeaves)
	case leaf == roundLeaf:
		s.preemptRound()
	case leaf == execLeaf:
		s.execute()
	case leaf == updateLeaf:
		s.update()
	case leaf == roundsLeaf:
		s.round()
	case leaf == keepLeaf:
		s.keepQueues()
	case leaf == sortLeaf:
		s.sort()
	case leaf == policyLeaf:
		s.policyEvent()
	case leaf == nodesLeaf:
		s.nodeSteps()
	default:
		s.arrival()
	}
}

// JobTimes returns the times of the last run's jobs, in workload order.
// The next run overwrites them.
func (s *Sim) JobTimes() []JobTimes { return s.times }

// result returns the result of the run.
func (s *Sim) result() *simcore.Result {
	total := simcore.Vec{}
	for i := range s.elastic.base {
		total = total.Add(s.cluster.Nodes[i].Capacity)
	}
	s.bookStanding()
	r := s.rec.Result(total, s.now)
	r.Beats, r.GuardRefusals, r.Preempted = s.beats, s.policy.refused, s.preempted
	for i := range r.Jobs {
		t := &s.times[r.Jobs[i].Job]
		r.Jobs[i].Executors, r.Jobs[i].ExecutorTime = t.Executors, t.ExecutorTime
	}
	first := simcore.Never
	for j := range s.times {
		if s.work.Jobs[j].Standing == nil {
			first = min(first, s.times[j].Submit)
		}
	}
	span := r.End - first
	if span > 0 && total[simcore.Memory] > 0 {
		r.Utilisation = s.held.float() / (float64(total[simcore.Memory]) * float64(span))
	}
	nodes, memory, cost := s.paid(r.End-span, r.End)
	r.NodeHours, r.Cost = nodes.float()/float64(simcore.Hour), cost
	if !s.elastic.still && memory != (area{}) {
		r.Utilisation = s.held.float() / memory.float()
	}
	return r
}
