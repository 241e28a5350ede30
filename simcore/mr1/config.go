package mr1

import (
	"cmp"

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

	// Trace, if set, receives every event of the run. It must not keep memory
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

// Failures of attempts; the zero value has none. Nodes that fail, and maps that run again with
// them, are YARN's (simcore.Elastic).
type Failures struct {
	Attempt float64 // probability that an attempt fails
	// MaxAttempts failed attempts of one task fail the job; 0 = 4.
	MaxAttempts int32
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

// validate names the first setting that is out of range.
func (c *Config) validate() error {
	f, r := &c.Failures, &c.Resource
	return simcore.Checks{
		simcore.Must(c.Model <= simcore.Resources, "Model", c.Model, "Replay, Sampled or Resources"),
		simcore.Must(c.Heartbeat >= 0, "Heartbeat", c.Heartbeat, "0 or more"),
		simcore.Must(c.JobInit >= 0, "JobInit", c.JobInit, "0 or more"),
		simcore.Must(c.Launch >= 0 && c.LaunchJitter >= 0, "Launch", c.Launch, "0 or more"),
		simcore.Must(c.Replication >= 0 && c.Replication <= maxReplicas, "Replication", c.Replication, "0 to 16"),
		simcore.Must(f.Attempt >= 0 && f.Attempt < 1, "Failures.Attempt", f.Attempt, "0 to below 1"),
		simcore.Must(f.MaxAttempts >= 0 && f.MaxAttempts < 256, "Failures.MaxAttempts", f.MaxAttempts, "0 to 255"),
		simcore.Must(!c.Prompt || c.Model == simcore.Resources && !c.OutOfBand, "Prompt", c.Prompt,
			"false unless Model is Resources and OutOfBand is off"),
		simcore.Must(!(r.WriteCost < 0) && r.SpillBuffer >= 0, "Resource.WriteCost", r.WriteCost, "0 or more"),
		simcore.Must(r.MergeFactor == 0 || r.MergeFactor > 1, "Resource.MergeFactor", r.MergeFactor, "0, or 2 or more"),
		simcore.Must(c.StragglerShare >= 0 && c.StragglerShare <= 1, "StragglerShare", c.StragglerShare, "0 to 1"),
	}.Err("mr1: Config.")
}

// setDefaults replaces zeros by the defaults.
func (c *Config) setDefaults(nodes int) {
	c.Heartbeat = cmp.Or(c.Heartbeat, HeartbeatInterval(nodes))
	c.Stall, c.Until = cmp.Or(c.Stall, simcore.Hour), cmp.Or(c.Until, simcore.Never)
	p := &c.Speculation
	c.Failures.MaxAttempts = cmp.Or(c.Failures.MaxAttempts, 4)
	p.Cap, p.Slow, p.After = cmp.Or(p.Cap, 0.1), cmp.Or(p.Slow, 0.25), cmp.Or(p.After, simcore.Minute)
}
