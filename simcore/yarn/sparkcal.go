package yarn

// SparkCalibration holds the latencies of Spark applications, as Calibration
// does those of MapReduce jobs: waits as quantiles in milliseconds, work as
// processor time on shared cores.
type SparkCalibration struct {
	// latency: AM container allocated to registered, besides driver_work_ms
	DriverStart Latency `json:"driver_start_ms"`
	Context     Latency `json:"context_ms"` // latency: registered to user code, without the wait for executors
	LaunchWait  Latency `json:"launch_ms"`  // latency: container received by the AM to its start by the NodeManager
	// latency: from there to registered with the driver, besides executor_work_ms
	ExecStart Latency `json:"executor_start_ms"`
	ExecReady Latency `json:"executor_ready_ms"` // latency: executor registered to its first task
	FirstTask Latency `json:"first_task_ms"`     // extra time of an executor's first task, besides first_task_work_ms
	TaskSpan  Latency `json:"task_ms"`           // time of every task besides user code
	// latency: end of a stage, or submission of a job, to the submission of the next stage
	StageGap   Latency `json:"stage_ms"`
	StageOffer Latency `json:"offer_ms"` // latency: submission of a stage to its tasks offered
	Wake       Latency `json:"wake_ms"`  // latency: changed executor target to the request that carries it
	// latency: container of an executor preempted or lost to the AM asking for the reason
	LossSeen Latency `json:"loss_ms"`
	KillGone Latency `json:"gone_ms"`          // latency: idle executor released to its process ended
	Stop     Latency `json:"stop_ms"`          // latency: application end to AM unregistered
	Exit     Latency `json:"exit_ms"`          // latency: AM unregistered to its container free
	ExecStop Latency `json:"executor_stop_ms"` // latency: application end to executor containers free

	DriverWork    float64 `json:"driver_work_ms"`                // processor time of a driver up to its registration
	DriverThreads float64 `json:"driver_threads" in:"0.1,100"`   // threads that a starting driver keeps busy
	ExecWork      float64 `json:"executor_work_ms"`              // processor time of an executor up to its registration
	ExecThreads   float64 `json:"executor_threads" in:"0.1,100"` // threads that a starting executor keeps busy
	// processor time of an executor's first task besides user code
	FirstWork float64 `json:"first_task_work_ms"`

	Loop     float64 `json:"loop_ms" in:"1,3600000"` // interval of the allocation manager's loop: 100 ms and its own time
	CallSpan float64 `json:"call_ms"`                // time added to the AM's heartbeat interval by a request
}
