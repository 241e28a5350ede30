package yarn

import (
	"schedtune/internal/rng"
	"schedtune/simcore"
)

// The parts of a Sim's state, by what they are about.

// abilities are what the scheduler can do beside what every Scheduler does; nil where it
// cannot, or where the run has no use for it.
type abilities struct {
	hint       Hinter
	upd        Updater
	keeper     QueueKeeper
	prefetcher Prefetcher // where wide holds
	killer     Killer
	holder     Holder
	adopter    Adopter      // where the run begins with running applications
	sorter     NodeSorter   // where a timer sorts nodes
	sortEvery  simcore.Time // its interval

	prefetches bool // the run's state is larger than a core's own cache, see ahead.go
	labelled   bool // the cluster has node labels that the scheduler knows
}

// latencies are what the run's draws come from.
type latencies struct {
	cal                       *Calibration
	pace                      float64 // factor on all work of the run
	start, taskExit, nodeDone quick
	keys                      keys
}

type keys struct {
	phase, submit, arrival, master, launch, work, exit, shuffle, commit, fail, nodeFail rng.Key
}

// leaves are where leaves of the event tree begin, and the periods of heartbeats.
type leaves struct {
	firstNode, firstSlot int32
	nodePeriod, amPeriod simcore.Time
}

// jobTables are by job, but for what says otherwise.
type jobTables struct {
	next     int32   // next job to arrive
	arrivals []int32 // jobs by arrival time where jitter changes the order
	arrive   []simcore.Time
	onTheWay []bool // its client is submitting

	jobs     []master
	spark    *sparkMaster // nil without Spark applications
	appJob   []int32      // by application
	ordLists listPool
	times    []JobTimes
}

// taskTables are by map or reduce over all jobs, or by row of what masters ask.
type taskTables struct {
	mapDone            []bool // it has had a container
	redDone            []bool // where speculation is on
	redRing            []int32
	mapTries, redTries []uint16 // attempts so far, where there may be several
	mapFails, redFails []uint8  // of these, those that failed, where attempts fail
	mapNode            []int32  // where a map's output lies, -1 = nowhere; only where nodes fail

	rowLeft  []int32 // outstanding count
	rowDirty []bool  // changed since the last ask
	rowNext  []int32 // first of its maps that may be untaken
}

// nodeTables are the nodes and what runs on them.
type nodeTables struct {
	cpus   []cores
	nodes  []nodeState
	slots  slots
	place  []Place // by node, then by rack
	nodeOf []int32 // node by the scheduler's id
	alive  int32
	el     *elastic // nil: the nodes stay

	idle    idleNodes // with room; where sweeps holds
	sweeps  bool      // regular heartbeats are given by sweep
	swept   int32     // the idle node that has its regular heartbeat, -1 = none
	regular []bool    // by node, where sweeps does not hold: it has its regular heartbeat
}

// vitals tell how a run is getting on.
type vitals struct {
	err      error
	left     int32 // jobs not yet ended
	watchful bool  // application masters need every heartbeat that could tell them something
	beats    int64
	held     area         // memory held over time
	progress simcore.Time // last allocation, end or arrival
	useful   simcore.Time // last task that finished, or arrival
	patience simcore.Time // how long no task may finish while jobs are under way
}

// scratch is memory of one event, kept for the next.
type scratch struct {
	events         []Event
	done           []Container
	asks           []Ask
	resp           AskResponse
	spare          []int32 // containers granted for maps, being handed out
	lost           []Container
	marked, killed []Container
}
