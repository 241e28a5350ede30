package yarn

import (
	"fmt"
	"math"

	"schedtune/internal/rng"
	"schedtune/internal/text"
	"schedtune/simcore"
)

// CalibrationSchema names the version of the calibration file.
const CalibrationSchema = text.SchemaCalibration

// Calibration holds the latencies of one cluster: everything between a grant
// and running user code, and between the end of user code and a free
// container. Spans are milliseconds in the file.
//
// Two kinds of figure occur. A Latency is waiting that does not depend on load
// (timers, calls). Work is processor time: launches share the cores of their
// machine equally, so a burst of launches slows itself down, which the
// recorded runs show to be the larger part of launch times. A job's file may
// leave out any figure; Parse fills it from Default.
type Calibration struct {
	Schema string `json:"schema"`
	// Source says what the figures were fitted on, for reports.
	Source string `json:"source"`

	NodeBeat float64 `json:"node_beat_ms"` // gap between two regular heartbeats of a node
	AMBeat   float64 `json:"am_beat_ms"`   // gap between two heartbeats of an application master
	NodeDone Latency `json:"node_done_ms"` // process gone to the ResourceManager having the space back

	Submit       Latency `json:"submit_ms"`        // planned submission to the ResourceManager having the job, without work
	AMStart      Latency `json:"am_start_ms"`      // AM container allocated to AM registered, without work
	StartRequest Latency `json:"start_request_ms"` // container acquired by the AM to NodeManager's start
	Localise     Latency `json:"localise_ms"`      // on top for a job's first container on a node, whose files are fetched
	TaskExit     Latency `json:"task_exit_ms"`     // task finished to process gone
	ShufflePoll  float64 `json:"shuffle_poll_ms"`  // period of a reduce's question for finished maps
	ShuffleTail  Latency `json:"shuffle_tail_ms"`  // answer that names the last map to shuffle end
	ReduceEnd    Latency `json:"reduce_end_ms"`    // user code of the reduce ended to task finished
	Commit       Latency `json:"commit_ms"`        // last task finished to job finished
	Unregister   Latency `json:"unregister_ms"`    // job finished to AM unregistered
	Linger       Latency `json:"linger_ms"`        // AM unregistered to its process gone
	KillDelay    Latency `json:"kill_ms"`          // a task's kill ordered by its AM to process gone

	// Asynchronous scheduling, of one thread of the ResourceManager: how many
	// rounds fit between heartbeats follows from these and from the interval that
	// the configuration sets. The built-in figures are processor time of Hadoop
	// 3.4.1 with 1,000 nodes and 50 queues (validation/conformance/judge/run bench-rounds).
	RoundVisit    float64 `json:"round_visit_ms"`    // a round's look at one node
	RoundProposal float64 `json:"round_proposal_ms"` // on top where it comes to a proposal
	RoundCommit   float64 `json:"round_commit_ms"`   // a proposal's commit, by another thread

	SubmitWork float64 `json:"submit_work_ms"` // processor time of the client's submission
	AMWork     float64 `json:"am_work_ms"`     // of an AM up to its registration
	AMThreads  float64 `json:"am_threads"`     // threads an AM keeps busy while it starts
	MapWork    float64 `json:"map_work_ms"`    // of a map's attempt besides user code: launch, set-up, commit
	ReduceWork float64 `json:"reduce_work_ms"` // of a reduce from start to its first question for maps
	// LocaliseWork goes with Localise. The AM's is part of its own work.
	LocaliseWork float64 `json:"localise_work_ms"`
	// WorkSpread is the standard deviation of the logarithm of a launch's work.
	WorkSpread float64 `json:"work_spread"`
	// MachineSpread is the standard deviation of the logarithm of a factor on all
	// work of a replication: how much faster or slower the machines are on one day
	// than on another. 0 = they are not.
	MachineSpread float64 `json:"machine_spread,omitempty"`

	// UserWork is the processor time of user code by kind of job, where a
	// scenario names the kind and no times.
	UserWork map[string]UserWork `json:"user_work,omitempty"`

	// CPUScope is "node" (launches on a node share that node's cores) or
	// "cluster" (all nodes are one machine, as in a mini cluster).
	CPUScope string `json:"cpu_scope"`
	// Cores is the number of cores launches share in one scope, in units of
	// a lone launch's speed; 0 = the node's cores.
	Cores float64 `json:"cores"`

	// Spark holds the latencies of Spark applications; nil = DefaultSpark.
	Spark *SparkCalibration `json:"spark,omitempty"`

	// Factors on a map's time when it does not read from its own node.
	RackLocalFactor float64 `json:"rack_local_factor"`
	OffSwitchFactor float64 `json:"off_switch_factor"`

	// ArrivalJitter is the standard deviation of a submission's shift between
	// replications, for runs with Jitter.Arrivals.
	ArrivalJitter float64 `json:"arrival_jitter_ms"`
}

// UserWork is the processor time of one map and one reduce in milliseconds.
type UserWork struct {
	Map    float64 `json:"map_ms"`
	Reduce float64 `json:"reduce_ms"`
}

// Latency is a distribution of spans by its quantiles, equally spaced from 0
// to 1, in milliseconds; one figure is a constant.
type Latency []float64

// Scopes of CPUScope.
const (
	ScopeNode    = "node"
	ScopeCluster = "cluster"
)

// Default returns the built-in figures: those of the recorded Hadoop 3.4.1
// runs (small JVMs with a class-data archive on a 2-core machine), with
// launches sharing the cores of their own node.
func Default() *Calibration {
	return &Calibration{
		Schema:        CalibrationSchema,
		Source:        "built-in: Hadoop 3.4.1 mini-cluster runs, launches per node",
		NodeBeat:      1002,
		AMBeat:        1008,
		NodeDone:      Latency{2, 3, 4, 4, 5, 6, 7, 8, 10, 19, 246},
		Submit:        Latency{60, 90, 110, 140},
		AMStart:       Latency{20, 30, 60},
		StartRequest:  Latency{8, 10, 13, 15, 20, 29, 41, 51, 77, 133, 442},
		Localise:      Latency{138, 162, 183, 206, 238, 300, 366, 436, 651, 815, 980},
		TaskExit:      Latency{20, 22, 24, 26, 28, 30, 34, 38, 48, 72, 202},
		ShufflePoll:   1000,
		ShuffleTail:   Latency{10, 20, 40, 90},
		ReduceEnd:     Latency{20, 23, 27, 29, 32, 36, 40, 45, 55, 72, 185},
		Commit:        Latency{16, 18, 20, 23, 24, 26, 29, 34, 37, 48, 88},
		Unregister:    Latency{52, 61, 63, 67, 71, 77, 82, 87, 98, 117, 228},
		Linger:        Latency{6041, 6044, 6047, 6050, 6053, 6057, 6062, 6065, 6077, 6110, 6279},
		KillDelay:     Latency{50, 100, 200},
		RoundVisit:    0.002,
		RoundProposal: 0.024,
		RoundCommit:   0.016,
		SubmitWork:    199.8,
		AMWork:        1871.6,
		AMThreads:     1.06,
		MapWork:       711,
		ReduceWork:    550.1,
		LocaliseWork:  0.1,
		WorkSpread:    0.207,
		CPUScope:      ScopeNode,
		UserWork:      map[string]UserWork{"wordcount": {650, 200}},

		RackLocalFactor: 1,
		OffSwitchFactor: 1,
		ArrivalJitter:   300,
	}
}

// Validate names the first figure that is out of range.
func (c *Calibration) Validate() error {
	if c.Schema != CalibrationSchema {
		return fmt.Errorf("calibration: schema is %q; allowed: %q", c.Schema, CalibrationSchema)
	}
	if c.CPUScope != ScopeNode && c.CPUScope != ScopeCluster {
		return fmt.Errorf("calibration: cpu_scope is %q; allowed: %q, %q", c.CPUScope, ScopeNode, ScopeCluster)
	}
	if c.CPUScope == ScopeCluster && c.Cores == 0 {
		return fmt.Errorf("calibration: cores is 0; allowed: more than 0 with cpu_scope %q", ScopeCluster)
	}
	for _, f := range c.numbers() {
		if math.IsNaN(f.v) || f.v < f.min || f.v > f.max {
			return fmt.Errorf("calibration: %s is %v; allowed: %v to %v", f.name, f.v, f.min, f.max)
		}
	}
	for kind, w := range c.UserWork {
		if !(w.Map >= 0 && w.Map <= hourMillis && w.Reduce >= 0 && w.Reduce <= hourMillis) {
			return fmt.Errorf("calibration: user_work of %q is %v and %v; allowed: 0 to %v", kind, w.Map, w.Reduce, hourMillis)
		}
	}
	for _, f := range c.latencies() {
		if err := f.v.validate(); err != nil {
			return fmt.Errorf("calibration: %s: %w", f.name, err)
		}
	}
	if c.Spark != nil {
		return c.Spark.Validate()
	}
	return nil
}

// hourMillis is an hour, the bound of a figure.
const hourMillis = 3_600_000

// numberField is a figure by its name in the file, with its bounds.
type numberField struct {
	name        string
	v, min, max float64
}

// numbers lists the single figures.
func (c *Calibration) numbers() []numberField {
	return []numberField{
		{"node_beat_ms", c.NodeBeat, 1, hourMillis},
		{"am_beat_ms", c.AMBeat, 1, hourMillis},
		{"shuffle_poll_ms", c.ShufflePoll, 0, hourMillis},
		{"round_visit_ms", c.RoundVisit, 0, hourMillis},
		{"round_proposal_ms", c.RoundProposal, 0, hourMillis},
		{"round_commit_ms", c.RoundCommit, 0, hourMillis},
		{"submit_work_ms", c.SubmitWork, 0, hourMillis},
		{"am_work_ms", c.AMWork, 0, hourMillis},
		{"am_threads", c.AMThreads, 0.1, 100},
		{"map_work_ms", c.MapWork, 0, hourMillis},
		{"reduce_work_ms", c.ReduceWork, 0, hourMillis},
		{"localise_work_ms", c.LocaliseWork, 0, hourMillis},
		{"work_spread", c.WorkSpread, 0, 3}, {"machine_spread", c.MachineSpread, 0, 1},
		{"cores", c.Cores, 0, 1e6},
		{"rack_local_factor", c.RackLocalFactor, 0.01, 1000},
		{"off_switch_factor", c.OffSwitchFactor, 0.01, 1000},
		{"arrival_jitter_ms", c.ArrivalJitter, 0, hourMillis},
	}
}

// latencyField is a latency by its name in the file.
type latencyField struct {
	name string
	v    Latency
}

// latencies lists the latencies.
func (c *Calibration) latencies() []latencyField {
	return []latencyField{
		{"node_done_ms", c.NodeDone}, {"submit_ms", c.Submit}, {"am_start_ms", c.AMStart},
		{"start_request_ms", c.StartRequest}, {"task_exit_ms", c.TaskExit}, {"localise_ms", c.Localise},
		{"shuffle_tail_ms", c.ShuffleTail}, {"reduce_end_ms", c.ReduceEnd},
		{"commit_ms", c.Commit}, {"unregister_ms", c.Unregister}, {"linger_ms", c.Linger},
		{"kill_ms", c.KillDelay},
	}
}

// validate says what is wrong with a latency.
func (l Latency) validate() error {
	if len(l) == 0 {
		return fmt.Errorf("no quantiles; allowed: 1 or more, ascending")
	}
	for i, v := range l {
		if math.IsNaN(v) || v < 0 || v > 24*hourMillis {
			return fmt.Errorf("quantile %d is %v; allowed: 0 to %d", i, v, 24*hourMillis)
		}
		if i > 0 && v < l[i-1] {
			return fmt.Errorf("quantile %d is %v, below its predecessor %v; allowed: ascending", i, v, l[i-1])
		}
	}
	return nil
}

// At returns the quantile u in [0, 1], linear between the given ones; outside, that of the
// nearer end. Without quantiles it is NaN.
func (l Latency) At(u float64) float64 {
	switch {
	case len(l) == 0 || u != u:
		return math.NaN()
	case !(u >= 0 && u <= 1):
		u = min(max(u, 0), 1)
	}
	if len(l) == 1 {
		return l[0]
	}
	x := u * float64(len(l)-1)
	i := min(int(x), len(l)-2)
	return l[i] + (x-float64(i))*(l[i+1]-l[i])
}

// draw returns the latency's draw i of key k.
func (l Latency) draw(k rng.Key, i uint64) simcore.Time {
	if len(l) == 1 {
		return millis(l[0])
	}
	return millis(l.At(k.Float64(i)))
}

// millis is so many milliseconds as time, to the nearest microsecond.
func millis(ms float64) simcore.Time { return simcore.Time(ms*1000 + 0.5) }
