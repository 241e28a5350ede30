package mr1

import "schedtune/simcore"

// arrivals takes in the jobs submitted now.
func (s *Sim) arrivals() {
	jobs := s.work.Jobs
	for s.arrived < len(jobs) && jobs[s.arrived].Submit <= s.now {
		j := simcore.JobID(s.arrived)
		s.arrived++
		s.jobs[j].phase = jobInit
		s.lastLaunch = s.now
		s.tellJob(JobArrived, j)
		if s.admitter != nil && !s.admitter.Admit(&s.view, j) {
			s.refuse(j)
		}
	}
	if s.arrived < len(jobs) {
		s.control.Set(leafArrival, jobs[s.arrived].Submit)
	} else {
		s.control.Clear(leafArrival)
	}
}

// initialised makes the tasks of jobs pending whose initialisation ends now.
// It takes the same time for all jobs, so they end in arrival order.
func (s *Sim) initialised() {
	jobs := s.work.Jobs
	for s.readied < len(jobs) && jobs[s.readied].Submit+s.cfg.JobInit <= s.now {
		if s.jobs[s.readied].phase != jobDone {
			s.ready(simcore.JobID(s.readied))
		}
		s.readied++
	}
	if s.readied < len(jobs) {
		s.control.Set(leafReady, jobs[s.readied].Submit+s.cfg.JobInit)
	} else {
		s.control.Clear(leafReady)
	}
}

// refuse ends a job that the scheduler does not take: it fails on arrival.
func (s *Sim) refuse(j simcore.JobID) {
	s.jobs[j].phase = jobDone
	s.left--
	s.rec.Refuse(j, s.now, "")
	s.tellJob(JobFinished, j)
}

func (s *Sim) ready(j simcore.JobID) {
	st := &s.jobs[j]
	st.phase = jobActive
	s.active.insert(j)
	s.place.add(s, j)
	for k := range simcore.Kind(2) {
		if n := s.taskCount(j, k); n > 0 {
			s.addPending(j, k, n)
		}
	}
	s.idleDirty = true
	s.lastLaunch = s.now
	s.tellJob(JobReady, j)
	if s.work.Jobs[j].Maps == 0 {
		s.rec.MapsDone(j, s.now)
	}
	s.checkJob(j)
}

// addPending changes the pending tasks of a job's kind and keeps the lists of
// waiting jobs.
func (s *Sim) addPending(j simcore.JobID, k simcore.Kind, delta int32) {
	st := &s.jobs[j]
	was := st.of[k].pending
	st.of[k].pending = was + delta
	s.totalPending[k] += delta
	s.rec.User(st.user).Demand += delta
	if was == 0 {
		s.waiting[k].insert(j)
		s.idleDirty = true
	} else if st.of[k].pending == 0 {
		s.waiting[k].remove(j)
		s.idleDirty = s.idleDirty || s.totalPending[k] == 0
	}
}

// checkJob ends the job when all its tasks are done.
func (s *Sim) checkJob(j simcore.JobID) {
	if m, r := &s.jobs[j].of[simcore.Map], &s.jobs[j].of[simcore.Reduce]; m.done == m.tasks && r.done == r.tasks {
		s.endJob(j, false)
	}
}

func (s *Sim) endJob(j simcore.JobID, failed bool) {
	st := &s.jobs[j]
	st.phase = jobDone
	s.active.remove(j)
	s.place.drop(j)
	for k := range simcore.Kind(2) {
		if st.of[k].pending > 0 {
			s.addPending(j, k, -st.of[k].pending)
		}
	}
	if s.totalAttempts(j) > 0 {
		s.killJob(j)
	}
	if s.execOn {
		s.exec.JobDone(j)
	}
	s.left--
	s.lastLaunch = s.now
	s.rec.FinishedIn(j, simcore.Map, st.of[simcore.Map].done, st.of[simcore.Map].took)
	s.rec.FinishedIn(j, simcore.Reduce, st.of[simcore.Reduce].done, st.of[simcore.Reduce].took)
	s.rec.JobEnded(j, s.now, failed)
	s.idleDirty = true
	s.tellJob(JobFinished, j)
}

func (s *Sim) totalAttempts(j simcore.JobID) int32 {
	return s.jobs[j].of[simcore.Map].running + s.jobs[j].of[simcore.Reduce].running
}

// killJob frees the slots of a failed job, and of second attempts that a
// finished job has left.
func (s *Sim) killJob(j simcore.JobID) {
	for i := range s.slots {
		if s.slots[i].job == j {
			s.kill(int32(i), false)
		}
	}
}

// mapsDone lets the reduces that wait for the last map go on.
func (s *Sim) mapsDone(j simcore.JobID) {
	st := &s.jobs[j]
	s.rec.MapsDone(j, s.now)
	for i := st.parked; i != simcore.None && !s.execOn; {
		next := s.more[i].next
		s.slots[i].parked = false
		s.schedule(s.node(s.nodeOf[i]), i, s.reduceEnd(i, s.more[i].begin))
		i = next
	}
	st.parked = simcore.None
	s.tellJob(JobMapsDone, j)
}

func (s *Sim) unpark(j simcore.JobID, slot int32) {
	at := &s.jobs[j].parked
	for *at != slot {
		at = &s.more[*at].next
	}
	*at = s.more[slot].next
	s.slots[slot].parked = false
}
