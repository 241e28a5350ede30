package mr1

import (
	"fmt"
	"schedtune/simcore"
)

// Config sets one run of the Hadoop 1 runtime. The zero value is Hadoop 1 with
// recorded task times, no launch latency, no data placement, no failures and
// no speculation.
type Config struct {
	simcore.DurationConfig // model, seed and what is added to task times

	// Heartbeat is the interval of every node; 0 = HeartbeatInterval.
	Heartbeat simcore.Time
	// OutOfBand nodes send a heartbeat at once when a task ends
	// (mapreduce.tasktracker.outofband.heartbeat).
	OutOfBand bool
	// Prompt tells the scheduler of a task's end at once and offers its slot
	// with the node's next heartbeat, so that for a moment any node's heartbeat
	// may win the task that takes its place. Resource model only.
	Prompt bool
	// JobInit passes between submission and the job's tasks being pending.
	JobInit simcore.Time
	// Launch passes between the heartbeat that assigns a task and its start
	// (JVM start and localisation); LaunchJitter adds a uniform draw from 0 to
	// its value per attempt.
	Launch, LaunchJitter simcore.Time

	// Pool makes a node's slots one pool of containers that run either kind.
	Pool bool

	// Replication places that many replicas of every map's input by the HDFS
	// rule (see placement) where no hosts are recorded; 0 = no placement, such
	// maps are node-local everywhere.
	Replication int
	// TrackOutput remembers which node finished each map, for View.Output.
	TrackOutput bool

	Speculation Speculation
	Failures    Failures               // off in the zero value
	Resource    simcore.ResourceConfig // of the resource model
	Shares      []simcore.UserShare    // by user, for the metrics fairness and dissatisfaction

	// Stall is how long nothing may run or be launched while work is pending;
	// 0 = one hour.
	Stall simcore.Time
	// Until ends the run with ErrHorizon; 0 = no limit but the event tree's.
	Until simcore.Time

	// Trace, if set, is told every event of the run. It must not keep memory
	// it is given.
	Trace func(at simcore.Time, e Event)

	// EveryBeat simulates all heartbeats of nodes with a free slot instead of
	// only those that can matter. The history is the same; it exists to prove
	// that.
	EveryBeat bool
}

// Speculation launches second attempts of slow tasks on slots no pending task
// wants, by the rules of LATE (Zaharia et al., OSDI 2008).
type Speculation struct {
	On bool // the zero value has none
	// Cap is the largest share of a kind's slots that may run second attempts,
	// 0 = 0.1.
	Cap float64
	// Slow is the share of a job's running tasks, by progress rate, that may be
	// doubled, 0 = 0.25.
	Slow float64
	// After is how long a task must have run, 0 = one minute.
	After simcore.Time
}

// Failures of attempts and nodes; the zero value has none.
type Failures struct {
	Attempt float64 // probability that an attempt fails
	// MaxAttempts failed attempts of one task fail the job; 0 = 4.
	MaxAttempts int32
	// NodeMTBF is a node's mean time between failures (exponential), 0 = never;
	// NodeRepair the time until it is back, 0 = it never is.
	NodeMTBF, NodeRepair simcore.Time
	// Expiry is how long the JobTracker takes to notice a dead node; 0 = 10 min.
	Expiry simcore.Time
}

// HeartbeatInterval is the rule of Hadoop 1.1 and later
// (JobTracker.getNextHeartbeatInterval): a hundred heartbeats per second over
// the cluster, but at least 300 ms apart. Hadoop knows no longest interval; the
// 5 s here stand for what operators of more than 500 nodes did, who raised
// mapreduce.jobtracker.heartbeats.in.second. Before 1.1 the interval was a
// second for every hundred nodes begun, but at least 3 s: set Config.Heartbeat.
func HeartbeatInterval(nodes int) simcore.Time {
	return min(max(simcore.Time(nodes)*10*simcore.Millisecond, 300*simcore.Millisecond), 5*simcore.Second)
}

func (c *Config) validate() error {
	type check struct {
		ok   bool
		name string
		got  any
		want string
	}
	for _, k := range []check{
		{c.Model <= simcore.Resources, "Model", c.Model, "Replay, Sampled or Resources"},
		{c.Heartbeat >= 0, "Heartbeat", c.Heartbeat, "0 or more"},
		{c.JobInit >= 0, "JobInit", c.JobInit, "0 or more"},
		{c.Launch >= 0 && c.LaunchJitter >= 0, "Launch", c.Launch, "0 or more"},
		{c.Replication >= 0 && c.Replication <= maxReplicas, "Replication", c.Replication, "0 to 16"},
		{c.Failures.Attempt >= 0 && c.Failures.Attempt < 1, "Failures.Attempt", c.Failures.Attempt, "0 to below 1"},
		{c.Failures.NodeMTBF >= 0 && c.Failures.NodeRepair >= 0, "Failures.NodeMTBF", c.Failures.NodeMTBF, "0 or more"},
		{c.Failures.MaxAttempts >= 0 && c.Failures.MaxAttempts < 256, "Failures.MaxAttempts", c.Failures.MaxAttempts,
			"0 to 255"},
		{!c.Prompt || c.Model == simcore.Resources && !c.OutOfBand, "Prompt", c.Prompt, "false unless Model is Resources " +
			"and OutOfBand is off"},
		{!(c.Resource.WriteCost < 0) && c.Resource.SpillBuffer >= 0, "Resource.WriteCost", c.Resource.WriteCost, "0 or more"},
		{c.Resource.MergeFactor == 0 || c.Resource.MergeFactor > 1, "Resource.MergeFactor", c.Resource.MergeFactor,
			"0, or 2 or more"},
		{c.StragglerShare >= 0 && c.StragglerShare <= 1, "StragglerShare", c.StragglerShare, "0 to 1"},
	} {
		if !k.ok {
			return fmt.Errorf("mr1: Config.%s = %v, want %s", k.name, k.got, k.want)
		}
	}
	if err := c.Resource.Contention.Check(); err != nil {
		return fmt.Errorf("mr1: Config.%w", err)
	}
	return nil
}

func (c *Config) setDefaults(nodes int) {
	if c.Heartbeat == 0 {
		c.Heartbeat = HeartbeatInterval(nodes)
	}
	if c.Stall == 0 {
		c.Stall = simcore.Hour
	}
	if c.Until == 0 {
		c.Until = simcore.Never
	}
	if c.Failures.MaxAttempts == 0 {
		c.Failures.MaxAttempts = 4
	}
	if c.Failures.Expiry == 0 {
		c.Failures.Expiry = 10 * simcore.Minute
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
		p.After = simcore.Minute
	}
}
