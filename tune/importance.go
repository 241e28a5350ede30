package tune

import (
	"cmp"
	"math"
	"slices"

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
func (c *course) importance() []Importance {
	y, x := c.centred()
	if len(y) < 10 {
		return nil
	}
	total := dot(y, y)
	var out []Importance
	for _, u := range c.p.Space.units() {
		rest := append([]float64(nil), y...)
		for k := u.first; k < u.first+u.dim; k++ {
			rest = residual(rest, x[2*k])
			rest = residual(rest, x[2*k+1])
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
func (c *course) centred() (y []float64, x [][]float64) {
	x = make([][]float64, 2*c.p.Space.Dim())
	for _, g := range c.history {
		if len(g.points) < 3 {
			continue
		}
		values := stats.Ranks(costs(g.scores))
		y = append(y, centre(values)...)
		for k := range c.p.Space.Dim() {
			lin := make([]float64, len(g.points))
			for i, p := range g.points {
				lin[i] = p[k]
			}
			lin = centre(lin)
			sq := make([]float64, len(lin))
			for i, v := range lin {
				sq[i] = v * v
			}
			x[2*k] = append(x[2*k], lin...)
			x[2*k+1] = append(x[2*k+1], centre(sq)...)
		}
	}
	return y, x
}

// centre subtracts the mean and divides by the standard deviation.
func centre(v []float64) []float64 {
	m, sd := moments(v)
	out := make([]float64, len(v))
	for i := range v {
		if sd > 0 {
			out[i] = (v[i] - m) / sd
		}
	}
	return out
}

// residual is y without its projection on x.
func residual(y, x []float64) []float64 {
	xx := dot(x, x)
	if xx == 0 {
		return y
	}
	b := dot(x, y) / xx
	out := make([]float64, len(y))
	for i := range y {
		out[i] = y[i] - b*x[i]
	}
	return out
}

func dot(a, b []float64) float64 {
	s := 0.0
	for i := range a {
		s += a[i] * b[i]
	}
	return s
}
