package yarn

import (
	"slices"

	"schedtune/simcore"
	"schedtune/simcore/internal/kernel"
)

// How nodes go: decommissioned, when their applications are over or at a timeout,
// or lost, which the ResourceManager notices by the heartbeats that it misses.

// decommission begins to empty a node. Without time it leaves at once
// (NodesListManager of Hadoop 3.4.1, refreshNodesGracefully). It leaves at the instant
// gone where that is known (not 0).
func (s *Sim) decommission(n int32, timeout, gone simcore.Time) {
	e, nd := s.elastic, &s.nodes[n]
	if e.phase[n] != nodeThere || nd.draining {
		return
	}
	if timeout == 0 && gone <= s.now {
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
	if gone > 0 {
		if gone < simcore.Never {
			e.push(nodeStep{at: max(gone, s.now), what: stepExpire, n: n, times: e.joined[n]})
		}
		s.schedule(n)
		s.wakeNodes()
		return
	}
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
	i := slices.IndexFunc(s.elastic.drains, func(d drain) bool { return d.node == n })
	if i < 0 {
		return false
	}
	d := &s.elastic.drains[i]
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
// master was there hang. It is missed at the instant gone where that is known (not 0).
func (s *Sim) die(n int32, gone simcore.Time) {
	e, nd := s.elastic, &s.nodes[n]
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
			if sl >= 0 && (headless || s.slots.all[sl].node == n) && !s.orphan(sl, n) {
				s.stop(sl)
			}
		}
		if headless {
			m.asleep = false
			s.tree.Clear(s.slotLeaf(m.slot))
		}
		s.kindOf(int32(j)).machineGone(int32(j), n)
	}
	if gone == 0 {
		gone = s.missedAt(n)
	}
	e.push(nodeStep{at: max(gone, s.now), what: stepExpire, n: n, times: e.joined[n]})
	s.wakeNodes()
}

// missedAt is when the ResourceManager misses the heartbeats of a node that is gone
// now.
func (s *Sim) missedAt(n int32) simcore.Time {
	expiry := s.elastic.plan.Expiry
	if expiry == 0 {
		expiry = simcore.DefaultExpiry
	}
	look := max(expiry/3, 1)
	at, phase := s.now+expiry, simcore.Time(0)
	if s.cfg.Jitter.Phases {
		phase = simcore.Time(s.elastic.lookKey.Float64(uint64(n)) * float64(look))
	}
	return at + (look-(at-phase)%look)%look
}

// orphan has a task end whose master was on the machine n that is gone, and which runs
// elsewhere; its node tells the ResourceManager. It reports whether it did.
func (s *Sim) orphan(sl, n int32) bool {
	c := &s.slots.all[sl]
	if c.node == n || !c.launched || c.state == ending || c.state == dead || s.nodes[c.node].dead {
		return false
	}
	at, ok := s.kindOf(c.job).goesOn(c)
	if !ok {
		return false
	}
	s.quit(sl, c)
	c.outcome = kernel.Killed
	s.report(sl, c, at)
	return true
}

// stop freezes a container on a machine that is gone, or whose master is. One that
// was over and not reported stays so.
func (s *Sim) stop(sl int32) {
	c := &s.slots.all[sl]
	if c.state == ending || c.state == dead || c.state == granted && c.kind != masterContainer {
		return
	}
	s.quit(sl, c)
	c.state = dead
}

// hangs reports whether a container's machine, or its master's, is gone: nothing
// starts in it.
func (s *Sim) hangs(c *slot) bool {
	return s.elastic != nil && s.nodes[c.node].dead
}

// goneForGood clears what is left of a node that the scheduler no longer has.
func (s *Sim) goneForGood(n int32) {
	if s.elastic == nil {
		return
	}
	nd := &s.nodes[n]
	for sl := nd.done; sl >= 0; {
		c := &s.slots.all[sl]
		next := c.next
		if c.kind == exitingProcess {
			s.slots.put(sl)
		}
		sl = next
	}
	nd.done, nd.soonest, nd.dead, nd.draining = -1, simcore.Never, false, false
	s.elastic.leaves(n, s.now)
}
