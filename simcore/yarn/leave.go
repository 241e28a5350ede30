package yarn

import (
	"cmp"
	"slices"

	"schedtune/simcore"
	"schedtune/simcore/internal/kernel"
)

// How nodes leave: decommissioned, when their applications end or at a timeout,
// or lost, which the ResourceManager notices by missing heartbeats.

// decommission starts the decommissioning of a node. With timeout 0 it leaves at once
// (NodesListManager of Hadoop 3.4.1, refreshNodesGracefully). It leaves at the instant
// gone if that is recorded (not 0).
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
		for _, c := range s.live(&s.jobs[j].appState) {
			if c.node == n {
				dr.apps = append(dr.apps, s.jobs[j].app)
				break
			}
		}
	}
	e.drains = append(e.drains, dr)
	s.schedule(n)
	s.wakeNodes()
}

// drained ends a decommissioning at a heartbeat of the node: at the timeout, or when no container
// is left there and the applications that had some have ended, since they
// may still read the output of their tasks (DecommissioningNodesWatcher of Hadoop 3.4.1).
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

// working reports whether a process has yet to end on a node without running applications.
func (s *Sim) working(n int32) bool {
	for sl := s.nodes[n].done; sl >= 0; sl = s.slots.all[sl].next {
		if s.slots.all[sl].at > s.now {
			return true
		}
	}
	return false
}

// die makes a machine fail. Its processes stop; the ResourceManager and the applications do
// not know until the ResourceManager misses the node's heartbeats (AbstractLivelinessMonitor,
// which checks every third of the expiry), at the instant gone if that is recorded (not 0).
// Applications with their master there hang.
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
		for sl, c := range s.live(&m.appState) {
			if (headless || c.node == n) && !s.orphan(sl, c, n) {
				s.stop(sl, c)
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

// missedAt returns when the ResourceManager misses the heartbeats of a node that fails now.
func (s *Sim) missedAt(n int32) simcore.Time {
	expiry := cmp.Or(s.elastic.plan.Expiry, simcore.DefaultExpiry)
	every := max(expiry/3, 1)
	at, phase := s.now+expiry, simcore.Time(0)
	if s.cfg.Jitter.Phases {
		phase = simcore.Time(s.key(drawLook).Float64(uint64(n)) * float64(every))
	}
	return at + (every-(at-phase)%every)%every
}

// orphan lets a task on another node end later whose master was on the failed machine n; its node
// reports that to the ResourceManager. It reports whether the task continues.
func (s *Sim) orphan(sl int32, c *slot, n int32) bool {
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

// stop freezes a container whose machine failed, or whose master's did, unless it has ended
// already.
func (s *Sim) stop(sl int32, c *slot) {
	if c.state == ending || c.state == dead || c.state == granted && c.kind != masterContainer {
		return
	}
	s.quit(sl, c)
	c.state = dead
}

// hangs reports whether a container's machine has failed, so that nothing starts in it.
func (s *Sim) hangs(c *slot) bool { return !s.elastic.still && s.nodes[c.node].dead }

// goneForGood clears the state of a node that the scheduler has removed.
func (s *Sim) goneForGood(n int32) {
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
