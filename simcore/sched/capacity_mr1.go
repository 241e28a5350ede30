package sched

import (
	"cmp"
	"math"
	"slices"

	"schedtune/simcore"
	"schedtune/simcore/mr1"
	"schedtune/yarnconf"
)

// The Capacity Scheduler of Hadoop 1 (Chauhan, "Simulation and performance
// evaluation of Hadoop Capacity Scheduler", sections 2.1.3 and 3.3.2, with the
// user limit of Hadoop 0.20.203 where the thesis only names it).
//
// Submission, initialisation poller and main algorithm are in this order in
// mr1_init.go and below. On a heartbeat:
//
//  1. the queues are sorted by running tasks / capacity (or, see
//     MR1Config.PendingFirst, by their pending tasks);
//  2. a queue is admissible while its slots + 1 stay within Maximum-Capacity;
//  3. its initialised jobs are checked in order against the user limit
//     max(C/users, C * Minimum-User-Limit-Percent), at most capacity *
//     User-Limit-Factor, where C is the queue's capacity, or its slots in use
//     + 1 when it is beyond that;
//  4. a node-local or rack-local map of the job is preferred; a remote one is given only
//     once the job has had more scheduling opportunities without a nearer one than there
//     are nodes (delay scheduling, section 2.1.2), or maps of it to finish where these are
//     fewer, and one in a heartbeat; a job without a map for the node is passed over. After
//     a remote map as many more follow in this heartbeat as MaxTasksToAssignAfterOffSwitch
//     says;
//  5. maps first, at most maximum-tasks-per-heartbeat, then one reduce.
//
// What differs: the thesis lets a map be taken without regard to how near it
// is as long as it is not remote; the kernel takes the nearest one. The poller passes a
// queue or user over that has as many initialised jobs as it may ("maximum number", table
// 2.1), not only one that has more, as section 3.3.2 prints it. Hadoop's own rule is taken
// where the thesis shortens it: the maps to finish in 4 (JobInProgress.scheduleOffSwitch),
// and in 5 that the limit is one of maps (CapacityTaskScheduler.addMapTasks, addReduceTask).
type capacityMR1 struct {
	cfg   *yarnconf.MR1
	given *yarnconf.MR1
	// pendingFirst: see Options
	pendingFirst bool
	defaults     Values
	slowstart    float64
	initTime     simcore.Time
	poll         simcore.Time // interval of the initialisation poller
	stirred      bool         // a job has come or gone since the poller's last wake-up

	queues []mr1Queue
	queue  []int32 // of each job, index into queues
	state  []mr1State
	free   []simcore.Time // of each worker thread, when it is idle again
	due    []mr1Due
	order  []int

	beat      int64
	node      simcore.NodeID
	assigned  [2]int
	declined  [2]bool // no job had a task of the kind for the node in this heartbeat
	offSwitch int     // maps that may still follow an off-switch one, -1 = none was assigned
	missed    []int32 // by job: scheduling opportunities since its last map near its input
}

// mr1State is how far a job has come.
type mr1State uint8

const (
	mr1Unknown mr1State = iota
	mr1Waiting
	mr1Starting // with a worker thread
	mr1Running
	mr1Gone
)

// mr1Queue is the queue data structure of section 3.3.1.
type mr1Queue struct {
	cfg         *yarnconf.MR1Queue
	waiting     []simcore.JobID
	initialized []simcore.JobID // in order of arrival
	activeTasks int             // of initialised jobs
	running     [2]int          // slots in use
	pending     [2]int          // tasks of initialised jobs
	users       []*mr1User      // by user, nil without jobs
	active      [2]int          // users with a pending or running task of the kind, this heartbeat
}

// mr1User is the user info structure.
type mr1User struct {
	waiting, initialized, activeTasks int
	running                           [2]int
	demand                            [2]int // pending tasks of initialised jobs
}

func newCapacityMR1(o Options, p Values) (mr1.Scheduler, error) {
	s := &capacityMR1{
		given: o.MR1, pendingFirst: o.PendingFirst, defaults: p, slowstart: p.float("slowstart"),
		initTime: p.seconds("init-time"), poll: p.seconds("init-poll-interval"),
		beat: -1, offSwitch: -1,
	}
	if s.given != nil {
		s.poll = simcore.Time(s.given.InitPollInterval) * simcore.Millisecond
		return s, checkMR1(s.given)
	}
	// The queues are known only at the start; check what can be checked now.
	_, err := s.configure([]string{"a"})
	return s, err
}

func (*capacityMR1) Name() string { return "capacity-mr1" }

// Period is the interval of the initialisation poller.
func (s *capacityMR1) Period() simcore.Time { return s.poll }

// Sleeps reports whether the poller has nothing to do until a job comes or goes.
func (s *capacityMR1) Sleeps() bool { return !s.stirred && len(s.due) == 0 }

// configure makes a configuration of equal queues from the parameters.
func (s *capacityMR1) configure(names []string) (*yarnconf.MR1, error) {
	p := s.defaults
	capacities := make([]float64, len(names))
	for i := range capacities {
		capacities[i] = 100 / float64(len(names))
	}
	c := NewMR1(names, capacities)
	c.MaxSystemJobs = p.int("maximum-system-jobs")
	c.InitPollInterval = int(math.Round(1000 * p.float("init-poll-interval")))
	c.InitWorkerThreads = p.int("init-worker-threads")
	c.MaxTasksPerHeartbeat = p.int("maximum-tasks-per-heartbeat")
	c.MaxTasksAfterOffSwitch = p.int("max-tasks-to-assign-after-off-switch")
	for i := range c.Queues {
		q := &c.Queues[i]
		if m := p.float("maximum-capacity"); m >= 0 {
			q.MaxCapacity = math.Max(m, q.Capacity)
		}
		q.UserLimit = p.float("minimum-user-limit-percent")
		q.UserFactor = p.float("user-limit-factor")
		q.SupportsPriority = p.bool("supports-priority")
		q.MaxActiveTasks = p.int("maximum-initialized-active-tasks")
		q.MaxActiveTasksPerUser = p.int("maximum-initialized-active-tasks-per-user")
		q.InitAcceptJobsFactor = p.int("init-accept-jobs-factor")
	}
	return c, checkMR1(c)
}

// Start sets up the queues (3.3.2, "Queue Setup"). A workload's queue that is
// not configured gets a queue without capacity, as its jobs would be refused.
func (s *capacityMR1) Start(v *mr1.View) {
	names := v.QueueNames()
	s.cfg = s.given
	if s.cfg == nil {
		s.cfg, _ = s.configure(names) // checked with one queue when built
	}
	s.queues = make([]mr1Queue, len(s.cfg.Queues))
	for i := range s.queues {
		s.queues[i] = mr1Queue{cfg: &s.cfg.Queues[i]}
		s.order = append(s.order, i)
	}
	s.queue = make([]int32, v.JobCount())
	for j := range s.queue {
		name := names[v.Queue(simcore.JobID(j))]
		s.queue[j] = int32(slices.IndexFunc(s.cfg.Queues, func(q yarnconf.MR1Queue) bool { return q.Name == name }))
	}
	s.state, s.missed = make([]mr1State, v.JobCount()), make([]int32, v.JobCount())
	s.free = make([]simcore.Time, min(s.cfg.InitWorkerThreads, len(s.queues)))
}

// Ready spares the kernel heartbeats while no job within its limits has a task
// that may be launched; which one does not depend on the node.
func (s *capacityMR1) Ready(v *mr1.View, k simcore.Kind) bool {
	return v.FirstWaiting(k) != simcore.None && s.choose(v, k, anyJob) != simcore.None
}

// Pick is the main task scheduler algorithm for one task.
func (s *capacityMR1) Pick(v *mr1.View, n simcore.NodeID) (simcore.Task, bool) {
	if v.Beat() != s.beat || n != s.node {
		s.beat, s.node, s.assigned, s.declined, s.offSwitch = v.Beat(), n, [2]int{}, [2]bool{}, -1
	}
	for _, k := range kinds {
		if v.Free(n, k) == 0 || s.declined[k] || s.assigned[k] >= s.perHeartbeat(k) || k == simcore.Map && s.offSwitch == 0 {
			continue
		}
		takes := anyJob
		if k == simcore.Map {
			takes = func(j simcore.JobID) bool { return s.opportunity(v, j, n) }
		}
		if j := s.choose(v, k, takes); j != simcore.None {
			s.assigned[k]++
			return anyTask(j, k), true
		}
		s.declined[k] = true
	}
	return simcore.Task{}, false
}

// perHeartbeat is the most tasks of a kind that a heartbeat brings.
func (s *capacityMR1) perHeartbeat(k simcore.Kind) int {
	if k == simcore.Reduce {
		return 1
	}
	return s.cfg.MaxTasksPerHeartbeat
}

// opportunity gives the job a scheduling opportunity and reports whether it launches a map
// on the node.
func (s *capacityMR1) opportunity(v *mr1.View, j simcore.JobID, n simcore.NodeID) bool {
	s.missed[j]++
	after := s.offSwitch // 0 or more: this heartbeat brought a remote map already
	if l, _ := v.Locality(j, n); l == simcore.OffSwitch {
		patience := min(int(v.Tasks(j, simcore.Map)-v.Done(j, simcore.Map)), v.Nodes())
		if after >= 0 || int(s.missed[j]) <= patience {
			return false
		}
		s.offSwitch = s.cfg.MaxTasksAfterOffSwitch
		return true
	}
	s.missed[j] = 0
	if after > 0 {
		s.offSwitch--
	}
	return true
}

// choose walks the queues in their order, then the jobs of the admissible queues that are
// within their user's limit, to the first that takes the slot.
func (s *capacityMR1) choose(v *mr1.View, k simcore.Kind, takes func(simcore.JobID) bool) simcore.JobID {
	s.measure(v, k)
	slots := v.TotalSlots(k)
	slices.SortStableFunc(s.order, func(a, b int) int {
		if s.pendingFirst {
			return cmp.Compare(s.queues[b].pending[k], s.queues[a].pending[k])
		}
		return cmp.Compare(s.queues[a].load(k), s.queues[b].load(k))
	})
	for _, i := range s.order {
		q := &s.queues[i]
		if !q.admissible(k, slots) {
			continue
		}
		for _, j := range q.initialized {
			if s.state[j] == mr1Running && v.Pending(j, k) > 0 && due(v, j, k, s.slowstart) &&
				q.withinUserLimit(v.User(j), k, slots) && takes(j) {
				return j
			}
		}
	}
	return simcore.None
}

// measure counts the slots in use and the active users of every queue.
func (s *capacityMR1) measure(v *mr1.View, k simcore.Kind) {
	for i := range s.queues {
		q := &s.queues[i]
		q.running[k], q.pending[k], q.active[k] = 0, 0, 0
		for _, j := range q.initialized {
			u := q.users[v.User(j)]
			u.running[k], u.demand[k] = 0, 0
		}
		for _, j := range q.initialized {
			u, r := q.users[v.User(j)], int(v.Running(j, k))
			q.running[k] += r
			q.pending[k] += int(v.Pending(j, k))
			if u.running[k]+u.demand[k] == 0 && r+int(v.Pending(j, k)) > 0 {
				q.active[k]++
			}
			u.running[k] += r
			u.demand[k] += int(v.Pending(j, k))
		}
	}
}

// load is running tasks over capacity; a queue without capacity comes last.
func (q *mr1Queue) load(k simcore.Kind) float64 {
	if q.cfg.Capacity == 0 {
		return math.Inf(1)
	}
	return float64(q.running[k]) / q.cfg.Capacity
}

// admissible reports whether one more slot stays within Maximum-Capacity.
func (q *mr1Queue) admissible(k simcore.Kind, slots int) bool {
	if q.cfg.MaxCapacity < 0 {
		return true
	}
	return q.running[k]+1 <= max(percentOf(slots, q.cfg.MaxCapacity), 1)
}

// withinUserLimit reports whether the user may take one more slot.
func (q *mr1Queue) withinUserLimit(user int32, k simcore.Kind, slots int) bool {
	capacity := max(percentOf(slots, q.cfg.Capacity), 1)
	current := capacity
	if q.running[k] >= capacity {
		current = q.running[k] + 1
	}
	limit := max(ceilDiv(current, max(q.active[k], 1)), int(math.Ceil(float64(current)*q.cfg.UserLimit/100)))
	limit = min(limit, int(float64(capacity)*q.cfg.UserFactor))
	return q.users[user].running[k] < limit
}

// percentOf rounds down to whole slots, as Hadoop does.
func percentOf(slots int, percent float64) int { return int(float64(slots)*percent/100 + 1e-9) }

func ceilDiv(a, b int) int { return (a + b - 1) / b }
