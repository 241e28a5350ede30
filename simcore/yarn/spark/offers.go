package spark

import (
	"cmp"
	"slices"

	"schedtune/simcore"
)

// Offers of free slots to the stages under way (TaskSchedulerImpl.resourceOffers,
// TaskSetManager.resourceOffer).

// Offer hands tasks to executor e, as after the end of a task on it or its
// registration. The slice is reused.
func (t *Tasks) Offer(now simcore.Time, e int32) []Launch {
	t.out = t.out[:0]
	if t.waiting+t.copies == 0 || !t.execs[e].alive || t.execs[e].free == 0 {
		return t.out
	}
	t.list = append(t.list[:0], e)
	t.offer(now, false)
	return t.out
}

// OfferAll hands tasks to all executors, in an order drawn anew, as when a
// stage comes and once a second. The slice is reused.
func (t *Tasks) OfferAll(now simcore.Time) []Launch {
	t.out = t.out[:0]
	if t.waiting+t.copies == 0 || t.free == 0 {
		return t.out
	}
	t.list = t.list[:0]
	for e := range t.execs {
		if t.execs[e].alive && t.execs[e].free > 0 {
			t.list = append(t.list, int32(e))
		}
	}
	t.offers++
	k := t.key.At(t.offers)
	for i := len(t.list) - 1; i > 0; i-- {
		j := int(k.Float64(uint64(i)) * float64(i+1))
		t.list[i], t.list[j] = t.list[j], t.list[i]
	}
	if t.following {
		t.follow()
	}
	t.offer(now, true)
	return t.out
}

// follow brings the executors that are known to have run the next tasks to the
// front, in the order of their launches.
func (t *Tasks) follow() {
	var next []Runner
	for _, id := range t.order {
		s := &t.sets[id]
		if s.runners == nil || s.held {
			continue
		}
		for task, by := range s.runners {
			if n := int(s.launched[task]); t.status[s.status+int32(task)] == taskWaits && n < len(by) {
				next = append(next, by[n])
			}
		}
	}
	slices.SortStableFunc(next, func(a, b Runner) int { return cmp.Compare(a.Nth, b.Nth) })
	front := 0
	for _, r := range next {
		if at := slices.Index(t.list[front:], r.Executor); at >= 0 {
			t.list = slices.Insert(slices.Delete(t.list, front+at, front+at+1), front, r.Executor)
			front++
		}
	}
}

func (t *Tasks) offer(now simcore.Time, all bool) {
	if len(t.order) == 1 {
		t.offerSet(now, t.order[0], all)
		return
	}
	for _, id := range t.rank() {
		t.offerSet(now, id, all)
	}
}

// offerSet goes through a set's levels, nearest first, as long as something is
// launched at each.
func (t *Tasks) offerSet(now simcore.Time, id int32, all bool) {
	s := &t.sets[id]
	if len(s.copies) > 0 {
		defer t.offerCopies(id, s)
	}
	if s.waiting == 0 || s.held {
		return
	}
	if s.kind == noPreference {
		t.offerPlain(id, s)
		return
	}
	nearest, rejects := levels, false
	for v := range s.nValid {
		for launched := true; launched; {
			launched = false
			for _, e := range t.list {
				if x := &t.execs[e]; x.free > 0 && x.alive && x.profile == s.profile {
					l, refused := t.offerOne(now, id, s, e, s.valid[v])
					rejects = rejects || refused
					launched = launched || l < levels
					nearest = min(nearest, l)
				}
			}
		}
	}
	switch {
	case rejects:
		s.rejected = true
	case nearest < levels && (all || !s.rejected):
		s.reset, s.rejected = now, false
		s.level = s.indexOf(nearest)
	}
}

// offerPlain gives tasks without preferences away, one to an executor in turn.
func (t *Tasks) offerPlain(id int32, s *taskSet) {
	for launched := true; launched && s.waiting > 0; {
		launched = false
		for _, e := range t.list {
			if x := &t.execs[e]; x.free == 0 || !x.alive || x.profile != s.profile {
				continue
			}
			task := t.first(s)
			if task < 0 {
				return
			}
			t.take(s, task, e)
			t.out = append(t.out, Launch{Set: id, Task: task, Executor: e, Level: ProcessLocal, Nth: s.nth(task)})
			launched = true
		}
	}
}

// offerOne offers one slot of an executor at a level; it returns the level of
// the task it launched, or levels, and whether the wait turned the slot down.
func (t *Tasks) offerOne(now simcore.Time, id int32, s *taskSet, e int32, most Level) (Level, bool) {
	allowed := most
	if most != NoPref {
		allowed = min(t.allowed(now, s), most)
	}
	if task, l := t.dequeue(s, e, allowed); task >= 0 {
		t.take(s, task, e)
		t.out = append(t.out, Launch{Set: id, Task: task, Executor: e, Level: l, Nth: s.nth(task)})
		return l, false
	}
	return levels, most == AnyLevel && s.waiting > 0
}

// allowed is the level the wait has reached.
func (t *Tasks) allowed(now simcore.Time, s *taskSet) Level {
	for s.level < s.nValid-1 {
		l := s.valid[s.level]
		more := false
		switch l {
		case NoPref:
			more = s.waiting > s.preferred
		default:
			more = t.more(s, l)
		}
		switch {
		case !more:
			s.reset = now
		case now-s.reset >= t.waits[l]:
			s.reset += t.waits[l]
		default:
			return l
		}
		s.level++
	}
	return s.valid[s.level]
}

// Stuck reports whether some slot is free and some task of its profile waits:
// only the wait for locality can be the reason, and the next offer to all may
// end it.
func (t *Tasks) Stuck() bool {
	for p, free := range t.idle {
		if free > 0 && t.wants[p] > 0 {
			return true
		}
	}
	return false
}

// nth returns the number of earlier launches of a task that has just been taken, 0 without runners.
func (s *taskSet) nth(task int32) int32 {
	if s.runners == nil {
		return 0
	}
	return s.launched[task] - 1
}
