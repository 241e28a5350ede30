package capacity

import (
	"slices"

	"schedtune/simcore/yarn"
)

// Autocorrection of container allocation (autocorrect.container.allocation, Hadoop 3.5,
// YARN-11702): a master sends absolute numbers, and what has been allocated since it last
// heard would be allocated twice.

// corrected takes what an application has been allocated and not been told off its ask, row
// by row: containers of the same priority, allocation id and size, wherever they are. What
// exceeds the last such row is given back, oldest first, is not asked for again, and is reported
// as resp.Withdrawn. The rows returned are scratch of the scheduler, good until the next call.
func (s *Scheduler) corrected(a *app, asks []yarn.Ask, resp *yarn.AskResponse) []yarn.Ask {
	// Containers are entered as they are made. What has ended or been told since goes here.
	a.granted = slices.DeleteFunc(a.granted, func(o int32) bool { c := s.container(a, o); return c == nil || c.acquired })
	if len(a.granted) == 0 {
		return asks
	}
	rows := append(s.async.rows[:0], asks...) // the caller's are not changed
	s.async.rows = rows
	s.async.extra = s.async.extra[:0]
	for i := range rows {
		r := &rows[i]
		k := grantKey{r.Priority, r.AllocID, s.rowOf(r).Size}
		// Each row of a kind is less by all of them, a row for a node or rack also by those
		// that are elsewhere.
		n := s.untold(a, k)
		if n == 0 {
			continue
		}
		if r.Count -= n; r.Count < 0 {
			// A later row of the same kind replaces what an earlier one has noted.
			at := slices.IndexFunc(s.async.extra, func(e extraGrants) bool { return e.grantKey == k })
			if at < 0 {
				at, s.async.extra = len(s.async.extra), append(s.async.extra, extraGrants{grantKey: k})
			}
			s.async.extra[at].count, r.Count = -r.Count, 0
		}
	}
	for _, e := range s.async.extra {
		s.giveBack(a, e, resp)
	}
	return rows
}

// grantKey is by what grants and rows are compared.
type grantKey struct {
	priority int32
	alloc    int64
	size     res
}

// extraGrants is how many containers of a kind exceed an ask.
type extraGrants struct {
	grantKey
	count int32
}

// grantKey is the container's.
func (c *container) grantKey() grantKey { return grantKey{c.priority, c.alloc, c.size} }

// untold counts an application's containers of a key that it has not been told.
func (s *Scheduler) untold(a *app, k grantKey) (n int32) {
	for _, o := range a.granted {
		if s.container(a, o).grantKey() == k {
			n++
		}
	}
	return n
}

// giveBack ends containers that exceed an ask; they end as if their allocation had expired.
func (s *Scheduler) giveBack(a *app, e extraGrants, resp *yarn.AskResponse) {
	a.granted = slices.DeleteFunc(a.granted, func(o int32) bool {
		c := s.container(a, o)
		if e.count == 0 || c.grantKey() != e.grantKey {
			return false
		}
		e.count--
		resp.Withdrawn = append(resp.Withdrawn, o)
		s.complete(c, byExpiry)
		return true
	})
}
