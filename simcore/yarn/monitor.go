package yarn

import (
	"slices"

	"schedtune/internal/rng"
	"schedtune/simcore"
)

// Rounds of the scheduler's preemption policy. A thread of the ResourceManager
// wakes at a fixed rate and reads the clock in whole milliseconds. A container is
// killed at the first round whose reading is later than that of its mark by
// max_wait_before_kill: if that wait is a multiple of the interval, as by
// default, a millisecond decides whether it is killed one round later
// (SchedulingMonitor; ProportionalCapacityPreemptionPolicy,
// preemptOrkillSelectedContainerAfterWait).

// monitor is the thread's clock.
type monitor struct {
	jitter bool    // readings are drawn
	key    rng.Key // drawMonitor
	number uint64
	kills  []simcore.Time // recorded, ascending; nil = not recorded
	back   int64          // delay of the readings of rounds without a recorded kill, ms
}

// lateReading holds the cumulative shares of readings on the grid and one millisecond later; the
// rest are two milliseconds late: of 19 kills of two recorded runs, 9 and 8.
var lateReading = [...]float64{9.0 / 19, 17.0 / 19}

// resetMonitor prepares the clock of a run: it draws readings if phases are drawn, and follows
// recorded kills.
func (s *Sim) resetMonitor() {
	s.monitor = monitor{jitter: s.cfg.Jitter.Phases && !s.replay, key: s.key(drawMonitor),
		kills: s.recorded.Kills}
}

// reading returns the deviation of the clock from the grid in milliseconds. If kills
// are recorded, a container that is due waits for the next round unless a kill is recorded at
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

// sameRound is the largest distance of a recorded kill from its round, and maxBack
// the largest delay of the clock, ms.
const (
	sameRound = 100 * simcore.Millisecond
	maxBack   = 900
)

// armPreemption sets the first round of preemption.
func (s *Sim) armPreemption() {
	if every := s.cfg.PreemptEvery; s.preemptor != nil {
		first := every
		if r := s.recorded.Round; r > 0 {
			first = r % every
		}
		s.tree.Set(roundLeaf, s.cfg.begin()+first)
	}
}

// preemptRound runs the scheduler's preemption policy once.
func (s *Sim) preemptRound() {
	s.tree.Set(roundLeaf, s.now+s.cfg.PreemptEvery)
	s.preemptor.SetClock(int64(s.now/simcore.Millisecond) + s.monitor.reading(s.now))
	s.marked, s.killed = s.preemptor.Preempt(s.marked[:0], s.killed[:0])
	s.bookKilled()
	if s.killer != nil && s.killer.Widened() {
		s.widen()
	}
	s.wakeNodes()
}
