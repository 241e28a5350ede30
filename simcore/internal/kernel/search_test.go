package kernel

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The index is that of the library's search, of numbers that are there and of others, at the
// ends of the range too.
func TestSearch(t *testing.T) {
	number := rapid.OneOf(rapid.Int32Range(-9, 9), rapid.SampledFrom([]int32{math.MinInt32, math.MaxInt32}), rapid.Int32())
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.SliceOf(number).Draw(t, "numbers")
		slices.Sort(in)
		v := number.Draw(t, "wanted")
		if want, _ := slices.BinarySearch(in, v); Search(in, v) != want {
			t.Fatalf("%d is at %d of %v, want %d", v, Search(in, v), in, want)
		}
	})
}
