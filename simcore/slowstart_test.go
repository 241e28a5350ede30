package simcore

import (
	"fmt"
	"testing"
)

// TestSlowstartMaps checks products in 32-bit floats, as in Hadoop. In 64 bits 0.07 * 100,
// 0.55 * 100 and 0.28 * 25 are 7.000000000000001, 55.00000000000001 and 7.000000000000001,
// and their ceilings one more.
func TestSlowstartMaps(t *testing.T) {
	for _, c := range []struct {
		share      float64
		maps, want int32
	}{{0.07, 100, 7}, {0.55, 100, 55}, {0.28, 25, 7}, {0.05, 1, 1}, {0.05, 21, 2}, {0.05, 0, 0}, {0, 40, 0}, {1, 40, 40},
		{0.999, 40, 40}} {
		t.Run(fmt.Sprint(c.share, " of ", c.maps), func(t *testing.T) {
			if got := SlowstartMaps(c.share, c.maps); got != c.want {
				t.Errorf("got %d maps, want %d", got, c.want)
			}
		})
	}
}
