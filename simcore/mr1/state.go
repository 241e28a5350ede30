package mr1

import (
	"schedtune/simcore"
	"schedtune/simcore/internal/kernel"
)

// The state of a run: jobs, nodes and slots as slices by dense id, without
// pointers, so that the garbage collector has nothing to follow.

// Leaves of the tree of control events. Equal times are served in this order,
// and before the nodes' events.
const (
	leafArrival = iota
	leafReady
	leafExec
	leafTick
	leafIdle
	controlLeaves
)

type jobState struct {
	of      [2]kindState // by kind
	task    int32        // of its first map in the per-task slices
	user    int32
	parked  int32 // first of the reduces that wait for the last map, a slot
	phase   jobPhase
	started bool     // an attempt was launched
	_       [48]byte // two lines of the cache
}

// kindState is where a job's tasks of one kind stand: 32 bytes.
type kindState struct {
	pending, running, done int32
	tasks                  int32        // as in the workload
	fresh                  int32        // no task below it is pending
	dist                   int32        // the distribution task times are drawn from; None = ask Durations
	took                   simcore.Time // all finished attempts together
}

type jobPhase uint8

const (
	jobFuture jobPhase = iota
	jobInit
	jobActive
	jobDone
)

type nodeState struct {
	free       [2]int32 // by pool of slots
	running    [2]int32 // by kind
	lastBeat   simcore.Time
	phase      simcore.Time // of its heartbeats
	id         simcore.NodeID
	rank       int32    // in the order of phases
	first, end int32    // its slots
	has        uint8    // pools with a free slot, as noted in the idle ring
	_          [10]byte // one line of the cache
}

// slotState is what every event of a slot touches: 32 bytes.
type slotState struct {
	at        simcore.Time // next event: launch on the Exec, or the heartbeat that reports the end; Never
	start     simcore.Time // launch
	job       simcore.JobID
	task      int32
	kind      simcore.Kind
	pool      uint8
	loc       simcore.Locality
	outcome   kernel.Outcome
	spec      bool
	parked    bool // a reduce that waits for the last map
	launching bool // on its way to the Exec
	paired    bool // the task has another attempt, in slotMore.twin
}

// slotMore is what few slots need.
type slotMore struct {
	begin   simcore.Time // of a reduce's work
	next    int32        // list of parked reduces
	twin    int32        // slot of the task's other attempt
	attempt int32        // valid where tasks are tracked singly
}

// States of a task.
const (
	taskPending uint8 = iota
	taskRunning
	taskDone
)

// node returns the state of a node. States, slots and leaves lie in the order
// of heartbeat phases, in which time sweeps over them.
func (s *Sim) node(n simcore.NodeID) *nodeState { return &s.nodes[s.idle.rank[n]] }

// pool returns which pool of slots serves a kind.
func (s *Sim) pool(k simcore.Kind) uint8 {
	if s.cfg.Pool {
		return 0
	}
	return uint8(k)
}

func (s *Sim) taskCount(j simcore.JobID, k simcore.Kind) int32 {
	return s.jobs[j].of[k].tasks
}

// taskAt is the place of a task in the per-task slices.
func (s *Sim) taskAt(j simcore.JobID, k simcore.Kind, i int32) int32 {
	if k == simcore.Reduce {
		i += s.jobs[j].of[simcore.Map].tasks
	}
	return s.jobs[j].task + i
}
