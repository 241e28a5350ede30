package capacity

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

// onNode lists what runs on a node, oldest first.
func (s *Scheduler) onNode(n int) []*container {
	cs := s.appendOn(nil, s.nodes[n])
	slices.SortFunc(cs, func(a, b *container) int { return cmp.Compare(a.seq, b.seq) })
	return cs
}

// TestRunning: whatever comes and goes, a node lists what runs on it, each container at
// its place, and knows how many there were at a time.
func TestRunning(t *testing.T) {
	s, r := &Scheduler{}, rand.New(rand.NewPCG(1, 1))
	n, most := s.newNode(), 0
	var live []*container
	for step := range 2000 {
		if len(live) == 0 || r.IntN(40) > len(live) {
			c := s.newContainer()
			n.occupy(c)
			live = append(live, c)
		} else {
			i := r.IntN(len(live))
			s.vacate(n, live[i])
			s.freeContainers = append(s.freeContainers, live[i])
			live = slices.Delete(live, i, i+1)
		}
		most = max(most, len(live))
		on := s.appendOn(nil, n)
		if len(on) != len(live) || int(n.mostRunning) != most {
			t.Fatalf("step %d: %d listed, at most %d; want %d, at most %d", step, len(on), n.mostRunning, len(live), most)
		}
		for _, c := range live {
			if n.running[c.index] != c.handle || !slices.Contains(on, c) {
				t.Fatalf("step %d: a container is not at its place", step)
			}
		}
	}
}
