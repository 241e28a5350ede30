package capacity

import (
	"slices"

	"schedtune/internal/java"
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
	exchange exchange
	labels   []userVerdict // of the other partitions, each for itself and then shared
}

// userVerdict is what the leaf cached of a user in its last walk over applications.
// Not only for speed: a user made anew without a change of version keeps the
// verdict of the time before, as in the original.
type userVerdict struct {
	cached     int64 // version + 1; 0 is never
	of         *user // whose limit it is
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
	slots []*slot
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
	n := len(t.slots)
	if n < cap(t.slots) && t.slots[:n+1][n] != nil { // one of an earlier run
		t.slots = t.slots[:n+1]
	} else {
		t.slots = append(t.slots, &slot{})
	}
	*t.slots[n] = slot{name: name, hash: java.HashString(name)}
	return int32(n)
}

// get returns the user's object, making one where there is none.
func (s *Scheduler) getUser(q *queue, i int32) *user {
	t := &q.users
	sl := t.slots[i]
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
	size := java.TableSize(len(t.order)+1, 12)
	slices.SortStableFunc(t.order, func(a, b int32) int {
		return int(java.Bucket(t.slots[a].hash, size)) - int(java.Bucket(t.slots[b].hash, size))
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
func (s *Scheduler) addUserUsed(a *app, p int32, r res, sign int64) {
	t, sl := &a.queue.users, a.of
	u := sl.u
	if u == nil {
		u = s.getUser(a.queue, a.slot)
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
	sl := a.of
	if sl.u != nil && sl.u.active <= 0 {
		return
	}
	if sl.asking == 0 {
		t.activeUsers++
		t.version++
		u := s.getUser(q, a.slot)
		if sl.set == inNonActive {
			sl.set = inActive
			t.sumActive()
			t.shift(u, 1)
		}
	}
	if !a.asking {
		a.asking = true
		sl.asking++
	}
}

// deactivateUser notes that an application has no outstanding asks.
func (s *Scheduler) deactivateUser(q *queue, a *app) {
	if !a.asking {
		return
	}
	a.asking = false
	t := &q.users
	sl := a.of
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
