package yarn

import "schedtune/simcore"

// The times of the nodes' regular heartbeats, computed or recorded.

// nextBeat returns the first future regular heartbeat of a node.
func (s *Sim) nextBeat(n int32) simcore.Time {
	leaf := s.nodeLeaf(n)
	return s.recordedBeat(n, s.earliest(leaf), s.nextOnGrid(s.nodes[n].beat, s.nodePeriod, leaf))
}

// recordedBeat returns the first recorded heartbeat of a node from an instant on, or the given
// time behind the last one.
func (s *Sim) recordedBeat(n int32, from, otherwise simcore.Time) simcore.Time {
	return firstOf(pick(s.recorded.NodeBeats, n), from, simcore.Never, otherwise)
}

// earliest returns the first instant at which a leaf may still have an event: later
// than now, or now for a leaf after that of the current event.
func (s *Sim) earliest(leaf int32) simcore.Time {
	if leaf <= s.leaf {
		return s.now + 1
	}
	return s.now
}

// nextOnGrid returns the first of t, t+period, … that the leaf has not had yet.
func (s *Sim) nextOnGrid(t, period simcore.Time, leaf int32) simcore.Time {
	earliest := s.earliest(leaf)
	if t < earliest {
		t += (earliest - t + period - 1) / period * period
	}
	return t
}
