package capacity

import (
	"fmt"
	"testing"

	"schedtune/simcore/yarn"
	"schedtune/validation/testdata"
)

// TestClone: a copy in the middle of a history goes on as the original does, and
// what happens to the copy, looks included, does not change the original.
func TestClone(t *testing.T) {
	t.Parallel()
	for seed := range uint64(testdata.Cases(25)) {
		want := digest(t, newWorld(t, seed), seed)
		w := newWorld(t, seed)
		for range 120 {
			w.step(t)
		}
		c := w.s.Clone()
		a, b := figuresOf(w.s), figuresOf(c)
		if a != b {
			t.Fatalf("seed %d: the copy differs", seed)
		}
		for id := range w.s.Submitted() {
			w.s.Standing(yarn.AppID(id))
		}
		if figuresOf(w.s) != a {
			t.Fatalf("seed %d: Standing changed the scheduler", seed)
		}
		for id := range c.Submitted() {
			c.Examine(yarn.AppID(id))
			c.End(yarn.AppID(id))
		}
		if figuresOf(w.s) != a {
			t.Fatalf("seed %d: changes of the copy reached the original", seed)
		}
		// The original, having been copied and looked at, repeats the history.
		w = newWorld(t, seed)
		looked := 0
		again := digestWith(t, w, seed, func() {
			if looked++; looked%25 == 0 {
				w.s.Standing(yarn.AppID(looked % max(w.s.Submitted(), 1)))
				w.s = w.s.Clone()
			}
		})
		if again != want {
			t.Errorf("seed %d: history %s, with copies %s", seed, want, again)
		}
	}
}

// TestCloneExchanges: exchanges that are repeated go by what the scheduler remembers of
// the last, its application's key among it; those of a copy go by the copy's, and both
// run out of asks after the same number.
func TestCloneExchanges(t *testing.T) {
	s := small(t, nil, yarn.NodeSpec{Name: "n0", Rack: "/r", Resource: yarn.Resource{Memory: 8192, VCores: 99}})
	var resp yarn.AskResponse
	a := submit(t, s, "u", "a")
	s.Beat(0, nil, nil)
	s.Ask(a, []yarn.Ask{{Priority: 1, Where: yarn.AnyPlace, Size: oneGiB, Count: 20}}, nil, &resp)
	exchanged := func(s *Scheduler) string {
		live := s.appendLive(nil, s.apps[a])
		s.Beat(0, []yarn.Container{{App: a, Ordinal: live[len(live)-1].ordinal}}, nil)
		s.Ask(a, nil, nil, &resp)
		return fmt.Sprint(s.repeats, " ", s.apps[a].keys[1].Outstanding(), " ", figuresOf(s))
	}
	for range 12 {
		s.Beat(0, nil, nil)
	}
	s.Ask(a, nil, nil, &resp)
	exchanged(s)
	exchanged(s)
	if s.repeats == 0 {
		t.Fatal("no exchange is repeated before the copy")
	}
	c := s.Clone()
	for i := range 15 {
		if before, got, want := figuresOf(s), exchanged(c), exchanged(s); got != want || figuresOf(s) == before && i < 5 {
			t.Fatalf("exchange %d\nof the copy:     %s\nof the original: %s", i, got, want)
		}
	}
}

func figuresOf(s *Scheduler) string {
	var figures []any
	for i, q := range s.queues {
		figures = append(figures, s.Figures(i, 0), q.cachedLimit, q.shownLimit, q.users.waitingOnly)
	}
	for _, a := range s.apps {
		figures = append(figures, s.App(a.id))
		for i := range a.keys {
			figures = append(figures, a.keys[i].missed, a.keys[i].rereserve)
		}
	}
	return fmt.Sprintln(figures...)
}

// BenchmarkClone copies a cluster of 1,000 nodes with 20,000 containers.
func BenchmarkClone(b *testing.B) {
	f := &fleet{nodes: 1000, leaves: 20, apps: 200, perNode: 20}
	f.start(b)
	for n := range f.nodes {
		f.events = f.s.Beat(yarn.NodeID(n), nil, f.events[:0])
	}
	b.ReportAllocs()
	for b.Loop() {
		f.s.Clone()
	}
}
