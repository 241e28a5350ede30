package yarn

import (
	"schedtune/internal/rng"
	"schedtune/simcore"
)

// The state of a Sim by concern. All of it is of the run at hand; reset.go begins a run.

// abilities are what the scheduler can do beside what every Scheduler does; nil where it
// cannot, or where the run has no use for it.
type abilities struct {
	hinter     Hinter
	updater    Updater
	keeper     QueueKeeper
	prefetcher Prefetcher // where prefetches holds
	killer     Killer
	holder     Holder
	adopter    Adopter      // where the run begins with running applications
	sorter     NodeSorter   // where a timer sorts nodes
	sortEvery  simcore.Time // its interval

	prefetches bool // memory is asked for ahead, see prefetch.go
	labelled   bool // the cluster has node labels that the scheduler knows
}

// latencies are what the run's draws come from.
type latencies struct {
	recorded *Recorded // never nil
	cal      *Calibration
	pace     float64 // factor on all work of the run
	start    quick   // Calibration.StartRequest
	taskExit quick   // Calibration.TaskExit
	nodeDone quick   // Calibration.NodeDone
	keys     keys
}

// keys are the streams of draws by purpose, see drawPhase and those after it.
type keys struct {
	phase, submit, arrival, master, launch, work, exit, shuffle, commit, fail, nodeFail rng.Key
}

// leaves are where leaves of the event tree begin, and the periods of heartbeats.
type leaves struct {
	firstNode, firstSlot int32        // leaves of the first node, of the first slot
	nodePeriod, amPeriod simcore.Time // of regular heartbeats
}

// liveness tells how a run is getting on.
type liveness struct {
	err      error        // ends the run
	left     int32        // jobs not yet ended
	beats    int64        // heartbeats of nodes simulated so far
	held     area         // memory held over time by containers that are over
	progress simcore.Time // last allocation, end or arrival
	useful   simcore.Time // last task that finished, or arrival
	patience simcore.Time // how long no task may finish while jobs are under way; of all runs
}

// jobTables are by job, but for what says otherwise.
type jobTables struct {
	next     int32          // index in arrivals of the next job to arrive
	arrivals []int32        // jobs by arrival time, of which jitter changes the order
	arrive   []simcore.Time // arrival time; Never = not known yet
	onTheWay []bool         // its client is submitting

	jobs     []master     // state of its application and, of MapReduce, of its master
	spark    *sparkMaster // nil without Spark applications
	appJob   []int32      // by application: its job
	ordLists listPool     // memory of appState.ords
	times    []JobTimes

	everyMasterBeat bool // masters are not left asleep where something could happen to them
}

// taskTables are by map or reduce over all jobs (plan.mapBase, plan.redBase), or by row of
// what masters ask for (plan.rowBase). What only some runs need is empty in the others.
type taskTables struct {
	mapDone            []bool   // it has had a container
	redDone            []bool   // it has finished; where speculation is on or masters may be lost
	redRing            []int32  // memory of the masters' rings, two halves for each job
	mapTries, redTries []uint16 // attempts so far, where there may be several
	mapFails, redFails []uint8  // of these, those that failed, where attempts fail
	mapNode            []int32  // where a map's output lies, see lostOutput; where masters may be lost

	rowLeft  []int32 // containers the row asks for
	rowDirty []bool  // changed since the last ask
	rowNext  []int32 // index in plan.rowMaps of the first of its maps that may be untaken
}

// nodeTables are the nodes and what runs on them.
type nodeTables struct {
	cpus    []cores     // shared cores: one set for each node, or for all of them
	nodes   []nodeState // in the order of the cluster
	slots   slots
	place   []Place  // by node, then by rack
	nodeOf  []int32  // node by the scheduler's id
	alive   int32    // nodes that the ResourceManager has
	elastic *elastic // nil: the nodes stay; made once for all runs

	// Which regular heartbeats are simulated, see idle.go.
	idle        idleNodes // where choosesIdle holds: nodes with room
	choosesIdle bool      // of these only one at a time has its heartbeat
	chosenIdle  int32     // that one, -1 = none
	regular     []bool    // where choosesIdle does not hold, by node: it has its regular heartbeat
}

// timers are those of the scheduler, and what else comes from outside.
type timers struct {
	rounds  rounds
	monitor monitor
	policy  policyState
	changes changes // of the configuration
	armed   bool    // an update is scheduled
	sorting bool    // the timer that sorts nodes runs: something waits
}

// scratch is memory of one event, kept for the next.
type scratch struct {
	events         []Event
	done           []Container
	asks           []Ask
	resp           AskResponse
	spare          []int32     // slots granted for maps that are being handed out; nodes in endApp
	lost           []Container // answers of LoseNode
	marked, killed []Container // answers of Preempt and Killed
}
