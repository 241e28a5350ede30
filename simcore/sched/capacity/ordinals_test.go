package capacity

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestOrdinals: lists of several applications that share pages find what a table
// of all ordinals finds, and hold no more pages than live containers need.
func TestOrdinals(t *testing.T) {
	const seed = 5
	r := rand.New(rand.NewPCG(seed, 1))
	var s Scheduler
	lists, all := make([]containerList, 3), make([][]*container, 3)
	most := 0
	for step := range 60000 {
		k := r.IntN(len(lists))
		l := &lists[k]
		switch v := r.IntN(1000); {
		case v == 0 && step > 3000:
			s.freeContainers = s.listLive(s.freeContainers, l)
			s.emptyOrdinals(l)
			all[k] = nil
		case v < 510:
			c := s.newContainer()
			s.addOrdinal(l, c)
			if int(c.ordinal) != len(all[k]) {
				t.Fatalf("seed %d, step %d: ordinal %d after %d", seed, step, c.ordinal, len(all[k]))
			}
			all[k] = append(all[k], c)
		case len(all[k]) > 1:
			o := max(0, len(all[k])-1-r.IntN(100))
			if all[k][o] != nil {
				s.removeOrdinal(l, int32(o))
				s.freeContainers = append(s.freeContainers, all[k][o])
				all[k][o] = nil
			}
		}
		if o := int32(r.IntN(len(all[k])+3)) - 1; s.liveAt(l, o) != known(all[k], o) {
			t.Fatalf("seed %d, step %d: wrong container of ordinal %d", seed, step, o)
		}
		pages := 0
		for _, l := range lists {
			for i, p := range l.pages {
				if p.at == noPage {
					continue
				}
				if pages++; p.live == 0 && i < len(l.pages)-1 {
					t.Fatalf("seed %d, step %d: a page without live containers is kept", seed, step)
				}
			}
		}
		if most = max(most, pages); len(s.freePages)+pages > most {
			t.Fatalf("seed %d, step %d: %d pages made, %d needed at a time", seed, step, len(s.freePages)+pages, most)
		}
		if step%500 == 0 {
			want := slices.DeleteFunc(slices.Clone(all[k]), func(c *container) bool { return c == nil })
			if got := s.listLive(nil, l); !slices.Equal(got, want) {
				t.Fatalf("seed %d, step %d: %d live containers, want %d", seed, step, len(got), len(want))
			}
		}
	}
}

func known(list []*container, ordinal int32) *container {
	if ordinal < 0 || int(ordinal) >= len(list) {
		return nil
	}
	return list[ordinal]
}
