package capacity

import (
	"cmp"
	"math"
	"slices"

	"schedtune/internal/java"
	"schedtune/simcore/internal/kernel"
	"schedtune/simcore/sched/internal/requests"
	"schedtune/simcore/yarn"
)

// Lazy preemption (lazy-preemption-enabled; PreemptionManager): what the policy would kill
// becomes killable, and is killed only by a proposal of a queue below its guarantee that
// needs its room, or when a parent comes to use more than its maximum.

// markKillable lets a container be killed by proposals
// (CapacityScheduler.markContainerForKillable). Kept from the original: one that is marked again,
// as those of asks without label on shared partitions are, counts for its queues once more
// (PreemptableQueue.addKillableContainer). A reservation counts for the queues, not on its node
// (SchedulerNode.markContainerToKillable).
func (s *Scheduler) markKillable(c *container) {
	if c.over || c.reserved && c.app.queue.unlisted {
		return
	}
	n := c.node
	onNode, listed := c.killable, c.listedKillable()
	c.killable, c.killPart = true, int16(n.part)
	if c.app.queue.unlisted {
		c.killPart, s.overcounted = onlyOnNode, true
	} else {
		for q := c.app.queue; q != nil; q = q.parent {
			at := q.at(int32(c.killPart))
			at.killable = at.killable.Add(c.size)
		}
		if s.overcounted = s.overcounted || listed; !listed {
			s.killables = append(s.killables, c)
		}
	}
	if onNode {
		return
	}
	if !c.reserved {
		n.killables = append(n.killables, c)
		n.mostKillable = max(n.mostKillable, len(n.killables))
		n.killable = n.killable.Add(c.size)
		s.async.opened(n)
	}
	s.widened = true
}

// onlyOnNode is the partition of a container of a queue made since the last refresh: the list of
// queues that knows what is killable is made anew by a refresh alone (PreemptionManager.refreshQueues).
// Its node knows.
const onlyOnNode = -1

// listedKillable reports whether the queues know that a container may be killed.
func (c *container) listedKillable() bool { return c.killable && c.killPart != onlyOnNode }

// unmarkKillable forgets a killable container that is over. Kept from the original: what ends is
// looked for in the node's present partition; one whose node had another label when it was marked
// stays listed and counted there for ever (PreemptableQueue.removeKillableContainer).
func (s *Scheduler) unmarkKillable(c *container) {
	c.killable = false
	n := c.node
	if i := slices.Index(n.killables, c); i >= 0 { // none of a reservation, and of what has filled one
		n.killables = slices.Delete(n.killables, i, i+1)
		n.killable = n.killable.Sub(c.size)
	}
	if c.killPart == onlyOnNode {
		return
	}
	s.killables = kernel.Remove(s.killables, c)
	if int32(c.killPart) != n.part {
		s.overcounted = true
		if !c.reserved {
			s.stillListed = append(s.stillListed, yarn.Container{App: c.app.id, Ordinal: c.ordinal})
		}
		return
	}
	for q := c.app.queue; q != nil; q = q.parent {
		at := q.at(int32(c.killPart))
		at.killable = at.killable.Sub(c.size)
	}
}

// forgetKillable lets go of a killable reservation that is filled by now, if that is not nil, or
// given back. The original lists containers by id: what fills a reservation takes its place; one
// that its application gives back stays counted for ever.
func (s *Scheduler) forgetKillable(c, now *container) {
	if !c.killable {
		return
	}
	c.killable = false
	if now == nil {
		s.killables, s.overcounted = kernel.Remove(s.killables, c), true
		return
	}
	now.killable, now.killPart = true, c.killPart
	s.killables[slices.Index(s.killables, c)] = now
}

// mayBeKilled reports whether any queue counts containers that may be killed.
func (s *Scheduler) mayBeKilled() bool { return len(s.killables) > 0 || s.overcounted }

// mayKill reports whether a leaf's proposals on nodes of a partition may kill: while it uses
// less than its guarantee there (PreemptionManager, AbstractLeafQueue.setPreemptionAllowed).
func (s *Scheduler) mayKill(q *queue, part int32) bool {
	at := q.at(part)
	if !at.eff.Min.IsNone() {
		return s.calc.Compare(s.cluster, at.used, at.eff.Min) < 0
	}
	return s.calc.Divide(s.cluster, at.used, s.parts[part].total) < at.eff.Absolute
}

// roomByKilling lists killable containers of a node in the order of the original's hash table
// until a size fits beside what is free; nil where it does not
// (RegularContainerAllocator.assignContainer). The list is valid until the next call.
func (s *Scheduler) roomByKilling(n *node, size res) []*container {
	s.order = append(s.order[:0], n.killables...)
	java.SortByHash(s.order, java.TableSize(n.mostKillable), (*container).hash)
	free := n.free
	for i, c := range s.order {
		if free = free.Add(c.size); s.fits(size, free) {
			return s.order[:i+1]
		}
	}
	return nil
}

// holdsNone reports whether the number of containers of a size that are free is
// zero. Kept from the original: of a node that holds more than it has the number
// may be below zero, and then nothing is killed there.
func (s *Scheduler) holdsNone(free, size res) bool {
	n := int64(math.MaxInt64)
	if !s.calc.Dominant || size.Memory > 0 {
		n = free.Memory / max(size.Memory, 1)
	}
	if s.calc.Dominant && size.VCores > 0 {
		n = min(n, free.VCores/size.VCores)
	}
	return n == 0
}

// makeRoom names in the proposal at hand what has to be killed for a size to fit
// on a node, and reports whether that helps.
func (s *Scheduler) makeRoom(n *node, size res) bool {
	s.kill = s.kill[:0]
	for _, c := range s.roomByKilling(n, size) {
		s.kill = append(s.kill, yarn.Container{App: c.app.id, Ordinal: c.ordinal})
	}
	s.prop.kills = len(s.kill) > 0
	return s.prop.kills
}

// killNamed ends what a proposal kills, apart from containers of its own leaf:
// these stay, as in the original, and the node may come to hold more than it has.
func (s *Scheduler) killNamed(p *proposal) {
	for _, k := range s.kill {
		if c := s.containerOf(k); c != nil && c.app.queue != p.app.queue {
			s.killLazily(c)
		}
	}
}

// killLazily ends a container while nodes are scheduled. An application whose
// master goes ends when that is over.
func (s *Scheduler) killLazily(c *container) {
	if c.am && c.acquired {
		s.headless = append(s.headless, c.app)
	}
	if !c.reserved {
		s.killed = append(s.killed, yarn.Container{App: c.app.id, Ordinal: c.ordinal})
	}
	s.complete(c, byProposal)
}

// killableFor sums what a proposal kills: in all, and on its node. It is false where one of
// them is over.
func (s *Scheduler) killableFor(p *proposal) (all, here res, ok bool) {
	for _, k := range s.kill {
		c := s.containerOf(k)
		if c == nil {
			return all, here, false
		}
		all = all.Add(c.size)
		if c.node == p.node {
			here = here.Add(c.size)
		}
	}
	return all, here, true
}

// enforceMaximum kills killable containers below each parent of a leaf that uses more than its
// maximum, by application and number, until it does not
// (AbstractParentQueue.killContainersToEnforceMaxQueueCapacity).
func (s *Scheduler) enforceMaximum(leaf *queue, part int32) {
	for p := leaf.parent; p != nil; p = p.parent {
		at := p.at(part)
		if !s.more(at.used, at.eff.Max) {
			continue
		}
		for _, c := range s.killablesBelow(p, part) {
			if !s.more(at.used, at.eff.Max) {
				break
			}
			s.killLazily(c)
		}
	}
}

// killablesBelow lists the killable containers of a partition below a queue.
func (s *Scheduler) killablesBelow(p *queue, part int32) []*container {
	var list []*container
	for _, c := range s.killables {
		if int32(c.killPart) == part && c.app.queue.isBelow(p) {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, byID)
	return list
}

// byID orders containers by application and id.
func byID(a, b *container) int {
	return cmp.Or(cmp.Compare(a.app.id, b.app.id), cmp.Compare(a.id, b.id))
}

// isBelow reports whether a queue is p or below it.
func (q *queue) isBelow(p *queue) bool {
	for ; q != nil; q = q.parent {
		if q == p {
			return true
		}
	}
	return false
}

// endHeadless ends the applications whose masters were killed while nodes were
// scheduled.
func (s *Scheduler) endHeadless() {
	if len(s.headless) > 0 {
		s.losses.Begin()
		s.finish(s.headless...)
		s.headless = s.headless[:0]
		s.killed = s.losses.Take(s.killed)
	}
}

// Killed appends the containers that have been killed while nodes were scheduled
// since the last call: by proposals (lazy preemption), and with their masters.
func (s *Scheduler) Killed(dst []yarn.Container) []yarn.Container {
	dst = append(dst, s.killed...)
	s.killed = s.killed[:0]
	return dst
}

// Named lists the containers that the proposals of the last call's events would
// kill.
func (s *Scheduler) Named() []yarn.Container { return s.named }

// Widened reports, once, that containers have become killable.
func (s *Scheduler) Widened() bool {
	was := s.widened
	s.widened = false
	return was
}

// Killable returns the containers that are listed as killable, by application, then number;
// among them those that have ended and stay listed, not reservations.
func (s *Scheduler) Killable() []yarn.Container {
	out := slices.Clone(s.stillListed)
	for _, c := range s.killables {
		if !c.reserved {
			out = append(out, yarn.Container{App: c.app.id, Ordinal: c.ordinal})
		}
	}
	slices.SortFunc(out, requests.ByName)
	return out
}
