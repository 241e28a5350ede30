package capacity

import (
	"slices"

	"schedtune/internal/java"
	"schedtune/simcore/internal/kernel"
)

// Containers that have idle resources of a shared partition without having asked for its
// label. Each leaf lists them by partition, by application and id
// (ignorePartitionExclusivityRMContainers); preemption takes them first when the partition's
// own asks come (FifoCandidatesSelector.selectCandidates).
//
// The original's list keeps some entries that no longer are what they were: of a
// reservation that has been filled, of a container whose node has been given another label
// since. They are still chosen. Here such an entry is a copy of the container as it was, of
// its own, with over set: a leftover.

// enterShared lists a new container or reservation (AbstractLeafQueue.allocateResource).
func enterShared(c *container, part int32) {
	at := c.app.queue.at(part)
	at.shared = kernel.Insert(at.shared, c, byID)
	c.sharedIn = int16(part)
}

// leaveFilled puts a leftover of a reservation that is being filled in its place on the list
// and returns it, nil where the reservation is not listed. Kept from the original, whose
// list holds one object of each id: chosen for preemption it stands for the container that
// fills it (running), but nothing happens when that is to be killed.
func leaveFilled(old *container) *container {
	if old.sharedIn == 0 {
		return nil
	}
	list := old.app.queue.at(int32(old.sharedIn)).shared
	left := *old
	left.over, left.more = true, &more{from: old.madeOn()}
	list[slices.Index(list, old)] = &left
	return &left
}

// running is the container that a listed reservation has become, or c itself.
func (c *container) running() *container {
	if c.more != nil && c.more.runs != nil {
		return c.more.runs
	}
	return c
}

// leaveShared takes a container that ends off the list (AbstractLeafQueue.releaseResource). One
// whose node has had another label since stays listed for ever as a leftover, as in the
// original: what ends is looked for in the node's present partition.
func leaveShared(c *container) {
	if c.sharedIn == 0 {
		return
	}
	at := c.app.queue.at(int32(c.sharedIn))
	i := slices.IndexFunc(at.shared, func(x *container) bool { return x.running() == c })
	if c.label == 0 && c.node.part == int32(c.sharedIn) {
		at.shared = slices.Delete(at.shared, i, i+1)
	} else {
		left := *c
		left.over, left.reserved = true, at.shared[i].reserved
		at.shared[i] = &left
	}
	c.sharedIn = 0
}

// killListed kills a leftover: of a container that its master never heard of the ask comes
// back once more; for a reservation another one of its key on the node goes.
func (s *Scheduler) killListed(c *container) {
	s.epoch++
	if !c.reserved {
		if !c.acquired {
			s.recoverAsk(c)
		}
		return
	}
	if r := c.node.reserved; r != nil && r.app == c.app && r.priority == c.priority && r.alloc == c.alloc {
		unlistShared(c, r)
		s.dropReservation(r)
	}
}

// unlistShared takes c, a leftover of a reservation, off the list and leaves one of r, which is
// given up for it, there for ever. Kept from the original.
func unlistShared(c, r *container) {
	if r.sharedIn != 0 {
		left := *r
		left.over = true
		list := r.app.queue.at(int32(r.sharedIn)).shared
		list[slices.Index(list, r)] = &left
		r.sharedIn = 0
	}
	at := c.app.queue.at(int32(c.sharedIn))
	at.shared = kernel.Remove(at.shared, c)
	if c.more != nil && c.more.runs != nil {
		c.more.runs.sharedIn = 0
	}
}

// preemptShared takes containers from asks without label in the partitions of
// which something is wanted, latest first. When a partition has given all that is
// wanted while another is still to come, the original's round ends with an
// exception: it changes the table that it walks.
func (p *preemptPass) preemptShared(q *queue, g *goal) {
	var parts []int32
	for part := range p.queues {
		if g.left&(1<<part) != 0 {
			parts = append(parts, int32(part))
		}
	}
	java.HashSortBy(parts, func(part int32) string { return p.s.parts[part].name })
	for i, part := range parts {
		before := g.left
		for _, c := range slices.Backward(q.at(part).shared) {
			if !p.selected[c.running()] {
				p.try(c, g, p.s.conf.Preemption.ConservativeDRF)
			}
		}
		if g.left != before && i+1 < len(parts) {
			p.broken = true
			return
		}
	}
}
