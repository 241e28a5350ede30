// Package spark holds the rules by which a Spark application on YARN asks for
// executors, gives them back and hands them tasks, after Spark 3.5.5. Each part
// is a state machine that receives instants and keeps no clock, so that the same
// object is judged by recorded applications and used in simulations.
//
// Manager is the allocation manager (how many executors are wanted), Monitor with it knows
// which of them are idle, Allocator turns the target into container requests of a heartbeat,
// Tasks gives tasks to executors. simcore/yarn drives all of them; validation/conformance/spark drives
// each by what recorded applications did. What the package is not: Spark's SQL planner,
// block manager or shuffle, whose effects a recorded application brings along.
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
// allocation wants of each resource profile (ExecutorAllocationManager of Spark
// 3.5.5). It receives what the listener bus sends the original, and its Turn is
// one turn of the original's loop. Profiles have targets and steps of their own
// and share one backlog timer; a profile other than the default, 0, begins with
// the initial target at the submission of its first stage.
//
// Two rules surprise. A raise doubles the next step only if it was as large as
// its own step, so a raise that is cut, or that starts from more registered
// executors than the target had, sets it back to 1. And since the registration
// of the application master sets the timer to zero instead of switching it off,
// the first stage does not wait for the backlog timeout.
type Manager struct {
	profiles []share
	targets  []int32      // by profile; 0 = none asked for, or not known yet
	addAt    simcore.Time // backlog timer; Never = off
	first    bool         // before the first stage the targets stay

	initial, min, max  int32
	ratio              float64
	backlog, sustained simcore.Time

	waiting int32 // tasks and copies that wait, over all profiles
	live    int32 // stages submitted and not complete
	stages  []stageCount
	started []uint64 // bit by task: it has been started and not failed since
}

// share is what the manager keeps of a resource profile.
type share struct {
	known                  bool
	step                   int32
	slots                  int32 // tasks an executor runs at a time
	pending, spec, running int32 // over its stages
}

type stageCount struct {
	profile                int32
	bits                   int32 // index into started
	pending, spec, running int32
	live                   bool
}

// Reset prepares for an application whose driver has just registered; slots is
// how many tasks an executor of each profile runs at a time. Memory is kept.
func (m *Manager) Reset(s *simcore.SparkSettings, slots []int32) {
	*m = Manager{
		profiles: m.profiles[:0], targets: m.targets[:0], addAt: 0, first: true, initial: s.Start(),
		min: s.Min, max: s.Max, ratio: s.Ratio, backlog: wholeSeconds(s.Backlog), sustained: wholeSeconds(s.Sustained),
		stages: m.stages[:0], started: m.started[:0],
	}
	for _, n := range slots {
		m.profiles, m.targets = append(m.profiles, share{step: 1, slots: max(n, 1)}), append(m.targets, 0)
	}
	m.meet(0)
}

// meet makes a profile known.
func (m *Manager) meet(profile int32) {
	if p := &m.profiles[profile]; !p.known {
		p.known, m.targets[profile] = true, m.initial
	}
}

// wholeSeconds is how the original reads its timeouts.
func wholeSeconds(t simcore.Time) simcore.Time { return t / simcore.Second * simcore.Second }

// Target is the number of executors of a profile wanted.
func (m *Manager) Target(profile int32) int32 { return m.targets[profile] }

// Targets are those of all profiles.
func (m *Manager) Targets() []int32 { return m.targets }

// Known reports whether the manager has a target for a profile: for the default
// one, and those of which a stage has been submitted.
func (m *Manager) Known(profile int32) bool { return m.profiles[profile].known }

// Submit is the submission of a stage attempt of a profile, of so many tasks,
// whose indices are below span; it returns the attempt's number, counted from 0.
func (m *Manager) Submit(now simcore.Time, profile, tasks, span int32) int32 {
	m.first = false
	m.meet(profile)
	at := int32(len(m.started))
	words := int(max(tasks, span)+63) / 64
	for range words {
		m.started = append(m.started, 0)
	}
	m.stages = append(m.stages, stageCount{profile: profile, bits: at, pending: tasks, live: true})
	m.profiles[profile].pending += tasks
	m.waiting += tasks
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
func (m *Manager) stopTimer() {
	m.addAt = simcore.Never
	for p := range m.profiles {
		m.profiles[p].step = 1
	}
}

// wait counts tasks or copies of a profile that wait.
func (m *Manager) wait(count *int32, n int32) {
	*count += n
	m.waiting += n
}

// Start is the start of an attempt of a task.
func (m *Manager) Start(stage, task int32, speculative bool) {
	st := &m.stages[stage]
	p := &m.profiles[st.profile]
	st.running++
	p.running++
	switch {
	case speculative:
		if st.live && st.spec > 0 {
			st.spec--
			m.wait(&p.spec, -1)
		}
	default:
		w, bit := &m.started[st.bits+task>>6], uint64(1)<<(task&63)
		if st.live && *w&bit == 0 {
			*w |= bit
			st.pending--
			m.wait(&p.pending, -1)
		}
	}
	if m.waiting == 0 {
		m.stopTimer()
	}
}

// Finish is the end of an attempt of a task.
func (m *Manager) Finish(now simcore.Time, stage, task int32, speculative bool, how End) {
	st := &m.stages[stage]
	p := &m.profiles[st.profile]
	if st.running > 0 {
		st.running--
		p.running--
	}
	if how == Success || how == Stopped {
		return
	}
	if m.waiting == 0 {
		m.startTimer(now)
	}
	if speculative || !st.live {
		return
	}
	if w, bit := &m.started[st.bits+task>>6], uint64(1)<<(task&63); *w&bit != 0 {
		*w &^= bit
		st.pending++
		m.wait(&p.pending, 1)
	}
}

// Speculate is the decision to run a second copy of a task.
func (m *Manager) Speculate(now simcore.Time, stage int32) {
	if st := &m.stages[stage]; st.live {
		st.spec++
		m.wait(&m.profiles[st.profile].spec, 1)
	}
	m.startTimer(now)
}

// Unspeculate takes back a second copy that was not started, since the task
// finished.
func (m *Manager) Unspeculate(stage int32) {
	if st := &m.stages[stage]; st.live && st.spec > 0 {
		st.spec--
		m.wait(&m.profiles[st.profile].spec, -1)
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
	p := &m.profiles[st.profile]
	m.wait(&p.pending, -st.pending)
	m.wait(&p.spec, -st.spec)
	st.pending, st.spec = 0, 0
	if m.live--; m.live == 0 {
		m.stopTimer()
	}
}

// Needed is how many executors of a profile the submitted stages could use.
func (m *Manager) Needed(profile int32) int32 {
	p := &m.profiles[profile]
	n := int32(math.Ceil(float64(p.pending+p.spec+p.running) * m.ratio / float64(p.slots)))
	if p.slots > 1 && n == 1 && p.spec > 0 {
		n++ // the copy must not land beside the original
	}
	return n
}

// raised is a profile's target after a raise with so many executors registered.
func (m *Manager) raised(profile, needed, registered int32) int32 {
	target := m.targets[profile]
	if target >= m.max {
		return target
	}
	t := min(max(target, registered)+m.profiles[profile].step, needed)
	return max(min(t, m.max), m.min)
}

// Turn is one turn of the loop, with so many executors of each profile
// registered, those being killed included; timedOut tells that some executor
// has idled out. It reports whether a target changed.
func (m *Manager) Turn(now simcore.Time, registered []int32, timedOut bool) (changed bool) {
	if timedOut {
		m.first = false
	}
	if m.first {
		return false
	}
	expired, raised := m.addAt != simcore.Never && now >= m.addAt, false
	for i := range m.profiles {
		if p := &m.profiles[i]; p.known {
			delta := m.turn(int32(i), registered[i], expired)
			changed, raised = changed || delta != 0, raised || delta > 0
		}
	}
	if raised {
		m.addAt = now + m.sustained
	}
	return changed
}

// turn is a turn's look at one profile; it returns by how much the target changes.
func (m *Manager) turn(i, registered int32, expired bool) (delta int32) {
	p, old, needed := &m.profiles[i], m.targets[i], m.Needed(i)
	switch {
	case needed < old:
		m.targets[i], p.step = max(needed, m.min), 1
		return m.targets[i] - old
	case expired:
		m.targets[i] = m.raised(i, needed, registered)
		delta = m.targets[i] - old
		switch {
		case delta == 0:
			p.step = 1
		case delta == p.step:
			p.step *= 2
		case delta > 0:
			p.step = 1
		}
	}
	return delta
}

// Due returns the instant from which a turn would change a target, if nothing else
// happens before, and that from which it would set a step back to 1 only: 0 = at once,
// Never = not at all.
func (m *Manager) Due(registered []int32) (change, step simcore.Time) {
	change, step = simcore.Never, simcore.Never
	if m.first {
		return change, step
	}
	for i := range m.profiles {
		p := &m.profiles[i]
		if !p.known {
			continue
		}
		at, target, needed := m.addAt, m.targets[i], m.Needed(int32(i))
		next := m.raised(int32(i), needed, registered[i])
		if needed < target {
			at, next = 0, max(needed, m.min)
		}
		switch {
		case next != target:
			change = min(change, at)
		case p.step != 1:
			step = min(step, at)
		}
	}
	return change, step
}

// Waiting reports whether the initial target still stands.
func (m *Manager) Waiting() bool { return m.first }
