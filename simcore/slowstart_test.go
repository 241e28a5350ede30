package simcore

import "testing"

// The products in 32-bit floats, as Hadoop takes them. In 64 bits 0.07 * 100, 0.55 * 100
// and 0.28 * 25 are 7.000000000000001, 55.00000000000001 and 7.000000000000001, and
// their ceilings one more.
func TestSlowstartMaps(t *testing.T) {
	for _, c := range []struct {
		share      float64
		maps, want int32
	}{{0.07, 100, 7}, {0.55, 100, 55}, {0.28, 25, 7}, {0.05, 1, 1}, {0.05, 21, 2}, {0.05, 0, 0}, {0, 40, 0}, {1, 40, 40}, {0.999, 40, 40}} {
		if got := SlowstartMaps(c.share, c.maps); got != c.want {
			t.Errorf("%v of %d maps: %d, want %d", c.share, c.maps, got, c.want)
		}
	}
}
