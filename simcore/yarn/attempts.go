package yarn

import (
	"slices"

	"schedtune/simcore"
)

// Recorded times, in a replay of a recorded run. A time of -1 stands for one that is not recorded.

// Attempt names an attempt of a task: the task's number over all recorded tasks, and the number of
// its earlier attempts.
type Attempt struct{ Task, Try int32 }

// RecordedAttempt holds the recorded times of an attempt; negative = not recorded.
type RecordedAttempt struct {
	Launch  simcore.Time // acquired by the AM to user code (map) or to its first request for maps (reduce)
	Shuffle simcore.Time // of a reduce: as Tasks.Shuffle
	Work    simcore.Time // of a map its time, of a reduce the time after its shuffle
	Exit    simcore.Time // finished to its container free
}

// noRecords and noSparkRecords hold nothing.
var (
	noRecords      = &Recorded{}
	noSparkRecords = &RecordedSpark{}
)

// entry returns entry i of a recorded list, -1 if it is not recorded.
func entry(list []simcore.Time, i int32) simcore.Time {
	if i >= 0 && int(i) < len(list) && list[i] >= 0 {
		return list[i]
	}
	return -1
}

// pick returns entry i of a list, the zero value if there is none.
func pick[T any](list []T, i int32) (v T) {
	if int(i) < len(list) {
		v = list[i]
	}
	return v
}

// or returns a recorded time, or another one if it is not recorded.
func or(recorded, otherwise simcore.Time) simcore.Time {
	if recorded >= 0 {
		return recorded
	}
	return otherwise
}

// firstOf returns the first instant of an ascending list between two, or otherwise.
func firstOf(list []simcore.Time, from, to, otherwise simcore.Time) simcore.Time {
	if i, _ := slices.BinarySearch(list, from); i < len(list) && list[i] <= to {
		return list[i]
	}
	return otherwise
}

// attempt returns the record of a container's attempt if its task had several, else nil.
func (s *Sim) attempt(c *slot) *RecordedAttempt {
	if len(s.recorded.Attempts) > 0 {
		if a, ok := s.recorded.Attempts[Attempt{s.taskNo(c), int32(c.try)}]; ok {
			return &a
		}
	}
	return nil
}

// recordedWork returns the recorded time of an attempt's own work, or the given one.
func (s *Sim) recordedWork(c *slot, otherwise simcore.Time) simcore.Time {
	if a := s.attempt(c); a != nil {
		return or(a.Work, otherwise)
	}
	return otherwise
}

// recordedLaunch returns the recorded latency of an attempt's launch.
func (s *Sim) recordedLaunch(c *slot) simcore.Time {
	if a := s.attempt(c); a != nil {
		return a.Launch
	}
	return s.ofFirst(c, s.recorded.Launch)
}

// recordedExit returns the recorded time from an attempt's end to its container being free.
func (s *Sim) recordedExit(c *slot) simcore.Time {
	if a := s.attempt(c); a != nil {
		return a.Exit
	}
	return s.ofFirst(c, s.recorded.Exit)
}

// ofFirst returns a recorded time of a task if the container has its first attempt.
func (s *Sim) ofFirst(c *slot, list []simcore.Time) simcore.Time {
	if c.try > 0 {
		return -1
	}
	return entry(list, s.taskNo(c))
}

// recordedStart returns the recorded time from a master's container to its registration.
func (s *Sim) recordedStart(j int32) simcore.Time {
	if k := s.jobs[j].starts; k > 0 {
		return entry(pick(s.recorded.Restarts, j), k-1)
	}
	return entry(s.recorded.AMStart, j)
}

// recordedKill returns when the container of an attempt was free that did not end by itself.
func (s *Sim) recordedKill(c *slot) simcore.Time {
	if end := s.recorded.Killed[[3]int32{c.job, s.jobs[c.job].starts, c.ord}]; end > s.now {
		return end
	}
	return -1
}
