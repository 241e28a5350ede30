package yarn

import (
	"iter"

	"schedtune/simcore"
)

// appMaster is one kind of application master: the behaviour of a job inside the
// containers that the scheduler allocates. The runtime owns containers, nodes,
// cores, latencies of the AM's own process and the accounts; a kind decides what to
// request, what runs in a container and when the job ends. Its methods are called in
// the order of simulated time and act at once:
//
//	starting    return the cost of the start of the AM's process: a wait, and work on
//	            its node's cores by a number of threads
//	submitted   the ResourceManager has the job
//	registered  the AM's process has started: set the leaf of the AM's container
//	            (slotLeaf of jobs[j].slot) to its first heartbeat
//	beat        that leaf's event: call Scheduler.Ask, handle allocated and
//	            completed containers, set the leaf again or clear it and sleep
//	granted     the scheduler allocated a container for an ask of a priority; its
//	            slot is in state granted, and its AM does not know it before its
//	            next heartbeat
//	event       the leaf of one of the job's other containers is due
//	worked      a container's work on its node's cores (startWork) has ended
//	ended       the ResourceManager has the space of a container back whose
//	            process ended (report); the slot is free when the call returns
//	lost        the same for a container that was preempted or lost with its
//	            node
//	machineGone a node's machine failed, which the ResourceManager does not know
//	            yet; the processes there have stopped
//	nodeLost    the ResourceManager has removed a node, after its containers were
//	            lost
//	quit        remove a container that ends from outside from the lists and timers
//	            of the kind
//	closing     return the time of a phase between the last task and the end of the
//	            AM's process
//	stops       make the calls that are due while the AM unregisters, and return when
//	            the next is, at most the instant given
//	forget      the application has ended with all its containers
//	restart     its AM was lost: prepare the job for a new attempt
//	busy        report whether it will act without a heartbeat or container
//
// A kind ends its job by finishJob, orders a process to end by report, and
// releases containers with its next Ask (giveBack). It must
// not allocate memory per event, must draw by counter (keys), and may skip a
// heartbeat only if that could have no effect.
type appMaster interface {
	starting(j int32) (wait, work simcore.Time, threads float64)
	submitted(j int32)
	registered(j int32)
	beat(j int32)
	granted(sl int32, c *slot, priority int32)
	event(sl int32, c *slot)
	worked(sl int32, c *slot)
	ended(c *slot)
	lost(j, sl int32)
	machineGone(j, n int32)
	nodeLost(j, n int32)
	quit(sl int32, c *slot)
	closing(j int32, phase closePhase) simcore.Time
	stops(j int32, until simcore.Time) simcore.Time
	forget(j int32)
	restart(j int32)
	busy(j int32) bool

	// containerKind returns the kind of slot of an allocation.
	containerKind(e *Event) uint8
	// size returns the requested size of a container.
	size(c *slot) Resource
	// lingers returns until when the process of a container that ends with its
	// application occupies its node; 0 = it does not.
	lingers(c *slot) simcore.Time
	// goesOn returns until when the process of a launched container continues after
	// its AM's machine failed; false = it stops at once.
	goesOn(c *slot) (simcore.Time, bool)
	// mapsAndReduces reports whether jobs of the kind consist of maps and reduces:
	// policies of reduces count them, and a run can begin with running ones.
	mapsAndReduces() bool
	// progress describes the progress of a job in a few words, for messages.
	progress(j int32) string
}

// closePhase is a phase after a job's last task.
type closePhase uint8

const (
	closeCommit     closePhase = iota // last task to job finished
	closeUnregister                   // job finished to AM unregistered
	closeExit                         // AM unregistered to its container free
)

// appState is the runtime's state of a job's application of any kind.
type appState struct {
	app     AppID
	slot    int32   // its AM's container, -1 = none
	ords    []int32 // slot by ordinal, or gone|kind
	release []int32 // ordinals to release with the next ask
	backTo  []int32 // their nodes

	registered bool         // the AM has registered
	closed     bool         // the job has finished, the AM is ending
	asleep     bool         // its next heartbeat would have no effect
	starts     int32        // earlier AMs that were lost
	beat       simcore.Time // the AM's next heartbeat
}

// fresh returns an empty state that keeps the memory of this one.
func (a *appState) fresh() appState {
	return appState{app: -1, slot: -1, ords: a.ords[:0], release: a.release[:0], backTo: a.backTo[:0]}
}

// number records the slot of a new container by its ordinal.
func (a *appState) number(ord, sl int32) {
	for int32(len(a.ords)) < ord {
		a.ords = append(a.ords, gone|int32(masterContainer))
	}
	a.ords = append(a.ords, sl)
}

// live iterates over a job's containers that have a slot, by ordinal.
func (s *Sim) live(a *appState) iter.Seq2[int32, *slot] {
	return func(yield func(int32, *slot) bool) {
		for _, sl := range a.ords {
			if sl >= 0 && !yield(sl, &s.slots.all[sl]) {
				return
			}
		}
	}
}

// kindOf returns the kind of a job's master.
func (s *Sim) kindOf(j int32) appMaster {
	switch job := &s.work.Jobs[j]; {
	case s.spark != nil && job.Spark != nil:
		return s.spark
	case s.tez != nil && job.Tez != nil:
		return s.tez
	}
	return mapReduce{s}
}
