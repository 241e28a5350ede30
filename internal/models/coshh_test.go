package models

import (
	"slices"
	"testing"

	"schedtune/simcore"
)

// Two users submit three jobs within an hour; a job of 60 s of maps takes 30 s on a node of two slots and 15 s
// on one of twice the speed.
func TestCOSHHFacts(t *testing.T) {
	w := &simcore.Workload{Users: []string{"a", "b"}, Dists: []simcore.Dist{{Kind: simcore.Constant, A: 10}}, Jobs: []simcore.Job{
		{ID: "1", User: 0, Priority: 2, Maps: 6, FirstTask: -1},
		{ID: "2", User: 1, Maps: 6, FirstTask: -1, Submit: 30 * simcore.Minute},
		{ID: "3", User: 0, Maps: 6, Reduces: 1, FirstTask: -1, Submit: simcore.Hour}}}
	slots := simcore.Vec{2, 1}
	c := &simcore.Cluster{Nodes: []simcore.Node{{Name: "n1", Slots: slots}, {Name: "n2", Slots: slots},
		{Name: "fast", Slots: slots, Speed: 2}}}
	facts, columns := COSHHFacts(w, c)
	if want := []string{"priority", "arrival rate", "time on n1", "time on fast"}; !slices.Equal(columns, want) {
		t.Fatalf("got columns %q, want %q", columns, want)
	}
	for i, want := range [][]float64{{2, 2, 30, 15}, {0, 1, 30, 15}, {0, 2, 40, 20}} {
		if got := facts[i].Values; !slices.Equal(got, want) {
			t.Errorf("job %d: got %v, want %v", i+1, got, want)
		}
	}
}
