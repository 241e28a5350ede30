package spark

import (
	"testing"

	"schedtune/validation/sparkreplay"
)

// TestAsks: fed with the recorded messages, grants and ends, the allocator
// sends with each recorded call the same rows, for any host as for nodes and
// racks, and at least 99 % of the releases, with the same call or the one after.
// The sizes of shuffle blocks, which decide preferred nodes, are not recorded;
// they follow from the program of the recorded applications.
func TestAsks(t *testing.T) {
	var s sparkreplay.AskScore
	for _, r := range everyRun(t) {
		for i := range r.Apps {
			a := r.Apps[i]
			if a.Kind != "spark" {
				continue
			}
			noted := len(s.Notes)
			r.JudgeAsks(a, &s)
			for _, n := range s.Notes[noted:] {
				t.Logf("%s %s: %s", r.Name, a.Name, n)
			}
		}
	}
	t.Logf("rows: %d of %d and %d others; releases: %d of %d", s.SameAsks, s.Asks, s.ExtraAsks, s.SameReleases, s.Releases)
	if s.SameAsks != s.Asks || s.ExtraAsks > 0 {
		t.Errorf("rows: %d of %d, %d others; want all and none", s.SameAsks, s.Asks, s.ExtraAsks)
	}
	if 100*s.SameReleases < 99*s.Releases {
		t.Errorf("%d of %d releases, want 99 %%", s.SameReleases, s.Releases)
	}
}
