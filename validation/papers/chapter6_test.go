package papers

import (
	"math"
	"slices"
	"testing"

	"schedtune/datasets"
)

// Experiments 2 and 5, 6 and 8 of table 6.5 are the same by construction: their makespans
// are 1197, 1200 and 1229, 1229 against 1229, 1233 and 1230, 1228.
func TestEqualExperiments(t *testing.T) {
	cells := newRunner(t.Context(), Options{Replications: 1}).cells("6.5")
	var x, y []float64
	for _, pair := range equalCells(cells) {
		x, y = append(x, cells[pair[0]].published), append(y, cells[pair[1]].published)
	}
	if want := []float64{1197, 1200, 1229, 1229}; !slices.Equal(x, want) {
		t.Errorf("first of each pair: got %v, want %v", x, want)
	}
	if want := []float64{1229, 1233, 1230, 1228}; !slices.Equal(y, want) {
		t.Errorf("second of each pair: got %v, want %v", y, want)
	}
	// Their settings differ in the User-Limit-Factor alone, under a limit.
	for _, pair := range chapter6Equal {
		a, err := datasets.ThesisExperiment(pair[0])
		if err != nil {
			t.Fatal(err)
		}
		b, err := datasets.ThesisExperiment(pair[1])
		if err != nil {
			t.Fatal(err)
		}
		if a.UserLimitFactor == b.UserLimitFactor || a.MinimumUserPercent != b.MinimumUserPercent ||
			!slices.Equal(a.Capacity, b.Capacity) || !slices.Equal(a.MaximumCapacity, a.Capacity) ||
			!slices.Equal(b.MaximumCapacity, b.Capacity) {
			t.Errorf("experiments %v: got %+v and %+v, want a difference in the User-Limit-Factor only", pair, a, b)
		}
	}
}

// A job's runs make a sample: two jobs of type 1 with 1 and 3, 10 and 30 seconds in two runs
// both vary by sqrt(2)/2, however much they differ.
func TestVariationIsOverRuns(t *testing.T) {
	m := measured{"run/execution 0 1 0": {1, 3}, "run/execution 1 1 1": {10, 30}}
	m.variations()
	for _, key := range []string{"run/v0 1", "run/v1 1", "run/v2 1"} {
		t.Run(key, func(t *testing.T) {
			if got := m[key]; len(got) != 1 || math.Abs(got[0]-math.Sqrt2/2) > 1e-9 {
				t.Errorf("%s: got %v, want %v", key, got, math.Sqrt2/2)
			}
		})
	}
}

// The correlation that repeats leave, by hand: ranks 1 to 8 have variance 63/12.
func TestAttainable(t *testing.T) {
	for _, c := range []struct {
		name   string
		values map[int]float64 // by experiment; ranks are the values
		want   float64
	}{
		// Pairs 2 and 5, 6 and 8: w = (1/2 + 1/2)/2 = 0.5, b = (64-1)/12.
		{"neighbours", map[int]float64{1: 1, 2: 2, 5: 3, 3: 4, 6: 5, 8: 6, 4: 7, 7: 8}, math.Sqrt(1 - 0.5/5.25)},
		// w = 49/2 and 25/2, more than the table varies by.
		{"far apart", map[int]float64{2: 1, 5: 8, 6: 2, 8: 7, 1: 3, 3: 4, 4: 5, 7: 6}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			var cells []chapter6Cell
			for n := 1; n <= 8; n++ {
				cells = append(cells, chapter6Cell{experiment: n, item: 1, published: c.values[n]})
			}
			if got := attainable(cells, false); math.Abs(got-c.want) > 1e-12 {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}
