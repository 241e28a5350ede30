package yarn

import "testing"

// TestTraits: each of what a run may have takes exactly the traits away that its events
// would not hold with.
func TestTraits(t *testing.T) {
	plainest := func() *Sim { return &Sim{nodeTables: nodeTables{choosesIdle: true, elastic: &elastic{still: true}}} }
	if got, want := plainest().traitsOf(), (traits{idleOnly: true}); got != want {
		t.Errorf("a run without anything: %+v, want %+v", got, want)
	}
	for what, c := range map[string]struct {
		set  func(s *Sim)
		want traits
	}{
		"nodes that come": {func(s *Sim) { s.elastic = &elastic{} }, traits{loses: true, idleOnly: true}},
		"preemption":      {func(s *Sim) { s.cfg.PreemptEvery = 1 }, traits{loses: true, idleOnly: true}},
		"killing": {func(s *Sim) { s.cfg.PreemptEvery, s.killer = 1, struct{ Killer }{} },
			traits{loses: true, kills: true, idleOnly: true}},
		"a killer at rest":  {func(s *Sim) { s.killer = struct{ Killer }{} }, traits{idleOnly: true}},
		"records":           {func(s *Sim) { s.cfg.Recorded = &Recorded{} }, traits{replay: true, idleOnly: true}},
		"every heartbeat":   {func(s *Sim) { s.choosesIdle = false }, traits{}},
		"sorted nodes":      {func(s *Sim) { s.sorter = struct{ NodeSorter }{} }, traits{}},
		"updates":           {func(s *Sim) { s.updater = struct{ Updater }{} }, traits{}},
		"asynchronous ones": {func(s *Sim) { s.rounds.sched = struct{ Rounder }{} }, traits{}},
	} {
		t.Run(what, func(t *testing.T) {
			s := plainest()
			if c.set(s); s.traitsOf() != c.want {
				t.Errorf("%s: %+v, want %+v", what, s.traitsOf(), c.want)
			}
		})
	}
}
