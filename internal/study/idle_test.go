package study

import (
	"testing"

	"schedtune/validation/testdata"
	"schedtune/yarnconf"
)

// TestIdleGuaranteesStay takes random points of the spaces of random trees: what
// a leaf without jobs is guaranteed of the cluster, and what it may have at
// most, never falls, whatever moves beside and above it.
func TestIdleGuaranteesStay(t *testing.T) {
	seeds, checked := testdata.Cases(60), 0
	for seed := uint64(2000); seed < 2000+uint64(seeds); seed++ {
		c := lossCase(t, seed)
		s, _, err := NewSpace(c, nil)
		if err != nil {
			continue // nothing can move: no space
		}
		before, err := yarnconf.Evaluate(c.Doc)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		now := before.Effective(c.Total())
		qs, err := c.Doc.Queues()
		if err != nil {
			t.Fatal(err)
		}
		idle := idleQueues(c.Work, qs)
		for _, p := range points(s, 20) {
			changes, _ := s.Changes(s.Decode(p))
			doc, err := c.Doc.EditValid(changes)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			conf, err := yarnconf.Evaluate(doc)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			then := conf.Effective(c.Total())
			for i := range before.Queues {
				if q := &before.Queues[i]; !q.Leaf || !idle[q.Path] {
					continue
				}
				checked++
				k := conf.Find(before.Queues[i].Path)
				if then[k].Min != now[i].Min || then[k].Max.Memory < now[i].Max.Memory {
					t.Fatalf("seed %d: %s has no job; guaranteed %v, at most %v became %v, %v", seed, before.Queues[i].Path,
						now[i].Min, now[i].Max, then[k].Min, then[k].Max)
				}
			}
		}
	}
	if checked < 2*seeds {
		t.Errorf("only %d leaves without jobs were looked at", checked)
	}
}
