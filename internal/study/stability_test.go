package study

import (
	"context"
	"testing"

	"schedtune/tune"
)

// A study repeated with other seeds is counted with the others: each change is kept
// in at most all of them, in at least one, with one value for each.
func TestStabilityCounts(t *testing.T) {
	s, err := PrepareCase(t.Context(), lossCase(t, 1004), Request{Objectives: []string{"mean-completion"}, Workers: 2,
		Options: tune.Options{Budget: 60, Seed: 1}})
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Run(context.Background(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	st, err := s.Stability(context.Background(), r, 2, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if st.Studies != 2 || len(st.Gains) != 2 || st.Recommended > 2 || (st.Recommended == 0) != (len(st.Changes) == 0) {
		t.Fatalf("%+v; want two studies with a gain each", st)
	}
	for i, c := range st.Changes {
		if c.Kept < 1 || c.Kept > st.Recommended || len(c.Values) != c.Kept || i > 0 && c.Kept > st.Changes[i-1].Kept {
			t.Errorf("%+v after %+v", c, st.Changes[max(0, i-1)])
		}
	}
	again, err := s.Stability(context.Background(), r, 1, nil, nil)
	if err != nil || again.Gains[0] != st.Gains[0] {
		t.Errorf("again %+v (%v), want the same", again, err)
	}
}
