package yarn

import (
	"fmt"
	"slices"
	"time"

	"schedtune/simcore"
)

// checkProgress is called after an event. It returns until when no further check is needed, or -1
// if the run has stalled.
func (s *Sim) checkProgress(at simcore.Time) simcore.Time {
	if since := s.progress; at-since > stallSpan && s.stuck() {
		if s.hopeless(since) {
			return -1
		}
		s.lookNow(at)
	}
	patience := s.patience + s.changes.patience()
	if at-s.useful > patience && s.livelocked() {
		if s.changes.look == simcore.Never {
			return -1
		}
		s.useful = at
		s.lookNow(at)
	}
	return max(min(s.progress+stallSpan, s.useful+patience), at)
}

// stallSpan is the time of heartbeats without any other event after which a run may have stalled.
// It is far above every wait of the model (the longest is the AM's
// 300 s before unconditional preemption).
const stallSpan = simcore.Hour

// uselessSpan is the time without a finished task, in addition to four times the longest recorded
// task, after which a run has stalled: masters that starve each other's maps kill reduces and
// request them again forever.
const uselessSpan = 12 * simcore.Hour

// livelocked is called when no task has finished for longer than the run's
// patience; it reports whether jobs are running all the same. Otherwise the
// cluster was idle until the next arrival, and the wait starts again.
func (s *Sim) livelocked() bool {
	if int(s.left) > len(s.jobs)-int(s.next) {
		return true
	}
	s.useful = s.now
	return false
}

// stuck reports whether only heartbeats are left.
func (s *Sim) stuck() bool {
	s.progress = s.now
	if int(s.next) < len(s.arrivals) || s.elastic.coming() {
		return false
	}
	if slices.ContainsFunc(s.cpus, func(c cores) bool { return len(c.waiting) > 0 }) {
		return false
	}
	for j := range s.jobs {
		if s.work.Jobs[j].Standing != nil {
			continue
		}
		if s.times[j].Status == Unfinished && s.kindOf(int32(j)).busy(int32(j)) {
			return false
		}
		for _, c := range s.live(&s.jobs[j].appState) {
			if c.busy() {
				return false
			}
		}
	}
	return true
}

// StalledError reports a run in which no job can progress.
type StalledError struct {
	At   simcore.Time
	Jobs int32 // unfinished
	// Job is the ID of the first unfinished job, Queue its queue and Progress its progress.
	Job, Queue, Progress string
	Waiting, Limit       string // first job that a limit holds, and the limit; may be empty
	Preempted            int64  // containers that preemption killed
}

// Error names the first unfinished job, and the limit of the first job that one holds.
func (e *StalledError) Error() string {
	jobs := "jobs"
	if e.Jobs == 1 {
		jobs = "job"
	}
	text := fmt.Sprintf("yarn: simulation stalled at %v: %d %s unfinished; first: %q, queue %s, %s",
		e.At.Std().Round(time.Second), e.Jobs, jobs, e.Job, e.Queue, e.Progress)
	if e.Limit != "" {
		text += fmt.Sprintf("; job %q pending: %s", e.Waiting, e.Limit)
	}
	if e.Preempted > 0 {
		text += fmt.Sprintf("; preemption has killed %d containers, whose work is done again each time", e.Preempted)
	}
	return text
}

// stalled returns the error of a stalled run.
func (s *Sim) stalled() error {
	e := &StalledError{At: s.now, Jobs: s.left, Preempted: s.preempted}
	limits, _ := s.sched.(Explainer)
	for j := range s.jobs {
		if s.times[j].Status != Unfinished {
			continue
		}
		if job := &s.work.Jobs[j]; e.Job == "" {
			e.Job, e.Queue, e.Progress = job.ID, s.work.Queues[job.Queue], s.kindOf(int32(j)).progress(int32(j))
		}
		if limits != nil && s.jobs[j].app >= 0 && e.Limit == "" {
			e.Waiting, e.Limit = s.work.Jobs[j].ID, limits.Obstacle(s.jobs[j].app)
		}
	}
	return e
}
