package simcore

import (
	"fmt"
	"slices"
)

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
	PreemptPercent       int32   // tez.am.preemption.percentage; 0 = no preemption
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

// TaskCount returns the number of tasks of an application's vertices.
func (a *TezApp) TaskCount() (n int32) {
	for i := range a.Vertices {
		n += a.Vertices[i].Tasks
	}
	return n
}

// maxTezVertices bounds the vertices of a DAG; their priorities go with its square.
const maxTezVertices = 10_000

// Validate returns an error for the first value of an application that is out of range. The
// workload has the tasks and distributions that its vertices refer to.
func (a *TezApp) Validate(w *Workload) error {
	if err := a.Settings.validate(); err != nil {
		return err
	}
	if !a.Session && len(a.DAGs) != 1 {
		return fmt.Errorf("DAGs %d: must be 1 without a session", len(a.DAGs))
	}
	if a.Stop < 0 {
		return fmt.Errorf("stop %v: must be 0 or more", a.Stop.Std())
	}
	next := int32(0)
	for i := range a.DAGs {
		d := &a.DAGs[i]
		err := Checks{
			{min(d.Delay, d.At) >= 0, "delay and arrival", []Time{d.Delay, d.At}, "0 or more"},
			{d.FirstVertex == next, "first vertex", d.FirstVertex, fmt.Sprintf("%d", next)},
			{d.Vertices >= 1 && d.Vertices <= maxTezVertices && int(next)+int(d.Vertices) <= len(a.Vertices), "vertices",
				d.Vertices, fmt.Sprintf("from 1 to %d, within those described", maxTezVertices)},
		}.Err("")
		for v := next; err == nil && v < next+d.Vertices; v++ {
			if err = a.Vertices[v].validate(w, next, v); err != nil {
				err = fmt.Errorf("vertex %d: %w", v, err)
			}
		}
		if err != nil {
			return fmt.Errorf("DAG %d: %w", i, err)
		}
		next += d.Vertices
	}
	if int(next) != len(a.Vertices) {
		return fmt.Errorf("vertices %d: the DAGs have %d; each vertex must be in one DAG, in order", len(a.Vertices), next)
	}
	return nil
}

// validate checks a vertex of the DAG whose vertices begin at first.
func (v *TezVertex) validate(w *Workload, first, own int32) error {
	outside := slices.IndexFunc(v.Sources, func(s TezSource) bool {
		return s.Vertex < first || s.Vertex >= own || s.Edge > TezOneToOne
	})
	single, end, hosts := v.FirstTask >= 0, int(v.FirstTask)+int(v.Tasks), len(w.Tasks.HostAt)
	return Checks{
		{outside < 0, "sources", v.Sources, "vertices before it in its DAG"},
		{v.Tasks >= 0, "tasks", v.Tasks, "0 or more"},
		{v.FirstTask >= -1 && (!single || end <= len(w.Tasks.Duration)), "first task", v.FirstTask,
			"-1, or all tasks within those described"},
		{!single || hosts == 0 || end < hosts, "first task", v.FirstTask, "all tasks within those with hosts"},
		{single || v.Dist >= 0, "distribution", v.Dist, "given where tasks are not described singly"},
		{v.Dist >= -1 && int(v.Dist) < len(w.Dists), "distribution", v.Dist, "within those described"},
		{min(v.Size[Memory], v.Size[VCores]) >= 0, "size", v.Size, "0 or more"},
		{v.Known >= 0, "time until known", v.Known.Std(), "0 or more"},
		shares(v.MinSource, v.MaxSource),
	}.Err("")
}

// shares checks a slow start.
func shares(low, high float64) Check {
	return Check{low >= 0 && low <= high && high <= 1, "slow start", []float64{low, high}, "from 0 to 1, ascending"}
}

// validate checks the settings.
func (s *TezSettings) validate() error {
	return Checks{
		{s.Heartbeat > 0, "heartbeat interval", s.Heartbeat.Std(), "above 0"},
		{s.LocalityDelay >= 0, "locality delay", s.LocalityDelay.Std(), "0 or more"},
		{s.IdleMin >= 0 && s.IdleMin <= s.IdleMax, "idle timeout", s.IdleMin.Std(), "0 or more, up to the maximum"},
		{s.Held >= 0, "held containers", s.Held, "0 or more"},
		{s.PreemptPercent >= 0 && s.PreemptPercent <= 100, "preemption percentage", s.PreemptPercent, "from 0 to 100"},
		{min(s.PreemptBeats, s.MaxFailures, s.MaxConcurrent) >= 0, "counts", s.MaxFailures, "0 or more"},
		{min(s.PreemptWait, s.SubmitTimeout, s.ExitDelay) >= 0, "times", s.SubmitTimeout.Std(), "0 or more"},
		shares(s.MinSource, s.MaxSource),
	}.Err("")
}
