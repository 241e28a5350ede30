package papers

import (
	"strconv"
	"testing"

	"schedtune/datasets"
	"schedtune/simcore/sched"
)

// The defaults of capacity-mr1 are those of the thesis's table 2.1 and its two hidden
// settings; a queue's capacity is its part of the cluster there.
func TestCapacityMR1HasTheDefaultsOfTable21(t *testing.T) {
	tab, err := datasets.Published("thesis", "2.1")
	if err != nil {
		t.Fatal(err)
	}
	spec, err := sched.Parse("capacity-mr1")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range tab.Rows {
		name, want := r[0], r[2]
		if name == "capacity" {
			continue
		}
		if name == "init-poll-interval" { // seconds there
			ms, err := strconv.Atoi(want)
			if err != nil {
				t.Fatal(err)
			}
			want = strconv.Itoa(ms / 1000)
		}
		if got := spec.Values[name]; got != want {
			t.Errorf("%s is %q, want %q as in table 2.1", name, got, want)
		}
	}
	if len(tab.Rows) != 13 {
		t.Errorf("%d settings, want 11 and 2 hidden ones", len(tab.Rows))
	}
}
