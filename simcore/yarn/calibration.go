package yarn

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"

	"schedtune/internal/rng"
	"schedtune/internal/text"
	"schedtune/simcore"
)

// CalibrationSchema names the version of the calibration file.
const CalibrationSchema = text.SchemaCalibration

// Calibration holds the latencies of one cluster: everything between the allocation of a
// container and user code, and between the end of user code and a free container. Times
// are in milliseconds. The tag "in" holds the bounds of a number, 0 to an hour without it.
//
// There are two kinds of figures. A Latency is a wait that does not depend on load (timers,
// calls). Work is processor time: launches share the cores of their machine equally, so many
// launches at once slow each other down; in the recorded runs this is the larger part of launch
// times. A file may leave out any figure; ParseCalibration takes it from Default.
type Calibration struct {
	Schema string `json:"schema"`
	// Source describes the data that the figures were fitted on, for reports.
	Source string `json:"source"`

	NodeBeat float64 `json:"node_beat_ms" in:"1,3600000"` // interval of a node's heartbeats
	AMBeat   float64 `json:"am_beat_ms" in:"1,3600000"`   // interval of an application master's heartbeats
	NodeDone Latency `json:"node_done_ms"`                // latency: process ended to ResourceManager has the space back

	// latency: planned submission to accepted by the ResourceManager, besides submit_work_ms
	Submit Latency `json:"submit_ms"`
	// latency: AM container allocated to AM registered, besides am_work_ms
	AMStart      Latency `json:"am_start_ms"`
	StartRequest Latency `json:"start_request_ms"` // latency: container received by the AM to its start by the NodeManager
	// latency added for a job's first container on a node, which downloads the job's files
	Localise    Latency `json:"localise_ms"`
	TaskExit    Latency `json:"task_exit_ms"`    // latency: task finished to process ended
	ShufflePoll float64 `json:"shuffle_poll_ms"` // interval at which a reduce asks for finished maps
	ShuffleTail Latency `json:"shuffle_tail_ms"` // latency: answer that names the last map to shuffle end
	ReduceEnd   Latency `json:"reduce_end_ms"`   // latency: user code of the reduce ended to task finished
	Commit      Latency `json:"commit_ms"`       // latency: last task finished to job finished
	Unregister  Latency `json:"unregister_ms"`   // latency: job finished to AM unregistered
	Linger      Latency `json:"linger_ms"`       // latency: AM unregistered to its process ended
	KillDelay   Latency `json:"kill_ms"`         // latency: task killed by its AM to process ended

	// asynchronous scheduling: processor time of the ResourceManager to look at one node. The
	// built-in figures are those of Hadoop 3.4.1 with 1,000 nodes and 50 queues
	// (validation/conformance/judge/run bench-rounds).
	RoundVisit    float64 `json:"round_visit_ms"`
	RoundProposal float64 `json:"round_proposal_ms"` // asynchronous scheduling: processor time added for a proposal
	// asynchronous scheduling: processor time of a proposal's commit, by another thread
	RoundCommit float64 `json:"round_commit_ms"`

	SubmitWork float64 `json:"submit_work_ms"`          // processor time of a submission
	AMWork     float64 `json:"am_work_ms"`              // processor time of an AM up to its registration
	AMThreads  float64 `json:"am_threads" in:"0.1,100"` // threads that an AM keeps busy while it starts
	// processor time of a map attempt besides user code: launch, set-up, commit
	MapWork float64 `json:"map_work_ms"`
	// processor time of a reduce attempt up to its first request for map output
	ReduceWork float64 `json:"reduce_work_ms"`
	// processor time added for a job's first container on a node; that of the AM is part of am_work_ms
	LocaliseWork float64 `json:"localise_work_ms"`
	// WorkSpread is the standard deviation of the logarithm of a launch's work.
	WorkSpread float64 `json:"work_spread" in:"0,3"`
	// MachineSpread is the standard deviation of the logarithm of a factor on all work of a
	// replication: how much the speed of the machines varies from day to day.
	MachineSpread float64 `json:"machine_spread,omitempty" in:"0,1"`

	// TaskSlowdown is how much longer a task runs by each other task on its node (fit contention).
	TaskSlowdown float64 `json:"task_slowdown,omitempty" in:"0,10"`
	// TaskNeighbours is how many other tasks those with recorded times had on average.
	TaskNeighbours float64 `json:"task_neighbours,omitempty" in:"0,1000"`

	// UserWork is the processor time of user code by kind of job, where a
	// scenario names the kind and no times.
	UserWork map[string]UserWork `json:"user_work,omitempty"`

	// CPUScope is "node" (launches on a node share that node's cores) or
	// "cluster" (all nodes are one machine, as in a mini cluster).
	CPUScope string `json:"cpu_scope"`
	// Cores is the number of cores that launches share in one scope, in units of
	// a lone launch's speed; 0 = the node's cores.
	Cores float64 `json:"cores" in:"0,1e6"`

	// Spark holds the latencies of Spark applications; nil = DefaultSpark.
	Spark *SparkCalibration `json:"spark,omitempty"`
	// Tez holds those of Tez applications; nil = DefaultTez.
	Tez *TezCalibration `json:"tez,omitempty"`

	// RackLocalFactor multiplies the time of a map that reads from another node of its rack.
	RackLocalFactor float64 `json:"rack_local_factor" in:"0.01,1000"`
	// OffSwitchFactor multiplies the time of a map that reads from another rack.
	OffSwitchFactor float64 `json:"off_switch_factor" in:"0.01,1000"`

	// ArrivalJitter is the standard deviation of a submission's time between
	// replications, for runs with Jitter.Arrivals.
	ArrivalJitter float64 `json:"arrival_jitter_ms"`
}

// UserWork is the processor time of one map and one reduce in milliseconds.
type UserWork struct {
	Map    float64 `json:"map_ms"`
	Reduce float64 `json:"reduce_ms"`
}

// Latency is a distribution of times by its quantiles, equally spaced from 0
// to 1, in milliseconds; a single one is a constant.
type Latency []float64

// Scopes of CPUScope.
const (
	ScopeNode    = "node"
	ScopeCluster = "cluster"
)

// hourMillis is an hour, the default bound of a number.
const hourMillis = 3_600_000

// Validate returns an error for the first figure that is out of range.
func (c *Calibration) Validate() error {
	err := simcore.Checks{
		simcore.Must(c.Schema == CalibrationSchema, "schema", c.Schema, CalibrationSchema),
		simcore.Must(c.CPUScope == ScopeNode || c.CPUScope == ScopeCluster, "cpu_scope", c.CPUScope,
			ScopeNode+" or "+ScopeCluster),
		simcore.Must(c.CPUScope == ScopeNode || c.Cores != 0, "cores", c.Cores, "above 0 with cpu_scope "+ScopeCluster),
	}.Err("calibration: ")
	for kind, w := range c.UserWork {
		if err == nil && !(min(w.Map, w.Reduce) >= 0 && max(w.Map, w.Reduce) <= hourMillis) {
			err = fmt.Errorf("calibration: user_work %q: %v and %v must be from 0 to %v", kind, w.Map, w.Reduce, hourMillis)
		}
	}
	for prefix, f := range c.figures() {
		if err != nil {
			break
		}
		switch v := f.value.Interface().(type) {
		case float64:
			if !(v >= f.min && v <= f.max) {
				err = fmt.Errorf("calibration: %s%s %v: must be from %v to %v", prefix, f.name, v, f.min, f.max)
			}
		case Latency:
			if wrong := v.validate(); wrong != nil {
				err = fmt.Errorf("calibration: %s%s: %w", prefix, f.name, wrong)
			}
		}
	}
	return err
}

// figure is a number or latency of a struct: its field, name in the file, and the bounds of a number.
type figure struct {
	field    int
	name     string
	min, max float64
	value    reflect.Value
}

// known lists the figures by type, without values.
var known = sync.OnceValue(func() map[reflect.Type][]figure {
	list := map[reflect.Type][]figure{}
	for _, t := range []reflect.Type{reflect.TypeFor[Calibration](), reflect.TypeFor[SparkCalibration](),
		reflect.TypeFor[TezCalibration]()} {
		for i := range t.NumField() {
			f := figure{field: i, max: hourMillis}
			f.name, _, _ = strings.Cut(t.Field(i).Tag.Get("json"), ",")
			if bounds, ok := t.Field(i).Tag.Lookup("in"); ok {
				if _, err := fmt.Sscanf(bounds, "%g,%g", &f.min, &f.max); err != nil {
					panic(err) // in the source
				}
			}
			list[t] = append(list[t], f)
		}
	}
	return list
})

// figures iterates over the figures of the calibration and its parts, each with the prefix of its part
// in names.
func (c *Calibration) figures() iter.Seq2[string, figure] {
	return func(yield func(string, figure) bool) {
		for i, part := range []reflect.Value{reflect.ValueOf(c), reflect.ValueOf(c.Spark), reflect.ValueOf(c.Tez)} {
			if part.IsNil() {
				continue
			}
			for _, f := range known()[part.Type().Elem()] {
				f.value = part.Elem().Field(f.field)
				if !yield([]string{"", "spark.", "tez."}[i], f) {
					return
				}
			}
		}
	}
}

// validate returns an error for quantiles that are missing, out of range or not ascending.
func (l Latency) validate() error {
	if len(l) == 0 {
		return fmt.Errorf("no quantiles: there must be 1 or more")
	}
	before := 0.0
	for i, v := range l {
		if !(v >= before && v <= 24*hourMillis) {
			return fmt.Errorf("quantile %d %v: must be from %v to %d", i, v, before, 24*hourMillis)
		}
		before = v
	}
	return nil
}

// At returns the quantile u in [0, 1], linear between the given ones; for other values of u the
// nearer end, and NaN without quantiles.
func (l Latency) At(u float64) float64 {
	switch {
	case len(l) == 0 || u != u:
		return math.NaN()
	case len(l) == 1:
		return l[0]
	}
	x := min(max(u, 0), 1) * float64(len(l)-1)
	i := min(int(x), len(l)-2)
	return l[i] + (x-float64(i))*(l[i+1]-l[i])
}

// draw returns draw i of key k.
func (l Latency) draw(k rng.Key, i uint64) simcore.Time {
	if len(l) == 1 {
		return millis(l[0])
	}
	return millis(l.At(k.Float64(i)))
}

// millis converts milliseconds to time, to the nearest microsecond.
func millis(ms float64) simcore.Time { return simcore.Time(ms*1000 + 0.5) }

// Scaled returns a copy in which the latencies and the work of launches, but for the figures named
// as in the file ("spark.launch_ms"), are multiplied by a factor.
func (c *Calibration) Scaled(factor float64, except []string) *Calibration {
	out, own, tez := *c, *cmp.Or(c.Spark, standardSpark()), *cmp.Or(c.Tez, standardTez())
	out.Spark, out.Tez = &own, &tez
	for prefix, f := range out.figures() {
		if slices.Contains(except, prefix+f.name) {
			continue
		}
		switch v := f.value.Interface().(type) {
		case float64:
			if strings.HasSuffix(f.name, "_work_ms") {
				f.value.SetFloat(v * factor)
			}
		case Latency:
			l := slices.Clone(v)
			for i := range l {
				l[i] *= factor
			}
			f.value.Set(reflect.ValueOf(l))
		}
	}
	return &out
}
