package capacity

import (
	"slices"

	"schedtune/simcore/yarn"
)

// Autocorrection of container allocation (autocorrect.container.allocation, Hadoop 3.5,
// YARN-11702): a master sends absolute numbers, and what has been allocated since it last
// heard would be allocated twice.

// grantKey is by what grants and rows are compared.
type grantKey struct {
	priority int32
	alloc    int64
	size     res
}

// corrected takes what an application has been allocated and not been told off its ask, row
// by row: containers of the same priority, allocation id and size, wherever they are. What
// exceeds the last such row is given back, oldest first, is not asked for again, and is reported
// as resp.Withdrawn; it ends as if its allocation had expired. The rows returned are scratch of
// the scheduler, good until the next call.
func (s *Scheduler) corrected(a *app, asks []yarn.Ask, resp *yarn.AskResponse) []yarn.Ask {
	// Containers are entered as they are made. What has ended or been told since goes here.
	a.granted = slices.DeleteFunc(a.granted, func(o int32) bool { c := s.container(a, o); return c == nil || c.acquired })
	if len(a.granted) == 0 {
		return asks
	}
	of := func(o int32) grantKey { c := s.container(a, o); return grantKey{c.priority, c.alloc, c.size} }
	untold := map[grantKey]int32{}
	for _, o := range a.granted {
		untold[of(o)]++
	}
	rows := append(s.async.rows[:0], asks...) // the caller's are not changed
	s.async.rows = rows
	var kinds []grantKey // that exceed the ask
	extra := map[grantKey]int32{}
	for i := range rows {
		r := &rows[i]
		k := grantKey{r.Priority, r.AllocID, s.normal(r.Size)}
		// Each row of a kind is less by all of them, a row for a node or rack also by those
		// that are elsewhere.
		if n := untold[k]; n == 0 {
			continue
		} else if r.Count -= n; r.Count < 0 {
			// A later row of the same kind replaces what an earlier one has noted.
			if extra[k] == 0 {
				kinds = append(kinds, k)
			}
			extra[k], r.Count = -r.Count, 0
		}
	}
	for _, k := range kinds {
		a.granted = slices.DeleteFunc(a.granted, func(o int32) bool {
			if extra[k] == 0 || of(o) != k {
				return false
			}
			extra[k]--
			resp.Withdrawn = append(resp.Withdrawn, o)
			s.complete(s.container(a, o), byExpiry)
			return true
		})
	}
	return rows
}
