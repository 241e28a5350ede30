package yarn

import (
	"slices"

	"schedtune/simcore"
)

// How nodes go: decommissioned, when their applications are over or at a timeout,
// or lost, which the ResourceManager notices by the heartbeats that it misses.

// decommission begins to empty a node. Without time it leaves at once
// (NodesListManager of Hadoop 3.4.1, refreshNodesGracefully).
func (s *Sim) decommission(n int32, timeout simcore.Time) {
	e, nd := s.el, &s.nodes[n]
	if e.phase[n] != nodeThere || nd.draining {
		return
	}
	if timeout == 0 {
		s.loseNode(n)
		return
	}
	d, ok := s.sched.(Decommissioner)
	if !ok {
		s.fail(errNoDrain)
		return
	}
	d.Decommission(nd.id)
	nd.draining = true
	nd.beat = s.nextBeat(n)
	until := simcore.Never
	if timeout < simcore.Never-nd.beat {
		until = nd.beat + timeout // the ResourceManager counts from the next heartbeat
	}
	dr := drain{node: n, until: until}
	for j := range s.jobs {
		if s.holdsOn(int32(j), n) {
			dr.apps = append(dr.apps, s.jobs[j].app)
		}
	}
	e.drains = append(e.drains, dr)
	s.schedule(n)
	s.wakeNodes()
}

// holdsOn reports whether a job has a container on a node.
func (s *Sim) holdsOn(j, n int32) bool {
	return slices.ContainsFunc(s.jobs[j].ords, func(sl int32) bool { return sl >= 0 && s.slots.all[sl].node == n })
}

// drained ends a decommissioning at a heartbeat of the node: when no container is
// left there and the applications that had some since it began are over, since they
// may still want what their tasks wrote, or when the time is up
// (DecommissioningNodesWatcher of Hadoop 3.4.1).
func (s *Sim) drained(n int32) bool {
	i := slices.IndexFunc(s.el.drains, func(d drain) bool { return d.node == n })
	if i < 0 {
		return false
	}
	d := &s.el.drains[i]
	d.apps = slices.DeleteFunc(d.apps, func(a AppID) bool { return s.jobs[s.appJob[a]].app < 0 })
	if s.now < d.until && (len(d.apps) > 0 || s.working(n)) {
		return false
	}
	s.loseNode(n)
	return true
}

// working reports whether a process is still to end on a node none of whose
// applications is under way.
func (s *Sim) working(n int32) bool {
	for sl := s.nodes[n].done; sl >= 0; sl = s.slots.all[sl].next {
		if s.slots.all[sl].at > s.now {
			return true
		}
	}
	return false
}

// die takes a machine away. What runs there stops; the ResourceManager goes on with
// what it knows until it misses the node's heartbeats (AbstractLivelinessMonitor,
// which looks every third of the expiry), and its applications with it. Those whose
// master was there hang.
func (s *Sim) die(n int32) {
	e, nd := s.el, &s.nodes[n]
	if e.phase[n] != nodeThere {
		return
	}
	e.leaves(n, s.now)
	e.phase[n] = nodeDead
	e.dead++
	nd.dead, nd.draining = true, false
	nd.soonest = -1 // no report comes earlier
	s.unidle(n)
	s.tree.Clear(s.nodeLeaf(n))
	for j := range s.jobs {
		m := &s.jobs[j]
		headless := m.slot >= 0 && s.slots.all[m.slot].node == n
		for _, sl := range m.ords {
			if sl >= 0 && (headless || s.slots.all[sl].node == n) {
				s.stop(sl)
			}
		}
		if headless {
			m.asleep = false
			s.tree.Clear(s.slotLeaf(m.slot))
		}
		s.cutOff(int32(j))
	}
	expiry := e.plan.Expiry
	if expiry == 0 {
		expiry = simcore.DefaultExpiry
	}
	look := max(expiry/3, 1)
	at, phase := s.now+expiry, simcore.Time(0)
	if s.cfg.Jitter.Phases {
		phase = simcore.Time(e.lookKey.Float64(uint64(n)) * float64(look))
	}
	at += (look - (at-phase)%look) % look
	e.push(nodeStep{at: at, what: stepExpire, n: n, times: e.joined[n]})
	s.wakeNodes()
}

// stop freezes a container on a machine that is gone, or whose master is. One that
// was over and not reported stays so.
func (s *Sim) stop(sl int32) {
	c := &s.slots.all[sl]
	if c.state == ending || c.state == dead || c.state == granted && c.kind != master0 {
		return
	}
	s.quit(sl, c)
	c.state = dead
}

// hangs reports whether a container's machine, or its master's, is gone: nothing
// starts in it.
func (s *Sim) hangs(c *slot) bool {
	return s.el != nil && s.nodes[c.node].dead
}

// cutOff lets reduces wait that would copy from machines that are gone.
func (s *Sim) cutOff(j int32) {
	m, job := &s.jobs[j], &s.work.Jobs[j]
	m.cut = false
	if s.times[j].Status != Unfinished || job.Spark != nil || s.el.dead == 0 || m.doneReds == job.Reduces {
		return
	}
	for _, n := range s.mapNode[s.plan.mapBase[j]:s.plan.mapBase[j+1]] {
		m.cut = m.cut || n >= 0 && s.nodes[n].dead
	}
	if !m.cut {
		return
	}
	s.holdShuffles(m)
}

// holdShuffles stops the reduces of a job that copy.
func (s *Sim) holdShuffles(m *master) {
	for _, sl := range m.ords {
		if sl < 0 {
			continue
		}
		if c := &s.slots.all[sl]; c.state == shuffling {
			c.state, c.next = waits, m.redWait
			m.redWait = sl
			s.tree.Clear(s.slotLeaf(sl))
		}
	}
}

// goneForGood clears what is left of a node that the scheduler no longer has.
func (s *Sim) goneForGood(n int32) {
	if s.el == nil {
		return
	}
	nd := &s.nodes[n]
	for sl := nd.done; sl >= 0; {
		c := &s.slots.all[sl]
		next := c.next
		if c.kind == ghost0 {
			s.slots.put(sl)
		}
		sl = next
	}
	nd.done, nd.soonest, nd.dead, nd.draining = -1, simcore.Never, false, false
	s.el.leaves(n, s.now)
	for j := range s.jobs {
		m := &s.jobs[j]
		if !m.cut {
			continue
		}
		s.cutOff(int32(j))
		if !m.cut && m.doneMaps == s.work.Jobs[j].Maps {
			s.startShuffles(m)
		}
	}
}
