package simcore

import (
	"fmt"
	"math"
)

// Config sets one run of the Hadoop 1 runtime. The zero value is Hadoop 1 with
// recorded task times, no launch latency, no data placement, no failures and
// no speculation.
type Config struct {
	DurationConfig // model, seed and what is added to task times

	// Heartbeat is the interval of every node; 0 = HeartbeatInterval.
	Heartbeat Time
	// OutOfBand nodes send a heartbeat at once when a task ends
	// (mapreduce.tasktracker.outofband.heartbeat).
	OutOfBand bool
	// Prompt tells the scheduler of a task's end at once and offers its slot
	// with the node's next heartbeat, so that for a moment any node's heartbeat
	// may win the task that takes its place. Resource model only.
	Prompt bool
	// JobInit passes between submission and the job's tasks being pending.
	JobInit Time
	// Launch passes between the heartbeat that assigns a task and its start
	// (JVM start and localisation); LaunchJitter adds a uniform draw from 0 to
	// its value per attempt.
	Launch, LaunchJitter Time

	// Pool makes a node's slots one pool of containers that run either kind.
	Pool bool

	// Replication places that many replicas of every map's input by the HDFS
	// rule (see placement) where no hosts are recorded; 0 = no placement, such
	// maps are node-local everywhere.
	Replication int
	// TrackOutput remembers which node finished each map, for View.Output.
	TrackOutput bool

	Speculation Speculation
	Failures    Failures
	Resource    ResourceConfig

	Shares []UserShare // by user, for the metrics fairness and dissatisfaction

	// Stall is how long nothing may run or be launched while work is pending;
	// 0 = one hour.
	Stall Time
	// Until ends the run with ErrHorizon; 0 = no limit but the event tree's.
	Until Time

	// Trace, if set, is told every event of the run. It must not keep memory
	// it is given.
	Trace func(at Time, e Event)

	// EveryBeat simulates all heartbeats of nodes with a free slot instead of
	// only those that can matter. The history is the same; it exists to prove
	// that.
	EveryBeat bool
}

// Speculation launches second attempts of slow tasks on slots no pending task
// wants, by the rules of LATE (Zaharia et al., OSDI 2008).
type Speculation struct {
	On bool
	// Cap is the largest share of a kind's slots that may run second attempts,
	// 0 = 0.1.
	Cap float64
	// Slow is the share of a job's running tasks, by progress rate, that may be
	// doubled, 0 = 0.25.
	Slow float64
	// After is how long a task must have run, 0 = one minute.
	After Time
}

// Failures of attempts and nodes; the zero value has none.
type Failures struct {
	Attempt float64 // probability that an attempt fails
	// MaxAttempts failed attempts of one task fail the job; 0 = 4.
	MaxAttempts int32
	// NodeMTBF is a node's mean time between failures (exponential), 0 = never;
	// NodeRepair the time until it is back, 0 = it never is.
	NodeMTBF, NodeRepair Time
	// Expiry is how long the JobTracker takes to notice a dead node; 0 = 10 min.
	Expiry Time
}

// HeartbeatInterval is Hadoop 1's rule: a hundred heartbeats per second over
// the cluster, but at least 300 ms and at most 5 s apart.
func HeartbeatInterval(nodes int) Time {
	return min(max(Time(nodes)*10*Millisecond, 300*Millisecond), 5*Second)
}

func (c *Config) validate() error {
	type check struct {
		ok   bool
		name string
		got  any
		want string
	}
	for _, k := range []check{
		{c.Model <= Resources, "Model", c.Model, "Replay, Sampled or Resources"},
		{c.Heartbeat >= 0, "Heartbeat", c.Heartbeat, "0 or more"},
		{c.JobInit >= 0, "JobInit", c.JobInit, "0 or more"},
		{c.Launch >= 0 && c.LaunchJitter >= 0, "Launch", c.Launch, "0 or more"},
		{c.Replication >= 0 && c.Replication <= maxReplicas, "Replication", c.Replication, "0 to 16"},
		{c.Failures.Attempt >= 0 && c.Failures.Attempt < 1, "Failures.Attempt", c.Failures.Attempt, "0 to below 1"},
		{c.Failures.NodeMTBF >= 0 && c.Failures.NodeRepair >= 0, "Failures.NodeMTBF", c.Failures.NodeMTBF, "0 or more"},
		{c.Failures.MaxAttempts >= 0 && c.Failures.MaxAttempts < 256, "Failures.MaxAttempts", c.Failures.MaxAttempts, "0 to 255"},
		{!c.Prompt || c.Model == Resources && !c.OutOfBand, "Prompt", c.Prompt, "false unless Model is Resources and OutOfBand is off"},
		{!(c.Resource.StreamRate < 0), "Resource.StreamRate", c.Resource.StreamRate, "0 or more"},
		{!(c.Resource.WriteCost < 0) && c.Resource.SpillBuffer >= 0, "Resource.WriteCost", c.Resource.WriteCost, "0 or more"},
		{c.StragglerShare >= 0 && c.StragglerShare <= 1, "StragglerShare", c.StragglerShare, "0 to 1"},
	} {
		if !k.ok {
			return fmt.Errorf("simcore: Config.%s = %v, want %s", k.name, k.got, k.want)
		}
	}
	return nil
}

func (c *Config) setDefaults(nodes int) {
	if c.Heartbeat == 0 {
		c.Heartbeat = HeartbeatInterval(nodes)
	}
	if c.Stall == 0 {
		c.Stall = Hour
	}
	if c.Until == 0 {
		c.Until = Never
	}
	if c.Failures.MaxAttempts == 0 {
		c.Failures.MaxAttempts = 4
	}
	if c.Failures.Expiry == 0 {
		c.Failures.Expiry = 10 * Minute
	}
	c.Speculation.setDefaults()
}

func (p *Speculation) setDefaults() {
	if p.Cap == 0 {
		p.Cap = 0.1
	}
	if p.Slow == 0 {
		p.Slow = 0.25
	}
	if p.After == 0 {
		p.After = Minute
	}
}

// Validate reports the first inconsistency between a cluster and a workload
// that would make a run meaningless.
func Validate(c *Cluster, w *Workload) error {
	if len(c.Nodes) == 0 {
		return fmt.Errorf("simcore: the cluster has no nodes")
	}
	for i := range c.Nodes {
		n := &c.Nodes[i]
		if n.Rack < 0 || (int(n.Rack) >= len(c.Racks) && len(c.Racks) > 0) {
			return fmt.Errorf("simcore: node %d (%s): rack %d, want 0 to %d", i, n.Name, n.Rack, len(c.Racks)-1)
		}
		if n.Slots[0] < 0 || n.Slots[1] < 0 || n.Speed < 0 {
			return fmt.Errorf("simcore: node %d (%s): negative slots or speed", i, n.Name)
		}
	}
	for i := range w.Jobs {
		if err := validateJob(w, i); err != nil {
			return err
		}
	}
	for i := range w.Dists {
		d := &w.Dists[i]
		if d.Kind > Empirical || math.IsNaN(d.A+d.B) || math.IsInf(d.A+d.B, 0) || d.Kind == Pareto && d.B <= 0 {
			return fmt.Errorf("simcore: distribution %d: kind %d, A %v, B %v: want a known kind and finite figures, a Pareto's shape above 0", i, d.Kind, d.A, d.B)
		}
	}
	return validateHosts(c, w)
}

func validateHosts(c *Cluster, w *Workload) error {
	at := w.Tasks.HostAt
	for i := 1; i < len(at); i++ {
		if at[i] < at[i-1] || int(at[i]) > len(w.Tasks.Hosts) {
			return fmt.Errorf("simcore: task %d: hosts end at %d, want %d to %d", i-1, at[i], at[i-1], len(w.Tasks.Hosts))
		}
	}
	for i, h := range w.Tasks.Hosts {
		if h < 0 || int(h) >= len(c.Nodes) {
			return fmt.Errorf("simcore: host %d of the tasks' inputs is node %d, want 0 to %d", i, h, len(c.Nodes)-1)
		}
	}
	return nil
}

func validateJob(w *Workload, i int) error {
	j := &w.Jobs[i]
	fail := func(what string, got any, want string) error {
		return fmt.Errorf("simcore: job %d (%s): %s %v, want %s", i, j.ID, what, got, want)
	}
	in := func(x int32, n int) bool { return x >= 0 && int(x) < n }
	switch {
	case i > 0 && j.Submit < w.Jobs[i-1].Submit:
		return fail("submit time", j.Submit, "jobs in order of submission")
	case j.Submit < 0:
		return fail("submit time", j.Submit, "0 or more")
	case j.Maps < 0 || j.Reduces < 0:
		return fail("maps", j.Maps, "counts of 0 or more")
	case !in(j.Queue, len(w.Queues)):
		return fail("queue", j.Queue, fmt.Sprintf("0 to %d", len(w.Queues)-1))
	case !in(j.User, len(w.Users)):
		return fail("user", j.User, fmt.Sprintf("0 to %d", len(w.Users)-1))
	case j.Class != -1 && !in(j.Class, len(w.Classes)):
		return fail("class", j.Class, fmt.Sprintf("-1 to %d", len(w.Classes)-1))
	case j.MapDist >= int32(len(w.Dists)) || j.ReduceDist >= int32(len(w.Dists)):
		return fail("distribution", max(j.MapDist, j.ReduceDist), fmt.Sprintf("-1 to %d", len(w.Dists)-1))
	case j.FirstTask >= 0 && int(j.FirstTask)+int(j.Maps)+int(j.Reduces) > len(w.Tasks.Duration) && w.Tasks.Duration != nil:
		return fail("first task", j.FirstTask, fmt.Sprintf("all tasks within the %d described", len(w.Tasks.Duration)))
	case j.Spark != nil && j.Maps+j.Reduces > 0:
		return fail("maps and reduces", j.Maps+j.Reduces, "none beside a Spark application")
	case j.FirstTask >= 0 && w.Tasks.HostAt != nil && int(j.FirstTask)+int(j.Maps) >= len(w.Tasks.HostAt):
		return fail("first task", j.FirstTask, fmt.Sprintf("all maps within the %d with hosts", len(w.Tasks.HostAt)-1))
	}
	if j.Spark != nil {
		if err := j.Spark.Validate(w); err != nil {
			return fmt.Errorf("simcore: job %d (%s): %w", i, j.ID, err)
		}
	}
	return nil
}
