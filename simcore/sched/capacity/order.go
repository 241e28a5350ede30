package capacity

import (
	"cmp"
	"math"
	"slices"
	"sort"

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

// before is the complete order among siblings: ties keep the list's order, as the original's
// stable sort does.
func (q *queue) before(a, b *queue, p int32) bool {
	c := compareQueues(a, b, p, q.conf.Order == yarnconf.PriorityUtilization, q.eitherMinimum)
	return c < 0 || c == 0 && a.index < b.index
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
	if len(at.stales) == 1 { // after one allocation or end below one child: as mostly
		q.reposition(at, at.stales[0])
	} else {
		// The order is complete (before), so any way of sorting gives the original's.
		slices.SortFunc(at.sorted, func(a, b int32) int { return first(q.before(q.children[a], q.children[b], at.part)) })
	}
	at.stales = at.stales[:0]
}

// reposition moves one child to its place among the others, which are in order.
func (q *queue) reposition(at *queuePart, c *queue) {
	s, p := at.sorted, at.part
	i := 0
	for s[i] != c.index {
		i++
	}
	lo, hi := i+2, len(s) // between them is the first that comes after c
	switch {
	case i+1 < len(s) && q.before(q.children[s[i+1]], c, p): // it moves back
	case i > 0 && q.before(c, q.children[s[i-1]], p): // it moves forward
		lo, hi = 0, i-1
	default:
		return
	}
	for lo < hi {
		if m := (lo + hi) / 2; q.before(c, q.children[s[m]], p) {
			hi = m
		} else {
			lo = m + 1
		}
	}
	if lo > i {
		lo--
		copy(s[i:lo], s[i+1:lo+1])
	} else {
		copy(s[lo+1:i+1], s[lo:i])
	}
	s[lo] = c.index
}

// appBefore is the leaf's ordering policy: first in, first out by priority and number
// (FifoOrderingPolicy), or fair by the usage as last cached (FairOrderingPolicy).
func (q *queue) appBefore(a, b *app) bool {
	if q.conf.AppOrder == yarnconf.Fair {
		if ma, mb := q.magnitude(a), q.magnitude(b); ma != mb {
			return ma < mb
		}
		return a.id < b.id // start times follow submission
	}
	return pendingBefore(a, b)
}

// earlier compares applications by the numbers of their ids
// (SchedulerApplicationAttempt.compareInputOrderTo).
func (a *app) earlier(b *app) int {
	return cmp.Or(cmp.Compare(a.number, b.number), cmp.Compare(a.id, b.id))
}

// pendingBefore orders waiting applications: priority, then the number in the id.
func pendingBefore(a, b *app) bool {
	if a.priority != b.priority {
		return a.priority > b.priority
	}
	return a.earlier(b) < 0
}

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

// insertApp puts an application at its place in a sorted list.
func insertApp(list []*app, a *app, before func(a, b *app) bool) []*app {
	i := sort.Search(len(list), func(k int) bool { return before(a, list[k]) })
	return slices.Insert(list, i, a)
}

// removeApp takes an application out of a list, keeping the order.
func removeApp(list []*app, a *app) ([]*app, bool) {
	i := slices.Index(list, a)
	if i < 0 {
		return list, false
	}
	return slices.Delete(list, i, i+1), true
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
			q.shift(i)
		}
	}
	q.reorder = q.reorder[:0]
}

// shift moves the application at i, whose measure changed, to its place.
func (q *queue) shift(i int) {
	l, a := q.active, q.active[i]
	q.idle = 0
	for ; i+1 < len(l) && q.appBefore(l[i+1], a); i++ {
		l[i] = l[i+1]
	}
	for ; i > 0 && q.appBefore(a, l[i-1]); i-- {
		l[i] = l[i-1]
	}
	l[i] = a
}
