package capacity

import (
	"fmt"
	"slices"
	"sort"

	"schedtune/internal/java"
	"schedtune/simcore/sched/internal/requests"
	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

// app is an application with its one attempt.
type app struct {
	// What every look at it needs.
	id    yarn.AppID
	slot  int32 // its user in the leaf
	of    *slot // the same
	queue *queue
	shown *user // whose headroom the AM is told; nil before the first look
	appPart
	keys        []reqKey // sorted by priority, then allocation id; kept once made
	outstanding int      // keys with outstanding asks
	unconfirmed res      // allocations proposed and not committed yet
	asking      bool     // counts for its user as asking
	runnable    bool
	unmanaged   bool
	activated   bool
	ended       bool
	reorder     bool
	sorted      bool // sees nodes in a policy's order

	// What every container needs.
	master    *container
	lastID    int64 // container ids are used up by reservations too
	live      int32 // containers
	mostLive  int32 // of these, at a time
	byOrdinal containerList
	granted   []int32 // allocated, not yet told

	priority                  int32
	number                    int64  // in its id
	hash                      uint32 // of its attempt's id in the original
	cachedUsed, cachedPending int64  // as the fair order last saw them
	resv                      []*container
	completed                 []int32   // over, not yet told
	labels                    []appPart // of the other partitions
	asked                     uint64    // partitions asked for so far, by bit
	label                     int32     // partition asked for where an ask names none; -1: the queue's
	amPart                    int32     // partition the master counts for
	name                      string
	user                      string
}

// appPart is what an application has, asks and uses for its master in one
// partition.
type appPart struct {
	used, reserved, pending, am res
}

func (a *app) at(p int32) *appPart {
	if p == 0 {
		return &a.appPart
	}
	return &a.labels[p-1]
}

// memory is what the application uses and asks for in all partitions.
func (a *app) memory() (used, pending int64) {
	used, pending = a.used.Memory, a.pending.Memory
	for i := range a.labels {
		used += a.labels[i].used.Memory
		pending += a.labels[i].pending.Memory
	}
	return used, pending
}

// reqKey is what an application asks under one priority and allocation id.
// Counters stay when the asks are gone, as in the original.
type reqKey struct {
	requests.Rows
	alloc    int64
	priority int32
	label    int32 // partition asked for
	listed   bool  // the "*" row asks for something

	recovered int32 // the "*" row came back with the container of this id - 1; 0: its master has set it

	missed      int   // scheduling opportunities passed over
	missedPlain int   // the same for idle resources of shared partitions
	rereserve   int   // times a reservation was renewed
	tally       int32 // in steadiness.keys, if that is of this key
	resv        []*container
	resvTable   int   // size of the original's hash table of reservations
	firstResv   int64 // id of the reservation that table was made for
}

// key finds or makes a key.
func (a *app) key(priority int32, alloc int64) *reqKey {
	if n := len(a.keys); n > 0 && a.keys[n-1].priority == priority && a.keys[n-1].alloc == alloc {
		return &a.keys[n-1] // as it mostly is
	}
	i := sort.Search(len(a.keys), func(i int) bool {
		k := &a.keys[i]
		return k.priority > priority || k.priority == priority && k.alloc >= alloc
	})
	if i < len(a.keys) && a.keys[i].priority == priority && a.keys[i].alloc == alloc {
		return &a.keys[i]
	}
	if len(a.keys) < cap(a.keys) { // reuse the rows of a recycled key
		a.keys = a.keys[:len(a.keys)+1]
		spare := a.keys[len(a.keys)-1]
		copy(a.keys[i+1:], a.keys[i:])
		a.keys[i] = reqKey{Rows: requests.Rows{Places: spare.Places[:0]}, resv: spare.resv[:0]}
	} else {
		a.keys = slices.Insert(a.keys, i, reqKey{})
	}
	k := &a.keys[i]
	k.priority, k.alloc, k.resvTable = priority, alloc, 16
	return k
}

// Submit admits an application or rejects it with the reason.
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
	if am.Memory < 0 || am.VCores < 0 || am.Memory > most.Memory || am.VCores > most.VCores {
		return 0, fmt.Errorf("application %s: application master of %d MiB and %d cores (allowed: at most %d MiB and %d cores)", spec.Name, am.Memory, am.VCores, most.Memory, most.VCores)
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
	s.clock++
	q.lastUsed = s.swept
	a := s.newApp()
	a.id, a.name, a.user, a.queue = yarn.AppID(len(s.apps)), spec.Name, spec.User, q
	a.priority = priority
	a.label, a.amPart, a.sorted = label, amPart, s.sortsNodes(q)
	a.at(a.amPart).am = s.calc.Normalize(am, s.minAlloc, most, s.minAlloc)
	a.slot = q.users.slotOf(spec.User)
	a.of = q.users.slots[a.slot]
	a.setNumber(&spec, s.submissions)
	s.apps = append(s.apps, a)
	for p := q.parent; p != nil; p = p.parent {
		p.apps++
	}
	a.runnable = s.mayRun(a)
	s.track(a)
	if spec.Unmanaged {
		a.unmanaged, a.amPart, a.am = true, 0, am
		s.enter(a)
		return a.id, nil
	}
	s.enter(a)
	s.update(a, a.key(0, -1), requests.Row{Place: yarn.AnyPlace, Count: 1, Size: a.at(a.amPart).am}, a.amPart)
	return a.id, nil
}

// setNumber takes the application's number from its spec, else that of the
// submission.
func (a *app) setNumber(spec *yarn.AppSpec, submission int64) {
	stamp := int64(java.ClusterTimestamp)
	if a.number = spec.Number; a.number == 0 {
		a.number = submission
	}
	if spec.Stamp != 0 {
		stamp = spec.Stamp
	}
	a.hash = java.HashAttemptOf(stamp, a.number)
}

// admit applies the limits on the number of applications.
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

func (q *queue) applications() int { return len(q.waiting) + len(q.active) + len(q.nonRunnable) }

func (s *Scheduler) newApp() *app {
	if n := len(s.freeApps); n > 0 {
		a := s.freeApps[n-1]
		s.freeApps = s.freeApps[:n-1]
		s.sizeLabels(a)
		return a
	}
	a := &app{}
	s.sizeLabels(a)
	return a
}

// recycle keeps an application's memory for another run.
func (s *Scheduler) recycle(a *app) {
	s.freeContainers = append(s.appendLive(s.freeContainers, a), a.resv...)
	s.emptyOrdinals(&a.byOrdinal)
	clear(a.labels)
	*a = app{byOrdinal: a.byOrdinal, labels: a.labels, keys: a.keys[:0], resv: a.resv[:0],
		granted: a.granted[:0], completed: a.completed[:0]}
	s.freeApps = append(s.freeApps, a)
}

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

func (s *Scheduler) lookUp(id yarn.AppID) *app {
	if id < 0 || int(id) >= len(s.apps) {
		return nil
	}
	return s.apps[id]
}

// container is an application's live container of an ordinal, nil where there is none.
func (s *Scheduler) container(a *app, ordinal int32) *container {
	return s.liveAt(&a.byOrdinal, ordinal)
}

// appendLive appends the running containers, by ordinal.
func (s *Scheduler) appendLive(dst []*container, a *app) []*container {
	if a.live == 0 {
		return dst
	}
	return s.listLive(dst, &a.byOrdinal)
}
