package tune

import (
	"math"
	"slices"
	"testing"
)

// An outcome keeps the hints that can be used, the heaviest first.
func TestCleanHints(t *testing.T) {
	many := make([]Hint, 2*MaxHints)
	for i := range many {
		many[i] = Hint{string(rune('a' + i)), 1, 0.5}
	}
	for name, c := range map[string]struct{ in, want []Hint }{
		"sorted": {[]Hint{{"b", 1, 0.5}, {"a", -2, 0.5}, {"c", 3, 0.9}},
			[]Hint{{"c", 3, 0.9}, {"a", -2, 0.5}, {"b", 1, 0.5}}},
		"useless": {[]Hint{{"", 1, 1}, {"a", 0, 1}, {"b", math.NaN(), 1}, {"c", 1, 0}, {"d", 1, 1.5},
			{"e", 1, math.NaN()}}, nil},
		"bounded": {many, many[:MaxHints]},
		"none":    {nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			got := Outcome{Hints: c.in, Metrics: map[string]float64{}}.checked(nil).Hints
			if !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}
