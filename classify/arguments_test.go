package classify

import (
	"math"
	"testing"
)

// Classes that a confusion matrix does not have never came and were never named; a feature
// without levels is not counted.
func TestArgumentsOutOfRange(t *testing.T) {
	m := NewConfusion(Binary())
	for _, class := range []int{-1, 2} {
		for _, v := range []float64{m.Precision(class), m.Recall(class), m.F1(class)} {
			if !math.IsNaN(v) {
				t.Errorf("class %d: %v", class, v)
			}
		}
	}
	modes := NewModes(Schema{{Name: "a", Job: true, Levels: -3}})
	modes.Observe([]float64{1})
	x := []float64{math.NaN()}
	if modes.Fill(x); !math.IsNaN(x[0]) {
		t.Error(x)
	}
}
