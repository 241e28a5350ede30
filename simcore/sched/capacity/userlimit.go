package capacity

import (
	"math"

	"schedtune/yarnconf"
)

// The user limit: how much one user may use of a leaf. It is computed when somebody looks
// at it, and again when the users' version has grown since (UsersManager.isRecomputeNeeded).

// limitFor tells whom a user limit is for.
type limitFor uint8

const (
	forActive limitFor = iota // one of the active users (getComputedResourceLimitForActiveUsers)
	forShared                 // the same, of idle resources of a shared partition
	forAll                    // one of all users, for preemption (getComputedResourceLimitForAllUsers)
	kindsOfLimit
)

// userLimit returns how much a user may use of a partition, nil for one without an object,
// whose weight is left out. It may be above what is left in the leaf.
func (s *Scheduler) userLimit(q *queue, u *user, p int32, who limitFor) res {
	tp := q.users.at(p)
	if tp.versions[who] != q.users.version {
		s.renewLimit(q, tp, p, who)
	}
	return s.weighted(u.share(), tp.limits[who])
}

// renewLimit computes a limit anew. Kept from the original: that counts the users that have
// only waiting applications (UsersManager.computeNumActiveUsersWithOnlyPendingApps).
func (s *Scheduler) renewLimit(q *queue, tp *tablePart, p int32, who limitFor) {
	t := &q.users
	tp.limits[who], tp.versions[who] = s.computeUserLimit(q, p, who), t.version
	if t.waitingOnly != t.waiters {
		t.waitingOnly = t.waiters
		s.changed = true
	}
}

// weighted returns a limit times a user's weight, rounded down. With a weight of 1 that is
// the limit, a multiple of the minimum allocation already.
func (s *Scheduler) weighted(weight float32, limit res) res {
	if weight == 1 {
		return limit
	}
	return s.calc.ScaleDown(limit, float64(weight), s.minAlloc)
}

// userShare is what a user limit is computed from.
type userShare struct {
	total   res     // of the partition
	current res     // what the users share
	used    res     // by the active users, and one minimum allocation more
	weights float32 // sum over these users
	most    res     // user-limit-factor times the guarantee
}

// computeUserLimit is UsersManager.computeUserLimit:
//
//	consumed = roundUp(partition × sum of the users' ratios)
//	current  = guarantee, or consumed + one minimum allocation where that is used up
//	limit    = max(used / weights, current × minimum-user-limit-percent / 100)
//
// rounded up to the minimum allocation, and at most user-limit-factor times the guarantee,
// or the partition where its idle resources are shared. used is what active users use, one
// minimum allocation more, and weights the sum of their weights; for all users it is
// current. The user's own weight is applied by weighted.
func (s *Scheduler) computeUserLimit(q *queue, p int32, who limitFor) res {
	at, t, total := q.at(p), &q.users, s.parts[p].total
	tp := t.at(p)
	u := userShare{total: total, current: at.guarantee, used: tp.usedActive.Add(s.minAlloc), weights: t.activeWeights,
		most: at.userMost}
	if !s.calc.Dominant {
		if consumed := s.roundUpMemory(yarnconf.Truncate(float64(total.Memory)*float64(tp.ratio) + 0.5)); consumed >=
			u.current.Memory {
			u.current.Memory = consumed + s.minAlloc.Memory
		}
	} else if consumed := s.calc.ScaleUp(total, float64(tp.ratio), s.minAlloc); s.calc.Compare(total, consumed,
		u.current) >= 0 {
		u.current = consumed.Add(s.minAlloc)
	}
	switch who {
	case forShared:
		u.most = total
	case forAll:
		u.used, u.weights = u.current, t.allWeights
	}
	return s.shareLimit(q, &u)
}

// shareLimit returns the limit of a user of weight 1 by the last formula of computeUserLimit.
func (s *Scheduler) shareLimit(q *queue, u *userShare) res {
	calc := s.calc
	if calc.Dominant {
		limit := calc.Max(u.total, calc.DivideCeil(u.used, u.weights),
			calc.DivideCeilInt(u.current.Scale(float64(q.conf.UserLimit)), 100))
		return calc.RoundUp(calc.Min(u.total, limit, u.most), s.minAlloc)
	}
	share := int64(0)
	if u.weights != 0 {
		share = yarnconf.Truncate(math.Ceil(float64(float32(u.used.Memory) / u.weights)))
	}
	limit := max(share, (yarnconf.Truncate(float64(u.current.Memory)*float64(q.conf.UserLimit))+99)/100)
	limit = s.roundUpMemory(min(limit, u.most.Memory))
	return res{Memory: limit, VCores: max(min(limit, 1), 0)}
}

// headroom is the headroom that the AM receives, in all partitions it has asked for
// (CapacityHeadroomProvider.getHeadroom). Only reported: allocation does not go by it.
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

// headroomIn is the headroom in one partition, below a limit of the queue
// (AbstractLeafQueue.getHeadroom): the least of what the user limit, the queue's limit and
// the partition leave.
func (s *Scheduler) headroomIn(a *app, p int32, limit res) res {
	q := a.queue
	h := s.userLimit(q, a.slot.u, p, forActive).SubFloor(a.shown.at(p).used).MinEach(limit.SubFloor(q.at(p).used))
	total := s.parts[p].total
	return s.calc.Min(total, total.Sub(s.root.at(p).used), s.roundDown(h))
}

// pendingWithinLimits sums what the active applications ask for in a partition as far as
// their users' limits allow (AbstractLeafQueue.getTotalPendingResourcesConsideringUserLimit).
func (s *Scheduler) pendingWithinLimits(q *queue, part int32, lessReserved bool) res {
	// One user's applications draw on the same room, in the order in which they are active.
	room := map[*slot]res{}
	var sum res
	for _, a := range q.active {
		left, ok := room[a.slot]
		if !ok {
			u := s.getUser(q, a.slot)
			left = s.userLimit(q, u, part, forActive).Sub(u.at(part).used).Floor()
		}
		want := a.at(part).pending
		if lessReserved {
			want = want.Sub(a.at(part).reserved)
		}
		want = want.Floor()
		take := left.MinEach(want)
		sum = sum.Add(take)
		room[a.slot] = left.Sub(take)
	}
	return sum
}
