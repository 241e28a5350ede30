package sched

import (
	"cmp"
	"slices"

	"schedtune/simcore"
	"schedtune/simcore/mr1"
)

// Launching, initialising and removing jobs (thesis 3.3.2).

// Admit makes the checks of "Launching jobs": a job that fails them does not
// enter the system; another is put on the waiting lists.
func (s *capacityMR1) Admit(v *mr1.View, j simcore.JobID) bool {
	if s.queue[j] < 0 {
		return false // no such queue
	}
	q := &s.queues[s.queue[j]]
	u := q.user(v.User(j))
	all, perUser := s.cfg.JobsToInit(q.cfg)
	if factor := q.cfg.InitAcceptJobsFactor; jobTasks(v, j) > q.cfg.MaxActiveTasksPerUser ||
		len(q.initialized)+len(q.waiting) >= all*factor || u.initialized+u.waiting >= perUser*factor {
		return false
	}
	s.state[j] = mr1Waiting
	u.waiting++
	q.waiting, s.stirred = append(q.waiting, j), true
	s.sortQueue(v, q, q.waiting)
	return true
}

// Observe takes a completed job off all lists.
func (s *capacityMR1) Observe(v *mr1.View, e mr1.Event) {
	if e.Kind == mr1.JobFinished {
		s.remove(v, e.Task.Job)
	}
}

// Tick is one wake-up of the initialisation poller: it selects jobs from every
// queue's waiting list and hands them to the worker threads. A thread serves
// the queues whose number it gets modulo the number of threads.
func (s *capacityMR1) Tick(v *mr1.View) {
	s.stirred = false
	for i := range s.queues {
		q, thread := &s.queues[i], i%len(s.free)
		all, _ := s.cfg.JobsToInit(q.cfg)
		for w := 0; w < len(q.waiting) && len(q.initialized) < all; {
			if j := q.waiting[w]; s.mayInit(v, q, j) {
				q.waiting = slices.Delete(q.waiting, w, w+1)
				s.initialise(v, q, j, thread)
				continue
			}
			w++ // next job of the same queue
		}
	}
	s.startDue(v)
}

// startDue makes the jobs runnable whose initialisation has ended.
func (s *capacityMR1) startDue(v *mr1.View) {
	s.due = slices.DeleteFunc(s.due, func(d mr1Due) bool {
		if d.at > v.Now() {
			return false
		}
		if s.state[d.job] == mr1Starting {
			s.state[d.job] = mr1Running
		}
		return true
	})
}

// mayInit checks the limits of one user and the active tasks.
func (s *capacityMR1) mayInit(v *mr1.View, q *mr1Queue, j simcore.JobID) bool {
	u, tasks := q.user(v.User(j)), jobTasks(v, j)
	_, perUser := s.cfg.JobsToInit(q.cfg)
	return u.initialized < perUser &&
		q.activeTasks+tasks <= q.cfg.MaxActiveTasks &&
		u.activeTasks+tasks <= q.cfg.MaxActiveTasksPerUser
}

// initialise moves a job from waiting to initialised.
func (s *capacityMR1) initialise(v *mr1.View, q *mr1Queue, j simcore.JobID, thread int) {
	u := q.user(v.User(j))
	u.waiting--
	u.initialized++
	u.activeTasks += jobTasks(v, j)
	q.activeTasks += jobTasks(v, j)
	q.initialized = append(q.initialized, j)
	s.sortQueue(v, q, q.initialized)
	s.state[j] = mr1Starting
	s.free[thread] = max(s.free[thread], v.Now()) + s.initTime
	if s.free[thread] <= v.Now() {
		s.state[j] = mr1Running
	} else {
		s.due = append(s.due, mr1Due{j, s.free[thread]})
	}
}

// mr1Due is a job that a worker thread is initialising.
type mr1Due struct {
	job simcore.JobID
	at  simcore.Time
}

// remove takes a completed job off its queue and its user.
func (s *capacityMR1) remove(v *mr1.View, j simcore.JobID) {
	state := s.state[j]
	s.state[j], s.stirred = mr1Gone, true
	if s.queue[j] < 0 || state == mr1Unknown || state == mr1Gone {
		return
	}
	q := &s.queues[s.queue[j]]
	u := q.user(v.User(j))
	if state == mr1Waiting {
		u.waiting--
		q.waiting = without(q.waiting, j)
	} else {
		u.initialized--
		u.activeTasks -= jobTasks(v, j)
		q.activeTasks -= jobTasks(v, j)
		q.initialized = without(q.initialized, j)
	}
	if u.waiting+u.initialized == 0 {
		q.users[v.User(j)] = nil
	}
}

// sortQueue keeps a queue's jobs in the order they are served.
func (s *capacityMR1) sortQueue(v *mr1.View, q *mr1Queue, jobs []simcore.JobID) {
	if q.cfg.SupportsPriority {
		sortByPriority(v, jobs)
		return
	}
	slices.SortFunc(jobs, func(a, b simcore.JobID) int { return cmp.Compare(a, b) })
}

func (q *mr1Queue) user(u int32) *mr1User {
	for int(u) >= len(q.users) {
		q.users = append(q.users, nil)
	}
	if q.users[u] == nil {
		q.users[u] = &mr1User{}
	}
	return q.users[u]
}

func jobTasks(v *mr1.View, j simcore.JobID) int {
	return int(v.Tasks(j, simcore.Map) + v.Tasks(j, simcore.Reduce))
}

func without(jobs []simcore.JobID, j simcore.JobID) []simcore.JobID {
	return slices.DeleteFunc(jobs, func(x simcore.JobID) bool { return x == j })
}
