package capacity

import (
	"cmp"
	"fmt"
	"slices"

	"schedtune/internal/java"
	"schedtune/simcore/sched/internal/requests"
	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

// appTable is the applications.
type appTable struct {
	apps        []*app // by id, those that are over too
	submissions int64  // accepted or not: they number applications in the original

	users requests.Parallel[*queue, *app] // of all queues
}

// app is an application with its one attempt (FiCaSchedulerApp). It is made by Submit and
// stays in appTable.apps when it is over.
type app struct {
	// What every look at it needs.
	id    yarn.AppID
	slot  *slot // its user in the leaf
	queue *queue
	shown *user // whose headroom the AM receives (CapacityHeadroomProvider); nil before the first look
	appPart
	keys        []reqKey // sorted by priority, then allocation id; kept once made
	outstanding int      // keys with outstanding asks
	unconfirmed res      // allocations proposed and not committed yet (unconfirmedAllocatedMem and -Vcores)
	asking      bool     // counts for its user as asking, see activateUser
	runnable    bool     // not held back by max-parallel-apps
	unmanaged   bool     // its master runs outside the cluster
	activated   bool     // its master may start: it is or was in leafState.active
	ended       bool
	reorder     bool // it is in leafState.reorder
	sorted      bool // sees nodes in a policy's order (placement on several nodes)

	// What every container needs.
	master   *container // nil before it has been allocated and handed over, and where there is none
	lastID   int64      // container ids are used up by reservations too
	live     int32      // containers that run
	mostLive int32      // of these, at a time: the size of the original's hash table follows
	handles  []uint32   // by ordinal: where the container lies, 0 once it is over
	granted  []int32    // ordinals allocated and not yet told

	priority                  int32  // higher goes first
	number                    int64  // in its id: applications of one priority go by it
	hash                      uint32 // of its attempt's id in the original (ApplicationAttemptId.hashCode)
	cachedUsed, cachedPending int64  // MiB, as the fair order last saw them
	reservations              []*container
	completed                 []int32   // over, not yet told
	labels                    []appPart // of the other partitions
	asked                     uint64    // partitions asked for so far, by bit
	label                     int32     // partition asked for where an ask names none; -1: the queue's
	amPart                    int32     // partition the master was asked for and counts for
	name                      string
	user                      string
}

// appPart is what an application has and asks for in one partition.
type appPart struct {
	used     res // by running containers; reservations not among it
	reserved res
	pending  res // outstanding asks
	am       res // size of its master, normalized, where it counts for this partition
}

// at returns the application's figures of a partition.
func (a *app) at(p int32) *appPart { return partOf(&a.appPart, a.labels, p) }

// memory is what the application uses and asks for in all partitions.
func (a *app) memory() (used, pending int64) {
	used, pending = a.used.Memory, a.pending.Memory
	for i := range a.labels {
		used += a.labels[i].used.Memory
		pending += a.labels[i].pending.Memory
	}
	return used, pending
}

// reqKey is what an application asks under one priority and allocation request id
// (SchedulerRequestKey with its LocalityAppPlacementAllocator). Counters stay when the asks
// are gone, as in the original.
type reqKey struct {
	requests.Rows
	alloc    int64
	priority int32
	label    int32 // partition asked for
	listed   bool  // the "*" row asks for something

	recovered int32 // the "*" row came back with the container of this id - 1; 0: its master has set it

	missed int // scheduling opportunities passed over (schedulingOpportunities)
	// the same for idle resources of shared partitions (missedNonPartitionedReqSchedulingOpportunity)
	missedPlain      int
	rereserve        int   // times a reservation was renewed (reReservations)
	tally            int32 // its place in countingRounds.keys, if this key stands there
	reservations     []*container
	reservationTable int   // size of the original's hash table of reservations
	firstReservation int64 // id of the reservation that table was made for
}

// key finds or makes a key. The pointer is good until the next is made.
func (a *app) key(priority int32, alloc int64) *reqKey {
	if n := len(a.keys); n > 0 && a.keys[n-1].priority == priority && a.keys[n-1].alloc == alloc {
		return &a.keys[n-1] // as it mostly is
	}
	i, found := a.findKey(priority, alloc)
	if !found {
		a.keys = slices.Insert(a.keys, i, reqKey{priority: priority, alloc: alloc, reservationTable: 16})
	}
	return &a.keys[i]
}

// findKey finds the index at which a key is, or would be.
func (a *app) findKey(priority int32, alloc int64) (i int, found bool) {
	return requests.FindKey(a.keys, priority, alloc, func(k *reqKey) (int32, int64) { return k.priority, k.alloc })
}

// Submit admits an application and returns its id, or rejects it with the reason
// (CapacityScheduler.addApplication, addApplicationAttempt). Its master is asked for at
// once, under priority 0 and allocation id -1, and allocated when a node has room for it
// and the limits on masters let it pass.
func (s *Scheduler) Submit(spec yarn.AppSpec) (yarn.AppID, error) {
	s.settle()
	s.submissions++
	am := res(spec.AM)
	to, err := s.route(&spec)
	if err != nil {
		return 0, err
	}
	spec.Queue = to.name
	most := s.maxAllocation(s.byName[to.name])
	err = cmp.Or(requests.CheckSize(spec.Name, "application master of", am, most),
		requests.CheckSize(spec.Name, "executors of", res(spec.Executor), s.maxAllocation(nil)))
	if err != nil {
		return 0, err
	}
	label, amPart, err := s.labelApp(&spec)
	if err != nil {
		return 0, err
	}
	priority := s.priorityOf(&spec) // looked up before a queue is made for the application
	q, err := s.admit(&spec, to)
	if err != nil {
		return 0, err
	}
	s.epoch++
	q.lastUsed = s.deletionRun
	a := s.makeApp(&spec, q)
	a.priority, a.label, a.amPart = priority, label, amPart
	if am.Memory > 0 { // else it runs outside the cluster
		a.at(a.amPart).am = s.calc.Normalize(am, s.minAlloc, most, s.minAlloc)
	}
	stop, _ := s.users.Stop(a, s.conf.UserParallel)
	if a.runnable = stop == nil; a.runnable {
		s.users.Count(a, 1)
	}
	if a.unmanaged = spec.Unmanaged; a.unmanaged {
		a.amPart, a.am = 0, am
	}
	s.enter(a)
	if !a.unmanaged {
		s.update(a, a.key(0, -1), requests.Row{Place: yarn.AnyPlace, Count: 1, Size: a.at(a.amPart).am}, a.amPart)
	}
	return a.id, nil
}

// makeApp makes the state of an application that has been admitted to a leaf, and counts it
// for the parents.
func (s *Scheduler) makeApp(spec *yarn.AppSpec, q *queue) *app {
	a := &app{id: yarn.AppID(len(s.apps)), name: spec.Name, user: spec.User, queue: q,
		labels: make([]appPart, len(s.parts)-1)}
	if n := len(s.freeHandles); n > 0 {
		a.handles, s.freeHandles = s.freeHandles[n-1], s.freeHandles[:n-1]
	}
	a.sorted = s.sortsNodes(q)
	a.slot = q.users.slotOf(spec.User)
	a.number = cmp.Or(spec.Number, s.submissions)
	a.hash = java.HashAttemptOf(cmp.Or(spec.Stamp, java.ClusterTimestamp), a.number)
	s.apps = append(s.apps, a)
	for p := q.parent; p != nil; p = p.parent {
		p.apps++
	}
	return a
}

// admit finds the leaf and applies the limits on the number of applications, in the
// original's order (AbstractLeafQueue.validateSubmitApplication). Admission shows the same
// tests with their figures.
func (s *Scheduler) admit(spec *yarn.AppSpec, to destination) (*queue, error) {
	if s.root.apps >= s.conf.MaxSystemApps {
		return nil, refused(spec, "maximum-applications of the cluster is %d", s.conf.MaxSystemApps)
	}
	q, err := s.leafFor(spec, to)
	if err != nil {
		return nil, err
	}
	if q.state != yarnconf.Running {
		return nil, refused(spec, "queue %s is stopped", q.path)
	}
	if q.applications() >= q.eff.MaxApplications && !q.conf.Managed {
		return nil, refused(spec, "%s may have %d applications at a time", q.path, q.eff.MaxApplications)
	}
	if u := s.getUser(q, q.users.slotOf(spec.User)); u.applications() >= q.eff.MaxApplicationsPerUser && !q.conf.Managed {
		return nil, refused(spec, "a user of %s may have %d applications at a time", q.path, q.eff.MaxApplicationsPerUser)
	}
	for p := q.parent; p != nil; p = p.parent {
		if p.state != yarnconf.Running {
			return nil, refused(spec, "queue %s is stopped", p.path)
		}
	}
	return q, nil
}

// refused is the error of a submission that a limit turns down.
func refused(spec *yarn.AppSpec, format string, args ...any) error {
	return &yarn.Refusal{App: spec.Name, Limit: fmt.Sprintf(format, args...)}
}

// applications counts a leaf's applications that are not over.
func (q *queue) applications() int { return len(q.waiting) + len(q.active) + len(q.Held) }

// maxAllocation is the largest container: as configured for queue and cluster,
// and no larger than the largest node in either component.
func (s *Scheduler) maxAllocation(q *queue) res {
	most := s.conf.MaxAllocation
	if s.liveNodes > 0 {
		most = most.MinEach(s.largest)
	}
	if q != nil {
		most = most.MinEach(q.conf.MaxAllocation)
	}
	return most
}

// lookUp finds an application, one that is over too; nil where there is none of that id.
func (s *Scheduler) lookUp(id yarn.AppID) *app { return requests.At(s.apps, id) }

// containerOf finds a live container by its name, nil where there is none.
func (s *Scheduler) containerOf(d yarn.Container) *container {
	if a := s.lookUp(d.App); a != nil {
		return s.container(a, d.Ordinal)
	}
	return nil
}

// container is an application's live container of an ordinal, nil where there is none.
func (s *Scheduler) container(a *app, ordinal int32) *container {
	if uint(ordinal) < uint(len(a.handles)) {
		if h := a.handles[ordinal]; h != 0 {
			return s.byHandle(h)
		}
	}
	return nil
}

// appendLive appends the running containers, by ordinal.
func (s *Scheduler) appendLive(dst []*container, a *app) []*container {
	if a.live == 0 {
		return dst
	}
	for _, h := range a.handles {
		if h != 0 {
			dst = append(dst, s.byHandle(h))
		}
	}
	return dst
}
