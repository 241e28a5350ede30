package yarnfair

import (
	"slices"
	"sort"

	"schedtune/simcore/yarn"
)

// reqKey is what an application asks under one priority and allocation id.
// Counters stay when the asks are gone, as in the original.
type reqKey struct {
	priority int32
	alloc    int64

	listed bool // the "*" row asks for something
	large  bool // and it is large enough to reserve a node
	anySet bool // there is a "*" row
	any    row
	rows   []row // other places, sorted by place; absent ones stay for their memory
	unique int   // rows present, "*" included

	seq      uint64 // when its first row came, and with it the key
	mostRows int    // rows at a time
	missed   int    // scheduling opportunities since the last change of level
	level    uint8  // farthest locality allowed so far
	levelSet bool
}

type row struct {
	place   yarn.Place
	present bool
	strict  bool
	count   int32
	size    res
	seq     uint64 // when it came, where no row was
}

// outstandingAny is how many containers the key still asks for.
func (k *reqKey) outstandingAny() int32 {
	if !k.anySet {
		return 0
	}
	return k.any.count
}

// at finds the row of a place other than "*"; nil where there is none.
func (k *reqKey) at(p yarn.Place) *row {
	lo, hi := 0, len(k.rows)
	for lo < hi {
		m := (lo + hi) / 2
		if k.rows[m].place < p {
			lo = m + 1
		} else {
			hi = m
		}
	}
	if lo < len(k.rows) && k.rows[lo].place == p && k.rows[lo].present {
		return &k.rows[lo]
	}
	return nil
}

// count of a row that may be missing.
func (r *row) asks() int32 {
	if r == nil {
		return 0
	}
	return r.count
}

// relaxed reports whether the key may go to where the row stands for; where
// there is no row it may.
func (r *row) relaxed() bool { return r == nil || !r.strict }

// put sets the row of a place.
func (k *reqKey) put(r row) {
	if k.unique == 0 {
		k.seq, k.mostRows = r.seq, 0
	}
	defer func() { k.mostRows = max(k.mostRows, k.unique) }()
	r.present = true
	if r.place == yarn.AnyPlace {
		if !k.anySet {
			k.unique++
		} else {
			r.seq = k.any.seq
		}
		k.anySet, k.any = true, r
		return
	}
	i := sort.Search(len(k.rows), func(i int) bool { return k.rows[i].place >= r.place })
	if i < len(k.rows) && k.rows[i].place == r.place {
		if !k.rows[i].present {
			k.unique++
		} else {
			r.seq = k.rows[i].seq
		}
		k.rows[i] = r
		return
	}
	k.rows = slices.Insert(k.rows, i, r)
	k.unique++
}

// forget drops all rows; the counters stay.
func (k *reqKey) forget() {
	k.listed, k.anySet = false, false
	k.rows, k.unique = k.rows[:0], 0
}

// lower takes one off a row.
func (k *reqKey) lower(r *row) {
	if r == nil {
		return
	}
	if r.count--; r.count == 0 {
		r.present = false
		k.unique--
	}
}

// key finds or makes a key.
func (a *app) key(priority int32, alloc int64) *reqKey {
	i := sort.Search(len(a.keys), func(i int) bool {
		k := &a.keys[i]
		return k.priority > priority || k.priority == priority && k.alloc >= alloc
	})
	if i < len(a.keys) && a.keys[i].priority == priority && a.keys[i].alloc == alloc {
		return &a.keys[i]
	}
	if len(a.keys) < cap(a.keys) { // reuse the rows of a recycled key
		a.keys = a.keys[:len(a.keys)+1]
		spare := a.keys[len(a.keys)-1]
		copy(a.keys[i+1:], a.keys[i:])
		a.keys[i] = reqKey{rows: spare.rows[:0]}
	} else {
		a.keys = slices.Insert(a.keys, i, reqKey{})
	}
	k := &a.keys[i]
	k.priority, k.alloc = priority, alloc
	return k
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
			k.put(s.rowOf(r, most))
			if k.listed {
				s.measure(a, k)
			}
		}
	}
	// "*" rows last: one that asks for nothing drops the key with all its rows.
	for i := range asks {
		r := &asks[i]
		if r.Where == yarn.AnyPlace && !overruled(asks, i) {
			s.setAny(a, a.key(r.Priority, r.AllocID), s.rowOf(r, most), false)
		}
	}
}

func (s *Scheduler) rowOf(r *yarn.Ask, most res) row {
	s.rowSeq++
	size := s.normalize(res(r.Size), most)
	if least := minEach(s.smallest, size); least != s.smallest {
		s.smallest, s.widened = least, true
	}
	return row{place: r.Where, count: r.Count, strict: r.Strict, size: size, seq: s.rowSeq}
}

// overruled reports whether a later row is for the same key and place.
func overruled(asks []yarn.Ask, i int) bool {
	for j := i + 1; j < len(asks); j++ {
		if asks[j].Where == asks[i].Where && asks[j].Priority == asks[i].Priority && asks[j].AllocID == asks[i].AllocID {
			return true
		}
	}
	return false
}

// setAny sets the "*" row of a key. With back it adds to what is there, as for
// a container whose ask comes back.
func (s *Scheduler) setAny(a *app, k *reqKey, r row, back bool) {
	if back && k.anySet {
		r.count = k.any.count + 1
	}
	k.put(r)
	s.uncount(a)
	if r.count <= 0 {
		s.unlist(a, k)
		k.forget()
		return
	}
	if !k.listed {
		k.listed = true
		s.list(a, 1)
	}
	s.measure(a, k)
}

// measure counts a listed key whose asks could reserve a node.
func (s *Scheduler) measure(a *app, k *reqKey) {
	large := s.couldReserve(k.any.size)
	for i := range k.rows {
		large = large || k.rows[i].present && s.couldReserve(k.rows[i].size)
	}
	if large == k.large {
		return
	}
	if k.large = large; !large {
		s.countLarge(a, -1)
		return
	}
	if s.countLarge(a, 1); s.large == 1 {
		s.widened = true
	}
}

// countLarge counts a key whose asks could reserve a node in or out.
func (s *Scheduler) countLarge(a *app, n int) {
	s.large += n
	a.large += n
	for q := a.queue; q != nil; q = q.parent {
		q.large += n
	}
}

func (s *Scheduler) couldReserve(size res) bool {
	return size.Memory >= s.reserveAt.Memory || size.VCores >= s.reserveAt.VCores
}

// list counts a key with outstanding asks in or out.
func (s *Scheduler) list(a *app, n int) {
	s.outstanding += n
	a.asking += n
	for q := a.queue; q != nil; q = q.parent {
		q.asking += n
	}
}

func (s *Scheduler) unlist(a *app, k *reqKey) {
	if k.listed {
		k.listed = false
		s.list(a, -1)
	}
	if k.large {
		k.large = false
		s.countLarge(a, -1)
	}
}

// taken lowers the rows that one allocation answers.
func (s *Scheduler) taken(a *app, k *reqKey, n *node, loc uint8) {
	if loc == nodeLocal {
		k.lower(k.at(n.place))
	}
	if loc != offSwitch {
		k.lower(k.at(n.rack))
	}
	if k.any.count--; k.any.count == 0 {
		s.unlist(a, k)
		k.anySet = false
		k.unique--
		if k.unique == 0 {
			k.rows = k.rows[:0]
		}
	}
}
