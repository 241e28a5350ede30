package yarnfair

import (
	"slices"

	"schedtune/simcore/sched/internal/requests"
	"schedtune/simcore/yarn"
)

// reqKey is what an application asks under one priority and allocation id.
// Counters stay when the asks are gone, as in the original.
type reqKey struct {
	priority int32
	alloc    int64

	listed bool // the "*" row asks for something
	large  bool // and it is large enough to reserve a node
	requests.Rows

	seq      uint64 // when its first row came, and with it the key
	mostRows int    // rows at a time
	missed   int    // scheduling opportunities since the last change of level
	level    uint8  // farthest locality allowed so far
	levelSet bool
}

// put sets the row of a place.
func (s *Scheduler) put(k *reqKey, r requests.Row) {
	if k.Unique == 0 {
		s.keySeq++
		k.seq, k.mostRows = s.keySeq, 0
	}
	k.Put(r)
	k.mostRows = max(k.mostRows, k.Unique)
}

// key finds or makes a key.
func (a *app) key(priority int32, alloc int64) *reqKey {
	i, found := requests.FindKey(a.keys, priority, alloc, func(k *reqKey) (int32, int64) { return k.priority, k.alloc })
	if !found {
		a.keys = slices.Insert(a.keys, i, reqKey{priority: priority, alloc: alloc})
	}
	return &a.keys[i]
}

// firstKey is the first key with outstanding asks, nil where there is none.
func (a *app) firstKey() *reqKey {
	for i := range a.keys {
		if a.keys[i].listed {
			return &a.keys[i]
		}
	}
	return nil
}

// setRows takes an ask. Of several rows for one key and place the last counts.
func (s *Scheduler) setRows(a *app, asks []yarn.Ask) {
	most := s.maxAllocation(a.queue)
	for i := range asks {
		if r := &asks[i]; r.Where != yarn.AnyPlace {
			k := a.key(r.Priority, r.AllocID)
			s.put(k, s.rowOf(r, most))
			if k.listed {
				s.measure(a, k)
			}
		}
	}
	// "*" rows last: one that asks for nothing drops the key with all its rows.
	for i := range asks {
		r := &asks[i]
		if r.Where == yarn.AnyPlace && !requests.Overruled(asks, i) {
			s.setAny(a, a.key(r.Priority, r.AllocID), s.rowOf(r, most))
		}
	}
}

func (s *Scheduler) rowOf(r *yarn.Ask, most res) requests.Row {
	size := s.normalize(res(r.Size), most)
	if least := s.smallest.MinEach(size); least != s.smallest {
		s.smallest, s.widened = least, true
	}
	return requests.Row{Place: r.Where, Count: r.Count, Strict: r.Strict, Size: size}
}

// setAny sets the "*" row of a key.
func (s *Scheduler) setAny(a *app, k *reqKey, r requests.Row) {
	s.put(k, r)
	s.uncount(a)
	if r.Count <= 0 {
		s.unlist(a, k)
		k.Forget()
		return
	}
	if !k.listed {
		k.listed = true
		s.count(a, 1, 0)
	}
	s.measure(a, k)
}

// measure counts a listed key whose asks could reserve a node.
func (s *Scheduler) measure(a *app, k *reqKey) {
	large := s.couldReserve(k.Any.Size)
	for i := range k.Places {
		large = large || k.Places[i].Present && s.couldReserve(k.Places[i].Size)
	}
	if large == k.large {
		return
	}
	if k.large = large; !large {
		s.count(a, 0, -1)
		return
	}
	if s.count(a, 0, 1); s.large == 1 {
		s.widened = true
	}
}

func (s *Scheduler) couldReserve(size res) bool {
	return size.Memory >= s.reserveAt.Memory || size.VCores >= s.reserveAt.VCores
}

// count counts keys with outstanding asks, and of these those that could reserve a node, in or out.
func (s *Scheduler) count(a *app, asking, large int) {
	s.outstanding, s.large = s.outstanding+asking, s.large+large
	a.asking, a.large = a.asking+asking, a.large+large
	for q := a.queue; q != nil; q = q.parent {
		q.asking, q.large = q.asking+asking, q.large+large
	}
}

func (s *Scheduler) unlist(a *app, k *reqKey) {
	if k.listed {
		k.listed = false
		s.count(a, -1, 0)
	}
	if k.large {
		k.large = false
		s.count(a, 0, -1)
	}
}
