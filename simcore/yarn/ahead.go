package yarn

import (
	"unsafe"

	"schedtune/internal/prefetch"
)

// The state of a large cluster does not fit a core's own cache, and an event would
// wait for main memory several times. What an event will touch is known some
// events before: its leaf has come up in the event tree, or a task has ended whose
// container its node will report. The lines of the cache are asked for then.
// Nothing hangs on the guess.

// wideState is the size in bytes from which looking ahead pays: what a core's own
// cache holds.
const wideState = 1 << 20

// Foreseer is a Scheduler that fetches what it will need from memory.
type Foreseer interface {
	// Foresee tells that a heartbeat of a node, with the end of a container, comes
	// soon. It changes nothing.
	Foresee(NodeID, Container)
}

// resetAhead decides whether the run looks ahead.
func (s *Sim) resetAhead() {
	live := int(unsafe.Sizeof(slot{})) * s.plan.slots
	s.wide = prefetch.Works && 2*live > wideState // the scheduler's state is as large
	if s.foreseer = nil; s.wide {
		s.foreseer, _ = s.sched.(Foreseer)
	}
}

// lookAhead fetches what the event after the next ones will touch that has come up
// beside the leaf whose event is over.
func (s *Sim) lookAhead(leaf int32) {
	r := s.tree.Rising(leaf)
	if r < s.firstNode {
		return
	}
	own, parent := s.tree.Keys(r)
	at := unsafe.Pointer(nil)
	if r >= s.firstSlot {
		at = unsafe.Pointer(&s.slots.all[r-s.firstSlot])
	} else {
		at = unsafe.Pointer(&s.nodes[r-s.firstNode])
	}
	prefetch.Lines(at, own, parent, parent)
}

// expect fetches what the report of a container will touch.
func (s *Sim) expect(c *slot) {
	m := &s.jobs[c.job]
	own, parent := s.tree.Keys(s.nodeLeaf(c.node))
	prefetch.Lines(unsafe.Pointer(&m.ords[c.ord]), own, parent, parent)
	if s.foreseer != nil && m.app >= 0 {
		s.foreseer.Foresee(s.nodes[c.node].id, Container{m.app, c.ord})
	}
}
