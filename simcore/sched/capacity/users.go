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
	userPart
	labels  []userPart // of the other partitions
	weight  float32
	waiting int // applications; may go negative, see finishApplication
	active  int
}

// userPart is what a user uses of one partition.
type userPart struct {
	used, amUsed res
	ratio        float32 // used over the partition
}

func (u *user) at(p int32) *userPart {
	if p == 0 {
		return &u.userPart
	}
	return &u.labels[p-1]
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

	userVerdict
	labels []userVerdict // of the other partitions, each for itself and then shared
}

// userVerdict is what the leaf cached of a user in its last walk over applications.
// Not only for speed: a user made anew without a change of version keeps the
// verdict of the time before, as in the original.
type userVerdict struct {
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

	tablePart
	labels                    []tablePart // of the other partitions
	activeWeights, allWeights float32
	activeUsers               int
	waiters                   int // users with only waiting applications
	waitingOnly               int // the same as last counted with a user limit: AM limits go by that

	version int64
}

// tablePart is what the users of a leaf use of one partition, and the limits
// computed from that with the version they were computed at.
type tablePart struct {
	usedActive, usedNonActive res
	ratio                     float32 // sum of users' ratios, kept by differences
	limitActive               res
	limitAll                  res
	limitShared               res // where idle resources of the partition are shared
	versionActive             int64
	versionAll                int64
	versionShared             int64
}

func (t *userTable) at(p int32) *tablePart {
	if p == 0 {
		return &t.tablePart
	}
	return &t.labels[p-1]
}

func (t *userTable) init() {
	slots, order, labels := t.slots[:0], t.order[:0], t.labels
	empty := tablePart{versionActive: -1, versionAll: -1, versionShared: -1}
	*t = userTable{slots: slots, order: order, labels: labels, tablePart: empty}
	for i := range labels {
		labels[i] = empty
	}
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

// addUsed books a user's usage of a partition, or with sign -1 its end.
func (s *Scheduler) addUserUsed(q *queue, i, p int32, r res, sign int64) {
	t := &q.users
	sl := &t.slots[i]
	u := sl.u
	if u == nil {
		u = s.getUser(q, i)
	}
	r = r.Times(sign)
	up, tp := u.at(p), t.at(p)
	up.used = up.used.Add(r)
	if sl.set == inActive {
		tp.usedActive = tp.usedActive.Add(r)
	} else {
		tp.usedNonActive = tp.usedNonActive.Add(r)
	}
	t.version++
	ratio := s.calc.Ratio(up.used, s.parts[p].total)
	tp.ratio += ratio - up.ratio
	up.ratio = ratio
}

// recount recomputes all ratios after a change of the cluster.
func (s *Scheduler) recountRatios(t *userTable) {
	for p := range s.parts {
		tp := t.at(int32(p))
		tp.ratio = 0
		for _, i := range t.order {
			u := t.slots[i].u.at(int32(p))
			u.ratio = s.calc.Ratio(u.used, s.parts[p].total)
			tp.ratio += u.ratio
		}
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
			t.shift(u, 1)
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
		t.shift(sl.u, -1)
	}
}

// shift moves what a user uses to the active users' share, or with sign -1 back.
func (t *userTable) shift(u *user, sign int64) {
	for p := range len(t.labels) + 1 {
		tp, r := t.at(int32(p)), u.at(int32(p)).used.Times(sign)
		tp.usedNonActive = tp.usedNonActive.Sub(r)
		tp.usedActive = tp.usedActive.Add(r)
	}
}

// activeCount is the number of users that share the AM limit: those with
// outstanding asks and those with only waiting applications.
func (t *userTable) activeCount() int { return t.activeUsers + t.waitingOnly }

// userLimit returns how much a user may use of a partition, among the active
// users.
func (s *Scheduler) userLimit(q *queue, i, p int32) res {
	t := &q.users
	tp := t.at(p)
	if tp.versionActive != t.version {
		tp.limitActive = s.computeUserLimit(q, p, tp.usedActive.Add(s.minAlloc), t.activeWeights, forActive)
		tp.versionActive = t.version
		s.recountWaiting(t)
	}
	return s.weighted(t.slots[i].u, tp.limitActive)
}

// userLimitShared is userLimit where idle resources of a partition are shared.
func (s *Scheduler) userLimitShared(q *queue, i, p int32) res {
	t := &q.users
	tp := t.at(p)
	if tp.versionShared != t.version {
		tp.limitShared = s.computeUserLimit(q, p, tp.usedActive.Add(s.minAlloc), t.activeWeights, forShared)
		tp.versionShared = t.version
		s.recountWaiting(t)
	}
	return s.weighted(t.slots[i].u, tp.limitShared)
}

// userLimitAll is userLimit among all users, as preemption reckons.
func (s *Scheduler) userLimitAll(q *queue, i, p int32) res {
	t := &q.users
	tp := t.at(p)
	if tp.versionAll != t.version {
		tp.limitAll = s.computeUserLimit(q, p, res{}, t.allWeights, forAll)
		tp.versionAll = t.version
		s.recountWaiting(t)
	}
	return s.weighted(t.slots[i].u, tp.limitAll)
}

// recountWaiting counts the users with only waiting applications, as the
// original does whenever it computes a limit.
func (s *Scheduler) recountWaiting(t *userTable) {
	if t.waitingOnly != t.waiters {
		t.waitingOnly = t.waiters
		s.changed = true
	}
}

// weighted is a limit times a user's weight, rounded down. With a weight of 1
// it is the limit, a multiple of the minimum allocation already.
func (s *Scheduler) weighted(u *user, limit res) res {
	if u == nil || u.weight == 1 {
		return limit
	}
	return s.calc.ScaleDown(limit, float64(u.weight), s.minAlloc)
}

// limitFor tells whom a user limit is for.
type limitFor uint8

const (
	forActive limitFor = iota // one of the active users
	forShared                 // the same, of idle resources that are shared
	forAll                    // one of all users
)

// computeUserLimit: the active users' usage over their number, or the
// minimum-user-limit share of the queue's present capacity, whichever is
// larger; capped by user-limit-factor times the guarantee, or by the partition
// where its idle resources are shared.
func (s *Scheduler) computeUserLimit(q *queue, p int32, usedActive res, weights float32, who limitFor) res {
	at, ratio, total := q.at(p), q.users.at(p).ratio, s.parts[p].total
	most := at.userMost
	if who == forShared {
		most = total
	}
	if !s.calc.Dominant {
		return s.userLimitOfMemory(q, total.Memory, at.guarantee.Memory, most.Memory, ratio, usedActive.Memory, weights, who != forAll)
	}
	calc, step, guarantee := s.calc, s.minAlloc, at.guarantee
	consumed := calc.ScaleUp(total, float64(ratio), step)
	current := guarantee
	if calc.Compare(total, consumed, guarantee) >= 0 {
		current = consumed.Add(step)
	}
	if who == forAll {
		usedActive = current
	}
	limit := calc.Max(total,
		calc.DivideCeil(usedActive, weights),
		calc.DivideCeilInt(current.Scale(float64(q.conf.UserLimit)), 100))
	return calc.RoundUp(calc.Min(total, limit, most), step)
}

// userLimitOfMemory is computeUserLimit where only memory counts.
func (s *Scheduler) userLimitOfMemory(q *queue, total, guarantee, most int64, ratio float32, usedActive int64, weights float32, active bool) res {
	current := guarantee
	if consumed := s.roundUpMemory(yarnconf.Truncate(float64(total)*float64(ratio) + 0.5)); consumed >= current {
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
	limit = s.roundUpMemory(min(limit, most))
	return res{Memory: limit, VCores: max(min(limit, 1), 0)}
}

// headroom is what the AM is told it may still get, in all partitions it has
// asked for.
func (s *Scheduler) headroom(a *app) res {
	if a.shown == nil {
		return res{}
	}
	var h res
	if a.asked <= 1 {
		h = s.headroomIn(a, 0, a.queue.shownLimit)
	} else {
		h = s.headroomOfAll(a)
	}
	h.Memory = max(h.Memory, 0)
	return h
}

// headroomIn is the headroom in one partition, below a limit of the queue.
func (s *Scheduler) headroomIn(a *app, p int32, limit res) res {
	q := a.queue
	h := yarnconf.MinEach(s.userLimit(q, a.slot, p).SubFloor(a.shown.at(p).used), limit.SubFloor(q.at(p).used))
	total := s.parts[p].total
	return s.calc.Min(total, total.Sub(s.root.at(p).used), s.roundDown(h))
}
