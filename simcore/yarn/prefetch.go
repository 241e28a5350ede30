package yarn

import (
	"unsafe"

	"schedtune/simcore/internal/prefetch"
)

// Memory asked for ahead of its use. The state of a large cluster does not fit a core's own
// cache, and an event would wait for main memory several times. What an event will touch is
// known some events before: its leaf has come up in the event tree, or a task has ended
// whose container its node will report. The lines of the cache are asked for then.
//
// Nothing but time hangs on the guess: a line that is asked for in vain is not read.
// TestLookingAheadChangesNothing compares histories, and that what is fetched is there.

// prefetchFrom is the size in bytes from which it pays: what a core's own cache holds.
var prefetchFrom = 1 << 19

// Prefetcher is a Scheduler that fetches what it will need from memory. Its methods change
// nothing.
type Prefetcher interface {
	// Handle names a container that was just allocated, for PrefetchEnd.
	Handle(Container) uint32
	// PrefetchNode tells that a heartbeat of a node is to come.
	PrefetchNode(NodeID)
	// PrefetchEnd tells that a container will end soon, and its node report that.
	PrefetchEnd(n NodeID, c Container, handle uint32)
	// PrefetchStart tells that a container may start soon where none has ended.
	PrefetchStart()
}

// resetPrefetch decides whether the run asks for memory ahead.
func (s *Sim) resetPrefetch() {
	live := int(unsafe.Sizeof(slot{})) * s.plan.slots
	// the scheduler's state is as large, and its numbers of nodes are ours
	s.prefetches = prefetch.Works && 2*live > prefetchFrom && s.elastic.still
	if s.prefetcher = nil; s.prefetches {
		s.prefetcher, _ = s.sched.(Prefetcher)
	}
}

// prefetchRising fetches what events will touch that have come up in the event tree beside
// the leaf whose event is over.
func (s *Sim) prefetchRising(leaf int32) {
	late, soon := s.tree.Rising(leaf)
	if late >= s.firstSlot {
		own, parent := s.tree.Keys(late)
		prefetch.Lines(unsafe.Pointer(&s.slots.all[late-s.firstSlot]), own, parent, parent)
	}
	if soon >= s.firstSlot {
		s.prefetchEnd(&s.slots.all[soon-s.firstSlot])
	}
}

// prefetchBeats fetches what a container that starts at the heartbeat of an idle node will
// touch, and what finding the idle node after it will.
func (s *Sim) prefetchBeats(n int32) {
	s.prefetcher.PrefetchStart()
	next := s.idle.next(n)
	own, parent := s.tree.Keys(s.nodeLeaf(next))
	free := own
	if k := len(s.slots.free); k > 0 {
		free = unsafe.Pointer(&s.slots.all[s.slots.free[k-1]])
	}
	prefetch.Lines(unsafe.Pointer(&s.nodes[next]), own, parent, free)
	s.prefetcher.PrefetchNode(NodeID(next))
}

// prefetchEnd fetches what the end of a container and its report will touch.
func (s *Sim) prefetchEnd(c *slot) {
	m := &s.jobs[c.job]
	own, parent := s.tree.Keys(s.nodeLeaf(c.node))
	var ord unsafe.Pointer
	if int(c.ord) < len(m.ords) {
		ord = unsafe.Pointer(&m.ords[c.ord])
	}
	prefetch.Lines(unsafe.Pointer(&s.nodes[c.node]), own, parent, ord)
	if s.prefetcher != nil && m.app >= 0 && c.state != masterRuns {
		s.prefetcher.PrefetchEnd(NodeID(c.node), Container{m.app, c.ord}, c.handle)
	}
}
