package mr1

import (
	"errors"
	"fmt"
	"schedtune/internal/text"
	"schedtune/simcore"
)

// Scheduler is the contract of a slot scheduler (Hadoop 1 or a pool of dynamic
// containers). One instance serves one run, so parallel runs share nothing;
// its random generator comes from its constructor.
type Scheduler interface {
	// Pick is asked while the node that just sent a heartbeat has a free slot
	// of some kind with a pending task. It names the next task to launch or
	// declines with false. The kernel asks again until it declines or nothing
	// fits. A pick that is not pending or does not fit ends the run with a
	// PickError. Pick must not depend on having been called when it could not
	// have launched anything, unless the scheduler has the Heartbeat hook.
	Pick(v *View, n simcore.NodeID) (simcore.Task, bool)
}

// Hooks a scheduler may have in addition; each is found once by type assertion
// when a run starts.
type (
	// Starter is notified of the run before its first event.
	Starter interface {
		Start(v *View) // before the first event
	}

	// Observer receives what happened, after the view shows it.
	Observer interface {
		Observe(v *View, e Event) // after what happened
	}

	// Chooser limits an Observer to the kinds of event whose bits (1<<kind) are
	// set, to save calls; with Config.Trace on it receives all of them. It must
	// ignore what it did not ask for.
	Chooser interface {
		Wants() uint32 // bits by EventKind; asked once
	}

	// Beater sees every heartbeat of every node while a job is active, before
	// the picks of that heartbeat. Having it makes idle heartbeats cost events.
	Beater interface {
		Heartbeat(v *View, n simcore.NodeID) // of a live node
	}

	// Gate says whether a heartbeat of some node could get a task of the kind
	// now. While it answers false the kernel sends no idle heartbeats for that
	// kind; it asks again after every event. It must be exact: whenever it
	// answers false, Pick would decline that kind on every node and without
	// effect. Schedulers with timers of their own must not have it.
	Gate interface {
		Ready(v *View, k simcore.Kind) bool // false: no node could get one
	}

	// Ticker is called periodically while a job is active: an initialisation
	// poller, a measuring window.
	Ticker interface {
		Period() simcore.Time // positive, constant
		Tick(v *View)         // every period
	}

	// Sleeper is a Ticker whose next ticks do nothing while Sleeps is true, so that they are left
	// out; it is asked after each tick, and while it is true after every event.
	Sleeper interface {
		Sleeps() bool // true: no tick before the next event has an effect
	}

	// Preempter may have attempts killed before a heartbeat's picks; killed
	// tasks are pending again. Attempts to kill are appended to dst.
	Preempter interface {
		Preempt(v *View, n simcore.NodeID, dst []Attempt) []Attempt // returns dst with them
	}

	// Placer places the replicas of map inputs when a job becomes active, in
	// place of the kernel's HDFS rule; it is asked once per map, and distinct
	// nodes are appended to dst. Recorded hosts win.
	Placer interface {
		Place(v *View, t simcore.Task, dst []simcore.NodeID) []simcore.NodeID // returns dst with them
	}

	// Admitter may refuse a job on arrival; a refused job fails at once. It is
	// asked after the event JobArrived.
	Admitter interface {
		Admit(v *View, j simcore.JobID) bool // false: refused
	}

	// Namer gives the name used in errors and results; the Go type otherwise.
	Namer interface {
		Name() string // one word, as in a spec
	}
)

// EventKind tells what happened to a job, a task or a node.
type EventKind uint8

// Kinds of Event.
const (
	JobArrived   EventKind = iota // submitted; no task is pending yet
	JobReady                      // initialised: its tasks are pending
	JobMapsDone                   // its last map finished
	JobFinished                   // its last task finished, or it failed
	TaskStarted                   // launched on the node
	TaskFinished                  // reported finished
	TaskFailed                    // attempt failed, the task is pending again
	TaskKilled                    // attempt killed (preempted, or outrun by its twin)
	TaskCopied                    // a reduce has its map output and begins to compute; resource model only
)

var eventNames = [...]string{"job-arrived", "job-ready", "job-maps-done", "job-finished", "task-started",
	"task-finished", "task-failed", "task-killed", "task-copied"}

// String returns the word for the event.
func (k EventKind) String() string { return text.Word(k, "EventKind", eventNames[:]...) }

// Event is what an Observer receives. Fields that do not apply are None or zero.
type Event struct {
	Kind EventKind      // what happened
	Node simcore.NodeID // where; None for events of jobs
	Task simcore.Task   // Index is AnyTask for events of jobs
	Took simcore.Time   // TaskFinished, TaskFailed, TaskKilled: from launch to end
}

// Attempt is a running attempt as a JobTracker knows it.
type Attempt struct {
	Task        simcore.Task   // whose attempt
	Node        simcore.NodeID // where it runs
	Number      int32          // 0 is the task's first attempt
	Start       simcore.Time   // when it was launched
	Locality    simcore.Locality
	Speculative bool // a second one beside the first
}

// ErrStalled reports that work is pending and capacity is free but nothing has
// been launched for Config.Stall of simulated time.
var ErrStalled = errors.New("stalled: work is pending and capacity is free, but nothing is launched")

// ErrHorizon reports that a run passed its time limit (Config.Until, or the
// last time its event tree can hold).
var ErrHorizon = errors.New("run passed its time limit")

// PickError is an illegal pick of a scheduler.
type PickError struct {
	Scheduler string         // its name
	At        simcore.Time   // time of the pick
	Node      simcore.NodeID // that was picked for
	Task      simcore.Task   // that was picked
	Reason    string         // one line
}

// Error names scheduler, time, task, node and what was wrong with the pick.
func (e *PickError) Error() string {
	return fmt.Sprintf("scheduler %s at %.3f s: pick of %s %d of job %d on node %d: %s",
		e.Scheduler, e.At.Seconds(), e.Task.Kind, e.Task.Index, e.Task.Job, e.Node, e.Reason)
}

func schedulerName(s Scheduler) string {
	if n, ok := s.(Namer); ok {
		return n.Name()
	}
	return fmt.Sprintf("%T", s)
}
