package simcore

import (
	"fmt"
	"testing"
)

// TestRefusalCauses checks that refusals of two users of a queue are added up, that causes come
// in descending order, and that those beyond the maximum are counted.
func TestRefusalCauses(t *testing.T) {
	rs := []Refusal{
		{Queue: "root.a", User: "u", Limit: "full", Jobs: 2}, {Queue: "root.b", User: "u", Limit: "stopped", Jobs: 4.5},
		{Queue: "root.a", User: "v", Limit: "full", Jobs: 3}, {Queue: "root.a", User: "v", Limit: "stopped", Jobs: 0},
		{Queue: "root.c", User: "v", Jobs: 1},
	}
	for most, want := range map[int]string{
		1: "5 jobs in root.a: full; 2 more causes",
		3: "5 jobs in root.a: full; 4.5 jobs in root.b: stopped; 1 job in root.c: not admitted by the scheduler",
	} {
		t.Run(fmt.Sprint("most ", most), func(t *testing.T) {
			if got := RefusalCauses(rs, most); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
	if got := RefusalCauses(nil, 3); got != "" {
		t.Errorf("without refusals: got %q, want none", got)
	}
}
