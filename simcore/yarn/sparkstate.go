package yarn

import (
	"schedtune/simcore"
	"schedtune/simcore/internal/kernel"
	"schedtune/simcore/yarn/spark"
)

// sparkApp is the state of an application from its driver's registration on. Slices by task,
// block, stage and job are numbered as in sparkPlan; executors count from 1, and 0 stands for
// none.
type sparkApp struct {
	program
	plan     *sparkPlan
	set      simcore.SparkSettings // of the plan, with the run's changes of defaults
	recorded *RecordedSpark        // never nil
	manager  spark.Manager
	monitor  spark.Monitor
	allocs   []spark.Allocator // by resource profile
	asked    []bool            // by resource profile: the AM knows it
	tasks    spark.Tasks

	execs   []sparkExec  // by number
	runs    []sparkRun   // by executor and slot
	byOrd   []int32      // executor by ordinal of its container, 0 = none
	stages  []sparkStage // run of each stage
	jobs    []sparkJob
	sets    []int32    // stage by task set
	done    []bool     // by task: it has finished, and its output exists if it writes one
	output  []int32    // by task: executor with its output, 0 = none
	wrote   []int32    // by task: sparkRun.id of the attempt with the output
	block   []int32    // by block: executor with it, 0 = none
	unnoted []notedRun // ends of tasks that the driver has yet to note

	// The timers of the leaf of the AM's container; Never = off.
	loopAt   simcore.Time // next effective turn of the allocation manager's loop
	reviveAt simcore.Time // next offer to all executors

	fast       simcore.Time // next interval while requests are pending
	questions  int32        // loss reasons requested
	launched   int32        // tasks launched
	registered int32        // executors, ever
	phase      simcore.Time // of the manager's loop
	period     simcore.Time
	dueAt      simcore.Time // from when the loop's next turn would have an effect to be seen
	born       simcore.Time // start of the scheduler backend
	ready      bool         // the user's code continues
	waiting    bool         // for the first executors
	jobsLeft   int32
}

// sparkExec is an executor of an application.
type sparkExec struct {
	slot, node int32
	profile    int32
	state      execState
	used       bool // a task has ended on it
	outlives   bool // its process works although its container is lost
	missed     bool // the driver knows of its loss
	killed     bool // by the driver
	released   bool // by the AM
	counted    bool // its time in the container is added
}

// execState is the state of an executor.
type execState uint8

const (
	execLaunching execState = iota // between allocation and the NodeManager's start
	execStarting                   // its process starts
	execLive                       // registered
	execGone                       // ended or ending
)

// sparkRun is a task in a slot of an executor.
type sparkRun struct {
	set, stage, task int32 // set -1 = free
	end, from        simcore.Time
	loc              simcore.Locality
	noted            simcore.Time // when the driver notes its end
	id               int32        // number of the task among those launched by the application
	lost             bool         // it will meet lost output
	copied           bool         // a second copy
}

// notedRun is a task whose core has been given away, on its executor.
type notedRun struct {
	sparkRun
	executor int32
}

// freeRun is a slot without a task.
var freeRun = sparkRun{set: -1, end: simcore.Never, noted: simcore.Never}

// sparkStage is the state of a stage.
type sparkStage struct {
	set     int32   // of its current attempt, -1 = none
	left    int32   // tasks not done
	parents int32   // of its job, not complete
	missing int32   // outputs lost after it was complete
	index   []int32 // by task: its index in the current attempt; nil = the same
	tries   int32
	state   stageState

	complete bool // it has been complete once

	took    []simcore.Time // by finished tasks, ascending, with speculation
	checkAt simcore.Time   // next check for slow tasks
}

// stageState is the state of a stage's current attempt.
type stageState uint8

const (
	stageIdle   stageState = iota // not submitted, or waiting for lost output to be computed again
	stageQueued                   // its submission is one of the driver's steps
	stageRuns
	stageDone
)

// sparkJob is the state of a job.
type sparkJob struct {
	before int32 // jobs that it still waits for
	left   int32 // stages not complete
}

// addExecutor adds an executor with free slots.
func (a *sparkApp) addExecutor(x sparkExec) {
	a.execs = append(a.execs, x)
	for range a.plan.stride {
		a.runs = append(a.runs, freeRun)
	}
}

// runsOf returns the slots of an executor.
func (a *sparkApp) runsOf(e int32) []sparkRun { return a.runs[e*a.plan.stride : (e+1)*a.plan.stride] }

// reset prepares an application in the memory of another. Its settings are those of the plan, with
// the run's changes of defaults.
func (a *sparkApp) reset(p *sparkPlan, moved simcore.DefaultMoves) {
	app := p.app
	a.plan, a.set = p, app.Settings
	moved.Spark(&a.set)
	a.manager.Reset(&a.set, p.slots)
	a.monitor.Reset(&a.set, int32(len(p.blockBase))-1, int32(len(app.Stages)), int32(len(p.slots)))
	n := int(p.taskBase[len(app.Stages)])
	a.execs, a.runs, a.byOrd = a.execs[:0], a.runs[:0], a.byOrd[:0]
	a.addExecutor(sparkExec{slot: -1, state: execGone})
	a.stages, a.jobs = kernel.Zeroed(a.stages, len(app.Stages)), kernel.Zeroed(a.jobs, len(app.Jobs))
	a.done, a.output, a.wrote = kernel.Zeroed(a.done, n), kernel.Zeroed(a.output, n), kernel.Zeroed(a.wrote, n)
	a.block = kernel.Zeroed(a.block, int(p.blockBase[len(p.blockBase)-1]))
	a.sets, a.unnoted = a.sets[:0], a.unnoted[:0]
	a.program, a.loopAt, a.reviveAt = a.program.fresh(), simcore.Never, simcore.Never
	a.fast, a.questions, a.registered, a.launched = a.set.FastBeat, 0, 0, 0
	a.ready, a.waiting = false, false
	a.jobsLeft = int32(len(app.Jobs))
	for i := range a.jobs {
		a.jobs[i] = sparkJob{before: p.before[i], left: app.Jobs[i].Stages}
	}
	for i := range a.stages {
		st := &app.Stages[i]
		a.stages[i] = sparkStage{set: -1, left: st.Tasks, checkAt: simcore.Never}
		for _, q := range st.Parents {
			if app.Stages[q].Job == st.Job {
				a.stages[i].parents++
			}
		}
	}
}
