package capacity

import (
	"cmp"
	"slices"
)

// Preemption for reservations (select_based_on_reserved_containers;
// ReservedContainerCandidatesSelector): on each node with a reservation, containers of
// queues beyond their share make room for it, newest first, the cheapest nodes first.

// reservedNode is a node on which a reservation could be filled.
type reservedNode struct {
	n    *node
	cost float32 // what would be newly taken over what is reserved
}

// selectForReservations chooses the containers that prevent reservations from being filled
// (ReservedContainerCandidatesSelector.selectCandidates).
func (p *preemptPass) selectForReservations() {
	p.computeIdeal(sharing{reserve: true})
	var nodes []reservedNode
	for _, n := range p.s.nodesByHash() {
		if n.reserved == nil {
			continue
		}
		if _, cost, ok := p.roomFor(n, true); ok {
			nodes = append(nodes, reservedNode{n, cost})
		}
	}
	slices.SortStableFunc(nodes, func(a, b reservedNode) int { return cmp.Compare(a.cost, b.cost) })
	for _, r := range nodes {
		chosen, _, ok := p.roomFor(r.n, false)
		if !ok {
			continue
		}
		for _, c := range chosen {
			p.choose(c)
		}
	}
}

// roomFor lists what has to go for a node's reservation to fit, and its cost
// (getPreemptionCandidatesOnNode). With look only nothing is deducted from what queues have
// to give (tempQueue.actual) and from the round's budget. Kept from the original: where the
// reservation can't be filled, queues get back what was deducted, the budget does not.
func (p *preemptPass) roomFor(n *node, look bool) (chosen []*container, cost float32, ok bool) {
	calc, need, room := p.s.calc, n.reserved.size, n.free.Add(n.killable)
	if calc.Fits(need, room) {
		return nil, 0, false
	}
	var total res
	for _, c := range p.s.newestOn(n) {
		t := p.tempIn(c.app.queue, n.part)
		if c.listedKillable() || c.am || t == nil || !calc.Fits(c.size, t.actual) || !calc.Fits(c.size, p.allowed) {
			continue
		}
		if !look {
			t.actual = t.actual.Sub(c.size)
			p.allowed = p.allowed.Sub(c.size)
		}
		if !p.selected[c] {
			total = total.Add(c.size)
			chosen = append(chosen, c)
		}
		if room = room.Add(c.size); calc.Fits(need, room) {
			return chosen, calc.Ratio(total, need), true
		}
	}
	if !look {
		for _, c := range chosen {
			t := p.tempIn(c.app.queue, n.part)
			t.actual = t.actual.Add(c.size)
		}
	}
	return nil, 0, false
}

// newestOn lists a node's containers by descending id: application, then number.
func (s *Scheduler) newestOn(n *node) []*container {
	cs := s.appendOn(nil, n)
	slices.SortFunc(cs, func(a, b *container) int {
		return cmp.Or(cmp.Compare(b.app.id, a.app.id), cmp.Compare(b.id, a.id))
	})
	return cs
}
