package yarn

import (
	"slices"

	"schedtune/internal/rng"
	"schedtune/simcore"
)

// Rounds of the scheduler's preemption policy. A thread of the ResourceManager
// wakes at a fixed rate and reads the clock in whole milliseconds. A container is
// killed at the first round whose reading is later than that of its mark by
// max_wait_before_kill: where that wait is a multiple of the interval, as by
// default, a millisecond decides whether it is killed one round later
// (SchedulingMonitor; ProportionalCapacityPreemptionPolicy,
// preemptOrkillSelectedContainerAfterWait).

// monitor is the thread's clock.
type monitor struct {
	jitter bool // readings are drawn
	key    rng.Key
	number uint64
	kills  []simcore.Time // recorded, ascending; nil = none are
	back   int64          // readings of rounds without a recorded kill are behind by that
}

// lateReading are the parts of readings that are on the grid and one millisecond
// later; the rest is two: of 19 kills of two recorded runs, 9 and 8.
var lateReading = [...]float64{9.0 / 19, 17.0 / 19}

// resetMonitor prepares the clock of a run: readings are drawn where phases are, recorded
// kills followed where there are some.
func (s *Sim) resetMonitor() {
	s.monitor = monitor{jitter: s.cfg.Jitter.Phases && !s.replay, key: rng.NewKey(s.cfg.Seed, drawMonitor), kills: s.recorded.Kills}
}

// reading is by how many milliseconds the clock is read off the grid. Where kills
// are recorded, one that is due waits for the next round unless one is recorded at
// this one: each such round reads a millisecond less than the one before.
func (m *monitor) reading(now simcore.Time) int64 {
	m.number++
	switch {
	case m.kills != nil:
		i, _ := slices.BinarySearch(m.kills, now-sameRound)
		if i < len(m.kills) && m.kills[i] <= now+sameRound {
			return 1
		}
		m.back = min(m.back+1, maxBack)
		return -m.back
	case m.jitter:
		u := m.key.Float64(m.number)
		for k, part := range lateReading {
			if u < part {
				return int64(k)
			}
		}
		return int64(len(lateReading))
	}
	return 0
}

// sameRound is how far a recorded kill lies from its round at most, and maxBack
// bounds what the clock is behind, ms.
const (
	sameRound = 100 * simcore.Millisecond
	maxBack   = 900
)

// preemptRound is one round of the scheduler's preemption policy.
func (s *Sim) preemptRound() {
	s.tree.Set(roundLeaf, s.now+s.cfg.PreemptEvery)
	p, ok := s.sched.(Preemptor)
	if !ok {
		s.tree.Clear(roundLeaf)
		return
	}
	p.SetClock(int64(s.now/simcore.Millisecond) + s.monitor.reading(s.now))
	s.marked, s.killed = p.Preempt(s.marked[:0], s.killed[:0])
	s.bookKilled()
	if s.killer != nil && s.killer.Widened() {
		s.widen()
	}
	s.wakeNodes()
}
