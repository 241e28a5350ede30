package yarn

import "schedtune/simcore"

// Recorded latencies of attempts, in a replay of a recorded run.

// Attempt names an attempt of a task: the task's number over all recorded tasks, and
// how many attempts of it were launched before.
type Attempt struct{ Task, Try int32 }

// RecordedAttempt is what is recorded of an attempt; negative = not recorded.
type RecordedAttempt struct {
	Launch  simcore.Time // acquired by the AM to user code (map) or to its first question for maps (reduce)
	Shuffle simcore.Time // of a reduce: as Tasks.Shuffle
	Work    simcore.Time // of a map its time, of a reduce the time after its shuffle
	Exit    simcore.Time // finished to its container free
}

// attempt is what is recorded of a container's attempt where its task had several,
// or nil.
func (s *Sim) attempt(c *slot) *RecordedAttempt {
	if s.cfg.Recorded == nil {
		return nil
	}
	return s.attemptIn(s.cfg.Recorded, c)
}

// attemptIn is attempt where there are records.
func (s *Sim) attemptIn(r *Recorded, c *slot) *RecordedAttempt {
	if len(r.Attempts) == 0 {
		return nil
	}
	a, ok := r.Attempts[Attempt{s.taskNo(c), int32(c.try)}]
	if !ok {
		return nil
	}
	return &a
}

// pick is a time of the attempt where it is recorded, else the other one.
func (a *RecordedAttempt) pick(of func(*RecordedAttempt) simcore.Time, other simcore.Time) simcore.Time {
	if a != nil {
		if t := of(a); t >= 0 {
			return t
		}
	}
	return other
}

// recordedLaunch is the recorded latency of an attempt's launch, in a run that has records;
// ok is false where it is not recorded.
func (s *Sim) recordedLaunch(c *slot) (simcore.Time, bool) {
	return s.ofAttempt(c, func(a *RecordedAttempt) simcore.Time { return a.Launch }, func(r *Recorded) []simcore.Time { return r.Launch })
}

// recordedExit is that of its end.
func (s *Sim) recordedExit(c *slot) (simcore.Time, bool) {
	return s.ofAttempt(c, func(a *RecordedAttempt) simcore.Time { return a.Exit }, func(r *Recorded) []simcore.Time { return r.Exit })
}

// ofAttempt is a time of an attempt: of its own record, or of the task's where it is the first.
func (s *Sim) ofAttempt(c *slot, of func(*RecordedAttempt) simcore.Time, first func(*Recorded) []simcore.Time) (simcore.Time, bool) {
	if a := s.attempt(c); a != nil {
		t := of(a)
		return t, t >= 0
	}
	if c.try > 0 {
		return 0, false
	}
	return s.recorded(first, s.taskNo(c))
}

// recordedStart is the recorded time from a master's container to its registration.
func (s *Sim) recordedStart(j int32) (simcore.Time, bool) {
	k := s.jobs[j].starts
	if k == 0 {
		return s.recorded(func(r *Recorded) []simcore.Time { return r.AMStart }, j)
	}
	if r := s.cfg.Recorded; r != nil && int(j) < len(r.Restarts) && int(k) <= len(r.Restarts[j]) && r.Restarts[j][k-1] >= 0 {
		return r.Restarts[j][k-1], true
	}
	return 0, false
}

// recordedKill is when a container was free whose attempt did not end by itself.
func (s *Sim) recordedKill(c *slot) (simcore.Time, bool) {
	if s.cfg.Recorded == nil {
		return 0, false
	}
	end, ok := s.cfg.Recorded.Killed[[3]int32{c.job, s.jobs[c.job].starts, c.ord}]
	return end, ok && end > s.now
}
