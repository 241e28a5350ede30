package yarn

import "schedtune/simcore"

// appMaster is one kind of application master: what a job does inside the
// containers the scheduler gives it. The runtime owns containers, nodes,
// cores, latencies of the AM's own process and the books; a kind owns what is
// asked, what runs in a container and when the job is over. Kinds are told in
// the order of simulated time and act at once:
//
//	starting    what the start of the AM's process takes: waiting, and work on its
//	            node's cores by a number of threads
//	submitted   the ResourceManager has the job
//	registered  the AM's process is up: set the leaf of the AM's container
//	            (slotLeaf of jobs[j].slot) to its first heartbeat
//	beat        that leaf's event: call Scheduler.Ask, book what is granted and
//	            what ended, set the leaf again or clear it and sleep
//	granted     the scheduler allocated a container for an ask of a priority; its
//	            slot is in state granted, and its AM does not know before its
//	            next heartbeat
//	event       the leaf of one of the job's other containers is due
//	worked      a container's work on its node's cores (startWork) is done
//	ended       the ResourceManager has the space of a container back whose
//	            process ended (report); the slot is free when the call returns
//	lost        the same for a container that was preempted or lost with its
//	            node, without the process having a say
//	machineGone a node's machine is gone, which the ResourceManager does not know
//	            yet; what ran there has stopped
//	nodeLost    the ResourceManager has taken a node off; its containers have been
//	            lost before
//	quit        take a container out of whatever list or timer of the kind's own
//	            it stands in, since it ends from outside
//	closing     the spans from the last task to the end of the AM's process
//	forget      the application is gone with all its containers
//	restart     its AM was lost: put the job back as a new attempt finds it
//	busy        it will do something by itself, without a heartbeat or container
//
// A kind ends its job by finishJob, orders a process to end by report, and
// gives containers back with the releases of its next Ask (giveBack). It must
// not allocate memory per event, must draw by counter (keys), and must skip a
// heartbeat only if it could change nothing.
type appMaster interface {
	starting(j int32) (wait, work simcore.Time, threads float64)
	submitted(j int32)
	registered(j int32)
	beat(j int32)
	granted(j, sl, priority int32)
	event(sl int32)
	worked(sl int32)
	ended(j, sl int32)
	lost(j, sl int32)
	machineGone(j, n int32)
	nodeLost(j, n int32)
	quit(sl int32)
	closing(j int32, phase closePhase) simcore.Time
	forget(j int32)
	restart(j int32)
	busy(j int32) bool

	// containerKind is the kind of slot an allocation becomes.
	containerKind(e *Event) uint8
	// size is what a container was asked with.
	size(c *slot) Resource
	// lingers is the instant until which the process of a container that ends
	// with its application holds its node's space; 0 = it does not.
	lingers(sl int32) simcore.Time
	// goesOn is the instant until which the process of a launched container goes on
	// whose AM is gone with its machine; false = it stops at once.
	goesOn(c *slot) (simcore.Time, bool)
	// mapsAndReduces reports whether jobs of the kind consist of maps and reduces:
	// policies of reduces count them, and a run can begin in their middle.
	mapsAndReduces() bool
	// progress says in a few words how far a job is, for messages.
	progress(j int32) string
}

// closePhase numbers what follows a job's last task.
type closePhase uint8

const (
	closeCommit     closePhase = iota // last task to job finished
	closeUnregister                   // job finished to AM unregistered
	closeExit                         // AM unregistered to its container free
)

// appState is what the runtime keeps of a job's application, whatever its kind.
type appState struct {
	app     AppID
	slot    int32   // its AM's container, -1 = none
	ords    []int32 // slot by ordinal, or gone|kind
	release []int32 // ordinals to give back with the next ask
	backTo  []int32 // their nodes

	registered bool         // the AM's process is up
	closed     bool         // job finished, AM on its way out
	asleep     bool         // its next heartbeat would change nothing
	starts     int32        // masters lost before this one
	beat       simcore.Time // the AM's next heartbeat
}

// fresh returns an empty state that keeps the memory of this one.
func (a *appState) fresh() appState {
	return appState{app: -1, slot: -1, ords: a.ords[:0], release: a.release[:0], backTo: a.backTo[:0]}
}

// number notes the slot of a new container by its ordinal.
func (a *appState) number(ord, sl int32) {
	for int32(len(a.ords)) < ord {
		a.ords = append(a.ords, gone|int32(masterContainer))
	}
	a.ords = append(a.ords, sl)
}

// kindOf is the kind of a job's master.
func (s *Sim) kindOf(j int32) appMaster {
	if s.isMapReduce(j) {
		return mapReduce{s}
	}
	return s.spark
}

// isMapReduce reports whether a job is one of MapReduce, as most are. What is called for
// every container asks this itself and does what the method of mapReduce does: a call
// through the interface costs as much as that.
func (s *Sim) isMapReduce(j int32) bool { return s.spark == nil || s.work.Jobs[j].Spark == nil }
