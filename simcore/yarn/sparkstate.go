package yarn

import (
	"schedtune/simcore"
	"schedtune/simcore/internal/kernel"
	"schedtune/simcore/yarn/spark"
)

// sparkApp is one application under way, from its driver's registration on. Slices by task,
// block, stage and job are numbered as sparkPlan says; executors count from 1, of which 0
// stands for none.
type sparkApp struct {
	plan     *sparkPlan
	set      *simcore.SparkSettings
	recorded *RecordedSpark        // nil = nothing
	own      simcore.SparkSettings // where the run moves defaults
	manager  spark.Manager
	monitor  spark.Monitor
	allocs   []spark.Allocator // by resource profile
	asked    []bool            // by resource profile: the AM has heard of it
	tasks    spark.Tasks

	execs  []sparkExec  // by number
	runs   []sparkRun   // by executor and slot
	byOrd  []int32      // executor by ordinal of its container, 0 = none
	stages []sparkStage // run of each stage
	jobs   []sparkJob
	sets   []int32     // stage by task set
	done   []bool      // by task: it has finished, and its output is there where it writes one
	output []int32     // by task: executor that holds its output, 0 = none
	block  []int32     // by block: executor that holds it, 0 = none
	fails  []uint8     // by task: failed attempts; empty until one fails
	todo   []sparkStep // the driver's agenda
	giving []int32     // slots to give back with the next call

	// The timers that the leaf of the AM's container stands for; Never = off.
	todoAt   simcore.Time // earliest step of the agenda
	loopAt   simcore.Time // next turn of the allocation manager's loop that changes anything
	reviveAt simcore.Time // next offer to all executors
	callAt   simcore.Time // next call of the AM

	calling    bool         // callAt is a call that does something
	fast       simcore.Time // next interval while requests are pending
	granted    int32        // granted and not told yet
	ended      int32        // over and not told yet
	questions  int32        // loss reasons asked for
	calls      int32        // made, to 2
	registered int32        // executors, ever
	phase      simcore.Time // of the manager's loop
	period     simcore.Time
	born       simcore.Time // when the scheduler backend came up
	ready      bool         // the user's code goes on
	waiting    bool         // for the first executors
	closed     bool
	jobsLeft   int32
}

// sparkExec is an executor of an application.
type sparkExec struct {
	slot, node int32
	profile    int32
	state      execState
	used       bool // a task has ended on it
	killed     bool // given up by the driver
	counted    bool // its time in the container is booked
}

// execState is how far an executor has come.
type execState uint8

const (
	execLaunching execState = iota // between grant and the NodeManager's start
	execStarting                   // the process comes up
	execLive                       // registered
	execGone                       // over, or dying
)

// sparkRun is a task in a slot of an executor.
type sparkRun struct {
	set, stage, task int32 // set -1 = free
	end, from        simcore.Time
	loc              simcore.Locality
	fails            bool
	copied           bool // a second copy
}

// sparkStage is a stage's run.
type sparkStage struct {
	set     int32 // of its current attempt, -1 = none
	left    int32 // tasks not done
	parents int32 // of its job, not complete
	missing int32 // outputs lost after it was complete
	tries   int32
	state   stageState

	complete bool // once, whatever has been lost since

	took    []simcore.Time // of finished tasks, ascending, where speculation is on
	checkAt simcore.Time   // next look for slow tasks
}

// stageState is how far a stage's present attempt has come.
type stageState uint8

const (
	stageIdle   stageState = iota // not submitted, or waiting for lost output to be made again
	stageQueued                   // its submission is on the agenda
	stageRuns
	stageDone
)

// sparkJob is a job's run.
type sparkJob struct {
	before int32 // jobs it still waits for
	left   int32 // stages not complete
}

// sparkStep is something the driver does later.
type sparkStep struct {
	at   simcore.Time
	what stepKind
	i    int32 // job, stage, task set or executor
}

// stepKind is what a step is.
type stepKind uint8

const (
	stepContext stepKind = iota // the SparkContext is up
	stepReady                   // the wait for the first executors is over
	stepJob                     // a job is submitted
	stepStage                   // a stage is
	stepOffer                   // a task set is offered
	stepAccept                  // an executor takes tasks
	stepGone                    // the process of a killed executor is gone
	stepCheck                   // slow tasks are looked for
	stepLost                    // the driver asks why an executor is lost
)

// reset makes an application of the memory of another, with the settings of its plan or, where
// the run moves defaults, its own.
func (a *sparkApp) reset(p *sparkPlan, moved *simcore.SparkDefaults) {
	app := p.app
	a.plan, a.set = p, &app.Settings
	if moved != nil {
		a.own = app.Settings
		moved.Apply(&a.own)
		a.set = &a.own
	}
	a.manager.Reset(a.set, p.slots)
	a.monitor.Reset(a.set, int32(len(p.blockBase))-1, int32(len(app.Stages)), int32(len(p.slots)))
	n := int(p.taskBase[len(app.Stages)])
	a.execs, a.runs, a.byOrd = append(a.execs[:0], sparkExec{slot: -1, state: execGone}), a.runs[:0], a.byOrd[:0]
	for range p.stride {
		a.runs = append(a.runs, sparkRun{set: -1, end: simcore.Never})
	}
	a.stages, a.jobs = kernel.Zeroed(a.stages, len(app.Stages)), kernel.Zeroed(a.jobs, len(app.Jobs))
	a.done, a.output = kernel.Zeroed(a.done, n), kernel.Zeroed(a.output, n)
	a.block = kernel.Zeroed(a.block, int(p.blockBase[len(p.blockBase)-1]))
	a.fails, a.sets, a.todo, a.giving = a.fails[:0], a.sets[:0], a.todo[:0], a.giving[:0]
	a.todoAt, a.loopAt, a.reviveAt, a.callAt = simcore.Never, simcore.Never, simcore.Never, simcore.Never
	a.fast, a.granted, a.ended, a.questions, a.registered, a.calls = a.set.FastBeat, 0, 0, 0, 0, 0
	a.calling, a.ready, a.waiting, a.closed = false, false, false, false
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
