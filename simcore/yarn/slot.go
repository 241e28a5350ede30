package yarn

import (
	"math/bits"

	"schedtune/simcore"
	"schedtune/simcore/internal/kernel"
)

// slot is a live container. Its leaf of the event tree holds its next event.
type slot struct {
	job, node, ord int32            // ord is the ordinal
	task           int32            // index among the job's tasks of its kind; of Spark the executor; -1 = none yet
	next           int32            // in the node's list of reports, or the job's list of waiting reduces
	kind, state    uint8            // see below
	try            uint16           // attempt; of an executor its resource profile
	loc            simcore.Locality // how far a map is from its input
	outcome        kernel.Outcome   // of the attempt in it, set when it ends
	launched       bool             // a task is in it
	fetches        bool             // first of its job on the node: the job's files are fetched
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
	executorContainer  // of a Spark application
	exitingProcess     // over for the scheduler, but its process holds its node's space
)

// States of a container.
const (
	granted     uint8 = iota // by the ResourceManager, its AM does not know yet
	masterWait               // AM: allocated, waiting that is not work
	masterWork               // AM: starting on its node's cores
	masterRuns               // AM: its leaf holds the next heartbeat
	masterEnds               // AM: committing the job
	masterStops              // AM: unregistering
	starting                 // on its way to the NodeManager
	launching                // on its node's cores
	arming                   // what waits of its launch is left: of the resource model, of an executor
	running                  // user code, shuffle included for failing ones
	fails                    // running, and going to fail
	waits                    // reduce: waits for maps, no event; of an executor: idle
	shuffling                // reduce: copies what is left
	reducing                 // reduce: sort and user code
	ending                   // done or dying; on its node's list
	dead                     // its machine is gone, or its master's: nothing happens any more
)

// busy reports whether the container will do something by itself.
func (c *slot) busy() bool {
	return c.state != granted && c.state != masterRuns && c.state != waits
}

// gone marks an ordinal without a live container: appState.ords then has gone|kind, with the
// kind that its end is told of; masterContainer where its end is nobody's.
const gone int32 = -8

// slots is the memory of all containers.
type slots struct {
	all  []slot
	free []int32 // a stack
}

// reset makes n slots, all of them free.
func (s *slots) reset(n int) {
	if cap(s.all) < n {
		s.all, s.free = make([]slot, n), make([]int32, n)
	}
	s.all, s.free = s.all[:n], s.free[:n]
	for i := range s.free {
		s.free[i] = int32(n - 1 - i)
	}
}

// take hands out a slot, -1 where none is free. The one given back last is first.
func (s *slots) take() int32 {
	if len(s.free) == 0 {
		return -1
	}
	sl := s.free[len(s.free)-1]
	s.free = s.free[:len(s.free)-1]
	return sl
}

// put takes a slot back.
func (s *slots) put(sl int32) { s.free = append(s.free, sl) }

// listPool keeps lists of applications that are over for others, by the binary
// logarithm of their capacity.
type listPool [32][][]int32

// take returns an empty list with room for some entries.
func (p *listPool) take(room int) []int32 {
	k := min(bits.Len(uint(room-1)), len(p)-1)
	if n := len(p[k]); n > 0 {
		l := p[k][n-1]
		p[k] = p[k][:n-1]
		return l
	}
	return make([]int32, 0, 1<<k)
}

// put gives a list back.
func (p *listPool) put(l []int32) {
	if k := bits.Len(uint(cap(l))) - 1; k >= 0 && k < len(p) {
		p[k] = append(p[k], l[:0])
	}
}
