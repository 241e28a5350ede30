package capacity

import (
	"testing"

	"schedtune/simcore/yarn"
)

// Asking what is blocked, at any instant, changes no decision.
func TestEachBlockedChangesNothing(t *testing.T) {
	met := map[Limit]int{}
	for seed := range uint64(40) {
		want := digest(t, newWorld(t, seed), seed)
		w := newWorld(t, seed)
		if got := digestWith(t, w, seed, func() {
			w.s.EachBlocked(func(b Blocked) { met[b.Limit]++ })
		}); got != want {
			t.Errorf("seed %d: history %s, with looks %s", seed, want, got)
		}
	}
	if len(met) < 6 {
		t.Errorf("only %v met", met)
	}
	t.Log(met)
}

// A request is stopped by the first limit on its way, whatever the others would say.
func TestFirstLimit(t *testing.T) {
	for name, c := range map[string]struct {
		set  map[string]string
		want Limit
		at   string
	}{
		"queue maximum": {map[string]string{"root.a.maximum-capacity": "50", "root.a.user-limit-factor": "10"}, QueueMaximum,
			"root.a"},
		"user limit": {map[string]string{"root.a.user-limit-factor": "1"}, UserFactor, "root.a"},
		"no space":   {map[string]string{"root.a.user-limit-factor": "10"}, NoSpace, "root"},
	} {
		t.Run(name, func(t *testing.T) {
			s := small(t, c.set, big("n"))
			id := fill(t, s, oneGiB, 150)
			seen := 0
			s.EachBlocked(func(b Blocked) {
				seen++
				used := s.App(id).Used.Memory
				if b.Limit != c.want || b.At != c.at || b.App != id || b.Amount.Memory != 151<<10-used {
					t.Errorf("got %+v with %d MiB used, want limit %d of %s", b, used, c.want, c.at)
				}
			})
			if seen != 1 {
				t.Errorf("%d applications told, want 1", seen)
			}
			s.End(yarn.AppID(id))
			s.EachBlocked(func(b Blocked) { t.Errorf("after its end: %+v", b) })
		})
	}
}
