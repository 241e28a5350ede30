package capacity

import "schedtune/simcore/yarn"

// Looks at nodes for one application: what a heartbeat of each would come to for it, found
// by walking through the queues as a heartbeat does, without a commit. They are made in a
// copy of the scheduler, whose counters are put back after each.

// counters are what a look changes of a request key, as they were before.
type counters struct {
	k                   *reqKey
	missed, missedPlain int
}

// lookAround looks at every node, or with placement on several nodes at every partition.
func (s *Scheduler) lookAround(a *app, st *Standing) {
	s.diagnosis = &diagnosis{app: a, leaf: a.queue}
	var kept []counters // of all applications: a walk comes to others too
	for _, b := range s.apps {
		for i := range b.keys {
			if k := &b.keys[i]; k.Unique > 0 {
				kept = append(kept, counters{k, k.missed, k.missedPlain})
			}
		}
	}
	look := func(id yarn.NodeID, at func() Sight) {
		s.diagnosis.seen, s.diagnosis.sight = false, Sight{Node: id, By: -1}
		sight := at()
		sight.Node = id
		st.Sights = append(st.Sights, sight)
		for _, c := range kept {
			c.k.missed, c.k.missedPlain = c.missed, c.missedPlain
		}
	}
	if s.conf.MultiNode {
		// One walk serves all nodes of a partition: the sight stands for its first.
		for p := range s.parts {
			if c, count := s.offered(int32(p), nil, nil); count > 0 {
				look(c.any[0].id, func() Sight { return s.lookTogether(a, &c) })
			}
		}
		return
	}
	for _, n := range s.nodes {
		if !n.lost {
			look(n.id, func() Sight { return s.lookAt(a, n) })
		}
	}
}

// lookAt is a look at one node: at its reservation alone, where it has one.
func (s *Scheduler) lookAt(a *app, n *node) Sight {
	switch c := n.reserved; {
	case c != nil && c.app != a:
		return Sight{Obstacle: NodeReserved, By: c.app.id}
	case c != nil: // as tryReserved
		lim := newLimits(s.parts[0].total)
		s.part = n.part
		s.limitLeaf(a.queue, &lim)
		if s.tryOnNode(a, a.key(c.priority, c.alloc), n, &lim, c) == allocates {
			return Sight{By: -1}
		}
		return Sight{Obstacle: HoldsReservation, By: -1}
	case !s.roomy(n):
		return Sight{Obstacle: NodeFull, By: -1}
	}
	return s.afterWalk(a, s.walk(n))
}

// afterWalk says what a walk through the queues came to for an application.
func (s *Scheduler) afterWalk(a *app, found bool) Sight {
	w := s.diagnosis
	p := &s.prop
	switch {
	case found && p.app == a && p.reserve:
		return Sight{Obstacle: WouldReserve, By: -1}
	case found && p.app == a && !s.accept(p):
		return Sight{Obstacle: CommitRefused, By: -1}
	case found && p.app == a:
		return Sight{By: -1}
	case w.seen: // a test on its way has said why
		return w.sight
	case found:
		return Sight{Obstacle: Outranked, By: p.app.id, Priority: p.app.priority, Queue: p.app.queue.path}
	}
	return Sight{Obstacle: OtherPartition, By: -1}
}

// lookTogether is a look at nodes that are offered together. Where it would come to a
// reservation, another is there already or a node has space that is not taken yet, that
// is what the application waits for.
func (s *Scheduler) lookTogether(a *app, c *candidates) Sight {
	sight := s.afterWalk(a, s.walkTogether(c))
	if sight.Obstacle == WouldReserve && s.prop.key != nil {
		if o := s.obstacleTogether(a, s.prop.key, c); o != NodeFull {
			sight.Obstacle = o
		}
	}
	return sight
}

// obstacleTogether says which test kept a key from all nodes that are offered
// together: that of a node with space for it, else that they are full.
func (s *Scheduler) obstacleTogether(a *app, k *reqKey, c *candidates) Obstacle {
	o := NodeFull
	for _, n := range c.any {
		if n.reserved != nil && n.reserved.app == a {
			return HoldsReservation
		}
		x := s.obstacle(a, k, n, keySkipped)
		if x == NodeFull || x == NodeTooSmall || x == MustGiveBack && !s.holds(n.free, k.Any.Size) {
			continue
		}
		if o == NodeFull || x < o {
			o = x
		}
	}
	return o
}
