package mr1

import "schedtune/simcore"

// resetIdle marks every node with slots as free.
func (s *Sim) resetIdle() {
	s.idleAt, s.idleRank, s.idleDirty = -1, -1, true
	for r := range s.nodes {
		s.noteFree(&s.nodes[r])
	}
}

// noteFree keeps the sets of nodes with free slots.
func (s *Sim) noteFree(node *nodeState) {
	if has := node.hasFree(); has != node.has {
		s.changeFree(node, has)
	}
}

// hasFree tells which pools have a free slot, as bits.
func (n *nodeState) hasFree() uint8 {
	return uint8(min(n.free[0], 1) | min(n.free[1], 1)<<1)
}

func (s *Sim) changeFree(node *nodeState, has uint8) {
	r := node.rank
	for p := range 2 {
		switch bit := uint8(1) << p; {
		case (has^node.has)&bit == 0:
		case has&bit != 0:
			s.idle.free[p].set(r)
		default:
			s.idle.free[p].unset(r)
		}
	}
	node.has, s.idleDirty = has, true
}

// beatAt returns the node's first heartbeat at or after t. The quotient is
// taken in floating point and then put right, which is exact and twice as fast
// as dividing.
func (s *Sim) beatAt(node *nodeState, t simcore.Time) simcore.Time {
	phase := node.phase
	beats := simcore.Time(float64(t-phase+s.period-1) * s.perPeriod)
	at := phase + beats*s.period
	if at < t {
		at += s.period
	} else if at-s.period >= t {
		at -= s.period
	}
	return at
}

// wanted tells which heartbeats can matter now, as a mask for idleRing.next. It
// is asked after most heartbeats of a large cluster.
func (s *Sim) wanted() uint8 {
	free, pool, mask := &s.idle.free, s.pool(simcore.Reduce)&1, uint8(0)
	if s.beater != nil && s.active.first != simcore.None {
		return 4
	}
	if free[0].count > 0 && (s.totalPending[simcore.Map] > 0 && s.gated(simcore.Map) || s.restless &&
		s.stirs(simcore.Map)) {
		mask = 1
	}
	if free[pool].count > 0 && mask>>pool&1 == 0 && (s.totalPending[simcore.Reduce] > 0 && s.gated(simcore.Reduce) ||
		s.restless && s.stirs(simcore.Reduce)) {
		mask |= 1 << pool
	}
	return mask
}

// gated tells whether the scheduler would launch a waiting task of the kind.
func (s *Sim) gated(k simcore.Kind) bool { return s.gate == nil || s.gate.Ready(&s.view, k) }

// stirs tells whether heartbeats matter though no task of the kind is ready.
func (s *Sim) stirs(k simcore.Kind) bool {
	return s.cfg.Speculation.On && s.totalRunning[k&1] > 0 || s.cfg.EveryBeat
}

// armIdle sets the time of the next idle heartbeat worth simulating.
func (s *Sim) armIdle() {
	s.idleDirty = false
	at := simcore.Never
	if mask := s.wanted(); mask != 0 {
		at, s.idleNext = s.nextIdle(mask)
	}
	if s.control.When(leafIdle) != at {
		s.control.Set(leafIdle, at)
	}
}

// nextIdle finds the next heartbeat, from now on and after the idle heartbeats
// already done, of a node in the sets of the mask; Never if there is none.
func (s *Sim) nextIdle(mask uint8) (simcore.Time, int32) {
	var rank int32
	var base simcore.Time // start of the period now lies in
	if s.idleAt == s.now {
		rank, base = s.idleRank+1, s.now-s.idle.phase[s.idleRank]
	} else {
		rank, base = s.idle.rankAt(s.now)
	}
	for range 2 {
		r, wrapped := s.idle.next(rank, mask)
		if r < 0 {
			return simcore.Never, -1
		}
		if wrapped {
			base += s.period
		}
		at := base + s.idle.phase[r]
		if s.nodes[r].lastBeat < at {
			return at, r
		}
		if rank = r + 1; int(rank) >= len(s.idle.phase) {
			rank, base = 0, base+s.period
		}
	}
	return s.slowIdle(mask)
}

// slowIdle is nextIdle where several nodes have just sent a heartbeat of
// another cause at the same time.
func (s *Sim) slowIdle(mask uint8) (simcore.Time, int32) {
	best, rank := simcore.Never, int32(-1)
	for r := s.idle.scan(0, mask); r >= 0; r = s.idle.scan(r+1, mask) {
		node := &s.nodes[r]
		at := s.beatAt(node, max(s.now, node.lastBeat+1))
		if at == s.now && s.idleAt == s.now && r <= s.idleRank {
			at += s.period
		}
		if at < best {
			best, rank = at, r
		}
	}
	return best, rank
}

// idleBeat is the heartbeat of the next node that has a free slot somebody may
// want.
func (s *Sim) idleBeat() {
	s.idleDirty = true
	s.idleAt, s.idleRank = s.now, s.idleNext
	s.heartbeat(s.idleNext)
	s.checkStall()
}
