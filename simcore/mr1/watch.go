package mr1

import "schedtune/simcore"

// attempt describes the attempt in a slot as the view shows it.
func (s *Sim) attempt(i int32) Attempt {
	a := &s.slots[i]
	return Attempt{simcore.Task{Job: a.job, Kind: a.kind, Index: a.task}, s.nodeOf[i], s.attemptOf(i) &^ secondAttempt,
		a.start, a.loc, a.spec}
}

// progress is View.Progress.
func (s *Sim) progress(p Attempt) float64 {
	i := s.find(p)
	if i == simcore.None {
		return 0
	}
	a := &s.slots[i]
	if s.execOn {
		if a.launching {
			return 0
		}
		return s.exec.Progress(i, s.now)
	}
	if a.parked {
		return float64(s.jobs[a.job].of[simcore.Map].done) / float64(s.work.Jobs[a.job].Maps) / 3
	}
	if end := s.slots[i].at; s.now < end && end < simcore.Never {
		return float64(s.now-a.start) / float64(end-a.start)
	}
	return 1
}
