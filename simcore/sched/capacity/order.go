package capacity

import (
	"cmp"
	"math"
	"slices"

	"schedtune/simcore/internal/kernel"
	"schedtune/yarnconf"
)

// The order in which a parent asks its queues, and a leaf its applications. Both are kept
// sorted: only what has changed since the last look is moved to its place.

// compareQueues orders siblings in a partition (PriorityUtilizationQueueOrderingPolicy.compare,
// by its PriorityQueueComparator): queues that may use it first; queues with capacity before
// queues without; then used share (with respect for priority among queues on the same side
// of their guarantee); then the larger configured minimum or the larger capacity. The
// minimum decides if both have one; with eitherMinimum, if one has.
func compareQueues(qa, qb *queue, p int32, byPriority, eitherMinimum bool) int {
	a, b := qa.at(p), qb.at(p)
	if a.accessible != b.accessible {
		return first(a.accessible)
	}
	za, zb := a.eff.Absolute == 0, b.eff.Absolute == 0 // without capacity
	if za != zb && (aboveZero(a.eff.Absolute) || aboveZero(b.eff.Absolute)) {
		return first(zb)
	}
	ra, rb := a.usedShare, b.usedShare
	if za && zb { // of no guarantee there is no share
		ra, rb = a.absoluteUsedShare, b.absoluteUsedShare
	}
	if c := compareShares(ra, rb, qa.conf.Priority, qb.conf.Priority, byPriority); c != 0 {
		return c
	}
	if ma, mb := a.label.ConfiguredMin, b.label.ConfiguredMin; !ma.IsNone() && !mb.IsNone() || eitherMinimum &&
		(!ma.IsNone() || !mb.IsNone()) {
		return comparePlain(mb, ma)
	}
	return compareFloat(b.eff.Absolute, a.eff.Absolute)
}

// compareShares orders by used share, smaller first. With byPriority two queues on the same
// side of their guarantees go by priority instead, higher first.
func compareShares(ra, rb float32, pa, pb int, byPriority bool) int {
	if byPriority && pa != pb && (ra < 1) == (rb < 1) {
		return first(pa > pb)
	}
	return compareFloat(ra, rb)
}

// first is what a comparison returns where the first of two different items comes first.
func first(is bool) int {
	if is {
		return -1
	}
	return 1
}

// compareFloat is Java's order of floats, in which NaN, the share of a parent of
// nothing, is the largest; to Go it is the smallest.
func compareFloat(a, b float32) int { return cmp.Compare(-b, -a) }

// aboveZero is the same for 0.
func aboveZero(a float32) bool { return a > 0 || a != a }

// comparePlain is the natural order of resources: memory, then cores (Resource.compareTo).
func comparePlain(a, b res) int {
	return cmp.Or(cmp.Compare(a.Memory, b.Memory), cmp.Compare(a.VCores, b.VCores))
}

// compareChildren is the complete order among siblings: ties keep the list's order, as the
// original's stable sort does.
func (q *queue) compareChildren(p int32) func(a, b int32) int {
	byPriority := q.conf.Order == yarnconf.PriorityUtilization
	return func(a, b int32) int {
		return cmp.Or(compareQueues(q.children[a], q.children[b], p, byPriority, q.eitherMinimum), cmp.Compare(a, b))
	}
}

// inOrder returns the indices of the children in assignment order in a partition.
// Only children whose usage changed since the last call are moved.
func (s *Scheduler) inOrder(q *queue, at *queuePart) []int32 {
	if len(at.stales) > 0 {
		s.refreshOrder(q, at)
	}
	return at.sorted
}

// refreshOrder computes the shares of children that have changed and moves these.
func (s *Scheduler) refreshOrder(q *queue, at *queuePart) {
	for _, c := range at.stales {
		c := c.at(at.part)
		c.stale = false
		s.updateShares(c)
	}
	compare := q.compareChildren(at.part)
	if len(at.stales) == 1 { // after one allocation or end below one child: as mostly
		kernel.Move(at.sorted, slices.Index(at.sorted, at.stales[0].index), compare)
	} else {
		slices.SortFunc(at.sorted, compare)
	}
	at.stales = at.stales[:0]
}

// compareApps is the leaf's ordering policy: first in, first out by priority and number
// (FifoOrderingPolicy), or fair by the usage as last cached (FairOrderingPolicy).
func (q *queue) compareApps(a, b *app) int {
	if q.conf.AppOrder == yarnconf.Fair { // start times follow submission
		return cmp.Or(cmp.Compare(q.magnitude(a), q.magnitude(b)), cmp.Compare(a.id, b.id))
	}
	return comparePending(a, b)
}

// earlier compares applications by the numbers of their ids
// (SchedulerApplicationAttempt.compareInputOrderTo).
func (a *app) earlier(b *app) int {
	return cmp.Or(cmp.Compare(a.number, b.number), cmp.Compare(a.id, b.id))
}

// comparePending orders waiting applications: priority, then the number in the id.
func comparePending(a, b *app) int { return cmp.Or(cmp.Compare(b.priority, a.priority), a.earlier(b)) }

// magnitude is the fair order's measure: memory used, with size-based weight divided by the
// binary logarithm of one plus the demand (FairOrderingPolicy.getMagnitude).
func (q *queue) magnitude(a *app) float64 {
	m := float64(a.cachedUsed)
	if q.conf.SizeBasedWeight && m != 0 {
		if w := math.Log1p(float64(a.cachedUsed+a.cachedPending)) / math.Ln2; w != 0 {
			m /= w
		}
	}
	return m
}

// needsReorder notes that a fair leaf must look up the application's place
// again before the next assignment. FIFO leaves never do.
func (q *queue) needsReorder(a *app) {
	if q.conf.AppOrder == yarnconf.Fair && !a.reorder {
		a.reorder = true
		q.reorder = append(q.reorder, a)
	}
}

// policyOrder returns the active applications in order
// (AbstractComparatorOrderingPolicy.getAssignmentIterator). The list is the leaf's own.
func (q *queue) policyOrder() []*app {
	if len(q.reorder) > 0 {
		q.applyReorder()
	}
	return q.active
}

// applyReorder moves those whose usage has changed (reorderScheduleEntities).
func (q *queue) applyReorder() {
	for _, a := range q.reorder {
		a.reorder = false
		// Only now is its usage looked at: between a change and the next walk over the
		// leaf the order stays, as in the original.
		if i := slices.Index(q.active, a); i >= 0 {
			a.cachedUsed, a.cachedPending = a.memory()
			q.idle = 0
			kernel.Move(q.active, i, q.compareApps)
		}
	}
	q.reorder = q.reorder[:0]
}
