package yarn

import (
	"fmt"
	"math"
)

// SparkCalibration holds the latencies of Spark applications, as Calibration
// does those of MapReduce jobs: waiting as quantiles in milliseconds, work as
// processor time that shares its machine's cores.
type SparkCalibration struct {
	DriverStart Latency `json:"driver_start_ms"` // AM container allocated to registered, without work
	Context     Latency `json:"context_ms"`      // registered to the user's code going on, executors aside
	LaunchWait  Latency `json:"launch_ms"`       // container acquired by the AM to the NodeManager's start
	ExecStart   Latency `json:"executor_start_ms"`
	ExecReady   Latency `json:"executor_ready_ms"` // registered to offered tasks
	FirstTask   Latency `json:"first_task_ms"`     // what an executor's first task takes longer, without work
	TaskSpan    Latency `json:"task_ms"`           // what every task takes beside the user's code
	StageGap    Latency `json:"stage_ms"`          // a stage's end to the next one's submission, a job's submission to its first stage
	StageOffer  Latency `json:"offer_ms"`          // a stage's submission to its tasks being offered
	Wake        Latency `json:"wake_ms"`           // a change of target to the call that carries it
	LossSeen    Latency `json:"loss_ms"`           // an executor's container preempted or lost to the AM's question for the reason
	KillGone    Latency `json:"gone_ms"`           // an idle executor's release to its process gone
	Stop        Latency `json:"stop_ms"`           // application end to AM unregistered
	Exit        Latency `json:"exit_ms"`           // AM unregistered to its container free
	ExecStop    Latency `json:"executor_stop_ms"`  // application end to an executor's container free

	DriverWork    float64 `json:"driver_work_ms"` // processor time of a driver up to its registration
	DriverThreads float64 `json:"driver_threads"`
	ExecWork      float64 `json:"executor_work_ms"` // of an executor up to its registration
	ExecThreads   float64 `json:"executor_threads"`
	FirstWork     float64 `json:"first_task_work_ms"` // of an executor's first task beside the user's code

	// Loop is the period of the allocation manager's loop: 100 ms and its own
	// work. CallSpan is what a call of the AM adds to its interval.
	Loop     float64 `json:"loop_ms"`
	CallSpan float64 `json:"call_ms"`
}

// DefaultSpark returns the built-in figures: those of the recorded Spark 3.5.5
// runs (small JVMs with a class-data archive on a 2-core machine).
func DefaultSpark() *SparkCalibration {
	return &SparkCalibration{
		DriverStart: Latency{250, 300, 420, 520},
		Context:     Latency{65, 80, 90, 106, 130, 180, 290},
		LaunchWait:  Latency{18, 28, 35, 44, 60, 85, 130},
		ExecStart:   Latency{80, 150, 250, 350},
		ExecReady:   Latency{40, 58, 75, 110, 160, 250},
		FirstTask:   Latency{120, 160, 190, 220, 260},
		TaskSpan:    Latency{20, 27, 35, 45, 55, 75, 110, 180},
		StageGap:    Latency{4, 6, 8, 9, 11, 13, 17},
		StageOffer:  Latency{8, 9, 11, 13, 15, 20, 30, 62, 162},
		Wake:        Latency{3, 4, 6, 7, 9, 14, 35},
		LossSeen:    Latency{200, 250, 310, 400, 700},
		KillGone:    Latency{110, 250, 400, 518, 700, 850, 1000},
		Stop:        Latency{64, 90, 120, 148, 180, 230, 320},
		Exit:        Latency{150, 165, 175, 182, 200, 230, 280},
		ExecStop:    Latency{160, 210, 250, 288, 330, 400},
		DriverWork:  1250, DriverThreads: 1.3,
		ExecWork: 950, ExecThreads: 1.2, FirstWork: 120,
		Loop: 101.6, CallSpan: 5,
	}
}

// latencies lists the latencies by their names in the file.
func (c *SparkCalibration) latencies() []latencyField {
	return []latencyField{
		{"spark.driver_start_ms", c.DriverStart}, {"spark.context_ms", c.Context}, {"spark.launch_ms", c.LaunchWait},
		{"spark.executor_start_ms", c.ExecStart}, {"spark.executor_ready_ms", c.ExecReady}, {"spark.first_task_ms", c.FirstTask},
		{"spark.task_ms", c.TaskSpan}, {"spark.stage_ms", c.StageGap}, {"spark.offer_ms", c.StageOffer}, {"spark.wake_ms", c.Wake}, {"spark.loss_ms", c.LossSeen},
		{"spark.gone_ms", c.KillGone}, {"spark.stop_ms", c.Stop}, {"spark.exit_ms", c.Exit}, {"spark.executor_stop_ms", c.ExecStop},
	}
}

// numbers lists the single figures.
func (c *SparkCalibration) numbers() []numberField {
	return []numberField{
		{"spark.driver_work_ms", c.DriverWork, 0, hourMillis}, {"spark.driver_threads", c.DriverThreads, 0.1, 100},
		{"spark.executor_work_ms", c.ExecWork, 0, hourMillis}, {"spark.executor_threads", c.ExecThreads, 0.1, 100},
		{"spark.first_task_work_ms", c.FirstWork, 0, hourMillis},
		{"spark.loop_ms", c.Loop, 1, hourMillis}, {"spark.call_ms", c.CallSpan, 0, hourMillis},
	}
}

// Validate names the first figure that is out of range.
func (c *SparkCalibration) Validate() error {
	for _, f := range c.numbers() {
		if math.IsNaN(f.v) || f.v < f.min || f.v > f.max {
			return fmt.Errorf("calibration: %s is %v; allowed: %v to %v", f.name, f.v, f.min, f.max)
		}
	}
	for _, f := range c.latencies() {
		if err := f.v.validate(); err != nil {
			return fmt.Errorf("calibration: %s: %w", f.name, err)
		}
	}
	return nil
}
