package stats

import (
	"math"
	"slices"
	"testing"
	"time"
)

// Type 7 of 1, 2, 3, 4: the quartiles are 1.75, 2.5 and 3.25.
func TestQuantilesAndMedian(t *testing.T) {
	x := []float64{1, 2, 3, 4}
	for q, want := range map[float64]float64{0: 1, 0.25: 1.75, 0.5: 2.5, 0.75: 3.25, 1: 4} {
		if got := Quantile(x, q); got != want {
			t.Errorf("quantile %g: %g, want %g", q, got, want)
		}
	}
	y := []float64{9, 1, 5}
	if got := Median(y); got != 5 || !slices.Equal(y, []float64{9, 1, 5}) {
		t.Errorf("median %g of %v, want 5 and the sample as it was", got, y)
	}
	if got := Median([]float64{4, 1}); got != 2.5 {
		t.Errorf("median of two: %g", got)
	}
	if !math.IsNaN(Median(nil)) || !math.IsNaN(Mean(nil)) {
		t.Error("no values have a median or a mean")
	}
}

// 1, 2, 3: mean 2, standard deviation 1, t(2, 0.975) = 4.3027.
func TestMeanInterval(t *testing.T) {
	m, low, high := MeanInterval([]float64{1, 2, 3}, 0.95)
	if m != 2 || math.Abs(high-2-4.3027/math.Sqrt(3)) > 1e-4 || math.Abs(low+high-4) > 1e-12 {
		t.Errorf("%g (%g to %g)", m, low, high)
	}
}

// Ties share their mean rank; a monotone map keeps the correlation at 1, a
// reversed one at -1, a constant sample has none.
func TestSpearman(t *testing.T) {
	if got := Ranks([]float64{5, 1, 5, 0}); !slices.Equal(got, []float64{3.5, 2, 3.5, 1}) {
		t.Errorf("ranks %v", got)
	}
	x, y := []float64{1, 2, 4, 8}, []float64{0, 1, 10, 1000}
	if got := Spearman(x, y); math.Abs(got-1) > 1e-12 {
		t.Errorf("monotone: %g", got)
	}
	slices.Reverse(y)
	if got := Spearman(x, y); math.Abs(got+1) > 1e-12 {
		t.Errorf("reversed: %g", got)
	}
	if !math.IsNaN(Spearman(x, []float64{1, 1, 1, 1})) {
		t.Error("a constant has no correlation")
	}
}

// A NaN has a rank of its own and does not hold the loop up.
func TestRanksWithNaN(t *testing.T) {
	done := make(chan []float64, 1)
	go func() { done <- Ranks([]float64{1, math.NaN(), 2}) }()
	select {
	case r := <-done:
		if len(r) != 3 {
			t.Errorf("%v", r)
		}
	case <-time.After(time.Minute):
		t.Fatal("no answer in a minute")
	}
}
