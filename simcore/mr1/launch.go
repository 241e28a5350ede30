package mr1

import (
	"schedtune/simcore"
	"schedtune/simcore/internal/kernel"
)

// offer asks the scheduler for tasks while the node has a free slot that a
// pending task could use.
func (s *Sim) offer(node *nodeState) {
	s.beat++
	for s.fits(node) {
		t, ok := s.sched.Pick(&s.view, node.id)
		if !ok {
			break
		}
		i := s.alike(t, node, s.pool(t.Kind))
		if i == simcore.None {
			reason := ""
			if i, reason = s.choose(t, node); reason != "" {
				s.err = &PickError{schedulerName(s.sched), s.now, node.id, t, reason}
				return
			}
		}
		t.Index = i
		s.launch(t, node, false)
	}
	if s.cfg.Speculation.On {
		s.speculate(node)
	}
}

func (s *Sim) fits(node *nodeState) bool {
	return s.totalPending[simcore.Map] > 0 && node.free[0] > 0 ||
		s.totalPending[simcore.Reduce] > 0 && node.free[s.pool(simcore.Reduce)] > 0
}

// alike returns the next task of a pick that is in order and whose tasks are
// alike, None for any other pick.
func (s *Sim) alike(t simcore.Task, node *nodeState, pool uint8) int32 {
	if uint(t.Job) >= uint(len(s.jobs)) || t.Index != simcore.AnyTask || t.Kind > simcore.Reduce {
		return simcore.None
	}
	st := &s.jobs[t.Job]
	of := &st.of[t.Kind&1]
	if s.detail || node.free[pool&1] <= 0 || st.phase != jobActive || of.pending <= 0 {
		return simcore.None
	}
	return of.fresh
}

// choose checks a pick and settles which task is meant.
func (s *Sim) choose(t simcore.Task, node *nodeState) (index int32, reason string) {
	switch {
	case t.Job < 0 || int(t.Job) >= len(s.jobs):
		return 0, "there is no such job"
	case t.Kind > simcore.Reduce:
		return 0, "there is no such kind"
	case node.free[s.pool(t.Kind)] <= 0:
		return 0, "the node has no free slot for it"
	case s.jobs[t.Job].phase != jobActive:
		return 0, "the job is not active"
	case s.jobs[t.Job].of[t.Kind].pending <= 0:
		return 0, "no task of that kind is pending"
	case t.Index == simcore.AnyTask && !s.detail:
		return s.jobs[t.Job].of[t.Kind].fresh, ""
	case t.Index == simcore.AnyTask:
		s.pickLoc, s.pickAny = simcore.NodeLocal, true
		return s.any(t, node.id), ""
	case t.Index < 0 || t.Index >= s.taskCount(t.Job, t.Kind):
		return 0, "the job has no task of that index"
	case !s.detail:
		if t.Index != s.jobs[t.Job].of[t.Kind].fresh {
			return 0, "tasks of a run without data placement are launched in order"
		}
	case s.task[s.taskAt(t.Job, t.Kind, t.Index)] != taskPending:
		return 0, "the task is not pending"
	}
	return t.Index, ""
}

// any returns the pending task of the pick's job and kind that suits the node
// best.
func (s *Sim) any(t simcore.Task, n simcore.NodeID) int32 {
	if t.Kind == simcore.Map {
		i, l := s.nearest(t.Job, n)
		s.pickLoc = l
		return i
	}
	return s.firstPending(t.Job, t.Kind)
}

// firstPending returns the job's first pending task of a kind.
func (s *Sim) firstPending(j simcore.JobID, k simcore.Kind) int32 {
	st := &s.jobs[j]
	if s.detail {
		at := s.taskAt(j, k, 0)
		for s.task[at+st.of[k].fresh] != taskPending {
			st.of[k].fresh++
		}
	}
	return st.of[k].fresh
}

// launch starts an attempt of a task on a free slot of the node and returns
// the slot.
func (s *Sim) launch(t simcore.Task, node *nodeState, second bool) int32 {
	pool := s.pool(t.Kind)
	i, st := s.freeSlot(node, pool), &s.jobs[t.Job]
	of, user := &st.of[t.Kind&1], s.rec.User(st.user)
	s.slots[i] = slotState{at: simcore.Never, start: s.now, job: t.Job, task: t.Index, kind: t.Kind, pool: pool,
		spec: second}
	if s.detail {
		s.detailed(i, t, node.id)
	} else {
		of.fresh++
	}
	if of.pending > 1 && !second { // addPending where no list changes
		of.pending--
		s.totalPending[t.Kind&1]--
		user.Demand--
	} else if !second {
		s.addPending(t.Job, t.Kind, -1)
	}
	node.free[pool&1]--
	s.totalFree[pool&1]--
	node.running[t.Kind&1]++
	of.running++
	s.totalRunning[t.Kind&1]++
	user.Held++
	s.rec.Launches++
	if t.Kind == simcore.Reduce && !second {
		s.rec.ReduceLaunched(t.Job, s.now)
	}
	if !st.started {
		st.started = true
		s.rec.Job(t.Job).Start = s.now
	}
	s.lastLaunch = s.now
	if s.plain && t.Kind == simcore.Map {
		end := s.now + s.cfg.Launch + s.dur.First(t, of.dist, node.id)
		if !s.cfg.OutOfBand {
			end = s.beatAt(node, end)
		}
		if end >= s.tree.Limit() {
			s.err = ErrHorizon
		}
		s.slots[i].at, s.soonest = end, min(s.soonest, end) // report, where it is the node's heartbeat
	} else {
		s.begin(node, i, t)
	}
	s.tell(Event{Kind: TaskStarted, Node: node.id, Task: t})
	return i
}

// detailed notes what is known only where tasks are tracked singly.
func (s *Sim) detailed(i int32, t simcore.Task, n simcore.NodeID) {
	at, a := s.taskAt(t.Job, t.Kind, t.Index), &s.slots[i]
	s.task[at] = taskRunning
	s.more[i].attempt = int32(s.failed[at])
	if t.Kind == simcore.Map && s.pickAny {
		a.loc = s.pickLoc
	} else if t.Kind == simcore.Map {
		a.loc = s.place.locality(s, t, n)
	}
	s.pickAny = false
	if a.spec {
		s.more[i].attempt += secondAttempt
	}
}

// attemptOf numbers the slot's attempt.
func (s *Sim) attemptOf(i int32) int32 {
	if s.detail {
		return s.more[i].attempt
	}
	return 0
}

// secondAttempt is added to the attempt number of speculative attempts, so
// that they have draws of their own.
const secondAttempt = 1 << 16

// freeSlot returns a free slot of the node, first the one that was emptied
// last, because it is in the cache.
func (s *Sim) freeSlot(node *nodeState, pool uint8) int32 {
	if i := s.lastEnded; i >= node.first && i < node.end {
		if a := &s.slots[i]; a.job == simcore.None && a.pool == pool {
			return i
		}
	}
	i := node.first
	for s.slots[i].job != simcore.None || s.slots[i].pool != pool {
		i++
	}
	return i
}

// begin works out when the attempt ends, as far as that is known yet.
func (s *Sim) begin(node *nodeState, i int32, t simcore.Task) {
	a, more := &s.slots[i], &s.more[i]
	from := s.now + s.cfg.Launch
	if s.cfg.LaunchJitter > 0 {
		from += simcore.Time(kernel.TaskKey(s.latency, t).IntN(uint64(s.attemptOf(i)), int(s.cfg.LaunchJitter)+1))
	}
	switch {
	case s.execOn:
		s.launchExec(node, i, from)
	case t.Kind == simcore.Map:
		s.schedule(node, i, from+s.dur.Map(t, s.attemptOf(i), node.id, a.loc))
	case s.jobs[t.Job].of[simcore.Map].done == s.jobs[t.Job].of[simcore.Map].tasks:
		s.schedule(node, i, s.reduceEnd(i, from))
	default:
		more.begin = from
		s.park(i)
	}
}

// park makes a reduce wait for its job's last map.
func (s *Sim) park(i int32) {
	a := &s.slots[i]
	a.parked = true
	s.more[i].next = s.jobs[a.job].parked
	s.jobs[a.job].parked = i
}

// reduceEnd is when a reduce ends whose maps are all done.
func (s *Sim) reduceEnd(i int32, from simcore.Time) simcore.Time {
	a := &s.slots[i]
	t := simcore.Task{Job: a.job, Kind: simcore.Reduce, Index: a.task}
	return max(from, s.now) + s.dur.Shuffle(t, from, s.rec.Job(a.job).MapsDone) +
		s.dur.Reduce(t, s.attemptOf(i), s.nodeOf[i])
}

// schedule sets the end of an attempt, or an earlier failure, and the
// heartbeat that reports it.
func (s *Sim) schedule(node *nodeState, i int32, end simcore.Time) {
	if s.cfg.Failures.Attempt > 0 && s.fails(i) {
		a := &s.slots[i]
		a.outcome = kernel.Failed
		end = s.now + simcore.Time(float64(end-s.now)*s.failsAfter(i))
	}
	s.report(node, i, end)
}

// failsAfter draws the part of its time or work after which a failing attempt
// does.
func (s *Sim) failsAfter(i int32) float64 {
	a := &s.slots[i]
	return kernel.TaskKey(s.mishap, simcore.Task{Job: a.job, Kind: a.kind, Index: a.task}).Float64(
		2*uint64(s.attemptOf(i)) + 1)
}

// fails draws whether the attempt fails.
func (s *Sim) fails(i int32) bool {
	a, p := &s.slots[i], s.cfg.Failures.Attempt
	return p > 0 && kernel.TaskKey(s.mishap, simcore.Task{Job: a.job, Kind: a.kind, Index: a.task}).Float64(
		2*uint64(s.attemptOf(i))) < p
}
