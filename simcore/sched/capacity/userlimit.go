package capacity

import (
	"math"

	"schedtune/yarnconf"
)

// The user limit: how much one user may use of a leaf. It is computed when somebody looks
// at it, and again when the users' version has grown since (UsersManager.isRecomputeNeeded).

// userLimit returns how much the user in slot i may use of partition p, among the active
// users (UsersManager.getComputedResourceLimitForActiveUsers). It may lie above what is
// left in the leaf.
func (s *Scheduler) userLimit(q *queue, i, p int32) res {
	return s.userLimitOf(q, q.users.slots[i].u, p)
}

// userLimitOf is userLimit of a user object, nil too: weights are left out then.
func (s *Scheduler) userLimitOf(q *queue, u *user, p int32) res {
	tp := q.users.at(p)
	if tp.versionActive != q.users.version {
		s.renewLimit(q, tp, p)
	}
	return s.weighted(u, tp.limitActive)
}

// renewLimit computes the limit of active users anew.
func (s *Scheduler) renewLimit(q *queue, tp *tablePart, p int32) {
	t := &q.users
	tp.limitActive = s.computeUserLimit(q, p, tp.usedActive.Add(s.minAlloc), t.activeWeights, forActive)
	tp.versionActive = t.version
	s.recountWaiting(t)
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

// userLimitAll is userLimit among all users, as preemption reckons
// (UsersManager.getComputedResourceLimitForAllUsers).
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

// recountWaiting counts the users with only waiting applications, as the original does
// whenever it computes a limit (UsersManager.computeNumActiveUsersWithOnlyPendingApps).
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

// computeUserLimit is UsersManager.computeUserLimit:
//
//	consumed = roundUp(partition × sum of the users' ratios)
//	current  = guarantee, or consumed + one minimum allocation where that is used up
//	limit    = max(usedActive / weights, current × minimum-user-limit-percent / 100)
//
// rounded up to the minimum allocation, and at most user-limit-factor times the guarantee,
// or the partition where its idle resources are shared. usedActive is what active users
// use, one minimum allocation more, and weights the sum of theirs; for all users it is
// current. Weights of single users come on top, see weighted.
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

// userLimitOfMemory is computeUserLimit where only memory counts, in MiB.
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

// headroom is what the master is told it may still get, in all partitions it has asked for
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
	h := s.userLimitOf(q, a.of.u, p).SubFloor(a.shown.at(p).used).MinEach(limit.SubFloor(q.at(p).used))
	total := s.parts[p].total
	return s.calc.Min(total, total.Sub(s.root.at(p).used), s.roundDown(h))
}
