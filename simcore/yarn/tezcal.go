package yarn

import "schedtune/simcore"

// TezCalibration holds the latencies of Tez applications, as Calibration does those of MapReduce
// jobs: waits as quantiles in milliseconds, work as processor time on shared cores.
type TezCalibration struct {
	// latency: AM container allocated to registered, besides master_work_ms
	MasterStart Latency `json:"master_start_ms"`
	DAGStart    Latency `json:"dag_ms"`    // latency: DAG submitted to its first tasks pending
	LaunchWait  Latency `json:"launch_ms"` // latency: container received by the AM to its start by the NodeManager
	// latency: from there to the container's first request for a task, besides container_work_ms
	Start     Latency `json:"container_start_ms"`
	Poll      Latency `json:"poll_ms"`       // latency: task assigned to a container in use to fetched by it
	FirstTask Latency `json:"first_task_ms"` // extra time of a container's first task, besides first_task_work_ms
	TaskSpan  Latency `json:"task_ms"`       // time of every task besides user code
	Read      Latency `json:"read_ms"`       // latency: last source task ended to the input of a waiting task read
	Gone      Latency `json:"gone_ms"`       // latency: container released to its process ended
	Stop      Latency `json:"stop_ms"`       // latency: AM begins to stop to unregistered
	Exit      Latency `json:"exit_ms"`       // latency: AM unregistered to its container free

	MasterWork    float64 `json:"master_work_ms"` // processor time of an AM up to its registration
	MasterThreads float64 `json:"master_threads" in:"0.1,100"`
	Work          float64 `json:"container_work_ms"` // processor time of a container up to its first task
	Threads       float64 `json:"container_threads" in:"0.1,100"`
	// processor time of a container's first task besides user code
	FirstWork float64 `json:"first_task_work_ms"`
	CallSpan  float64 `json:"call_ms"` // time added to the AM's heartbeat interval by a request
}

// RecordedTez holds measured times of a Tez application, where the time until the tasks of a vertex
// are wanted is TezVertex.Known. A negative entry means: not recorded.
type RecordedTez struct {
	Calls      []simcore.Time         // the AM's calls, ascending
	Built      []simcore.Time         // when the AM put them together; a missing one is built when it is made
	Containers []RecordedTezContainer // by ordinal
	Attempts   [][]RecordedTezAttempt // by task of the application, in order of time
	// Order lists by vertex its tasks in the order in which they were wanted, which follows from the
	// sizes of their inputs.
	Order [][]int32
	// Wanted holds by task the time from the end of a source's task, or from when the tasks of its
	// vertex may be wanted, to the task being wanted.
	Wanted []simcore.Time
}

// RecordedTezContainer is a container of a Tez application.
type RecordedTezContainer struct {
	// Idle holds, for each task that succeeded in it, the time from its end to the container's being
	// given up or to the end of a wait in which it took its next task; Never = neither.
	Idle []simcore.Time
	Gone simcore.Time // given up or killed to its process gone
}

// RecordedTezAttempt is an attempt of a task.
type RecordedTezAttempt struct {
	Container int32        // its ordinal
	Nth       int32        // among the attempts in the container
	Pull      simcore.Time // assigned to pulled by the container
	Ran       simcore.Time // pulled, or the end of its inputs' sources if that is later, to the end
	Failed    bool
}

// noTezRecords holds nothing.
var noTezRecords = &RecordedTez{}

// container returns what is recorded of a container.
func (r *RecordedTez) container(ord int32) RecordedTezContainer {
	if int(ord) < len(r.Containers) {
		return r.Containers[ord]
	}
	return RecordedTezContainer{Gone: -1}
}

// attempt returns the record of an attempt of a task, counted from 0; nil if there is none.
func (r *RecordedTez) attempt(t int32, try uint8) *RecordedTezAttempt {
	if list := pick(r.Attempts, t); int(try) < len(list) {
		return &list[try]
	}
	return nil
}
