package yarnconf

import (
	"testing"

	"pgregory.net/rapid"
)

// TestCompareDominant: the way without divisions decides as the original's
// shares do, for close values and for ones too large for it.
func TestCompareDominant(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		part := func(label string) int64 {
			top := int64(1) << rapid.IntRange(0, 62).Draw(t, label+" bits")
			return rapid.Int64Range(-top/8, top).Draw(t, label)
		}
		cluster := Resource{max(part("cluster memory"), 0), max(part("cluster cores"), 0)}
		a := Resource{part("memory"), part("cores")}
		b := a
		if rapid.Bool().Draw(t, "far") {
			b = Resource{part("other memory"), part("other cores")}
		}
		b.Memory += rapid.Int64Range(-1, 1).Draw(t, "memory step")
		b.VCores += rapid.Int64Range(-1, 1).Draw(t, "cores step")
		if cluster.IsNone() || a == b {
			return
		}
		if got, want := compareDominant(cluster, a, b), compareShares(cluster, a, b); got != want {
			t.Fatalf("cluster %v: %v against %v is %d, by shares %d", cluster, a, b, got, want)
		}
	})
}
