package yarnfair

import (
	"schedtune/fairconf"
	"schedtune/simcore/yarn"
)

const drf = fairconf.DRF

// Beat is one heartbeat of a node: done containers are freed first, then the
// node is scheduled. What was decided is appended to dst.
func (s *Scheduler) Beat(id yarn.NodeID, done []yarn.Container, dst []yarn.Event) []yarn.Event {
	if id < 0 || int(id) >= len(s.nodes) || s.nodes[id].lost {
		return dst
	}
	n := s.nodes[id]
	for _, d := range done {
		if a := s.lookUp(d.App); a != nil {
			if c := a.container(d.Ordinal); c != nil {
				s.complete(c, byFinish)
			}
		}
	}
	s.out, s.unreserv, s.changed, s.masters = dst, s.unreserv[:0], false, s.masters[:0]
	s.schedule(n)
	s.publish()
	for _, c := range s.masters {
		if !c.over { // from here on its application may ask
			c.acquired = true
			c.app.master, c.app.granted = c, c.app.granted[:0]
		}
	}
	if s.changed {
		s.moved()
	} else {
		n.quiet = s.clock + 1
	}
	dst, s.out = s.out, nil
	return dst
}

// schedule fills what preemption has freed for its applications, then a
// reservation, and else offers the node to the queues until it has had enough.
func (s *Scheduler) schedule(n *node) {
	s.fillClaims(n)
	if n.reserved != nil && s.tryReserved(n) {
		return
	}
	half := n.free.Scale(0.5)
	var assigned res
	for count := 1; n.reserved == nil && s.useful(n); count++ {
		s.tight = !s.smallest.FitsIn(n.free) && !s.delays()
		got := s.offerQueue(s.root, n)
		if got == (res{}) {
			return
		}
		assigned = assigned.Add(got)
		if !s.goOn(count, assigned, half) {
			return
		}
	}
}

// goOn reports whether a heartbeat may assign more.
func (s *Scheduler) goOn(count int, assigned, half res) bool {
	switch {
	case !s.site.AssignMultiple:
		return false
	case s.site.DynamicMaxAssign:
		return assigned.FitsIn(half)
	}
	return s.site.MaxAssign <= 0 || count < s.site.MaxAssign
}

// reservedMark is what a queue returns where the node was reserved: not nothing.
var reservedMark = res{Memory: -1}

// offerQueue offers a node to a queue and returns what was assigned.
func (s *Scheduler) offerQueue(q *queue, n *node) res {
	if n.reserved != nil || !q.used.FitsIn(q.max) {
		return res{}
	}
	if q.leaf {
		return s.offerLeaf(q, n)
	}
	for _, c := range s.sortChildren(q) {
		if c.asking == 0 || s.tight && c.large == 0 {
			continue // nothing would come of it
		}
		if got := s.offerQueue(c, n); got != (res{}) {
			return got
		}
	}
	return res{}
}

// offerLeaf offers a node to the applications of a leaf.
func (s *Scheduler) offerLeaf(q *queue, n *node) res {
	var next *app
	var at rank
	if q.crowded > 0 {
		next, at = s.nextMaster(q, n)
	}
	for _, a := range s.sortApps(q) {
		if a.asking == 0 || s.tight && a.large == 0 || !a.pendingDemand() {
			continue
		}
		if next != nil {
			if d := at.compare(&a.rank); d < 0 || d == 0 && next.id < a.id {
				break
			}
		}
		if got := s.offerApp(a, n); got != (res{}) {
			return got
		}
	}
	if next == nil {
		return res{}
	}
	return s.offerApp(next, n)
}

// offerApp offers a node to an application whose master, if it has none yet,
// fits into its queue's share for masters.
func (s *Scheduler) offerApp(a *app, n *node) res {
	if s.overAMShare(a) {
		return res{}
	}
	for i := range a.keys {
		k := &a.keys[i]
		if !k.listed || !s.couldUse(a, k, n) {
			continue
		}
		if got, ok := s.tryKey(a, k, n, nil); ok {
			return got
		}
	}
	return res{}
}

// overAMShare reports whether an application waits for a master that its queue
// has no share left for.
func (s *Scheduler) overAMShare(a *app) bool {
	if a.amRunning || a.unmanaged {
		return false
	}
	k := a.firstKey()
	return k != nil && (k.Outstanding() == 0 || !s.roomForAM(a.queue, k.Any.Size))
}

// roomForAM reports whether a master fits into a leaf's share for masters. Where
// the leaf has no fair share yet, what the cluster has available stands for it.
func (s *Scheduler) roomForAM(q *queue, am res) bool {
	if d := q.conf.MaxAMShare + 1; d < 0.0001 && d > -0.0001 {
		return true
	}
	base := q.fair
	if base.Memory == 0 {
		base.Memory = min(s.available.Memory, q.max.Memory)
	}
	if base.VCores == 0 {
		base.VCores = min(s.available.VCores, q.max.VCores)
	}
	return q.amUsed.Add(am).FitsIn(scaleUp(base, float64(q.conf.MaxAMShare)))
}
