package yarnfair

import "schedtune/simcore/yarn"

// Update is one round of what the original does in threads of its own, at
// intervals (fairconf.Site.UpdateInterval) and when nodes come or go: demand is
// counted, the cluster divided anew, and, where preemption is on, containers
// chosen for starved applications and those killed whose time has come. now is
// the time in milliseconds, from any origin; killed containers are appended.
func (s *Scheduler) Update(now int64, killed []yarn.Container) []yarn.Container {
	s.Recount(now)
	if !s.site.Preemption {
		return killed
	}
	s.Choose()
	killed = s.KillDue(now, killed)
	s.due = s.due || s.watching()
	return killed
}

// Recount counts demand and divides the cluster anew, and finds who is starved.
// Only the demand of applications is counted that may have changed, and shares
// stay where nothing that they depend on has.
func (s *Scheduler) Recount(now int64) {
	s.now = now
	s.due = false
	before := s.available
	for _, a := range s.uncounted {
		a.uncounted = false
		if !a.ended {
			s.countApp(a)
		}
	}
	s.uncounted = s.uncounted[:0]
	changed := s.unsummed || s.undivided
	if s.unsummed {
		s.countDemand(s.root)
	}
	if s.undivided {
		s.root.fair = s.cluster
		s.shareFair(s.root)
	}
	for _, q := range s.reweighed {
		q.reweighed = false
		if !s.undivided {
			s.shareApps(q)
		}
	}
	s.unsummed, s.undivided, s.reweighed = false, false, s.reweighed[:0]
	s.publish()
	s.findStarved()
	if changed || s.starving || s.available != before {
		s.clock++
	}
	s.starving = false
}

// publish sets what the root queue's metrics call available.
func (s *Scheduler) publish() { s.available = s.cluster.Sub(s.root.used) }

func (s *Scheduler) countDemand(q *queue) {
	d := q.wanted
	for _, c := range q.children {
		s.countDemand(c)
		d = d.Add(c.demand)
	}
	if d = d.MinEach(q.max); d != q.demand {
		q.demand = d
		q.touch()
	}
}

// counted is what an application has and asks for.
func (a *app) counted() res {
	d := a.used
	for i := range a.keys {
		if k := &a.keys[i]; k.listed {
			d = d.Add(k.Any.Size.Times(int64(max(k.Outstanding(), 0))))
		}
	}
	return d
}

// countApp counts an application's demand anew.
func (s *Scheduler) countApp(a *app) {
	d := a.counted()
	if d == a.demand {
		return
	}
	a.queue.wanted = a.queue.wanted.Add(d.Sub(a.demand))
	s.unsummed = true
	if s.site.SizeBasedWeight && !a.queue.reweighed {
		a.queue.reweighed = true
		s.reweighed = append(s.reweighed, a.queue)
	}
	a.demand = d
	a.touch()
	s.await(a)
}

// Due reports whether an Update would find anything new.
func (s *Scheduler) Due() bool { return s.due }

// Interval is the time between updates in milliseconds.
func (s *Scheduler) Interval() int64 { return s.site.UpdateInterval }

// headroom is the headroom that an AM receives: what its queue has
// left of its fair share and of its maximum, and the cluster in all.
func (s *Scheduler) headroom(a *app) yarn.Resource {
	q := a.queue
	most := s.cluster.Sub(s.root.used).MinEach(q.max.Sub(q.used))
	left := q.fair.Sub(q.used).Floor()
	h := yarn.Resource{Memory: min(most.Memory, left.Memory), VCores: most.VCores}
	if q.policy == drf {
		h.VCores = min(most.VCores, left.VCores)
	}
	return h
}
