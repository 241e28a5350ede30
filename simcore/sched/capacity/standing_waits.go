package capacity

import "schedtune/simcore/yarn"

// PassingStanding is what holds an application for a time only, and nodes that hold
// none.
type PassingStanding struct {
	// Proposals that wait for their commit, and how many may before no round of
	// asynchronous scheduling is made.
	Backlog, MostBacklog int
	Held                 bool // no round is made
	Uncommitted          int  // of them for the application
	// Containers of others that preemption has marked and whose space may go to the
	// application: of other queues where its own is below its guarantee, of its own
	// with preemption inside queues.
	Marked     int
	MarkedSize yarn.Resource
	KillIn     int64 // ms until the first of them is killed, by the clock of the last round
	Draining   int   // nodes of the partition that are being decommissioned
	Gone       int   // nodes that were in the partition and have left, by name
}

// passingOf fills in what passes by itself.
func (s *Scheduler) passingOf(a *app, p int32, st *Standing) {
	w := &st.Passing
	if s.rounds() {
		w.Backlog, w.MostBacklog, w.Held = s.Backlog(), s.conf.Async.MaxBacklog, s.Held()
		for i := s.async.first; i < len(s.async.waiting); i++ {
			if x := &s.async.waiting[i]; x.app == a && !x.reserve && !x.release {
				w.Uncommitted++
			}
		}
	}
	here := map[string]bool{}
	for _, n := range s.nodes {
		if name := s.NameOfPlace(n.place); n.part == p && !n.lost {
			here[name] = true
			if n.draining {
				w.Draining++
			}
		}
	}
	for _, n := range s.nodes {
		if name := s.NameOfPlace(n.place); n.part == p && n.lost && !here[name] {
			here[name] = true
			w.Gone++
		}
	}
	s.markedFor(a, p, w)
}

// markedFor adds up the containers that are marked for what may be this application.
func (s *Scheduler) markedFor(a *app, p int32, w *PassingStanding) {
	below := s.more(a.queue.at(p).eff.Min, a.queue.at(p).used)
	for k, m := range s.policy.marks {
		b := s.lookUp(k.app)
		if m.ordinal < 0 || b == nil || b == a || s.nodes[m.node].part != p {
			continue
		}
		c := s.container(b, m.ordinal)
		if c == nil || b.queue == a.queue && !s.conf.Preemption.Intra || b.queue != a.queue && !below {
			continue
		}
		left := max(m.since+s.conf.Preemption.MaxWaitBeforeKill-s.now, 0)
		if w.Marked == 0 || left < w.KillIn {
			w.KillIn = left
		}
		w.Marked++
		w.MarkedSize.Memory, w.MarkedSize.VCores = w.MarkedSize.Memory+c.size.Memory, w.MarkedSize.VCores+c.size.VCores
	}
}
