package simcore

import (
	"fmt"

	"schedtune/internal/rng"
)

// Sim is the Hadoop 1 runtime: a JobTracker, task trackers with slots and
// heartbeats. It owns all memory of a run and reuses it for the next one, so a
// worker that evaluates many configurations keeps one Sim. A Sim is not safe
// for concurrent use; a Cluster and a Workload may be shared by many.
type Sim struct {
	cfg     Config
	cluster *Cluster
	work    *Workload
	view    View

	sched    Scheduler
	observer Observer
	beater   Beater
	gate     Gate
	ticker   Ticker
	preempt  Preempter
	placer   Placer
	admitter Admitter
	watched  uint32 // kinds of event somebody wants, as bits

	now       Time
	beat      int64
	period    Time
	perPeriod float64 // 1 / period
	tree      Tree
	idle      idleRing
	err       error

	jobs      []jobState
	nodes     []nodeState
	slots     []slotState
	more      []slotMore // by slot
	nodeOf    []NodeID   // by slot
	firstSlot []int32    // by rank of node, one more at the end
	active    jobList
	waiting   [2]jobList
	links     [2]linkOf

	totalPending [2]int32
	totalRunning [2]int32
	totalFree    [2]int32 // by pool of slots
	totalSlots   [2]int32 // by pool of slots, living nodes

	arrived, readied int // cursors into Workload.Jobs
	left             int // unfinished jobs
	nodesDown        int32
	lastLaunch       Time

	idleDirty bool
	idleAt    Time // the idle heartbeats done up to here: time and rank
	idleRank  int32
	idleNext  int32 // rank of the idle heartbeat in the tree

	detail  bool // tasks are tracked singly
	plain   bool // nothing but task times and a fixed latency decides when a map ends
	task    []uint8
	failed  []uint8 // failed attempts by task
	where   []int32 // node that finished a map
	place   placement
	spec    speculation
	faults  nodeFailures
	latency rng.Key
	mishap  rng.Key

	rec  Recorder
	dur  Durations
	exec *Exec

	execOn    bool
	over      []int32
	scratch   []Attempt
	beating   NodeID // whose heartbeat is being handled
	lastEnded int32  // slot
	pickAny   bool   // the kernel chose the task being launched, of locality pickLoc
	pickLoc   Locality
}

// Leaves of the event tree; one per node follows, for the earliest event of
// its slots. Equal times are served in this order.
const (
	leafArrival = iota
	leafReady
	leafExec
	leafFailure
	leafTick
	leafIdle
	nodeLeaf
)

type jobState struct {
	pending, running, done [2]int32
	tasks                  [2]int32 // as in the workload
	fresh                  [2]int32 // no task below it is pending
	active                 link
	waiting                [2]link
	took                   [2]Time
	task                   int32 // of its first map in the per-task slices
	user                   int32
	parked                 int32 // first of the reduces that wait for the last map, a slot
	phase                  jobPhase
}

type jobPhase uint8

const (
	jobFuture jobPhase = iota
	jobInit
	jobActive
	jobDone
)

type nodeState struct {
	free     [2]int32 // by pool of slots
	running  [2]int32 // by kind
	lastBeat Time
	phase    Time  // of its heartbeats
	has      uint8 // pools with a free slot, as noted in the idle ring
	lost     bool  // the JobTracker knows it is dead
	dead     bool
}

// slotState is what every event of a slot touches: 32 bytes.
type slotState struct {
	at        Time // next event: launch on the Exec, or the heartbeat that reports the end; Never
	start     Time // launch
	job       JobID
	task      int32
	kind      Kind
	pool      uint8
	loc       Locality
	outcome   Outcome
	spec      bool
	parked    bool // a reduce that waits for the last map
	launching bool // on its way to the Exec
	paired    bool // the task has another attempt, in slotMore.twin
}

// slotMore is what few slots need.
type slotMore struct {
	begin   Time  // of a parked reduce's work
	next    int32 // list of parked reduces
	twin    int32 // slot of the task's other attempt
	attempt int32 // valid where tasks are tracked singly
}

// States of a task.
const (
	taskPending uint8 = iota
	taskRunning
	taskDone
)

// NewSim returns a simulator that can be run many times.
func NewSim() *Sim {
	s := &Sim{}
	s.view.s = s
	s.links = [2]linkOf{s.mapLink, s.reduceLink}
	return s
}

// Run simulates one workload on a cluster under a scheduler.
func Run(cfg Config, c *Cluster, w *Workload, sched Scheduler) (*Result, error) {
	return NewSim().Run(cfg, c, w, sched)
}

// Run simulates one workload on a cluster under a scheduler. The scheduler
// must be fresh. The workload ends when its last job does.
func (s *Sim) Run(cfg Config, c *Cluster, w *Workload, sched Scheduler) (*Result, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	if err := Validate(c, w); err != nil {
		return nil, err
	}
	cfg.setDefaults(len(c.Nodes))
	s.reset(cfg, c, w, sched)
	if st, ok := sched.(Starter); ok {
		st.Start(&s.view)
	}
	if err := s.loop(); err != nil {
		return nil, fmt.Errorf("simcore: workload %q, seed %d: %w", w.Name, cfg.Seed, err)
	}
	return s.result(), nil
}

func (s *Sim) result() *Result {
	slots := Vec{}
	for i := range s.slots {
		slots[s.slots[i].pool]++
	}
	r := s.rec.Result(slots, s.now)
	r.Scheduler, r.Seed, r.Beats = schedulerName(s.sched), s.cfg.Seed, s.beat
	if s.execOn {
		r.Traffic = s.exec.Served()
	}
	return r
}

func (s *Sim) loop() error {
	until := min(s.cfg.Until, s.tree.Limit()-1)
	for s.left > 0 && s.err == nil {
		leaf, at, ok := s.tree.Next()
		if !ok {
			return s.stalled()
		}
		if at > until {
			return fmt.Errorf("%w: %.0f s", ErrHorizon, until.Seconds())
		}
		s.now = at
		if leaf >= nodeLeaf {
			s.nodeDue(s.idle.node[leaf-nodeLeaf])
		} else {
			s.control(leaf)
		}
		if s.idleDirty {
			s.armIdle()
		}
	}
	return s.err
}

func (s *Sim) control(leaf int32) {
	switch leaf {
	case leafArrival:
		s.arrivals()
	case leafReady:
		s.initialised()
	case leafExec:
		s.execute()
	case leafFailure:
		s.nodeEvent()
	case leafTick:
		s.tick()
	case leafIdle:
		s.idleBeat()
	}
}

func (s *Sim) reset(cfg Config, c *Cluster, w *Workload, sched Scheduler) {
	s.cfg, s.cluster, s.work, s.err = cfg, c, w, nil
	s.now, s.beat, s.period, s.lastLaunch = 0, 0, cfg.Heartbeat, 0
	s.perPeriod = 1 / float64(s.period)
	s.arrived, s.readied, s.left, s.nodesDown = 0, 0, len(w.Jobs), 0
	s.active, s.waiting = emptyList, [2]jobList{emptyList, emptyList}
	s.totalPending, s.totalRunning = [2]int32{}, [2]int32{}
	s.latency, s.mishap = rng.NewKey(cfg.Seed, purposeLatency), rng.NewKey(cfg.Seed, purposeFailure)
	s.hooks(sched)
	s.resetNodes()
	s.resetJobs()
	s.dur.Reset(cfg.DurationConfig, c, w)
	s.rec.Reset(w, cfg.Shares)
	s.place.reset(s)
	s.spec.reset(&s.cfg, len(w.Jobs))
	s.resetExec()
	s.resetFailures()
	s.resetIdle()
	if s.left > 0 {
		s.tree.Set(leafArrival, w.Jobs[0].Submit)
		s.tree.Set(leafReady, w.Jobs[0].Submit+cfg.JobInit)
	}
	if s.ticker != nil {
		s.tree.Set(leafTick, s.ticker.Period())
	}
}

func (s *Sim) hooks(sched Scheduler) {
	s.sched = sched
	s.observer, _ = sched.(Observer)
	s.beater, _ = sched.(Beater)
	s.gate, _ = sched.(Gate)
	s.ticker, _ = sched.(Ticker)
	s.preempt, _ = sched.(Preempter)
	s.placer, _ = sched.(Placer)
	s.admitter, _ = sched.(Admitter)
	s.watched = 0
	if s.observer != nil || s.cfg.Trace != nil {
		s.watched = ^uint32(0)
	}
	if c, ok := sched.(Chooser); ok && s.cfg.Trace == nil {
		s.watched = c.Wants()
	}
}

func (s *Sim) resetNodes() {
	s.nodes, s.slots, s.nodeOf = zeroed(s.nodes, len(s.cluster.Nodes)), s.slots[:0], s.nodeOf[:0]
	s.totalFree = [2]int32{}
	s.firstSlot = zeroed(s.firstSlot, len(s.nodes)+1)
	s.idle.reset(s.period, len(s.nodes), s.cfg.Seed)
	for r, n := range s.idle.node {
		node := &s.nodes[r]
		s.firstSlot[r], node.lastBeat, node.phase = int32(len(s.slots)), -1, s.idle.phase[r]
		for k, count := range s.cluster.Nodes[n].Slots {
			p := s.pool(Kind(k))
			node.free[p] += int32(count)
			s.totalFree[p] += int32(count)
			for range count {
				s.nodeOf = append(s.nodeOf, n)
				s.slots = append(s.slots, slotState{at: Never, job: None, pool: p})
			}
		}
	}
	s.firstSlot[len(s.nodes)] = int32(len(s.slots))
	s.totalSlots = s.totalFree
	s.more = zeroed(s.more, len(s.slots))
	s.tree.Reset(nodeLeaf + len(s.nodes))
	s.beating, s.lastEnded = None, 0
}

func (s *Sim) resetJobs() {
	s.jobs = zeroed(s.jobs, len(s.work.Jobs))
	total := int32(0)
	for j := range s.jobs {
		st := &s.jobs[j]
		st.active, st.waiting = link{None, None}, [2]link{{None, None}, {None, None}}
		st.parked, st.task, st.user = None, total, s.work.Jobs[j].User
		st.tasks = [2]int32{s.work.Jobs[j].Maps, s.work.Jobs[j].Reduces}
		total += s.work.Jobs[j].Maps + s.work.Jobs[j].Reduces
	}
	c := &s.cfg
	s.detail = c.Replication > 0 || s.work.Tasks.HostAt != nil || c.Failures.Attempt > 0 || c.Failures.NodeMTBF > 0 ||
		c.Speculation.On || c.TrackOutput || c.Model == Resources || s.preempt != nil || s.placer != nil
	s.plain = !s.detail && c.LaunchJitter == 0
	s.task, s.failed, s.where = s.task[:0], s.failed[:0], s.where[:0]
	if s.detail {
		s.task, s.failed = zeroed(s.task, int(total)), zeroed(s.failed, int(total))
	}
	if c.TrackOutput || c.Failures.NodeMTBF > 0 || c.Model == Resources {
		s.where = zeroed(s.where, int(total))
	}
}

// node returns the state of a node. States, slots and leaves lie in the order
// of heartbeat phases, in which time sweeps over them.
func (s *Sim) node(n NodeID) *nodeState { return &s.nodes[s.idle.rank[n]] }

// slotRange returns the node's slots [first, end).
func (s *Sim) slotRange(n NodeID) (first, end int32) {
	r := s.idle.rank[n]
	return s.firstSlot[r], s.firstSlot[r+1]
}

// pool returns which pool of slots serves a kind.
func (s *Sim) pool(k Kind) uint8 {
	if s.cfg.Pool {
		return 0
	}
	return uint8(k)
}

func (s *Sim) slotCount(n NodeID, k Kind) int32 {
	v := s.cluster.Nodes[n].Slots
	if s.cfg.Pool {
		return int32(v[0] + v[1])
	}
	return int32(v[k])
}

func (s *Sim) taskCount(j JobID, k Kind) int32 {
	return s.jobs[j].tasks[k]
}

// taskAt is the place of a task in the per-task slices.
func (s *Sim) taskAt(j JobID, k Kind, i int32) int32 {
	if k == Reduce {
		i += s.jobs[j].tasks[Map]
	}
	return s.jobs[j].task + i
}

// tell hands an event to whoever watches.
func (s *Sim) tell(e Event) {
	if s.cfg.Trace != nil {
		s.cfg.Trace(s.now, e)
	}
	if s.observer != nil {
		s.observer.Observe(&s.view, e)
	}
}

// stalled says what is stuck.
func (s *Sim) stalled() error {
	return fmt.Errorf("%w (scheduler %s at %.3f s: %d jobs unfinished, pending %d maps and %d reduces, running %d and %d, free slots %d and %d)",
		ErrStalled, schedulerName(s.sched), s.now.Seconds(), s.left, s.totalPending[Map], s.totalPending[Reduce],
		s.totalRunning[Map], s.totalRunning[Reduce], s.totalFree[0], s.totalFree[1])
}

// checkStall ends the run when nothing runs towards an end and nothing has
// been launched for too long.
func (s *Sim) checkStall() {
	if s.now-s.lastLaunch <= s.cfg.Stall || s.nodesDown > 0 || s.err != nil ||
		s.totalPending[Map]+s.totalPending[Reduce] == 0 {
		return
	}
	for i := range s.slots {
		if s.slots[i].job != None && (s.slots[i].at != Never || s.works(int32(i))) {
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
	s.tree.Set(leafTick, s.now+max(s.ticker.Period(), 1))
	s.checkStall()
}
