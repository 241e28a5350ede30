package tune

import (
	"math"
	"testing"
)

// A level that is none gives no ends; a coordinate that the space has not, no cells.
func TestNoSuchLevelOrCoordinate(t *testing.T) {
	x := []float64{1, 2, 4, 8}
	for _, level := range []float64{-1, 0, 1, 3, math.NaN()} {
		for _, iv := range []Interval{MeanInterval(x, level), bootstrapInterval(x, level, 1)} {
			if iv.Mean != 3.75 || iv.Low != -math.MaxFloat64 || iv.High != math.MaxFloat64 {
				t.Errorf("level %v: %+v", level, iv)
			}
		}
	}
	s, err := NewSpace(Param{Name: "a", Present: "1", Min: 0, Max: 2})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []int{-1, 1} {
		if s.Cuts(c) != nil || s.Unordered(c) {
			t.Errorf("coordinate %d", c)
		}
	}
}
