package report

import "testing"

// TestCausedByPeriod: queue a holds 2 GiB for two hours, b waits through the first and
// holds 1 GiB in the second, c waits through its second half. What a caused in an hour
// is charged to that hour though nothing of a changes between the two: 1 h of b in the
// first, two thirds of c's half hour in the second.
func TestCausedByPeriod(t *testing.T) {
	r := sum(t, Hour,
		newJob("1", "a", "u", 0, container(0, 2*hour, 2048, 4)),
		newJob("2", "b", "v", 0, container(hour, 2*hour, 1024, 1)),
		newJob("3", "c", "u", hour+hour/2, container(2*hour, 2*hour+1, 1024, 1)))
	for name, want := range map[string][2]float64{"a": {1, 0.5 * 2 / 3}, "b": {0, 0.5 / 3}, "c": {0, 0}} {
		g := find(t, r.Queues, name)
		if len(g.Periods) < 2 {
			t.Fatalf("%d periods of %s", len(g.Periods), name)
		}
		near(t, name+" caused in the first hour", g.Periods[0].CausedHours, want[0])
		near(t, name+" caused in the second hour", g.Periods[1].CausedHours, want[1])
		near(t, name+" caused in both", g.CausedHours, want[0]+want[1])
	}
	if r.Waits != 3 {
		t.Errorf("%d jobs whose waiting is known, want 3", r.Waits)
	}
}
