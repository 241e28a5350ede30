package capacity

import (
	"cmp"
	"slices"

	"schedtune/internal/java"
	"schedtune/simcore/sched/internal/requests"
	"schedtune/simcore/yarn"
)

// A heartbeat of an application master: what it releases and asks for, and what it hears.

// Ask is one heartbeat of an application master (CapacityScheduler.allocate). Rows of asks
// set, not add to, what is asked for at their place; release names containers to give back
// by ordinal. resp is overwritten.
func (s *Scheduler) Ask(id yarn.AppID, asks []yarn.Ask, release []int32, resp *yarn.AskResponse) {
	resp.Ignored, resp.Refused, resp.Headroom = false, nil, yarn.Resource{}
	resp.Granted, resp.Completed, resp.Withdrawn = resp.Granted[:0], resp.Completed[:0], resp.Withdrawn[:0]
	if len(asks)+len(release) > 0 {
		s.bookSkipped()
	} else {
		s.bookSkippedLimits()
	}
	a := s.lookUp(id)
	if a == nil || a.ended || a.master == nil && !a.unmanaged {
		resp.Ignored = true
		return
	}
	if resp.Refused = s.checkAsks(a, asks); resp.Refused != nil {
		return
	}
	// The original's order: releases, then asks, then what is new for the master; what ends
	// through a release is reported next time.
	told := len(a.completed)
	for _, o := range release {
		if c := s.container(a, o); c != nil {
			s.complete(c, byRelease)
		}
	}
	if s.conf.Autocorrect && len(asks) > 0 {
		asks = s.corrected(a, asks, resp)
	}
	same := false // it asks for other numbers of what is asked for
	if len(asks) > 0 {
		if same = s.sameDemand(a, asks); s.ask(a, asks) && a.queue.conf.SizeBasedWeight {
			a.queue.needsReorder(a)
		}
	}
	if len(a.granted) > 0 {
		s.acquire(a, resp)
	}
	resp.Headroom = yarn.Resource(s.headroom(a))
	if told > 0 {
		a.completed = requests.Tell(a.completed, told, resp)
	}
	if len(asks)+len(release) > 0 { // what else a master hears is nothing to a node
		s.epoch++
		if same && s.asksOn(a) {
			s.neutral++
		}
	}
}

// checkAsks finds a row that asks for more than a container may have, or for a label that
// it may not have (SchedulerUtils.normalizeAndValidateRequest).
func (s *Scheduler) checkAsks(a *app, asks []yarn.Ask) error {
	if len(asks) == 0 {
		return nil
	}
	most, last := s.maxAllocation(a.queue), res{}
	for i := range asks {
		r := res(asks[i].Size)
		if i > 0 && r == last {
			continue
		}
		last = r
		if err := requests.CheckSize(a.name, "request for", r, most); err != nil {
			return err
		}
	}
	if s.labelled() {
		return s.checkLabels(a, asks)
	}
	return nil
}

// acquire tells the master what it got since its last heartbeat
// (SchedulerApplicationAttempt.pullNewlyAllocatedContainers).
func (s *Scheduler) acquire(a *app, resp *yarn.AskResponse) {
	for _, o := range a.granted {
		// One that has ended since is reported neither as granted nor as completed.
		if c := s.container(a, o); c != nil && !c.acquired {
			c.acquired = true
			resp.Granted = append(resp.Granted, o)
		}
	}
	a.granted = a.granted[:0]
}

// ask sets rows (AppSchedulingInfo.updateResourceRequests). Of several for the same key and
// place the last counts. It reports whether a "*" row was among them.
func (s *Scheduler) ask(a *app, asks []yarn.Ask) (demand bool) {
	for i := range asks {
		if r := &asks[i]; r.Where != yarn.AnyPlace {
			a.key(r.Priority, r.AllocID).Put(s.rowOf(r))
		}
	}
	// "*" rows last: only they change what is pending, and one that asks for
	// nothing drops the key with all its rows.
	for _, i := range s.demands(asks) {
		r := &asks[i]
		demand = true
		var label int32
		if s.labelled() {
			label, _ = s.askLabel(a.queue, a.label, s.enforced(a.label, r.Label))
		}
		s.update(a, a.key(r.Priority, r.AllocID), s.rowOf(r), label)
	}
	return demand
}

// rowOf is a row as it is kept.
func (s *Scheduler) rowOf(r *yarn.Ask) requests.Row {
	return requests.Row{Place: r.Where, Count: r.Count, Strict: r.Strict, Size: s.normal(r.Size)}
}

// normal is a size as it is kept: rounded up to the minimum allocation.
func (s *Scheduler) normal(size yarn.Resource) res {
	return s.calc.Normalize(res(size), s.minAlloc, s.maxAllocation(nil), s.minAlloc)
}

// demands lists the "*" rows that count, in the order of the original's hash table
// of keys: an application that takes one key back before it asks for another is
// without asks in between, and its user not active.
func (s *Scheduler) demands(asks []yarn.Ask) []int32 {
	out := s.demanded[:0]
	for i := range asks {
		if asks[i].Where == yarn.AnyPlace {
			out = append(out, int32(i))
		}
	}
	s.demanded = out
	if len(out) < 2 {
		return out
	}
	out = slices.DeleteFunc(out, func(i int32) bool { return requests.Overruled(asks, int(i)) })
	size := java.TableSize(keysOf(asks))
	slices.SortFunc(out, func(a, b int32) int {
		x, y := &asks[a], &asks[b]
		return cmp.Or(cmp.Compare(java.Bucket(java.HashRequestKey(x.Priority, x.AllocID), size),
			java.Bucket(java.HashRequestKey(y.Priority, y.AllocID), size)),
			cmp.Compare(firstOfKey(asks, a), firstOfKey(asks, b)))
	})
	return out
}

// firstOfKey is the first row of the key of row i.
func firstOfKey(asks []yarn.Ask, i int32) int {
	return slices.IndexFunc(asks, func(r yarn.Ask) bool {
		return r.Priority == asks[i].Priority && r.AllocID == asks[i].AllocID
	})
}

// keysOf counts the keys that an ask names.
func keysOf(asks []yarn.Ask) (n int) {
	for i := range asks {
		if firstOfKey(asks, int32(i)) == i {
			n++
		}
	}
	return n
}

// update sets the "*" row of a key and with it what is pending, for a partition label
// (LocalityAppPlacementAllocator.updatePendingAsk, AppSchedulingInfo.updatePendingResources).
// The user of an application that begins to ask counts as active from then on, and no
// longer when the last key asks for nothing (checkForDeactivation).
func (s *Scheduler) update(a *app, k *reqKey, r requests.Row, label int32) {
	before, size, was := k.Outstanding(), k.Any.Size, k.label
	a.asked |= 1 << label
	k.recovered, k.label = 0, label
	k.Put(r)
	switch {
	case r.Count <= 0:
		if before >= 0 { // the key goes with all its rows; one below zero stays listed
			s.unlist(a, k)
			k.Forget()
		}
		if a.outstanding == 0 {
			s.deactivateUser(a.queue, a)
		}
	case before <= 0:
		if !k.listed {
			k.listed = true
			a.outstanding++
		}
		s.activateUser(a.queue, a)
	}
	// What was pending before goes off the partition it was asked of.
	delta := r.Size.Times(int64(r.Count))
	if less := size.Times(int64(before)); was == label {
		delta = delta.Sub(less)
	} else {
		s.addPending(a, was, less.Times(-1))
	}
	if a.pending.IsNone() { // walks have passed it over, see nextAsking
		a.queue.idle = 0
	}
	s.addPending(a, label, delta)
}

// addPending changes what an application asks of a partition.
func (s *Scheduler) addPending(a *app, p int32, r res) {
	at := a.at(p)
	at.pending = at.pending.Add(r)
	a.queue.addPending(p, r)
}

// unlist notes that a key asks for nothing any more.
func (s *Scheduler) unlist(a *app, k *reqKey) {
	if k.listed {
		k.listed = false
		a.outstanding--
	}
}

// taken lowers the rows that one allocation answers (LocalityAppPlacementAllocator.allocate).
func (s *Scheduler) taken(a *app, k *reqKey, from *[3]*requests.Row) {
	if k.Take(from) {
		if s.unlist(a, k); a.outstanding == 0 {
			s.deactivateUser(a.queue, a)
		}
	}
	s.addPending(a, k.label, k.Any.Size.Times(-1))
}
