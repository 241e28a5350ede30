package capacity

import (
	"slices"

	"schedtune/simcore/yarn"
)

// A heartbeat of a node: what has ended is freed, then the node is filled.

// Beat is one heartbeat of a node (CapacityScheduler.nodeUpdate). done are containers that
// have ended there, in the order in which the NodeManager reports them; one that is not
// known is passed over. What has been committed is appended to dst, refused proposals too.
func (s *Scheduler) Beat(id yarn.NodeID, done []yarn.Container, dst []yarn.Event) []yarn.Event {
	if int(id) >= len(s.nodes) || s.nodes[id].lost {
		return dst
	}
	s.settle()
	n := s.nodes[id]
	if len(done) == 1 {
		if c := s.exchangeable(n, done[0]); c != nil {
			return s.beatExchange(c, n, dst)
		}
	}
	for _, d := range done {
		if c := s.containerOf(d); c != nil {
			s.complete(c, byFinish)
		}
	}
	if n.draining {
		allocated := n.total.Sub(n.free)
		dst = s.fillNode(n, dst)
		s.shrink(n, allocated)
		return dst
	}
	return s.fillNode(n, dst)
}

// fillNode is the part of a heartbeat that schedules. It is left out where it could change
// nothing, see idle.go.
func (s *Scheduler) fillNode(n *node, dst []yarn.Event) []yarn.Event {
	if s.refusals = 0; s.rounds() {
		return dst // nodes are scheduled by Round
	}
	if s.conf.MultiNode {
		return s.beatTogether(n, dst)
	}
	if s.quietAll == s.epoch && n.reserved == nil {
		return dst
	}
	s.unreserved, s.named = s.unreserved[:0], s.named[:0]
	before := s.epoch
	s.changed, s.limitsMoved, s.nodeMattered = false, false, s.labelled()
	s.out = dst
	reserved := n.reserved
	s.schedule(n)
	dst, s.out = s.out, nil
	if len(s.mastersMade) > 0 {
		s.masters(n)
	}
	s.endHeadless()
	counted := s.epoch == before && s.changed && !s.labelled() // opportunities, users that only wait
	if s.changed || s.limitsMoved && s.labelled() {            // another partition's nodes shift them back
		s.epoch++
	}
	if reserved != nil && n.reserved == reserved {
		s.neutral += s.epoch - before // renewed at most
		reserved.app.queue.leafEpoch++
	} else if counted {
		s.neutral++
	}
	if s.epoch == before {
		n.quiet = s.epoch
		if !s.nodeMattered {
			s.quietAll = s.epoch
		}
	}
	return dst
}

// masters hands new masters' containers on the node over, the newest first.
func (s *Scheduler) masters(n *node) {
	for _, c := range slices.Backward(s.mastersMade) {
		if c.node == n && c.am && !c.acquired && !c.over {
			s.fetchMaster(c)
		}
	}
	s.mastersMade = s.mastersMade[:0]
}

// fetchMaster hands a new master's container over: the ResourceManager fetches it itself,
// at once (RMAppAttemptImpl.AMContainerAllocatedTransition), and with it the headroom,
// whose reckoning brings the user limits and the count of users that only wait up to date.
func (s *Scheduler) fetchMaster(c *container) {
	c.acquired = true
	c.app.granted = c.app.granted[:0]
	c.app.master = c
	s.headroom(c.app)
}

// endlessAfter is how many proposals refused in one beat show that it never
// ends. Without a limit of containers a heartbeat (maximum-container-assignments
// -1) the original tries a proposal that its commit refuses again for ever, and
// its ResourceManager hangs. Here the beat ends, and Endless tells.
const endlessAfter = 1000

// schedule fills a node: its reservation first, which ends the heartbeat; else one
// container after the other until a limit of the heartbeat is reached
// (CapacityScheduler.allocateContainersToNode, allocateContainerOnSingleNode). Queues are
// sorted anew for each.
func (s *Scheduler) schedule(n *node) {
	s.refusals = 0
	if n.reserved != nil {
		s.nodeMattered = true
		s.tryReserved(n)
		return
	}
	off, count := 0, 0
	for {
		if !s.roomy(n) {
			s.nodeMattered = true
			return
		}
		if !s.walk(n) {
			return
		}
		p := &s.prop
		s.commit(p)
		count++
		if p.loc == offSwitch {
			off++
		}
		if p.reserve || n.reserved != nil || s.refusals >= endlessAfter || s.beatFull(off, count) {
			return
		}
	}
}

// beatFull reports whether a heartbeat has given out all it may
// (CapacityScheduler.canAllocateMore): off containers without locality of count in all
// (per-node-heartbeat.maximum-offswitch-assignments, multiple-assignments-enabled,
// maximum-container-assignments).
func (s *Scheduler) beatFull(off, count int) bool {
	if s.conf.Asynchronous {
		return false
	}
	return off >= s.conf.MaxOffSwitch || !s.conf.MultipleAssign || s.conf.MaxAssign != -1 && count >= s.conf.MaxAssign
}
