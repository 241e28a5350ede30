package yarn

import (
	"cmp"

	"schedtune/simcore"
)

// Times tells what a workload's task times are.
type Times uint8

const (
	// AttemptTimes: recorded attempt times, from the NodeManager's start to the
	// task's end, so the launch of the JVM is part of them; submissions are
	// when the ResourceManager had the job.
	AttemptTimes Times = iota
	// UserTimes: the time of the user's code alone, and planned submissions;
	// client, launch and shuffle latencies come from the calibration.
	UserTimes
)

// Options are fixed for all runs of a Sim.
type Options struct {
	Times Times
	// ScheduleCPU says the ResourceManager's calculator looks at vcores
	// (DominantResourceCalculator); application masters then count them too.
	ScheduleCPU bool
	// Horizon ends a run with an error; 0 = none but the kernel's own limit.
	Horizon simcore.Time
}

// RunConfig is one run.
type RunConfig struct {
	Seed uint64
	// Slowstart is the share of completed maps before reduces are asked, for
	// every job; negative: each job's own, 0.05 where it has none.
	Slowstart float64
	// Defaults of Spark and Tez applications that the run changes.
	Defaults simcore.DefaultMoves
	// Calibration holds the latencies; nil = Default.
	Calibration *Calibration
	// Durations chooses the model of task times and its stragglers; its seed is
	// the run's.
	Durations simcore.DurationConfig
	// Resource sets the resource model (Durations.Model = simcore.Resources).
	Resource simcore.ResourceConfig
	// Shares are the users' minimum shares, for the metrics fairness and
	// dissatisfaction.
	Shares []simcore.UserShare
	// Jitter makes runs with different seeds replications.
	Jitter Jitter
	// PreemptEvery is the interval of preemption rounds of a scheduler with a
	// preemption policy (yarn.resourcemanager.scheduler.monitor.enable); 0 = off.
	PreemptEvery simcore.Time
	// Policies replace rules of Hadoop.
	Policies Policies
	// Recorded replaces drawn latencies by measured ones.
	Recorded *Recorded
	// Observe receives every committed proposal of the scheduler, in order. It
	// must not keep the pointer.
	Observe func(simcore.Time, *Event)
	// Trace is called when a container is allocated and when the ResourceManager
	// has its space back.
	Trace func(simcore.Time, ContainerChange)
	// SparkTrace, if set, receives what Spark and Tez applications do.
	SparkTrace func(simcore.Time, SparkEvent)
	// Reservations, if set, receives every reservation.
	Reservations func(simcore.Time, Reservation)
	// Look, if set, is called once, when all has happened up to and including LookAt
	// and some job has not ended; earlier where nothing changes any more. It may look at
	// the scheduler and change its configuration, and reports whether it has.
	Look   func() bool
	LookAt simcore.Time
	// Switch, if set, is called at the instants that NextSwitch names, when all has
	// happened up to and including them and something is still to come: it puts
	// another configuration of the scheduler in force. Its error ends the run.
	Switch func() error
	// NextSwitch is the first instant after another, simcore.Never for none.
	NextSwitch func(after simcore.Time) simcore.Time
	// Warm is the state with which the run begins; nil = an empty cluster.
	Warm *Warm
	// Eager computes every heartbeat, also those that cannot change anything.
	// It is slower and gives the same history.
	Eager bool

	serial simcore.Time // a job is submitted when the one before is over, at a multiple of this; 0 = as the workload says
}

// ContainerChange is a container that came (Delta +1) or went (-1).
type ContainerChange struct {
	Job     simcore.JobID
	Node    simcore.NodeID
	Kind    simcore.Kind // Map or Reduce; Map for an application master
	Master  bool         // it holds the application master
	Lost    bool         // it ended before its work did: preempted, lost with its node, outrun by its twin
	Delta   int8
	Ordinal int32    // number of the container within its application
	Size    Resource // as asked
}

// Reservation is a node that the scheduler keeps for an application (Held), or
// that is free of it again. It is confirmed at every heartbeat of the node: each
// confirmation is known. Those of an application that ends are over with its
// master's container and not told.
type Reservation struct {
	Job  simcore.JobID
	Node simcore.NodeID
	Held bool
	Size Resource // zero where it is over without a container
}

// Jitter names what varies between replications. Without any, the seed
// changes only what is random within the model.
type Jitter struct {
	Arrivals bool // submissions shift by the calibration's arrival jitter
	Launch   bool // latencies and launch work are drawn, not their medians
	Phases   bool // heartbeats start at a random phase
}

// validate names the first setting of a run that is out of range.
func (c *RunConfig) validate() error {
	d := &c.Durations
	return simcore.Checks{
		simcore.Must(c.Slowstart <= 1, "Slowstart", c.Slowstart, "0 to 1, or less for each job's own"),
		simcore.Must(d.Model <= simcore.Resources, "Durations.Model", uint8(d.Model), "Replay, Sampled or Resources"),
		simcore.Must(d.StragglerShare >= 0 && d.StragglerShare <= 1, "Durations.StragglerShare", d.StragglerShare, "0 to 1"),
		simcore.Must(!(d.StragglerFactor < 0), "Durations.StragglerFactor", d.StragglerFactor, "0 or more"),
		simcore.Must(c.PreemptEvery >= 0, "PreemptEvery", c.PreemptEvery, "0 or more"),
	}.Err("yarn: RunConfig.")
}

// Recorded holds measured latencies of a recorded run. A nil slice, or a
// negative entry, means: not recorded, use the calibration.
type Recorded struct {
	// NodeBeats are by node all instants at which the scheduler handled its heartbeats, which
	// under load is after their arrival; later ones follow at the period of nodes. MasterBeats are
	// by job all heartbeats of its AM, likewise.
	NodeBeats, MasterBeats [][]simcore.Time
	Round                  simcore.Time // an instant of a preemption round, 0 = not known
	// Kills are the instants of preemption rounds that killed containers, ascending;
	// nil = not known.
	Kills []simcore.Time

	Context    []simcore.Time   // per Spark application: AM registered to the user's code going on, executors aside
	Spark      []*RecordedSpark // per job, nil = nothing recorded
	Tez        []*RecordedTez   // likewise
	Numbers    []int64          // per job: AppSpec.Number; nil = as submitted
	Stamp      int64            // AppSpec.Stamp
	AMStart    []simcore.Time   // per job: AM allocated to registered
	Commit     []simcore.Time   // per job: last task finished to job finished
	Unregister []simcore.Time   // per job: job finished to AM unregistered
	AMExit     []simcore.Time   // per job: AM unregistered to its container free
	// per task: acquired by the AM to user code (map) or to its first question for maps (reduce)
	Launch []simcore.Time
	Exit   []simcore.Time // per task: finished to its container free
	// Attempts are those of tasks that had several; what is recorded of them takes the
	// place of the task's times, Launch and Exit. Restarts are per job the AMStart of
	// its masters after the first.
	Attempts map[Attempt]RecordedAttempt
	Restarts [][]simcore.Time
	// Killed are the instants at which the containers of attempts were free that their
	// AM killed, or that ended without it, by job, number of its master and ordinal.
	Killed map[[3]int32]simcore.Time
}

// RecordedSpark holds measured latencies of a Spark application. A negative
// entry means: not recorded.
type RecordedSpark struct {
	// LoopPhase is an instant at which the allocation manager's loop turned,
	// LoopPeriod its period; 0 = not known.
	LoopPhase, LoopPeriod simcore.Time
	Turns                 []simcore.Time    // turns of that loop that had an effect, ascending: others take their place
	Calls                 []simcore.Time    // the AM's calls, ascending, likewise
	Launch                []simcore.Time    // per executor: acquired by the AM to the NodeManager's start
	Start                 []simcore.Time    // per executor: start to registered
	Accept                []simcore.Time    // per executor: registered to offered tasks
	Heard                 []simcore.Time    // per executor: given up to the AM knowing
	Gone                  []simcore.Time    // per executor: released or killed to its process gone
	Seen                  []simcore.Time    // per executor: killed to the driver seeing the connection close
	Removed               []simcore.Time    // per executor: call that released it or told of its loss to removed
	Stop                  []simcore.Time    // per executor: application end to its container free
	Ready                 simcore.Time      // when the wait for the first executors ended, 0 = not known
	Revive                simcore.Time      // an instant of the offers to all executors once a second, 0 = not known
	Stages                [][]RecordedStage // per stage: its attempts
}

// RecordedStage holds measured times of an attempt of a stage; negative = not recorded.
type RecordedStage struct {
	Gap   simcore.Time // its parents' end, or its job's submission, to its submission
	Offer simcore.Time // its submission to its tasks being offered
	// Tasks are by index of the task in the attempt its launches, in order of time.
	Tasks [][]RecordedTask
}

// RecordedTask is an attempt of a task.
type RecordedTask struct {
	Executor int32
	Nth      int32        // among the launches of the application
	Held     simcore.Time // launch to its core being given away
	Ran      simcore.Time // launch to the end that the driver notes
	Failed   bool         // it met lost output then
}

// recordedSpark returns the records of a Spark application.
func (s *Sim) recordedSpark(j int32) *RecordedSpark {
	return cmp.Or(pick(s.recorded.Spark, j), noSparkRecords)
}

// JobTimes are a job's instants; Never where it did not get there.
type JobTimes struct {
	Submit      simcore.Time // the ResourceManager has it
	AMAllocated simcore.Time
	Registered  simcore.Time
	FirstMap    simcore.Time // first map's container at work
	LastMap     simcore.Time // last map finished
	FirstReduce simcore.Time
	Finish      simcore.Time
	Released    simcore.Time // the AM's container is free
	Status      Status
	Given       int32 // containers granted and given back unused

	Executors    int32        // Spark: executors launched; Tez: containers that had tasks
	ExecutorTime simcore.Time // sum over them of the time in their containers
}

// noTimes is what is known of a job before it is submitted.
var noTimes = JobTimes{Submit: simcore.Never, AMAllocated: simcore.Never, Registered: simcore.Never,
	FirstMap: simcore.Never,
	LastMap:  simcore.Never, FirstReduce: simcore.Never, Finish: simcore.Never, Released: simcore.Never}

// Status is how a job ended.
type Status uint8

// Statuses of a job.
const (
	Unfinished Status = iota
	Succeeded
	Failed
	Rejected
)

// PreemptionInterval is RunConfig.PreemptEvery for a configuration: its
// monitoring interval in milliseconds while the ResourceManager's monitor is on.
func PreemptionInterval(monitor bool, ms int64) simcore.Time {
	if monitor {
		return max(1, simcore.Time(ms)) * simcore.Millisecond
	}
	return 0
}
