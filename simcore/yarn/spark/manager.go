// Package spark holds the rules by which a Spark application on YARN asks for
// executors, gives them back and hands them tasks, after Spark 3.5.5. Each part
// is a state machine that is told instants and keeps no clock, so that the same
// object is judged by recorded applications and used in simulations.
package spark

import (
	"math"

	"schedtune/simcore"
)

// End is how an attempt of a task ended, as the allocation manager tells them
// apart.
type End uint8

// Ends of an attempt.
const (
	Success     End = iota
	Stopped         // TaskKilled: the other copy was faster, or the stage was aborted
	Lost            // with its executor, by an exception or a failed fetch
	Resubmitted     // finished, but its output went with its executor
)

// Manager decides how many executors a Spark application with dynamic
// allocation wants (ExecutorAllocationManager of Spark 3.5.5), for the default
// resource profile. It is told what the listener bus tells the original, and
// its Turn is one turn of the original's loop.
//
// Two rules surprise. A raise doubles the next step only if it was as large as
// its own step, so a raise that is cut, or that starts from more registered
// executors than the target had, sets it back to 1. And since the registration
// of the application master sets the timer to zero instead of switching it off,
// the first stage does not wait for the backlog timeout.
type Manager struct {
	target int32
	step   int32
	addAt  simcore.Time // backlog timer; Never = off
	first  bool         // before the first stage the target stays

	min, max           int32
	slots              int32
	ratio              float64
	backlog, sustained simcore.Time

	pending, spec, running int32 // over all stages
	live                   int32 // stages submitted and not complete
	stages                 []stageCount
	started                []uint64 // bit by task: it has been started and not failed since
}

type stageCount struct {
	bits           int32 // index into started
	tasks, pending int32
	spec, running  int32
	live           bool
}

// Reset prepares for an application whose driver has just registered. Memory is
// kept.
func (m *Manager) Reset(s *simcore.SparkSettings, slots int32) {
	*m = Manager{
		target: s.Start(), step: 1, addAt: 0, first: true,
		min: s.Min, max: s.Max, slots: max(slots, 1), ratio: s.Ratio, backlog: wholeSeconds(s.Backlog), sustained: wholeSeconds(s.Sustained),
		stages: m.stages[:0], started: m.started[:0],
	}
}

// wholeSeconds is how the original reads its timeouts.
func wholeSeconds(t simcore.Time) simcore.Time { return t / simcore.Second * simcore.Second }

// Target is the number of executors wanted.
func (m *Manager) Target() int32 { return m.target }

// Backlogged reports whether the backlog timer runs.
func (m *Manager) Backlogged() bool { return m.addAt != simcore.Never }

// Submit is the submission of a stage attempt of so many tasks, whose indices
// are below span; it returns the attempt's number, counted from 0.
func (m *Manager) Submit(now simcore.Time, tasks, span int32) int32 {
	m.first = false
	at := int32(len(m.started))
	words := int(max(tasks, span)+63) / 64
	for range words {
		m.started = append(m.started, 0)
	}
	m.stages = append(m.stages, stageCount{bits: at, tasks: tasks, pending: tasks, live: true})
	m.pending += tasks
	m.live++
	m.startTimer(now)
	return int32(len(m.stages) - 1)
}

func (m *Manager) startTimer(now simcore.Time) {
	if m.addAt == simcore.Never {
		m.addAt = now + m.backlog
	}
}

// stopTimer is the end of the backlog.
func (m *Manager) stopTimer() { m.addAt, m.step = simcore.Never, 1 }

// Start is the start of an attempt of a task.
func (m *Manager) Start(stage, task int32, speculative bool) {
	st := &m.stages[stage]
	st.running++
	m.running++
	switch {
	case speculative:
		if st.live && st.spec > 0 {
			st.spec--
			m.spec--
		}
	default:
		w, bit := &m.started[st.bits+task>>6], uint64(1)<<(task&63)
		if st.live && *w&bit == 0 {
			*w |= bit
			st.pending--
			m.pending--
		}
	}
	if m.pending == 0 && m.spec == 0 {
		m.stopTimer()
	}
}

// Finish is the end of an attempt of a task.
func (m *Manager) Finish(now simcore.Time, stage, task int32, speculative bool, how End) {
	st := &m.stages[stage]
	if st.running > 0 {
		st.running--
		m.running--
	}
	if how == Success || how == Stopped {
		return
	}
	if m.pending == 0 && m.spec == 0 {
		m.startTimer(now)
	}
	if speculative || !st.live {
		return
	}
	if w, bit := &m.started[st.bits+task>>6], uint64(1)<<(task&63); *w&bit != 0 {
		*w &^= bit
		st.pending++
		m.pending++
	}
}

// Speculate is the decision to run a second copy of a task.
func (m *Manager) Speculate(now simcore.Time, stage int32) {
	if st := &m.stages[stage]; st.live {
		st.spec++
		m.spec++
	}
	m.startTimer(now)
}

// Unspeculate takes back a second copy that was not started, since the task
// finished.
func (m *Manager) Unspeculate(stage int32) {
	if st := &m.stages[stage]; st.live && st.spec > 0 {
		st.spec--
		m.spec--
	}
}

// Complete is the end of a stage attempt, with or without success. Attempts of
// tasks that still run go on counting.
func (m *Manager) Complete(stage int32) {
	st := &m.stages[stage]
	if !st.live {
		return
	}
	st.live = false
	m.pending -= st.pending
	m.spec -= st.spec
	st.pending, st.spec = 0, 0
	if m.live--; m.live == 0 {
		m.stopTimer()
	}
}

// Needed is how many executors the submitted stages could use.
func (m *Manager) Needed() int32 {
	n := int32(math.Ceil(float64(m.pending+m.spec+m.running) * m.ratio / float64(m.slots)))
	if m.slots > 1 && n == 1 && m.spec > 0 {
		n++ // the copy must not land beside the original
	}
	return n
}

// raised is the target after a raise with so many executors registered.
func (m *Manager) raised(needed, known int32) int32 {
	if m.target >= m.max {
		return m.target
	}
	t := min(max(m.target, known)+m.step, needed)
	return max(min(t, m.max), m.min)
}

// Turn is one turn of the loop, with known executors registered, those being
// killed included; timedOut tells that some executor has idled out. It reports
// whether the target changed.
func (m *Manager) Turn(now simcore.Time, known int32, timedOut bool) bool {
	if timedOut {
		m.first = false
	}
	if m.first {
		return false
	}
	old, needed := m.target, m.Needed()
	switch {
	case needed < old:
		m.target, m.step = max(needed, m.min), 1
	case m.addAt != simcore.Never && now >= m.addAt:
		m.target = m.raised(needed, known)
		switch delta := m.target - old; {
		case delta == 0:
			m.step = 1
		case delta < 0:
		default:
			if delta == m.step {
				m.step *= 2
			} else {
				m.step = 1
			}
			m.addAt = now + m.sustained
		}
	}
	return m.target != old
}

// Due is the instant from which a turn would change anything, if nothing else
// happens before: 0 = at once, Never = not at all.
func (m *Manager) Due(known int32) simcore.Time {
	if m.first {
		return simcore.Never
	}
	needed := m.Needed()
	if needed < m.target {
		if max(needed, m.min) != m.target || m.step != 1 {
			return 0
		}
		return simcore.Never
	}
	if m.addAt == simcore.Never || m.raised(needed, known) == m.target && m.step == 1 {
		return simcore.Never
	}
	return m.addAt
}

// Waiting reports whether the initial target still stands.
func (m *Manager) Waiting() bool { return m.first }
