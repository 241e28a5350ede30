package yarn

// SparkCalibration holds the latencies of Spark applications, as Calibration
// does those of MapReduce jobs: waits as quantiles in milliseconds, work as
// processor time on shared cores.
type SparkCalibration struct {
	DriverStart Latency `json:"driver_start_ms"` // AM container allocated to registered, without work
	Context     Latency `json:"context_ms"`      // registered to the user's code going on, executors aside
	LaunchWait  Latency `json:"launch_ms"`       // container acquired by the AM to the NodeManager's start
	ExecStart   Latency `json:"executor_start_ms"`
	ExecReady   Latency `json:"executor_ready_ms"` // registered to offered tasks
	FirstTask   Latency `json:"first_task_ms"`     // what an executor's first task takes longer, without work
	TaskSpan    Latency `json:"task_ms"`           // what every task takes beside the user's code
	// a stage's end to the next one's submission, a job's submission to its first stage
	StageGap   Latency `json:"stage_ms"`
	StageOffer Latency `json:"offer_ms"` // a stage's submission to its tasks being offered
	Wake       Latency `json:"wake_ms"`  // a change of target to the call that carries it
	// an executor's container preempted or lost to the AM's question for the reason
	LossSeen Latency `json:"loss_ms"`
	KillGone Latency `json:"gone_ms"`          // an idle executor's release to its process gone
	Stop     Latency `json:"stop_ms"`          // application end to AM unregistered
	Exit     Latency `json:"exit_ms"`          // AM unregistered to its container free
	ExecStop Latency `json:"executor_stop_ms"` // application end to an executor's container free

	DriverWork    float64 `json:"driver_work_ms"` // processor time of a driver up to its registration
	DriverThreads float64 `json:"driver_threads" in:"0.1,100"`
	ExecWork      float64 `json:"executor_work_ms"` // of an executor up to its registration
	ExecThreads   float64 `json:"executor_threads" in:"0.1,100"`
	FirstWork     float64 `json:"first_task_work_ms"` // of an executor's first task beside the user's code

	// Loop is the period of the allocation manager's loop: 100 ms and its own
	// work. CallSpan is what a call of the AM adds to its interval.
	Loop     float64 `json:"loop_ms" in:"1,3600000"`
	CallSpan float64 `json:"call_ms"`
}
