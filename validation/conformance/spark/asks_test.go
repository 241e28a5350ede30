package spark

import "testing"

// TestAsks: fed with the recorded messages, grants and ends, the allocator
// sends with each recorded call the same rows, for any host as for nodes and
// racks, and at least 99 % of the releases, with the same call or the one after.
// The sizes of shuffle blocks, which decide preferred nodes, are not recorded;
// they follow from the program of the recorded applications.
func TestAsks(t *testing.T) {
	asks, sameAsks, extra, rel, sameRel := 0, 0, 0, 0, 0
	for _, r := range everyRun(t) {
		for i := range r.Apps {
			a := r.Apps[i]
			if a.Kind != "spark" {
				continue
			}
			s := r.JudgeAsks(a)
			asks, sameAsks, extra = asks+s.Asks, sameAsks+s.SameAsks, extra+s.ExtraAsks
			rel, sameRel = rel+s.Releases, sameRel+s.SameReleases
			for _, n := range s.Notes {
				t.Logf("%s %s: %s", r.Name, a.Name, n)
			}
		}
	}
	t.Logf("rows: %d of %d and %d others; releases: %d of %d", sameAsks, asks, extra, sameRel, rel)
	if sameAsks != asks || extra > 0 {
		t.Errorf("rows: %d of %d, %d others; want all and none", sameAsks, asks, extra)
	}
	if 100*sameRel < 99*rel {
		t.Errorf("%d of %d releases, want 99 %%", sameRel, rel)
	}
}
