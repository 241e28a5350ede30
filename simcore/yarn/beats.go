package yarn

import (
	"slices"

	"schedtune/simcore"
)

// When a node's regular heartbeats come, computed or as recorded.

// nextBeat returns the first of the node's regular heartbeats still to come.
func (s *Sim) nextBeat(n int32) simcore.Time {
	nd, period := &s.nodes[n], s.nodePeriod
	if r := s.cfg.Recorded; r == nil || int(n) >= len(r.NodeBeats) {
		return s.nextOnGrid(nd.beat, period, s.nodeLeaf(n))
	}
	for nd.beat < s.earliest(s.nodeLeaf(n)) {
		nd.beat = max(s.handled(n, s.snap(n, s.arrived(n, nd.beat)+period)), nd.beat+1)
	}
	return nd.beat
}

// handled is when the scheduler came to a recorded heartbeat.
func (s *Sim) handled(n int32, at simcore.Time) simcore.Time {
	r := s.cfg.Recorded
	if r == nil || int(n) >= len(r.NodeHandled) {
		return at
	}
	if i, ok := slices.BinarySearch(r.NodeBeats[n], at); ok {
		return r.NodeHandled[n][i]
	}
	return at
}

// arrived is when the recorded heartbeat came that is handled at an instant: the
// last one before it where it came within Recorded.Handling, since the node counts
// its period from there.
func (s *Sim) arrived(n int32, at simcore.Time) simcore.Time {
	r := s.cfg.Recorded
	if r == nil || int(n) >= len(r.NodeHandled) {
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

// snap moves a heartbeat to the recorded one beside it, or, where the record
// shows that this heartbeat came late, to that.
func (s *Sim) snap(n int32, at simcore.Time) simcore.Time {
	r := s.cfg.Recorded
	if r == nil || int(n) >= len(r.NodeBeats) {
		return at
	}
	list := r.NodeBeats[n]
	i, _ := slices.BinarySearch(list, at-beside)
	if i == len(list) {
		return at
	}
	if list[i] > at+beside { // none beside it
		if i > 0 && at-list[i-1] > lateGap {
			return list[i]
		}
		return at
	}
	if i+1 < len(list) && abs(list[i+1]-at) < abs(list[i]-at) {
		i++
	}
	return list[i]
}

// How recorded heartbeats are matched: one within beside of the computed
// instant is the same; else, if the one before it lies about a period back
// (lateGap), the next is this one, late.
const (
	beside  = 60 * simcore.Millisecond
	lateGap = 900 * simcore.Millisecond
)

// abs is the size of a span.
func abs(t simcore.Time) simcore.Time { return max(t, -t) }

// earliest is the first instant at which a leaf may still have an event: later
// than now, or now for a leaf that comes after the event at hand.
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

// joinBeat is the first heartbeat of a node that registers now.
func (s *Sim) joinBeat(n int32) simcore.Time {
	r := s.cfg.Recorded
	if r == nil || int(n) >= len(r.NodeBeats) {
		return s.now
	}
	list := r.NodeBeats[n]
	if i, _ := slices.BinarySearch(list, s.now); i < len(list) {
		return max(s.handled(n, list[i]), s.now)
	}
	return s.now
}
