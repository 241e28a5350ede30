package spark

import (
	"slices"
	"strconv"
	"strings"

	"schedtune/simcore"
	"schedtune/simcore/internal/kernel"
)

// Monitor tells which executors have been idle for too long (ExecutorMonitor of
// Spark 3.5.5) and which of them may go (ExecutorAllocationManager's
// removeExecutors). Executors are named by their number, from 1; data sets and
// shuffles by numbers from 0.
type Monitor struct {
	idle, cached, shuffle simcore.Time
	min                   int32
	holds                 bool // cached blocks hold an executor
	tracking              bool

	sets, shuffles int32 // words of a bit set of data sets, and of shuffles
	execs          []tracker
	blocks         []uint64       // by executor: data sets of which it holds blocks
	outputs        []uint64       // by executor: shuffles of which it holds output
	users          []int32        // by shuffle: jobs under way that use it
	count, going   []int32        // by profile: registered, and of these being removed
	soonest        []simcore.Time // by profile: no executor idles out before
	left           []int32
	out            []int32
}

type tracker struct {
	profile  int32
	present  bool
	removing bool
	active   bool // holds output of a shuffle that a job under way uses
	cached   bool
	shuffled bool
	running  int32
	idleAt   simcore.Time // since when it is idle; Never = busy
}

// Reset prepares for an application with so many data sets, shuffles and
// resource profiles.
func (m *Monitor) Reset(s *simcore.SparkSettings, sets, shuffles, profiles int32) {
	*m = Monitor{
		idle: wholeSeconds(s.Idle), cached: wholeSeconds(s.CachedIdle), shuffle: s.ShuffleTimeout, min: s.Min,
		holds:    !(s.ShuffleService && s.FetchCached),
		tracking: s.ShuffleTracking && !s.ShuffleService,
		sets:     (sets + 63) / 64, shuffles: (shuffles + 63) / 64,
		execs: m.execs[:0], blocks: m.blocks[:0], outputs: m.outputs[:0], users: kernel.Zeroed(m.users, int(shuffles)),
		count: kernel.Zeroed(m.count, int(profiles)), going: kernel.Zeroed(m.going, int(profiles)),
		soonest: kernel.Zeroed(m.soonest, int(profiles)),
		left:    m.left[:0], out: m.out[:0],
	}
	for p := range m.soonest {
		m.soonest[p] = simcore.Never
	}
}

// Registered are the numbers of registered executors by profile, those being
// removed included.
func (m *Monitor) Registered() []int32 { return m.count }

// Add registers executor e of a profile, idle.
func (m *Monitor) Add(now simcore.Time, e, profile int32) {
	for int32(len(m.execs)) <= e {
		m.execs = append(m.execs, tracker{})
		for range m.sets {
			m.blocks = append(m.blocks, 0)
		}
		if m.tracking {
			for range m.shuffles {
				m.outputs = append(m.outputs, 0)
			}
		}
	}
	if m.execs[e].present {
		return
	}
	m.execs[e] = tracker{profile: profile, present: true, idleAt: now}
	clear(m.blocks[e*m.sets : (e+1)*m.sets])
	if m.tracking {
		clear(m.outputs[e*m.shuffles : (e+1)*m.shuffles])
	}
	m.count[profile]++
	m.update(e)
}

// Remove takes executor e out: it is gone.
func (m *Monitor) Remove(e int32) {
	if int(e) >= len(m.execs) || !m.execs[e].present {
		return
	}
	t := &m.execs[e]
	if t.removing {
		m.going[t.profile]--
	}
	m.count[t.profile]--
	*t = tracker{}
}

// Start is the start of a task on executor e.
func (m *Monitor) Start(e int32) {
	t := &m.execs[e]
	t.running++
	t.idleAt = simcore.Never
}

// Finish is the end of a task on executor e; shuffle is the one whose output it
// left there, -1 = none.
func (m *Monitor) Finish(now simcore.Time, e, shuffle int32) {
	t := &m.execs[e]
	if !t.present {
		return
	}
	if m.tracking && shuffle >= 0 {
		w, bit := &m.outputs[e*m.shuffles+shuffle>>6], uint64(1)<<(shuffle&63)
		if *w&bit == 0 {
			*w |= bit
			t.active, t.shuffled = true, true
		}
	}
	t.running = max(t.running-1, 0)
	if t.running == 0 {
		t.idleAt = now
		m.update(e)
	}
}

// Cache puts a block of a data set on executor e. One on disk does not hold an
// executor where the shuffle service can serve it.
func (m *Monitor) Cache(e, set int32, onDisk bool) {
	if !m.holds && onDisk || !m.execs[e].present {
		return
	}
	m.blocks[e*m.sets+set>>6] |= 1 << (set & 63)
	m.execs[e].cached = true
}

// Unpersist drops a data set everywhere.
func (m *Monitor) Unpersist(set int32) {
	for e := range m.execs {
		t := &m.execs[e]
		if !t.present || !t.cached {
			continue
		}
		words := m.blocks[int32(e)*m.sets : (int32(e)+1)*m.sets]
		words[set>>6] &^= 1 << (set & 63)
		if !slices.ContainsFunc(words, func(w uint64) bool { return w != 0 }) {
			t.cached = false
			m.update(int32(e))
		}
	}
}

// UseShuffles tells that one more job uses shuffles, its own and those of stages it need
// not run again, or, with by -1, one job less.
func (m *Monitor) UseShuffles(shuffles []int32, by int32) {
	if !m.tracking {
		return
	}
	for _, s := range shuffles {
		m.users[s] += by
	}
	m.reactivate()
}

// reactivate works out anew who holds output of a shuffle in use.
func (m *Monitor) reactivate() {
	for e := range m.execs {
		t := &m.execs[e]
		if !t.present || !t.shuffled {
			continue
		}
		t.active = false
		for w, word := range m.outputs[int32(e)*m.shuffles : (int32(e)+1)*m.shuffles] {
			for s := w << 6; word != 0 && !t.active; s, word = s+1, word>>1 {
				t.active = word&1 != 0 && m.users[s] > 0
			}
		}
		m.update(int32(e))
	}
}

// deadline is when an idle executor times out.
func (m *Monitor) deadline(t *tracker) simcore.Time {
	if t.idleAt == simcore.Never || t.active || t.removing || !t.present {
		return simcore.Never
	}
	wait := m.idle
	if t.cached {
		wait = max(wait, m.cached)
	}
	if t.shuffled {
		wait = max(wait, m.shuffle)
	}
	if wait >= simcore.Never-t.idleAt {
		return simcore.Never
	}
	return t.idleAt + wait
}

func (m *Monitor) update(e int32) {
	t := &m.execs[e]
	m.soonest[t.profile] = min(m.soonest[t.profile], m.deadline(t))
}

// TimedOut reports whether any executor has idled out, whether or not it may go.
func (m *Monitor) TimedOut(now simcore.Time) bool {
	if now < m.Soonest() {
		return false
	}
	for p := range m.soonest {
		m.soonest[p] = simcore.Never
	}
	for e := range m.execs {
		m.update(int32(e))
	}
	return now >= m.Soonest()
}

// Due is the instant from which a turn could remove an executor under the
// profiles' targets: Never where the counts forbid it.
func (m *Monitor) Due(targets []int32) simcore.Time {
	due := simcore.Never
	for p, at := range m.soonest {
		if m.count[p]-m.going[p] > max(targets[p], m.min) {
			due = min(due, at)
		}
	}
	return due
}

// Soonest is a lower bound of the instant at which an executor idles out.
func (m *Monitor) Soonest() simcore.Time {
	at := simcore.Never
	for _, t := range m.soonest {
		at = min(at, t)
	}
	return at
}

// Expire returns the executors to kill: those timed out, in the order of their
// numbers as text, as many of each profile as its count, its target and the
// minimum leave. The slice is reused.
func (m *Monitor) Expire(now simcore.Time, targets []int32) []int32 {
	m.out, m.left = m.out[:0], m.left[:0]
	most := int32(0)
	for p, n := range m.count {
		m.left = append(m.left, n-m.going[p]-max(m.min, targets[p]))
		most = max(most, m.left[p])
	}
	if most <= 0 || !m.TimedOut(now) {
		return nil
	}
	for e := range m.execs {
		if m.deadline(&m.execs[e]) <= now {
			m.out = append(m.out, int32(e))
		}
	}
	slices.SortFunc(m.out, func(a, b int32) int { return strings.Compare(strconv.Itoa(int(a)), strconv.Itoa(int(b))) })
	keep := m.out[:0]
	for _, e := range m.out {
		if left := &m.left[m.execs[e].profile]; *left > 0 {
			*left--
			keep = append(keep, e)
		}
	}
	return keep
}

// Kill marks executors as being removed.
func (m *Monitor) Kill(e int32) {
	if t := &m.execs[e]; t.present && !t.removing {
		t.removing = true
		m.going[t.profile]++
	}
}
