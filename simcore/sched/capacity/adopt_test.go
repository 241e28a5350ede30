package capacity

import (
	"fmt"
	"testing"

	"schedtune/simcore/yarn"
)

// Containers that run already are in the books as if they had been allocated: the
// invariants hold after each, whatever the limits, and in all that follows.
func TestAdopt(t *testing.T) {
	for seed := range uint64(20) {
		w := newWorld(t, seed)
		for i := range 12 {
			q := []string{"root.a", "root.b.b1", "b2", "root.c"}[w.r.IntN(4)]
			id, err := w.s.Submit(yarn.AppSpec{Name: "x", User: fmt.Sprintf("u%d", i%4), Queue: q,
				AM: yarn.Resource{Memory: 1000, VCores: 1}})
			if err != nil {
				t.Fatal(err)
			}
			w.apps = append(w.apps, id)
			if i%3 == 0 {
				continue // waits
			}
			for range 1 + w.r.IntN(5) {
				on := yarn.NodeID(w.r.IntN(len(w.s.nodes)))
				before := w.s.apps[id].live
				_, err := w.s.Adopt(id, on, int32(1+w.r.IntN(2)), yarn.Resource{Memory: 1024, VCores: 1})
				if a := w.s.apps[id]; err == nil && (a.live != before+1 || a.master == nil || !a.activated || len(a.granted) > 0) {
					t.Fatalf("seed %d: application %d has %d containers, master %v, active %v, %d not told", seed, id, a.live,
						a.master != nil, a.activated, len(a.granted))
				}
				if what := w.check(); what != "" {
					t.Fatalf("seed %d: %s", seed, what)
				}
			}
		}
		w.s.Activate(w.apps[0])
		if !w.s.apps[w.apps[0]].activated {
			t.Fatalf("seed %d: not active", seed)
		}
		for i := range 200 {
			w.step(t)
			if what := w.check(); what != "" {
				t.Fatalf("seed %d, step %d: %s", seed, i, what)
			}
		}
	}
}

func TestAdoptRefuses(t *testing.T) {
	w := newWorld(t, 1)
	id, err := w.s.Submit(yarn.AppSpec{Name: "x", User: "u", Queue: "root.a", AM: yarn.Resource{Memory: 1024, VCores: 1}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		app  yarn.AppID
		node yarn.NodeID
		mib  int64
	}{{id, 99, 1024}, {id, -1, 1024}, {id + 1, 0, 1024}, {id, 0, 1 << 30}} {
		if _, err := w.s.Adopt(c.app, c.node, 1, yarn.Resource{Memory: c.mib, VCores: 1}); err == nil {
			t.Errorf("%+v was taken", c)
		}
	}
	if what := w.check(); what != "" {
		t.Error(what)
	}
}
