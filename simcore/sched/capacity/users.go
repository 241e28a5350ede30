package capacity

import (
	"math"
	"slices"

	"schedtune/internal/javahash"
	"schedtune/yarnconf"
)

// user is a user of one leaf. The original drops the object when the user has
// no applications left and makes a new one later; things that still refer to
// the old one keep doing so, hence pointers.
type user struct {
	used, amUsed res
	weight       float32
	ratio        float32 // used over cluster
	waiting      int     // applications; may go negative, see finishApplication
	active       int
}

func (u *user) applications() int { return u.waiting + u.active }

func (u *user) waitsOnly() bool { return u.waiting > 0 && u.active <= 0 }

// count changes a user's numbers of applications.
func (t *userTable) count(u *user, waiting, active int) {
	if u.waitsOnly() {
		t.waiters--
	}
	u.waiting += waiting
	u.active += active
	if u.waitsOnly() {
		t.waiters++
	}
}

// slot is what a leaf remembers of a user by name, with or without an object.
type slot struct {
	name   string
	u      *user // nil when the user has no object
	hash   uint32
	asking int32 // applications with outstanding asks; above 0 makes the user count as active
	set    activity

	// What the leaf cached of this user in its last walk over applications. Not
	// only for speed: a user made anew without a change of version keeps the
	// verdict of the time before, as in the original.
	cached     int64 // version + 1; 0 is never
	limit      res
	cannot     bool // the user was over its limit …
	cannotWith res  // … even without reservations up to this size
}

type activity uint8

const (
	inNeither activity = iota
	inNonActive
	inActive
)

// userTable computes user limits of one leaf: UsersManager in the original.
type userTable struct {
	slots []slot
	order []int32 // slots with an object, in the original's iteration order

	usedActive, usedNonActive res
	activeWeights, allWeights float32
	ratio                     float32 // sum of users' ratios, kept by differences
	activeUsers               int
	waiters                   int // users with only waiting applications
	waitingOnly               int // the same as last counted with a user limit: AM limits go by that

	version       int64
	limitActive   res
	limitAll      res
	versionActive int64
	versionAll    int64
}

func (t *userTable) init() {
	slots, order := t.slots[:0], t.order[:0]
	*t = userTable{slots: slots, order: order, versionActive: -1, versionAll: -1}
}

// slotOf finds or makes the slot of a user.
func (t *userTable) slotOf(name string) int32 {
	for i := range t.slots {
		if t.slots[i].name == name {
			return int32(i)
		}
	}
	t.slots = append(t.slots, slot{name: name, hash: javahash.String(name)})
	return int32(len(t.slots) - 1)
}

// get returns the user's object, making one where there is none.
func (s *Scheduler) getUser(q *queue, i int32) *user {
	t := &q.users
	sl := &t.slots[i]
	if sl.u == nil {
		sl.u, q.idle = s.newUser(), 0
		sl.u.weight = weightOf(q.conf, sl.name)
		t.reindex()
		t.sumAll()
		if sl.set == inNeither {
			sl.set = inNonActive
		}
	}
	return sl.u
}

func weightOf(c *yarnconf.Queue, name string) float32 {
	if w, ok := c.UserWeights[name]; ok {
		return w
	}
	return 1
}

// reindex lists the users with objects in the iteration order of a Java hash
// table: sums of floats depend on it.
func (t *userTable) reindex() {
	t.order = t.order[:0]
	for i := range t.slots {
		if t.slots[i].u != nil {
			t.order = append(t.order, int32(i))
		}
	}
	size := javahash.TableSize(len(t.order)+1, 12)
	slices.SortStableFunc(t.order, func(a, b int32) int {
		return int(javahash.Bucket(t.slots[a].hash, size)) - int(javahash.Bucket(t.slots[b].hash, size))
	})
}

func (t *userTable) sumAll() {
	t.allWeights = 0
	for _, i := range t.order {
		t.allWeights += t.slots[i].u.weight
	}
}

func (t *userTable) sumActive() {
	t.activeWeights = 0
	for _, i := range t.order {
		if t.slots[i].set == inActive {
			t.activeWeights += t.slots[i].u.weight
		}
	}
}

// removeUser drops the object of a user without applications.
func (s *Scheduler) removeUser(q *queue, i int32) {
	t := &q.users
	if t.slots[i].u.waitsOnly() {
		t.waiters--
	}
	t.slots[i].u, t.slots[i].set, q.idle = nil, inNeither, 0
	t.reindex()
	t.sumActive()
	t.sumAll()
}

// newWeights re-reads the weights after a refresh.
func (t *userTable) newWeights(c *yarnconf.Queue) {
	for _, i := range t.order {
		t.slots[i].u.weight = weightOf(c, t.slots[i].name)
	}
	t.sumActive()
	t.sumAll()
	t.version++
}

// addUsed books a user's usage, or with sign -1 its end.
func (s *Scheduler) addUserUsed(q *queue, i int32, r res, sign int64) {
	t := &q.users
	sl := &t.slots[i]
	u := sl.u
	if u == nil {
		u = s.getUser(q, i)
	}
	r = r.Times(sign)
	u.used = u.used.Add(r)
	if sl.set == inActive {
		t.usedActive = t.usedActive.Add(r)
	} else {
		t.usedNonActive = t.usedNonActive.Add(r)
	}
	t.version++
	ratio := s.calc.Ratio(u.used, s.cluster)
	t.ratio += ratio - u.ratio
	u.ratio = ratio
}

// recount recomputes all ratios after a change of the cluster.
func (s *Scheduler) recountRatios(t *userTable) {
	t.ratio = 0
	for _, i := range t.order {
		u := t.slots[i].u
		u.ratio = s.calc.Ratio(u.used, s.cluster)
		t.ratio += u.ratio
	}
}

// activate notes that an application has outstanding asks. It is without effect
// as long as the user has no application whose AM is allowed: such a user stays
// inactive until one of its applications asks again.
func (s *Scheduler) activateUser(q *queue, a *app) {
	t := &q.users
	sl := &t.slots[a.slot]
	if sl.u != nil && sl.u.active <= 0 {
		return
	}
	if sl.asking == 0 {
		t.activeUsers++
		t.version++
		u := s.getUser(q, a.slot)
		if sl := &t.slots[a.slot]; sl.set == inNonActive {
			sl.set = inActive
			t.sumActive()
			t.usedNonActive = t.usedNonActive.Sub(u.used)
			t.usedActive = t.usedActive.Add(u.used)
		}
	}
	if !a.asking {
		a.asking = true
		t.slots[a.slot].asking++
	}
}

// deactivateUser notes that an application has no outstanding asks.
func (s *Scheduler) deactivateUser(q *queue, a *app) {
	if !a.asking {
		return
	}
	a.asking = false
	t := &q.users
	sl := &t.slots[a.slot]
	sl.asking--
	if sl.asking > 0 {
		return
	}
	t.activeUsers--
	t.version++
	if sl.u != nil && sl.set == inActive {
		sl.set = inNonActive
		t.sumActive()
		t.usedActive = t.usedActive.Sub(sl.u.used)
		t.usedNonActive = t.usedNonActive.Add(sl.u.used)
	}
}

// activeCount is the number of users that share the AM limit: those with
// outstanding asks and those with only waiting applications.
func (t *userTable) activeCount() int { return t.activeUsers + t.waitingOnly }

// userLimit returns how much a user may use, among the active users.
func (s *Scheduler) userLimit(q *queue, i int32) res {
	t := &q.users
	if t.versionActive != t.version {
		s.renewUserLimit(q)
	}
	if u := t.slots[i].u; u != nil && u.weight != 1 {
		return s.weighted(u, t.limitActive)
	}
	return t.limitActive
}

func (s *Scheduler) renewUserLimit(q *queue) {
	t := &q.users
	t.limitActive = s.computeUserLimit(q, t.usedActive.Add(s.minAlloc), t.activeWeights, true)
	t.waitingOnly = t.waiters
	t.versionActive = t.version
	s.changed = true
}

// userLimitAll is userLimit among all users, as preemption reckons.
func (s *Scheduler) userLimitAll(q *queue, i int32) res {
	t := &q.users
	if t.versionAll != t.version {
		t.limitAll = s.computeUserLimit(q, res{}, t.allWeights, false)
		t.waitingOnly = t.waiters
		t.versionAll = t.version
		s.changed = true
	}
	if u := t.slots[i].u; u != nil && u.weight != 1 {
		return s.weighted(u, t.limitAll)
	}
	return t.limitAll
}

// weighted is a limit times a user's weight, rounded down. With a weight of 1
// it is the limit, a multiple of the minimum allocation already.
func (s *Scheduler) weighted(u *user, limit res) res {
	return s.calc.ScaleDown(limit, float64(u.weight), s.minAlloc)
}

// computeUserLimit: the active users' usage over their number, or the
// minimum-user-limit share of the queue's present capacity, whichever is
// larger; capped by user-limit-factor times the guarantee.
func (s *Scheduler) computeUserLimit(q *queue, usedActive res, weights float32, active bool) res {
	if !s.calc.Dominant {
		return s.userLimitOfMemory(q, usedActive.Memory, weights, active)
	}
	calc, step, guarantee := s.calc, s.minAlloc, q.guarantee
	consumed := calc.ScaleUp(s.cluster, float64(q.users.ratio), step)
	current := guarantee
	if calc.Compare(s.cluster, consumed, guarantee) >= 0 {
		current = consumed.Add(step)
	}
	if !active {
		usedActive = current
	}
	limit := calc.Max(s.cluster,
		calc.DivideCeil(usedActive, weights),
		calc.DivideCeilInt(current.Scale(float64(q.conf.UserLimit)), 100))
	return calc.RoundUp(calc.Min(s.cluster, limit, q.userMost), step)
}

// userLimitOfMemory is computeUserLimit where only memory counts.
func (s *Scheduler) userLimitOfMemory(q *queue, usedActive int64, weights float32, active bool) res {
	current := q.guarantee.Memory
	if consumed := s.roundUpMemory(yarnconf.Truncate(float64(s.cluster.Memory)*float64(q.users.ratio) + 0.5)); consumed >= current {
		current = consumed + s.minAlloc.Memory
	}
	if !active {
		usedActive = current
	}
	limit := (yarnconf.Truncate(float64(current)*float64(q.conf.UserLimit)) + 99) / 100
	if weights != 0 {
		limit = max(limit, yarnconf.Truncate(math.Ceil(float64(float32(usedActive)/weights))))
	} else {
		limit = max(limit, 0)
	}
	limit = s.roundUpMemory(min(limit, q.userMost.Memory))
	return res{Memory: limit, VCores: max(min(limit, 1), 0)}
}

// headroom is what the AM is told it may still get.
func (s *Scheduler) headroom(a *app) res {
	if a.shown == nil {
		return res{}
	}
	q := a.queue
	h := yarnconf.MinEach(s.userLimit(q, a.slot).SubFloor(a.shown.used), q.shownLimit.SubFloor(q.used))
	h = s.smaller(s.cluster.Sub(s.root.used), s.roundDown(h))
	h.Memory = max(h.Memory, 0)
	return h
}
