package capacity

import (
	"schedtune/internal/java"
	"schedtune/yarnconf"
)

// user is a user of one leaf (UsersManager.User). The original drops the object when the
// user has no applications left and makes a new one later; things that still refer to the
// old one keep doing so, hence pointers.
type user struct {
	userPart
	labels  []userPart // of the other partitions
	weight  float32    // user-settings.<user>.weight
	waiting int        // applications whose master is not allowed yet; may go negative, see leave
	active  int        // applications whose master is
}

// userPart is what a user uses of one partition.
type userPart struct {
	used   res     // containers and reservations
	amUsed res     // AMs of active applications
	ratio  float32 // used over the partition
}

// at returns the user's usage of a partition.
func (u *user) at(p int32) *userPart { return partOf(&u.userPart, u.labels, p) }

// share returns the user's weight, 1 without an object.
func (u *user) share() float32 {
	if u == nil {
		return 1
	}
	return u.weight
}

// applications is how many applications the user has in the leaf.
func (u *user) applications() int { return u.waiting + u.active }

// waitsOnly reports whether none of them is active.
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

	userVerdict               // in the partition without label
	exchange    exchange      // see exchange.go
	labels      []userVerdict // of the other partitions, each for itself and then shared
}

// userVerdict is what the leaf cached of a user in its last walk over applications
// (AbstractLeafQueue.userLimitsCache, CachedUserLimit). Not only for speed: a user made anew
// without a change of version keeps the verdict of the time before, as in the original.
type userVerdict struct {
	cached     int64 // userTable.version + 1 when it was made; 0: never
	of         *user // whose limit it is
	limit      res
	cannot     bool // the user was over its limit …
	cannotWith res  // … even without reservations up to this size
}

// activity is in which of the original's two sets a user's name stands (activeUsersSet,
// nonActiveUsersSet). What a user uses is summed up with its set.
type activity uint8

const (
	inNeither activity = iota
	inNonActive
	inActive
)

// userTable is the users of one leaf, and what their limits are computed from
// (UsersManager).
type userTable struct {
	slots []*slot // in order of the user's first submission
	order []*slot // those with an object, in the original's iteration order

	tablePart
	labels        []tablePart // of the other partitions
	activeWeights float32     // sum over active users (activeUsersTimesWeights)
	allWeights    float32     // over all (allUsersTimesWeights)
	activeUsers   int         // with outstanding asks
	waiters       int         // with only waiting applications
	// the same as last counted with a user limit: AM limits go by that (activeUsersWithOnlyPendingApps)
	waitingOnly int

	version int64 // from 1 on; grows with whatever changes a limit (latestVersionOfUsersState)
}

// tablePart is what the users of a leaf use of one partition, and the limits
// computed from that with the version they were computed at.
type tablePart struct {
	usedActive    res     // by active users (totalResUsageForActiveUsers)
	usedNonActive res     // by the others
	ratio         float32 // sum of users' ratios, kept by differences (qUsageRatios)

	limits   [kindsOfLimit]res   // user limits as computed last
	versions [kindsOfLimit]int64 // userTable.version then; 0: never
}

// at returns what the users use of a partition.
func (t *userTable) at(p int32) *tablePart { return partOf(&t.tablePart, t.labels, p) }

// find returns the slot of a user, nil where there is none.
func (t *userTable) find(name string) *slot {
	for _, sl := range t.slots {
		if sl.name == name {
			return sl
		}
	}
	return nil
}

// slotOf finds or makes the slot of a user.
func (t *userTable) slotOf(name string) *slot {
	if sl := t.find(name); sl != nil {
		return sl
	}
	sl := &slot{name: name, hash: java.HashString(name)}
	t.slots = append(t.slots, sl)
	return sl
}

// getUser returns the object of a user, making one where there is none
// (UsersManager.getUserAndAddIfAbsent).
func (s *Scheduler) getUser(q *queue, sl *slot) *user {
	if sl.u == nil {
		sl.u, q.idle = &user{labels: make([]userPart, len(s.parts)-1), weight: weightOf(q.conf, sl.name)}, 0
		q.users.reindex()
		q.users.sumAll()
		if sl.set == inNeither {
			sl.set = inNonActive
		}
	}
	return sl.u
}

// weightOf is a user's weight by the leaf's settings.
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
	for _, sl := range t.slots {
		if sl.u != nil {
			t.order = append(t.order, sl)
		}
	}
	java.SortByHash(t.order, java.TableSize(len(t.order)+1), func(sl *slot) uint32 { return sl.hash })
}

// sumAll adds up the weights of all users, in the original's order, by which the last digits
// go (UsersManager.sumAllUsersTimesWeights).
func (t *userTable) sumAll() {
	t.allWeights = 0
	for _, sl := range t.order {
		t.allWeights += sl.u.weight
	}
}

// sumActive adds up those of active users.
func (t *userTable) sumActive() {
	t.activeWeights = 0
	for _, sl := range t.order {
		if sl.set == inActive {
			t.activeWeights += sl.u.weight
		}
	}
}

// removeUser drops the object of a user without applications.
func (s *Scheduler) removeUser(q *queue, sl *slot) {
	t := &q.users
	if sl.u.waitsOnly() {
		t.waiters--
	}
	sl.u, sl.set, q.idle = nil, inNeither, 0
	t.reindex()
	t.sumActive()
	t.sumAll()
}

// newWeights re-reads the weights after a refresh.
func (t *userTable) newWeights(c *yarnconf.Queue) {
	for _, sl := range t.order {
		sl.u.weight = weightOf(c, sl.name)
	}
	t.sumActive()
	t.sumAll()
	t.version++
}

// addUserUsed books a user's usage of a partition, or with sign -1 its end
// (UsersManager.updateUserResourceUsage).
func (s *Scheduler) addUserUsed(a *app, p int32, r res, sign int64) {
	t, sl := &a.queue.users, a.slot
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

// recountRatios recomputes all ratios after a change of the cluster
// (AbstractLeafQueue.recalculateQueueUsageRatio).
func (s *Scheduler) recountRatios(t *userTable) {
	for p := range s.parts {
		tp := t.at(int32(p))
		tp.ratio = 0
		for _, sl := range t.order {
			u := sl.u.at(int32(p))
			u.ratio = s.calc.Ratio(u.used, s.parts[p].total)
			tp.ratio += u.ratio
		}
	}
}

// activateUser notes that an application has outstanding asks
// (UsersManager.activateApplication). It is without effect as long as the user has no
// application whose master is allowed (AppSchedulingInfo): such a user stays inactive until
// one of its applications asks again.
func (s *Scheduler) activateUser(q *queue, a *app) {
	t := &q.users
	sl := a.slot
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

// deactivateUser notes that an application has no outstanding asks
// (UsersManager.deactivateApplication).
func (s *Scheduler) deactivateUser(q *queue, a *app) {
	if !a.asking {
		return
	}
	a.asking = false
	t := &q.users
	sl := a.slot
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
