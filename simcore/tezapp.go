package simcore

// TezApp describes one Tez application: a master that runs one DAG, or a session that runs DAGs
// one after another. The master occupies Job.AMAsk; Job.Maps and Job.Reduces are 0.
type TezApp struct {
	Settings TezSettings // of the application
	// Session: the master waits for DAGs until Stop, or for Settings.SubmitTimeout without one;
	// else it ends with its only DAG.
	Session bool
	// Stop is the time from the end of the last DAG (from the session's readiness, without DAGs)
	// to the client's order to end; Never = the session ends by its time limit. Sessions only.
	Stop Time
	// DAGs in the order of their submission; one at a time.
	DAGs []TezDAG
	// Vertices of all DAGs. A vertex' sources stand before it.
	Vertices []TezVertex
}

// TezDAG is one unit of work, such as a query.
type TezDAG struct {
	// Delay is the time from the end of the DAG before (from the session's readiness, for the
	// first one) to the submission: for a person to think. At, if not 0, is the earliest
	// submission, counted from Job.Submit: an arrival by the clock.
	Delay, At Time
	// Vertices[FirstVertex:FirstVertex+Vertices] of the application are this DAG's.
	FirstVertex, Vertices int32
	// Prewarm: the DAG only makes containers ready; it is not in the result.
	Prewarm bool
}

// TezEdge is how a vertex reads a source (EdgeProperty.DataMovementType).
type TezEdge uint8

// Kinds of edges.
const (
	TezShuffle   TezEdge = iota // SCATTER_GATHER: slow start
	TezBroadcast                // BROADCAST and CUSTOM: starts at once
	TezOneToOne                 // ONE_TO_ONE
)

// TezSource is an edge into a vertex.
type TezSource struct {
	Vertex int32 // index into TezApp.Vertices
	Edge   TezEdge
}

// TezVertex is one vertex of a DAG.
type TezVertex struct {
	Sources []TezSource
	Tasks   int32
	// FirstTask is the index of the first task into Workload.Tasks: Duration (from the pull by
	// its container, or the end of its inputs' sources if that is later, to the end; without
	// the extra time of a container's first task), Hosts (preferred nodes). -1: tasks are not
	// described singly; their times follow Dist.
	FirstTask int32
	Dist      int32 // index into Workload.Dists, -1 = none
	Size      Vec   // of its containers; zero = the runtime's default
	// Known is the time from the DAG's start until the number of tasks is known
	// (an input initializer); 0 = at once.
	Known Time
	// MinSource and MaxSource are the slow start of its shuffle edges, shares of the least
	// finished source; both 0 = TezSettings'.
	MinSource, MaxSource float64
}

// TezSettings holds the properties of an application that the simulation follows.
type TezSettings struct {
	// Old: tez.am.yarn.scheduler.class is YarnTaskSchedulerService, the default up to Tez 0.10.3.
	Old                  bool
	Heartbeat            Time    // tez.am.am-rm.heartbeat.interval-ms.max
	Reuse                bool    // tez.am.container.reuse.enabled
	RackFallback         bool    // .reuse.rack-fallback.enabled
	AnyFallback          bool    // .reuse.non-local-fallback.enabled
	ReuseNew             bool    // .reuse.new-containers.enabled
	LocalityDelay        Time    // .reuse.locality.delay-allocation-millis
	IdleMin, IdleMax     Time    // tez.am.container.idle.release-timeout-{min,max}.millis; Never = never
	Held                 int32   // tez.am.session.min.held-containers
	PreemptPercent       int32   // tez.am.preemption.percentage
	PreemptBeats         int32   // .heartbeats-between-preemptions
	PreemptWait          Time    // .max.wait-time-ms
	MinSource, MaxSource float64 // tez.shuffle-vertex-manager.{min,max}-src-fraction
	SubmitTimeout        Time    // tez.session.am.dag.submit.timeout.secs
	ExitDelay            Time    // tez.am.sleep.time.before.exit.millis
	MaxFailures          int32   // tez.am.task.max.failed.attempts
	MaxConcurrent        int32   // tez.am.vertex.max-task-concurrency; 0 = no limit
}

// DefaultTezSettings returns the defaults of Tez 0.10.4 (TezConfiguration,
// ShuffleVertexManager).
func DefaultTezSettings() TezSettings {
	return TezSettings{
		Heartbeat: Second, Reuse: true, RackFallback: true, LocalityDelay: 250 * Millisecond,
		IdleMin: 5 * Second, IdleMax: 10 * Second,
		PreemptPercent: 10, PreemptBeats: 3, PreemptWait: Minute,
		MinSource: 0.25, MaxSource: 0.75,
		SubmitTimeout: 5 * Minute, ExitDelay: 5 * Second, MaxFailures: 4,
	}
}
