package yarn

import "schedtune/simcore"

// SparkEventKind is a kind of SparkEvent.
type SparkEventKind uint8

// Kinds of SparkEvent.
const (
	SparkAcquired   SparkEventKind = iota // the AM picked an executor's container up
	SparkRegistered                       // an executor registered with the driver
	SparkTaskStart                        // the driver launched a task
	SparkTaskEnd                          // it ended, or its executor was lost
	SparkAsk                              // a call of the AM carried requests
	SparkTarget                           // the number of executors wanted has changed
	SparkKill                             // the driver gave an idle executor up
	SparkRelease                          // a call of the AM released a container
)

// SparkEvent is something that a Spark or Tez application did. Fields that do not apply are 0. Of
// Tez Executor is the ordinal of a container and Stage a vertex; of an ask the priority, and the
// place as a node, -2-rack or -1 for any. SparkKill is the order to end a container.
type SparkEvent struct {
	Job              simcore.JobID
	Kind             SparkEventKind
	Executor         int32 // from 1; 0 also of a container that became none
	Stage, Try, Task int32 // of a task: its stage, the stage's attempt from 0, and its index in that attempt
	Count            int32 // wanted at any place, or the target
	MiB              int64 // of an ask of a Tez application
}

// tell passes an event to RunConfig.SparkTrace.
func (k *programs[A, P]) tell(j int32, e SparkEvent) {
	if k.s.cfg.SparkTrace != nil {
		e.Job = simcore.JobID(j)
		k.s.cfg.SparkTrace(k.s.now, e)
	}
}

// tellTask passes an event of a task.
func (k *sparkMaster) tellTask(j int32, a *sparkApp, kind SparkEventKind, e int32, r *sparkRun) {
	run := &a.stages[r.stage]
	k.tell(j, SparkEvent{Kind: kind, Executor: e, Stage: r.stage, Try: run.tries - 1, Task: run.indexOf(r.task)})
}
