package java

import (
	"cmp"
	"slices"
	"testing"
)

// TestScalaBucket checks the order in which Spark 3.5.5 with Scala 2.12 went through hash tables of
// task numbers: recorded drivers put the tasks of lost executors back in these orders.
func TestScalaBucket(t *testing.T) {
	for _, c := range []struct {
		entries int
		want    []uint32
	}{{19, []uint32{12, 6}}, {22, []uint32{17, 4, 9}}} {
		got := slices.Sorted(slices.Values(c.want))
		slices.SortFunc(got, func(a, b uint32) int {
			return cmp.Compare(ScalaBucket(b, c.entries), ScalaBucket(a, c.entries))
		})
		if !slices.Equal(got, c.want) {
			t.Errorf("%d entries: keys in order %v, want %v", c.entries, got, c.want)
		}
	}
	for n := range 100 {
		if b := ScalaBucket(uint32(n)*0x9e3779b9, n); int(b) >= max(16, 3*n) {
			t.Errorf("%d entries: bucket %d", n, b)
		}
	}
}
