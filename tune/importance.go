package tune

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"schedtune/internal/stats"
)

// Importance is how much of the spread of scores within generations a change
// unit explains on its own: the R² of a straight line plus a parabola in each
// of its coordinates, with the generations' means taken out (their seeds
// differ). The sampler's points cluster as it converges, so the number ranks
// parameters over what was tried, not over the whole space.
type Importance struct {
	Name  string  `json:"name"`  // of the parameter, or of the group of shares
	Share float64 `json:"share"` // 0 to 1; shares need not add up to 1
}

// importance ranks the units, most important first.
func (c account) importance() []Importance {
	y, x := c.centred()
	if len(y) < 10 {
		return nil
	}
	total := dot(y, y)
	var out []Importance
	for _, u := range c.p.Space.units() {
		rest := y
		for _, v := range x[2*u.first : 2*(u.first+u.dim)] {
			rest = residual(rest, v)
		}
		share := 0.0
		if total > 0 {
			share = math.Max(0, 1-dot(rest, rest)/total)
		}
		out = append(out, Importance{u.name, share})
	}
	slices.SortStableFunc(out, func(a, b Importance) int { return cmp.Compare(b.Share, a.Share) })
	return out
}

// centred returns the ranks of scores within generations, centred and scaled,
// and per coordinate its centred value and square.
func (c account) centred() (y []float64, x [][]float64) {
	x = make([][]float64, 2*c.p.Space.Dim())
	for _, g := range c.found.history {
		if len(g.points) < 3 {
			continue
		}
		y = append(y, centre(stats.Ranks(mapped(g.scores, Score.cost)))...)
		for k := range c.p.Space.Dim() {
			lin := centre(mapped(g.points, func(p Point) float64 { return p[k] }))
			x[2*k] = append(x[2*k], lin...)
			x[2*k+1] = append(x[2*k+1], centre(mapped(lin, func(v float64) float64 { return v * v }))...)
		}
	}
	return y, x
}

// centre subtracts the mean and divides by the standard deviation.
func centre(v []float64) []float64 {
	m, sd := stats.Moments(v)
	if sd == 0 {
		return make([]float64, len(v))
	}
	return mapped(v, func(x float64) float64 { return (x - m) / sd })
}

// residual is y without its projection on x.
func residual(y, x []float64) []float64 {
	xx := dot(x, x)
	if xx == 0 {
		return y
	}
	return floats.AddScaledTo(make([]float64, len(y)), y, -dot(x, y)/xx, x)
}

func dot(a, b []float64) float64 {
	s := 0.0
	for i := range a {
		s += a[i] * b[i]
	}
	return s
}
