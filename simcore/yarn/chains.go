package yarn

import (
	"slices"

	"schedtune/simcore"
)

// comes submits a job at an instant that was not known when the run began.
func (s *Sim) comes(j int32, at simcore.Time) {
	s.arrive[j] = at
	r := s.rec.Job(simcore.JobID(j))
	r.Submit, r.MapsDone = at, at
	s.armArrival()
}

// jobOver lets the jobs come that follow one which has ended, or was refused, and no other that
// runs. Those of a serial run have their own order.
func (s *Sim) jobOver(j int32) {
	if s.plan.behind == nil || s.cfg.serial > 0 {
		return
	}
	for _, f := range s.plan.behind[j] {
		if s.ahead[f]--; s.ahead[f] == 0 {
			at := s.now + s.work.Jobs[f].Think
			i := int(s.next)
			for i < len(s.arrivals) && s.arrive[s.arrivals[i]] <= at {
				i++
			}
			s.arrivals = slices.Insert(s.arrivals, i, f)
			s.comes(f, at)
		}
	}
}
