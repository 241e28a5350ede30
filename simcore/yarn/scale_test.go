package yarn

import (
	"testing"

	"schedtune/simcore"
)

// The formulas of the rules, by hand.
func TestScalingRules(t *testing.T) {
	r := &simcore.Scaling{Up: 0.5, Down: 0.5, UpFraction: 0.2, DownFraction: 0.2, Low: 0.15, High: 0.75, Pending: 0.75,
		Step: 2}
	for _, c := range []struct {
		pending, allocated, available float64 // sums of 4 readings
		have, byPending, byShare      int32
	}{
		{4 * 9000, 4 * 10000, 0, 10, 5, 2},               // 9 nodes of 1000 missing: half of it rounded up; all is taken
		{4 * 9000, 4 * 10000, 4 * 8000, 10, 0, 2},        // 1 missing is less than a fifth of 10; 0.9 wait for each allocated
		{0, 0, 4 * 9000, 9, -4, -2},                      // 9 too many: half of it, towards more nodes
		{0, 4 * 8000, 4 * 1000, 9, 0, 2},                 // 1 too many is less than a fifth; 1/9 is free
		{0, 4 * 5000, 4 * 4000, 9, -2, 0},                // 4 too many; 4/9 free is between the bounds
		{4 * 1000, 0, 0, 0, 1, 2},                        // no node at all
		{4 * 1000, 4 * 8000, 4 * 32000, 40, -15, -2},     // 31 too many; 0.8 free, and 1/8 waits
		{4 * 100000, 4 * 4000, 4 * 16000, 20, 42, 2},     // what waits goes before what is free
		{0, 0, 0, 5, 0, 0},                               // nothing there
		{4 * 2000, 4 * 10000, 0, 10, 1, 2},               // exactly the fraction counts
		{4 * 3000000000, 4 * 1000, 0, 1, 1_000_000, 2},   // bounded
		{0, 4 * 1000, 4 * 3000000000, 9, -1_000_000, -2}, // bounded
	} {
		st := &scaling{readings: 4, pending: c.pending, allocated: c.allocated, available: c.available}
		if got := pendingChange(r, st, c.have, 1000); got != c.byPending {
			t.Errorf("%+v: %+d nodes by pending memory, want %+d", c, got, c.byPending)
		}
		if got := utilisationChange(r, st); got != c.byShare {
			t.Errorf("%+v: %+d nodes by utilisation, want %+d", c, got, c.byShare)
		}
	}
}

// TestNodeStepsInOrder checks that steps come in order of time, equal ones in order of entry.
func TestNodeStepsInOrder(t *testing.T) {
	e := &elastic{}
	for i := range int32(500) {
		e.push(nodeStep{at: simcore.Time(i * 7919 % 50), n: i})
	}
	last := nodeStep{at: -1}
	for range 500 {
		st := e.pop()
		if st.at < last.at || st.at == last.at && st.n < last.n {
			t.Fatalf("got %+v after %+v", st, last)
		}
		last = st
	}
	if len(e.steps) != 0 {
		t.Errorf("%d steps left", len(e.steps))
	}
}
