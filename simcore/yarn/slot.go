package yarn

import (
	"math/bits"

	"schedtune/simcore"
	"schedtune/simcore/internal/kernel"
)

// slot is a live container. Its leaf of the event tree holds its next event.
type slot struct {
	job, node, ord int32
	task           int32 // index among the job's tasks of its kind
	next           int32 // list of the node's reports, or of the job's waiting reduces
	kind, state    uint8
	try            uint16 // attempt; of an executor its resource profile
	loc            simcore.Locality
	outcome        kernel.Outcome
	launched       bool
	fetches        bool         // first of its job on the node
	handle         uint32       // the scheduler's, see Foreseer
	size           Resource     // as allocated
	granted        simcore.Time // allocated
	at             simcore.Time // by state: report due; reduce's start
}

// Kinds of container; map0 and reduce equal simcore.Map and simcore.Reduce.
const (
	map0 uint8 = iota
	reduce
	master0
	failedMap // granted for the re-run of a map
	executor0 // of a Spark application
	ghost0    // over for the scheduler, but its process holds its node's space
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
	arming                   // resource model: the attempt starts when its launch latency is over
	running                  // user code, shuffle included for failing ones
	fails                    // running, and going to fail
	waits                    // reduce: waits for the last map, no event
	shuffling                // reduce: copies what is left
	reducing                 // reduce: sort and user code
	ending                   // done or dying; on its node's list
	dead                     // its machine is gone, or its master's: nothing happens any more
)

// busy reports whether the container will do something by itself.
func (c *slot) busy() bool {
	return c.state != granted && c.state != masterRuns && c.state != waits
}

// gone marks an ordinal without a live container.
const gone int32 = -8

// slots hands out containers.
type slots struct {
	all  []slot
	free []int32
}

func (s *slots) reset(n int) {
	if cap(s.all) < n {
		s.all, s.free = make([]slot, n), make([]int32, n)
	}
	s.all, s.free = s.all[:n], s.free[:n]
	for i := range s.free {
		s.free[i] = int32(n - 1 - i)
	}
}

func (s *slots) take() int32 {
	if len(s.free) == 0 {
		return -1
	}
	sl := s.free[len(s.free)-1]
	s.free = s.free[:len(s.free)-1]
	return sl
}

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
