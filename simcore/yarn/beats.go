package yarn

import (
	"slices"

	"schedtune/simcore"
)

// The times of the nodes' regular heartbeats, computed or recorded.

// nextBeat returns the first future regular heartbeat of a node.
func (s *Sim) nextBeat(n int32) simcore.Time {
	nd := &s.nodes[n]
	if int(n) >= len(s.recorded.NodeBeats) {
		return s.nextOnGrid(nd.beat, s.nodePeriod, s.nodeLeaf(n))
	}
	for nd.beat < s.earliest(s.nodeLeaf(n)) {
		nd.beat = s.recordedAfter(n, nd.beat)
	}
	return nd.beat
}

// recordedAfter returns the heartbeat of a node after one at an instant, in a replay.
func (s *Sim) recordedAfter(n int32, at simcore.Time) simcore.Time {
	return max(s.handled(n, s.snap(n, s.arrived(n, at)+s.nodePeriod)), at+1)
}

// handled returns when the scheduler handled a recorded heartbeat.
func (s *Sim) handled(n int32, at simcore.Time) simcore.Time {
	if int(n) < len(s.recorded.NodeHandled) {
		if i, ok := slices.BinarySearch(s.recorded.NodeBeats[n], at); ok {
			return s.recorded.NodeHandled[n][i]
		}
	}
	return at
}

// arrived returns when a recorded heartbeat arrived that was handled at an instant: the last one
// before it within Recorded.Handling, since the node counts its period from there.
func (s *Sim) arrived(n int32, at simcore.Time) simcore.Time {
	r := s.recorded
	if int(n) >= len(r.NodeHandled) {
		return at
	}
	if i, ok := slices.BinarySearch(r.NodeHandled[n], at); ok {
		return r.NodeBeats[n][i]
	}
	if i, _ := slices.BinarySearch(r.NodeBeats[n], at+1); i > 0 && at-r.NodeBeats[n][i-1] <= r.Handling {
		return r.NodeBeats[n][i-1]
	}
	return at
}

// snap moves a heartbeat to the nearest recorded one, or, if the record
// shows that this heartbeat came late, to that.
func (s *Sim) snap(n int32, at simcore.Time) simcore.Time {
	list := pick(s.recorded.NodeBeats, n)
	i, _ := slices.BinarySearch(list, at-beside)
	switch {
	case i == len(list):
		return at
	case list[i] > at+beside: // none near
		if i > 0 && at-list[i-1] > lateGap {
			return list[i]
		}
		return at
	case i+1 < len(list) && abs(list[i+1]-at) < abs(list[i]-at):
		i++
	}
	return list[i]
}

// Matching of recorded heartbeats: one within beside of the computed instant is the
// same; else, if the one before it is about a period earlier (lateGap), the next is this one,
// late.
const (
	beside  = 60 * simcore.Millisecond
	lateGap = 900 * simcore.Millisecond
)

// abs returns the absolute value of a time.
func abs(t simcore.Time) simcore.Time { return max(t, -t) }

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

// joinBeat returns the first heartbeat of a node that registers now.
func (s *Sim) joinBeat(n int32) simcore.Time {
	return max(s.handled(n, firstOf(pick(s.recorded.NodeBeats, n), s.now, simcore.Never, s.now)), s.now)
}
