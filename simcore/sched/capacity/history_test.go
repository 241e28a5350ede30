package capacity

import (
	"fmt"
	"hash/fnv"
	"testing"

	"schedtune/validation/testdata"
)

// TestHistories prints with -v a digest of each history: a change that should only make the scheduler
// faster leaves every line as it was. A second scheduler repeats it.
func TestHistories(t *testing.T) {
	t.Parallel()
	for seed := range uint64(testdata.Cases(60)) {
		first := digest(t, newWorld(t, seed), seed)
		if again := digest(t, newWorld(t, seed), seed); again != first {
			t.Errorf("seed %d: history %s, %s again", seed, first, again)
		}
		t.Logf("seed %d: %s", seed, first)
	}
}

// on gives the world another scheduler of the same configuration.
func (w *world) on(t *testing.T, s *Scheduler) *world {
	for _, n := range w.s.nodes {
		spec := w.specs[n.id]
		if _, err := s.AddNode(spec); err != nil {
			t.Fatal(err)
		}
	}
	w.s = s
	return w
}

// digest does 400 random verbs and sums up what they came to.
func digest(t *testing.T, w *world, seed uint64) string { return digestWith(t, w, seed, func() {}) }

// digestWith is digest with something done between the verbs.
func digestWith(t *testing.T, w *world, seed uint64, between func()) string {
	h := fnv.New64a()
	var figures []any
	for i := range 300 {
		w.ev = w.ev[:0]
		w.step(t)
		between()
		fmt.Fprintln(h, w.ev, w.resp.Ignored, w.resp.Headroom, w.resp.Granted, w.resp.Completed)
		if i%8 != 0 {
			continue
		}
		figures = figures[:0]
		for i, q := range w.s.queues {
			figures = append(figures, w.s.Figures(i, 0), q.shownLimit, q.users.waitingOnly)
		}
		for _, a := range w.s.apps {
			for i := range a.keys {
				figures = append(figures, a.keys[i].missed, a.keys[i].rereserve)
			}
		}
		fmt.Fprintln(h, figures...)
	}
	return fmt.Sprintf("%016x", h.Sum64())
}

// TestMemoryWalk: the walk of memory alone comes to what the general one comes to,
// in events, answers, figures and counters.
func TestMemoryWalk(t *testing.T) {
	t.Parallel()
	seeds, walks := testdata.Cases(60), 0
	for seed := range uint64(seeds) {
		w := newWorld(t, seed)
		w.s.noShortcuts = true
		want := digest(t, w, seed)
		w = newWorld(t, seed)
		if got := digestWith(t, w, seed, func() {
			if w.s.memoryWalk() {
				walks++
			}
		}); got != want {
			t.Errorf("seed %d: history %s, %s with the general walk alone", seed, got, want)
		}
	}
	if walks < 33*seeds {
		t.Errorf("%d times the walk of memory alone was due, want %d or more", walks, 33*seeds)
	}
}
