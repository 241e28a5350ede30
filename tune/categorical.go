package tune

import (
	"math"
	"slices"
)

// Categories beside the normal distribution of CMA-ES, after R. Hamano,
// S. Saito, M. Nomura, K. Uchida and S. Shirakawa, "CatCMA: Stochastic
// Optimization for Mixed-Category Problems", GECCO 2024: every unordered
// coordinate has a probability vector q of its own that moves along the
// natural gradient,
//
//	q <- q + eta (sum_k w_k e_{c_k} - q),
//
// over the better half with the recombination weights of CMA-ES, and no
// probability falls below a margin. What differs: eta is fixed at
// mueff / (n + mueff) instead of adapted, and the first q favours the present
// choice, which has half of the probability.

// categorical is the distribution of one unordered coordinate.
type categorical struct {
	coord int
	cuts  cuts
	q     []float64
}

// newCategorical starts at the choice whose cell holds the coordinate at.
func newCategorical(coord int, cells cuts, at float64) *categorical {
	others := len(cells)
	if others == 0 {
		return &categorical{coord, cells, []float64{1}}
	}
	c := &categorical{coord, cells, slices.Repeat([]float64{0.5 / float64(others)}, others+1)}
	c.q[cells.cell(at)] = 0.5
	return c
}

// sample turns a uniform draw into the coordinate of a choice.
func (c *categorical) sample(u float64) float64 {
	for i, p := range c.q {
		if u < p || i == len(c.q)-1 {
			return c.cuts.middle(i)
		}
		u -= p
	}
	return c.cuts.middle(0)
}

// mode is the coordinate of the likeliest choice.
func (c *categorical) mode() float64 {
	return c.cuts.middle(slices.Index(c.q, slices.Max(c.q)))
}

// update moves q towards the choices of the better points, best first.
func (c *categorical) update(points []Point, rank []int, w []float64, eta, margin float64) {
	for i := range c.q {
		c.q[i] *= 1 - eta
	}
	for r, wr := range w {
		c.q[c.cuts.cell(points[rank[r]][c.coord])] += eta * wr
	}
	c.raise(margin)
}

// raise lifts every probability to the margin and scales the excess of the
// others down so that the sum stays 1.
func (c *categorical) raise(margin float64) {
	k := float64(len(c.q))
	margin = math.Min(margin, 0.5/k)
	excess := 0.0
	for i := range c.q {
		c.q[i] = math.Max(c.q[i], margin)
		excess += c.q[i] - margin
	}
	if excess == 0 {
		return
	}
	for i := range c.q {
		c.q[i] = margin + (c.q[i]-margin)*(1-k*margin)/excess
	}
}
