package yarn

import (
	"context"
	"errors"
	"fmt"
	"math/bits"

	"schedtune/simcore"
	"schedtune/simcore/internal/kernel"
)

// Purposes of random draws, one stream each. A draw is a function of the run's seed, the
// purpose and a number (of a node, job, attempt), so that a changed setting shifts nobody
// else's. The order stays: histories of seeds go by it.
const (
	drawPhase          = iota + 0x59a0 // phase of a node's heartbeats
	drawSubmit                         // latency of a client's submission
	drawArrival                        // shift of a submission between replications
	drawMaster                         // latency of a master's start
	drawLaunch                         // latencies of launches; of Spark all latencies
	drawWork                           // work of submissions, masters and launches
	drawExit                           // latencies of exits and kills
	drawShuffle                        // latencies around a shuffle
	drawCommit                         // latencies of a job's end
	drawAttemptFailure                 // which attempts fail, and when
	drawNodeFailure                    // when a node fails
	drawRound                          // first node of an asynchronous round
	drawMonitor                        // readings of the preemption monitor's clock
	drawSpot                           // life of a spot instance
	drawLosses                         // which node of a kind is lost
	drawLook                           // phase of the looks for missed heartbeats
	drawWarm                           // phase of a running master's heartbeats
)

// Sim simulates runs of one workload on one cluster. It is reused from run to run and
// keeps its memory; one goroutine at a time may use it. Its state stands in groups by
// concern, most of them in state.go.
type Sim struct {
	// Of all runs.
	cluster *simcore.Cluster // with the nodes that may join
	work    *simcore.Workload
	opt     Options
	plan    plan

	// What the run at hand is.
	cfg   RunConfig
	sched Scheduler
	traits
	abilities
	latencies

	// Where it stands.
	tree  kernel.Tree // all events to come
	now   simcore.Time
	leaf  int32        // owner of the event at hand: orders equal times
	bound simcore.Time // up to here events need no look at the horizon and at changes
	alarm simcore.Time // up to here watch has nothing to look at
	leaves
	liveness

	// What takes how long.
	durs   kernel.Durations
	exec   *kernel.Exec // the resource model's; kept for further runs
	execOn bool         // the run is of the resource model
	over   []int32      // slots of attempts that exec has just ended

	rec kernel.Recorder // metrics

	jobTables
	taskTables
	nodeTables
	timers
	scratch
}

// Leaves of the event tree. Behind the fixed ones come those of shared cores, of nodes and
// of slots. Events of one instant happen in this order.
const (
	arrivalLeaf = 0 // submissions
	roundLeaf   = 1 // preemption rounds
	execLeaf    = 2 // ends of work on shared resources
	updateLeaf  = 3 // updates of the scheduler
	roundsLeaf  = 4 // asynchronous rounds
	keepLeaf    = 5 // policies for queues made on first use
	sortLeaf    = 6 // sorting of nodes
	policyLeaf  = 7 // windows of policies
	nodesLeaf   = 8 // nodes that come and go
	fixedLeaves = 9
)

// cpuLeaf is the leaf of a set of shared cores.
func (s *Sim) cpuLeaf(i int) int32 { return fixedLeaves + int32(i) }

// nodeLeaf is the leaf of a node.
func (s *Sim) nodeLeaf(n int32) int32 { return s.firstNode + n }

// slotLeaf is the leaf of a slot.
func (s *Sim) slotLeaf(sl int32) int32 { return s.firstSlot + sl }

// NewSim prepares a workload for runs on a cluster. Both are shared and stay unchanged.
// Errors name the node or job and what is allowed.
func NewSim(c *simcore.Cluster, w *simcore.Workload, opt Options) (*Sim, error) {
	if c == nil || w == nil {
		return nil, errors.New("yarn: no cluster or no workload is given")
	}
	el, err := newElastic(c)
	if err != nil {
		return nil, err
	}
	if el != nil {
		c = c.Whole()
	}
	s := &Sim{cluster: c, work: w, opt: opt, liveness: liveness{patience: uselessSpan}, nodeTables: nodeTables{elastic: el}}
	if err := s.plan.build(c, w, &opt); err != nil {
		return nil, err
	}
	if err := s.planSpark(); err != nil {
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

// Run simulates one run, to the end of the last job. The scheduler must be fresh: nothing
// registered. Errors: a setting out of range; what scheduler and cluster cannot do together;
// a run that stalls, or that goes beyond the horizon, with the
// job and what it waits for.
func (s *Sim) Run(cfg RunConfig, sched Scheduler) (*simcore.Result, error) {
	return s.RunContext(context.Background(), cfg, sched)
}

// RunContext is Run that ends with the error of the context soon after that ends.
func (s *Sim) RunContext(ctx context.Context, cfg RunConfig, sched Scheduler) (*simcore.Result, error) {
	if sched == nil {
		return nil, fmt.Errorf("yarn: no scheduler is given")
	}
	s.hinter, _ = sched.(Hinter)
	s.updater, _ = sched.(Updater)
	s.killer, _ = sched.(Killer)
	s.holder, _ = sched.(Holder)
	s.armed = false
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

// loop makes one event after the other until all jobs have ended.
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
			if s.alarm = s.watch(at); s.alarm < at {
				return s.stalled()
			}
		}
	}
	return s.err
}

// beyond makes the change that is due before the next event, which is at an instant if
// there is one, or says why the run cannot go on.
func (s *Sim) beyond(at simcore.Time, ok bool, horizon simcore.Time) error {
	if !ok {
		if s.hopeless(s.progress) {
			return s.stalled()
		}
		at = simcore.Never // the next switch may let jobs go on
	}
	if at <= s.changes.due {
		return fmt.Errorf("yarn: %d jobs unfinished at the horizon of %v", s.left, horizon.Std())
	}
	return s.changeNow()
}

// rareEvent is the event of a leaf that is no node's and no container's.
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

// watch is called after an event. It returns until when nothing can be amiss, which is
// before the event at which it stalls.
func (s *Sim) watch(at simcore.Time) simcore.Time {
	if since := s.progress; at-since > stallSpan && s.stuck() && s.hopeless(since) {
		return -1
	}
	patience := s.patience + s.changes.patience()
	if at-s.useful > patience && s.livelocked() {
		return -1
	}
	return max(min(s.progress+stallSpan, s.useful+patience), at)
}

// stallSpan is how long heartbeats may go on without anything else happening.
// It is far above every wait the model itself makes (the longest is the AM's
// 300 s before unconditional preemption).
const stallSpan = simcore.Hour

// uselessSpan is how long a run may go on without a task of any job finishing:
// masters that starve each other's maps kill reduces and ask for them again
// without end. It comes on top of the longest recorded task, four times over.
const uselessSpan = 12 * simcore.Hour

// livelocked is asked when no task has finished for longer than the run's
// patience; it reports whether jobs are under way all the same. Otherwise the
// cluster was idle until the next arrival, and the wait begins anew.
func (s *Sim) livelocked() bool {
	if int(s.left) > len(s.arrivals)-int(s.next) {
		return true
	}
	s.useful = s.now
	return false
}

// stuck reports whether nothing but heartbeats is under way.
func (s *Sim) stuck() bool {
	s.progress = s.now
	if int(s.next) < len(s.arrivals) || s.elastic != nil && s.elastic.coming() {
		return false
	}
	for i := range s.cpus {
		if len(s.cpus[i].waiting) > 0 {
			return false
		}
	}
	for j := range s.jobs {
		if s.times[j].Status == Unfinished && s.kindOf(int32(j)).busy(int32(j)) {
			return false
		}
		for _, sl := range s.jobs[j].ords {
			if sl >= 0 && s.slots.all[sl].busy() {
				return false
			}
		}
	}
	return true
}

// stalled names what waits when no event is left, and what for where the scheduler
// can say it.
func (s *Sim) stalled() error {
	for j := range s.jobs {
		if s.times[j].Status == Unfinished {
			return fmt.Errorf("yarn: simulation stalled at %v: %d jobs unfinished, first %q (queue %s, %s)%s",
				s.now.Std(), s.left, s.work.Jobs[j].ID, s.work.Queues[s.work.Jobs[j].Queue], s.kindOf(int32(j)).progress(int32(j)), s.obstacle())
		}
	}
	return fmt.Errorf("yarn: simulation stalled at %v", s.now.Std())
}

// obstacle is what the first application that waits for its master waits for.
func (s *Sim) obstacle() string {
	e, ok := s.sched.(Explainer)
	if !ok {
		return ""
	}
	for j := range s.jobs {
		if s.times[j].Status != Unfinished || s.jobs[j].app < 0 {
			continue
		}
		if why := e.Obstacle(s.jobs[j].app); why != "" {
			return fmt.Sprintf("; job %q waits: %s", s.work.Jobs[j].ID, why)
		}
	}
	return ""
}

// JobTimes returns the instants of the last run's jobs, in workload order.
// They are overwritten by the next run.
func (s *Sim) JobTimes() []JobTimes { return s.times }

// result is what the run came to.
func (s *Sim) result() *simcore.Result {
	total := simcore.Vec{}
	for i := range s.cluster.Nodes {
		if s.elastic == nil || i < s.elastic.base {
			total = total.Add(s.cluster.Nodes[i].Capacity)
		}
	}
	r := s.rec.Result(total, s.now)
	r.Seed, r.Beats = s.cfg.Seed, s.beats
	for i := range r.Jobs {
		t := &s.times[r.Jobs[i].Job]
		r.Jobs[i].Executors, r.Jobs[i].ExecutorTime = t.Executors, t.ExecutorTime
	}
	span := r.End - s.firstSubmit()
	if span > 0 && total[simcore.Memory] > 0 {
		r.Utilisation = s.held.float() / (float64(total[simcore.Memory]) * float64(span))
	}
	nodes, memory, cost := s.paid(r.End-span, r.End)
	r.NodeHours, r.Cost = nodes.float()/float64(simcore.Hour), cost
	if s.elastic != nil && memory != (area{}) {
		r.Utilisation = s.held.float() / memory.float()
	}
	return r
}

// area sums MiB times microseconds: a thousand large nodes exceed 64 bits within
// a day.
type area struct{ hi, lo uint64 }

// add adds so many MiB for so long.
func (a *area) add(mib int64, d simcore.Time) {
	hi, lo := bits.Mul64(uint64(mib), uint64(d))
	var carry uint64
	a.lo, carry = bits.Add64(a.lo, lo, 0)
	a.hi += hi + carry
}

// float is the sum in MiB × microseconds.
func (a *area) float() float64 { return float64(a.hi)*(1<<64) + float64(a.lo) }

// firstSubmit is when the first job was submitted.
func (s *Sim) firstSubmit() simcore.Time {
	first := simcore.Never
	for j := range s.times {
		first = min(first, s.times[j].Submit)
	}
	return first
}
