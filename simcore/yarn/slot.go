package yarn

import (
	"schedtune/simcore"
	"schedtune/simcore/internal/kernel"
	"slices"
)

// slot is a live container. Its leaf of the event tree holds its next event.
type slot struct {
	job, node, ord int32            // ord is the ordinal
	task           int32            // index among the job's tasks of its kind; of Spark the executor; -1 = none yet
	next           int32            // in the node's list of reports, or the job's list of waiting reduces
	kind, state    uint8            // see below
	try            uint16           // attempt; of an executor its resource profile
	loc            simcore.Locality // distance of a map from its input
	outcome        kernel.Outcome   // of its attempt, set at the end
	launched       bool             // it has a task
	fetches        bool             // first of its job on the node: it fetches the job's files
	handle         uint32           // the scheduler's, see Prefetcher
	size           Resource         // as allocated
	granted        simcore.Time     // when it was allocated
	at             simcore.Time     // by state: when its report is due; when a reduce began
}

// Kinds of container; the first two equal simcore.Map and simcore.Reduce.
const (
	mapContainer uint8 = iota
	reduceContainer
	masterContainer
	failedMapContainer // granted for the re-run of a map
	executorContainer  // of a Spark or Tez application
	exitingProcess     // completed for the scheduler, but its process occupies its node
)

// States of a container.
const (
	granted     uint8 = iota // allocated, its AM does not know yet
	masterWait               // AM: allocated, waiting
	masterWork               // AM: starting, with work on its node's cores
	masterRuns               // AM: its leaf holds the next heartbeat
	masterEnds               // AM: committing the job
	masterStops              // AM: unregistering
	starting                 // start requested from the NodeManager
	launching                // work on its node's cores
	arming                   // the rest of its launch is a wait: of the resource model, of an executor
	running                  // user code
	fails                    // of Tez: running, and going to fail as recorded
	waits                    // reduce: waits for maps, no event; executor: idle
	shuffling                // reduce: copies the rest
	reducing                 // reduce: sort and user code
	ending                   // ended or ending; in its node's list
	idles                    // of Tez: idle, until a timer
	dead                     // its machine failed, or its master's: it has no further event
)

// busy reports whether the container has an event of its own to come.
func (c *slot) busy() bool {
	return c.state != granted && c.state != masterRuns && c.state != waits
}

// gone marks an ordinal without a live container: appState.ords then holds gone|kind, where kind
// is masterContainer if the master ignores the end.
const gone int32 = -8

// slots holds the memory of all containers.
type slots struct {
	all  []slot
	free []int32 // a stack
}

// reset makes n slots, all of them free.
func (s *slots) reset(n int) {
	s.all, s.free = slices.Grow(s.all[:0], n)[:n], slices.Grow(s.free[:0], n)[:n]
	for i := range s.free {
		s.free[i] = int32(n - 1 - i)
	}
}

// take returns a free slot, the last one freed, or -1 if there is none.
func (s *slots) take() int32 {
	if len(s.free) == 0 {
		return -1
	}
	sl := s.free[len(s.free)-1]
	s.free = s.free[:len(s.free)-1]
	return sl
}

// put frees a slot.
func (s *slots) put(sl int32) { s.free = append(s.free, sl) }

// unlink removes a slot from a list (slot.next), if it is there.
func (s *slots) unlink(list *int32, sl int32) {
	for *list >= 0 && *list != sl {
		list = &s.all[*list].next
	}
	if *list == sl {
		*list = s.all[sl].next
	}
}
