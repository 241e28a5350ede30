package replay

import (
	"slices"
	"testing"

	"schedtune/simcore"
)

// Known heartbeats stay; between them others follow about a second apart, and two
// within 0.4 s are one.
func TestEven(t *testing.T) {
	ms := func(x ...simcore.Time) (out []simcore.Time) {
		for _, v := range x {
			out = append(out, v*simcore.Millisecond)
		}
		return out
	}
	for _, c := range []struct{ known, want []simcore.Time }{
		{ms(1000), nil},
		{ms(1000, 2004), ms(2004)},
		{ms(1000, 1300, 2304), ms(2304)},
		{ms(1000, 4012), ms(2004, 3008, 4012)},
	} {
		if got := even(c.known); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.known, got, c.want)
		}
	}
}

// A moved step stands between its new neighbours in time.
func TestMove(t *testing.T) {
	steps := func() []step { return []step{{at: 10}, {at: 20}, {at: 30}, {at: 40}} }
	s := steps()
	move(s, 0, 2)
	if s[2].at != 30 || s[0].at != 20 || s[1].at != 30 {
		t.Errorf("later: %v", s)
	}
	s = steps()
	move(s, 3, 1)
	if s[1].at != 20 || s[2].at != 20 || s[3].at != 30 {
		t.Errorf("earlier: %v", s)
	}
}

// What one of two heartbeats of a node is recorded to have done goes to the other.
func TestTakeOver(t *testing.T) {
	a, b, c := &Container{}, &Container{}, &Container{}
	from, to := step{expected: []*Container{a}, done: []*Container{b}}, step{expected: []*Container{c}}
	takeOver(&to, &from)
	if len(to.expected) != 2 || to.expected[0] != a || len(to.done) != 1 || from.expected != nil || from.done != nil {
		t.Errorf("%+v, %+v", to, from)
	}
}

// The replay of the run by hand makes its calls at the times of the settled ones,
// and its containers end in the heartbeats that are recorded to free them.
func TestFollow(t *testing.T) {
	r, err := Load(smallRun(t, "n1", 3000, nil))
	if err != nil {
		t.Fatal(err)
	}
	w, rec, err := r.recorded()
	if err != nil {
		t.Fatal(err)
	}
	calls, err := r.settle()
	if err != nil {
		t.Fatal(err)
	}
	for i := 1; i < len(calls.steps); i++ {
		if calls.steps[i].at <= calls.steps[i-1].at {
			t.Fatalf("step %d at %v, the one before at %v", i, calls.steps[i].at, calls.steps[i-1].at)
		}
	}
	beats := rec.NodeBeats[0]
	if len(beats) == 0 || !slices.IsSorted(beats) {
		t.Errorf("heartbeats handled at %v", beats)
	}
	// The map ends at 14 s; n1's out-of-band heartbeat at 14.03 s frees it.
	free := 14*simcore.Second + rec.Exit[0]
	if i, _ := slices.BinarySearch(beats, free); i == len(beats) || beats[i] < 14030*simcore.Millisecond ||
		beats[i] > 14031*simcore.Millisecond {
		t.Errorf("the map's container is free at %v, with no heartbeat at 14.03 s", free)
	}
	if w.Jobs[0].Submit < r.Jobs[0].Submit {
		t.Errorf("submitted at %v, recorded at %v", w.Jobs[0].Submit, r.Jobs[0].Submit)
	}
	if c := r.Cluster().Nodes; c[0].Name != "localhost:1" {
		t.Errorf("node %q, want its address", c[0].Name)
	}
}
