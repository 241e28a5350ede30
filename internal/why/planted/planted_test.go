package planted

import "testing"

func TestPlanted(t *testing.T) {
	n := uint64(len(all()) * 4)
	for seed := range n {
		c := Draw(seed)
		a, err := c.Ask()
		if err != nil {
			t.Errorf("seed %d, %s: %v", seed, c.Kind, err)
			continue
		}
		if kind, queue := First(a); kind != c.Kind || queue != c.Queue {
			t.Errorf("seed %d: planted %s of %q, answered %s of %q (%d changes)", seed, c.Kind, c.Queue, kind, queue, len(a.Changes))
		}
		t.Logf("seed %d %s: %s; changes %v node %v", seed, c.Kind, a.Causes[0].Text(), a.Changes, a.Node)
	}
}
