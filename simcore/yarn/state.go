package yarn

import (
	"schedtune/internal/rng"
	"schedtune/simcore"
)

// The state of a Sim by topic. All of it belongs to the current run; reset.go starts a run.

// abilities are the optional methods of the scheduler; nil if it does not have them, or the run
// does not use them.
type abilities struct {
	hinter     Hinter
	updater    Updater
	keeper     QueueKeeper
	prefetcher Prefetcher // if prefetches
	killer     Killer
	preemptor  Preemptor // if preemption is on
	holder     Holder
	adopter    Adopter
	sorter     NodeSorter   // if a timer sorts nodes
	sortEvery  simcore.Time // its interval

	prefetches bool // memory is fetched ahead, see prefetch.go
	labelled   bool // the cluster has node labels that the scheduler knows
}

// abilitiesOf returns those of the scheduler. declareLabels, resetPrefetch and resetSorting set
// the rest.
func (s *Sim) abilitiesOf(sched Scheduler) (a abilities) {
	a.hinter, _ = sched.(Hinter)
	a.updater, _ = sched.(Updater)
	a.killer, _ = sched.(Killer)
	a.holder, _ = sched.(Holder)
	a.keeper, _ = sched.(QueueKeeper)
	a.adopter, _ = sched.(Adopter)
	if s.cfg.PreemptEvery > 0 {
		a.preemptor, _ = sched.(Preemptor)
	}
	return a
}

// latencies are the sources of the run's draws.
type latencies struct {
	recorded *Recorded // never nil
	cal      *Calibration
	pace     float64                      // factor on all work of the run
	start    quick                        // Calibration.StartRequest
	taskExit quick                        // Calibration.TaskExit
	nodeDone quick                        // Calibration.NodeDone
	keys     [drawEnd - drawPhase]rng.Key // streams of draws by purpose, from drawPhase on
}

// key returns the stream of draws of a purpose.
func (s *Sim) key(purpose int) rng.Key { return s.keys[purpose-drawPhase] }

// leaves are the first leaves of the event tree by kind, and the periods of heartbeats.
type leaves struct {
	firstNode, firstSlot int32        // leaves of the first node, of the first slot
	nodePeriod, amPeriod simcore.Time // of regular heartbeats
}

// liveness is the progress of a run.
type liveness struct {
	err       error        // ends the run
	left      int32        // jobs that have not ended
	seating   bool         // standing load takes its containers before the run begins
	beats     int64        // simulated heartbeats of nodes
	preempted int64        // containers that the scheduler killed
	held      area         // memory of ended containers over time
	progress  simcore.Time // last allocation, end or arrival
	useful    simcore.Time // last finished task, or arrival
	patience  simcore.Time // longest time without a finished task while jobs run; of all runs
}

// jobTables are by job unless noted.
type jobTables struct {
	next     int32          // index in arrivals of the next job to arrive
	arrivals []int32        // jobs by arrival time, which jitter may change
	arrive   []simcore.Time // arrival time; Never = unknown
	onTheWay []bool         // its client is submitting
	ahead    []int32        // jobs that it waits for; empty without chains

	jobs   []master     // state of its application and, of MapReduce, of its master
	spark  *sparkMaster // nil without Spark applications
	tez    *tezMaster   // nil without Tez applications
	appJob []int32      // by application: its job
	times  []JobTimes
}

// taskTables are by map or reduce over all jobs (plan.mapBase, plan.redBase), or by row of
// the masters' requests (plan.rowBase). Those that only some runs need are empty in the others.
type taskTables struct {
	mapDone []bool      // it has had a container
	redDone []bool      // it has finished; if masters may be lost
	redRing []int32     // memory of the masters' rings, two halves for each job
	tried   [2][]uint16 // by kind: attempts so far, if there may be several
	mapNode []int32     // node of a map's output, see lostOutput; if masters may be lost

	rowLeft  []int32 // containers that the row requests
	rowDirty []bool  // changed since the last ask
	rowNext  []int32 // index in plan.rowTasks of the first of its maps that may have no container
}

// nodeTables are the nodes and their containers.
type nodeTables struct {
	cpus    []cores     // shared cores: one set for each node, or for all of them
	nodes   []nodeState // in the order of the cluster
	slots   slots
	crowds  []crowd  // by node; none without a slowdown
	place   []Place  // by node, then by rack
	nodeOf  []int32  // node by the scheduler's id
	alive   int32    // nodes that the ResourceManager has
	elastic *elastic // for all runs

	// The regular heartbeats that are simulated, see idle.go.
	idle        idleNodes // if choosesIdle: nodes with room
	choosesIdle bool      // of these only one at a time has its heartbeat
	chosenIdle  int32     // that one, -1 = none
	regular     []bool    // unless choosesIdle, by node: it has its regular heartbeat
}

// timers are those of the scheduler, and the changes of the configuration.
type timers struct {
	rounds  rounds
	monitor monitor
	policy  policyState
	changes changes
	armed   bool // an update is scheduled
	sorting bool // the timer that sorts nodes runs, since applications wait
}

// scratch is memory of one event, kept for the next.
type scratch struct {
	events         []Event
	done           []Container
	asks           []Ask
	resp           AskResponse
	spare          []int32     // slots allocated for maps without a task; nodes in endApp
	lost           []Container // answers of LoseNode
	marked, killed []Container // answers of Preempt and Killed
}
