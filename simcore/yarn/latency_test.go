package yarn

import (
	"math"
	"testing"
)

// A quantile beyond the ends is that of the end.
func TestLatencyAtTheEnds(t *testing.T) {
	l := Latency{1, 2, 4}
	for u, want := range map[float64]float64{-1: 1, 0: 1, 0.75: 3, 1: 4, 2: 4, 1e308: 4, math.Inf(-1): 1} {
		if got := l.At(u); got != want {
			t.Errorf("at %v: %v, want %v", u, got, want)
		}
	}
	if !math.IsNaN(Latency{}.At(0.5)) || !math.IsNaN(l.At(math.NaN())) {
		t.Error("a quantile of nothing")
	}
}
