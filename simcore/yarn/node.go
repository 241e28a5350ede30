package yarn

import "schedtune/simcore"

// Heartbeats of nodes at the ResourceManager. There are regular ones, a period apart, and
// one at once when a container's process ends (out-of-band heartbeat), which starts a new
// period. idle.go decides which of the regular ones are simulated.

// nodeState is the state of a NodeManager: one line of the cache.
type nodeState struct {
	id       NodeID       // the scheduler's; -1 of a node that has not joined
	done     int32        // list of slots to report, in no order, -1 = none
	lost     bool         // the ResourceManager does not have it
	dead     bool         // its machine failed, which the ResourceManager does not know yet
	draining bool         // decommissioning: all its heartbeats are simulated
	beat     simcore.Time // its next regular heartbeat; in the past if it was not simulated
	soonest  simcore.Time // earliest report in the list; Never = none
	heard    simcore.Time // its last simulated heartbeat
	phase    simcore.Time // idleNodes: of its heartbeats within the period, -1 = not in the set
	_        [2]simcore.Time
}

// schedule sets the node's next event. A regular heartbeat is simulated only if the scheduler
// can use it. A node with room is one of the idle nodes, of which chooseIdle
// chooses one; a full node has none before one of its containers ends.
func (s *Sim) schedule(n int32) {
	nd := &s.nodes[n]
	at := nd.soonest
	switch {
	case nd.draining:
		s.unidle(n)
		s.regular[n] = true
		at = min(at, nd.beat)
	case !s.choosesIdle:
		if s.regular[n] = s.cfg.Eager || s.sched.Pending(nd.id); s.regular[n] {
			at = min(at, nd.beat)
		}
	default:
		switch s.hinter.Occupancy(nd.id) {
		case NodeReserved:
			s.unidle(n)
			at = min(at, nd.beat)
		case NodeRoom:
			s.idle.add(n, nd.beat%s.nodePeriod)
			if n == s.chosenIdle {
				at = min(at, nd.beat)
			}
		case NodeFull:
			if s.idle.has(n) {
				s.unidle(n)
			}
		}
	}
	s.tree.Set(s.nodeLeaf(n), at)
}

// freed handles space that becomes free on a node outside its own heartbeat.
func (s *Sim) freed(n int32) {
	if nd := &s.nodes[n]; !nd.lost && !nd.dead && !s.cfg.Eager && !s.idle.has(n) {
		nd.beat = s.nextBeat(n)
		s.schedule(n)
	}
}

// wakeNodes has the nodes send regular heartbeats again that the scheduler can use now. It is
// called after each change of the scheduler's state. In a full cluster it returns at once.
func (s *Sim) wakeNodes() {
	if !s.idleOnly || s.idle.count > 0 {
		s.wakeMore()
	}
}

// wakeMore is wakeNodes for a cluster that is not full.
func (s *Sim) wakeMore() {
	if s.sorter != nil {
		s.armSort()
	}
	if s.updater != nil && s.updater.Widened() {
		s.widen()
	}
	switch {
	case s.rounds.sched != nil:
		s.armRounds()
	case s.choosesIdle:
		s.chooseIdle()
	case !s.cfg.Eager:
		s.wakeEach()
	}
}

// wakeEach checks every node, in runs with recorded heartbeats and for schedulers without
// hints.
func (s *Sim) wakeEach() {
	if s.hinter != nil && !s.hinter.Waiting() {
		return
	}
	for i := range s.nodes {
		n, nd := int32(i), &s.nodes[i]
		if s.regular[i] || nd.lost || nd.dead || !s.sched.Pending(nd.id) {
			continue
		}
		nd.beat, s.regular[i] = s.nextBeat(n), true
		s.tree.Set(s.nodeLeaf(n), min(nd.beat, nd.soonest))
	}
}

// report adds a container whose process ends at an instant to its node's list; the
// NodeManager reports that to the ResourceManager at once (out-of-band heartbeat), or with the
// next recorded heartbeat.
func (s *Sim) report(sl int32, c *slot, at simcore.Time) {
	nd := &s.nodes[c.node]
	at = s.recordedBeat(c.node, at, at)
	c.state, c.at, c.next = ending, at, nd.done
	nd.done = sl
	s.tree.Clear(s.slotLeaf(sl))
	if at < nd.soonest {
		nd.soonest = at
		if leaf := s.nodeLeaf(c.node); at < s.tree.When(leaf) {
			s.tree.Set(leaf, at)
		}
	}
}

// nodeBeat handles one heartbeat of a node at the ResourceManager: ended containers are
// freed, then the scheduler may allocate.
func (s *Sim) nodeBeat(n int32) {
	nd := &s.nodes[n]
	if nd.lost || nd.dead {
		return
	}
	if nd.draining && s.drained(n) {
		return
	}
	s.beats++
	nd.heard = s.now
	if s.idle.has(n) {
		s.unidle(n)
	}
	s.done = s.done[:0]
	ended, room := int32(-1), false
	if nd.soonest <= s.now {
		ended, room = s.takeDone(nd)
	}
	s.offer(n, nd)
	s.containersGone(ended)
	for i := range s.events {
		s.committed(&s.events[i])
	}
	nd.beat = s.recordedBeat(n, s.now+1, s.now+max(s.nodePeriod, 1))
	s.schedule(n)
	if len(s.done) > 0 {
		s.progress = s.now
	}
	if len(s.done)+len(s.events) > 0 || room || nd.draining {
		s.wakeNodes()
	} else if s.choosesIdle {
		s.chooseIdle()
	}
}

// offer is the scheduler's part of a heartbeat, unless a guard refuses.
func (s *Sim) offer(n int32, nd *nodeState) {
	s.setClock()
	if s.cfg.Policies.Guard != nil {
		s.events = s.guarded(n, nd)
	} else {
		s.events = s.sched.Beat(nd.id, s.done, s.events[:0])
	}
	if s.kills {
		s.takeKilled()
	}
}

// takeDone collects the containers to report now into s.done and returns them
// as a list of slots; room reports whether processes have ended that occupied the node
// after their containers.
func (s *Sim) takeDone(nd *nodeState) (ended int32, room bool) {
	ended = -1
	keep := int32(-1)
	nd.soonest = simcore.Never
	for sl := nd.done; sl >= 0; {
		c := &s.slots.all[sl]
		next := c.next
		if c.at <= s.now && c.kind == exitingProcess {
			s.holder.Unhold(nd.id, c.size)
			s.slots.put(sl)
			room = true
		} else if c.at <= s.now {
			s.done = append(s.done, Container{s.jobs[c.job].app, c.ord})
			c.next, ended = ended, sl
		} else {
			c.next, keep = keep, sl
			nd.soonest = min(nd.soonest, c.at)
		}
		sl = next
	}
	nd.done = keep
	return ended, room
}

// containersGone handles the containers whose end the ResourceManager learns now, a list
// of slots. A master's end ends its application, with those of its containers that are
// reported in the same heartbeat. Slots are freed here and not taken again before the end.
func (s *Sim) containersGone(sl int32) {
	for sl >= 0 {
		c := &s.slots.all[sl]
		m, next := &s.jobs[c.job], c.next
		if int(c.ord) < len(m.ords) && m.ords[c.ord] == sl { // it has not ended with its master
			m.ords[c.ord] = gone | int32(c.kind)
			s.release(sl, c)
			switch c.kind {
			case mapContainer, reduceContainer:
				mapReduce{s}.ended(c)
			case masterContainer:
				s.endApp(c.job)
			default:
				s.kindOf(c.job).ended(c)
			}
		}
		sl = next
	}
}
