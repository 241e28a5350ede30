package capacity

import (
	"testing"

	"schedtune/simcore/yarn"
)

// TestAskAgain: what is pending follows each ask for other numbers than before, of one key
// or of two, strict or not, and moves with its label. Numbers are in GiB: a container asked
// at priority 1 has one, at 2 two.
func TestAskAgain(t *testing.T) {
	s := small(t, map[string]string{"root.accessible-node-labels.x.capacity": "100", "root.a.accessible-node-labels": "x",
		"root.a.accessible-node-labels.x.capacity": "100"})
	if err := s.DeclareLabels([]yarn.Label{{Name: "x", Exclusive: true}}); err != nil {
		t.Fatal(err)
	}
	plain := small(t, nil)
	row := func(p int32, count int32, strict bool, label string) yarn.Ask {
		return yarn.Ask{Priority: p, Where: yarn.AnyPlace, Size: yarn.Resource{Memory: int64(p) << 10, VCores: 1},
			Count: count, Strict: strict, Label: label}
	}
	for _, s := range []*Scheduler{plain, s} {
		if _, err := s.AddNode(big("n")); err != nil {
			t.Fatal(err)
		}
		a := s.apps[submit(t, s, "u", "root.a")]
		s.Beat(0, nil, nil)
		for _, c := range []struct {
			asks          []yarn.Ask
			plain, inX    int64
			strict, label bool
		}{
			{[]yarn.Ask{row(1, 5, false, "")}, 5, 0, false, false},
			{[]yarn.Ask{row(1, 7, false, "")}, 7, 0, false, false},
			{[]yarn.Ask{row(1, 3, false, ""), row(2, 4, false, "")}, 11, 0, false, false},
			{[]yarn.Ask{row(1, 4, false, ""), row(2, 2, false, "")}, 8, 0, false, false},
			{[]yarn.Ask{row(1, 6, true, "")}, 10, 0, true, false},
			{[]yarn.Ask{row(1, 5, true, "")}, 9, 0, true, false},
			{[]yarn.Ask{row(1, 2, false, "x")}, 4, 2, false, true},
			{[]yarn.Ask{row(1, 3, false, "x")}, 4, 3, false, true},
			{[]yarn.Ask{row(1, 1, false, "")}, 5, 0, false, false},
		} {
			if c.label && !s.labelled() {
				continue
			}
			var resp yarn.AskResponse
			s.Ask(a.id, c.asks, nil, &resp)
			var inX int64
			if s.labelled() {
				inX = a.at(1).pending.Memory >> 10
			}
			got, root, strict := a.pending.Memory>>10, s.root.pending.Memory>>10, a.key(1, 0).Any.Strict
			if resp.Refused != nil || got != c.plain || root != c.plain || inX != c.inX || strict != c.strict {
				t.Errorf("%v: %d GiB pending (%d in the root, %d in x), strict %v, refused %v; want %d (%d in x), %v", c.asks, got,
					root, inX, strict, resp.Refused, c.plain, c.inX, c.strict)
			}
		}
	}
}
