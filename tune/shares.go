package tune

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Shares of one parent, after Egozcue, Pawlowsky-Glahn, Mateu-Figueras and
// Barceló-Vidal, "Isometric logratio transformations for compositional data
// analysis", Mathematical Geology 35 (2003): k shares that sum to a constant
// are k-1 free coordinates
//
//	z_j = sqrt(j/(j+1)) (mean(log w_1 … log w_j) - log w_{j+1}),  j = 1 … k-1
//
// of the weights w_i = share_i - floor_i. The coordinates are centred on the
// current shares, so the middle of the cube is the current configuration and a
// step is a ratio. Decoding adds the floors back, pours what exceeds a ceiling
// over the others, and rounds by largest remainder in whole steps, so the sum
// is exact.

// shareSpan is how far a centred coordinate reaches at least: e^±3, a factor of
// 20. A coordinate far from equal shares reaches beyond those.
const shareSpan = 3

// span is how far coordinate j reaches.
func (g *shares) span(j int) float64 {
	return math.Max(shareSpan, math.Abs(g.centre[j])+shareSpan/2)
}

// shares is one group of siblings.
type shares struct {
	params []*Param // free members
	at     []int    // their places in settings
	lo, hi []int    // bounds in units
	values []float64
	texts  []string // current values
	total  int      // units to hand out
	unit   float64  // points per unit
	centre []float64
}

// newShares prepares a group; fixed members keep their points. It returns the places of
// the free ones, too.
func newShares(name string, ps []Param) (*shares, []int, error) {
	g := &shares{}
	var first *Param
	sum, fixed, step := 0.0, 0.0, math.Inf(1)
	for i := range ps {
		p := &ps[i]
		if p.Kind != Share || p.Group != name {
			continue
		}
		if first == nil {
			first, step = p, p.total()
		}
		v, err := number(p, "current share", p.Present)
		if err != nil {
			return nil, nil, err
		}
		if p.total() != first.total() || p.Suffix != first.Suffix {
			return nil, nil, fmt.Errorf("tune: %s: total %v and suffix %q: must be those of the other shares of %s, %v and %q",
				p.Name, p.total(), p.Suffix, name, first.total(), first.Suffix)
		}
		sum += v
		if p.Fixed {
			fixed += v
			continue
		}
		g.params, g.at = append(g.params, p), append(g.at, i)
		g.values, g.texts = append(g.values, v), append(g.texts, p.Present)
		step = math.Min(step, p.Step)
	}
	all := first.total()
	if slack := 0.0005 * all; math.Abs(sum-all) > slack {
		return nil, nil, fmt.Errorf("tune: shares of %s: sum %s: must be %s within %s", name, formatNumber(sum),
			formatNumber(all), formatNumber(slack))
	}
	g.unit = fitStep(all-fixed, step)
	g.total = int(math.Round((all - fixed) / g.unit))
	if err := g.bounds(name); err != nil {
		return nil, nil, err
	}
	g.centre = g.logRatios(g.values)
	return g, g.at, nil
}

// fitStep returns the largest step, at most the one asked for, that divides
// the points to hand out.
func fitStep(points, step float64) float64 {
	for _, s := range []float64{step, 1, 0.5, 0.25, 0.1, 0.05, 0.01} {
		if s <= step && math.Abs(points/s-math.Round(points/s)) < 1e-6 {
			return s
		}
	}
	return 0.001
}

func (g *shares) bounds(name string) error {
	los, his := 0, 0
	for _, p := range g.params {
		lo := int(math.Ceil(p.Min/g.unit - 1e-9))
		hi := int(math.Floor(p.Max/g.unit + 1e-9))
		g.lo, g.hi = append(g.lo, lo), append(g.hi, hi)
		los, his = los+lo, his+min(hi, g.total)
	}
	if los > g.total || (his < g.total && len(g.params) > 0) {
		points := func(units int) string { return formatNumber(float64(units) * g.unit) }
		return fmt.Errorf("tune: shares of %s: bounds add up to %s to %s points: must enclose %s", name, points(los),
			points(his), points(g.total))
	}
	return nil
}

// logRatios returns the k-1 coordinates of shares in points.
func (g *shares) logRatios(v []float64) []float64 {
	if len(v) < 2 {
		return nil
	}
	z := make([]float64, len(v)-1)
	sum := g.logWeight(v, 0)
	for j := 1; j < len(v); j++ {
		l, n := g.logWeight(v, j), float64(j)
		z[j-1] = math.Sqrt(n/(n+1)) * (sum/n - l)
		sum += l
	}
	return z
}

// logWeight is the log of a share above its floor; a tenth of a unit stands
// for nothing.
func (g *shares) logWeight(v []float64, i int) float64 {
	return math.Log(math.Max(v[i]-float64(g.lo[i])*g.unit, g.unit/10))
}

// weights inverts logRatios up to a factor and normalises the sum to 1.
func weights(z []float64) []float64 {
	k := len(z) + 1
	l := make([]float64, k)
	for j := 1; j < k; j++ {
		n := float64(j)
		for i := range j {
			l[i] += z[j-1] / math.Sqrt(n*(n+1))
		}
		l[j] -= z[j-1] * math.Sqrt(n/(n+1))
	}
	top := l[0]
	for _, x := range l {
		top = math.Max(top, x)
	}
	sum := 0.0
	for i := range l {
		l[i] = math.Max(math.Exp(l[i]-top), 1e-12) // a weight of 0 could not be scaled
		sum += l[i]
	}
	for i := range l {
		l[i] /= sum
	}
	return l
}

// current implements axis: the middle of the cube.
func (g *shares) current() []float64 { return slices.Repeat([]float64{0.5}, len(g.centre)) }

// decode implements axis.
func (g *shares) decode(u []float64, out Settings) {
	for k, text := range g.textsAt(u) {
		out[g.at[k]].Value = text
	}
}

// textsAt returns the values of the free members at the coordinates u.
func (g *shares) textsAt(u []float64) []string {
	if slices.Equal(u, g.current()) {
		return g.texts
	}
	z := make([]float64, len(u))
	for j := range u {
		z[j] = g.centre[j] + (2*u[j]-1)*g.span(j)
	}
	real := g.pour(weights(z))
	near := true
	for i, v := range real {
		near = near && math.Abs(v*g.unit-g.values[i]) <= g.unit/2
	}
	if near {
		return g.texts
	}
	return g.write(g.roundUnits(real))
}

// pour hands the units above the floors out by weight; what a ceiling cannot
// hold goes to the others, again by weight.
func (g *shares) pour(w []float64) []float64 {
	v := make([]float64, len(w))
	full := make([]bool, len(w))
	for {
		left, sum := float64(g.total), 0.0
		for i := range w {
			if full[i] {
				left -= float64(g.hi[i])
			} else {
				left -= float64(g.lo[i])
				sum += w[i]
			}
		}
		again := false
		for i := range w {
			if full[i] {
				v[i] = float64(g.hi[i])
				continue
			}
			v[i] = float64(g.lo[i]) + left*w[i]/sum
			if v[i] > float64(g.hi[i]) {
				full[i], again = true, true
			}
		}
		if !again {
			return v
		}
	}
}

// roundUnits rounds to whole units by largest remainder within the bounds.
func (g *shares) roundUnits(v []float64) []int {
	n := make([]int, len(v))
	left := g.total
	for i := range v {
		n[i] = min(g.hi[i], max(g.lo[i], int(math.Floor(v[i]+1e-9))))
		left -= n[i]
	}
	rest := func(i int) float64 { return v[i] - float64(n[i]) }
	order := sortedIndices(len(v), func(a, b int) int { return cmp.Compare(rest(b), rest(a)) })
	for left != 0 {
		for _, i := range order {
			if left > 0 && n[i] < g.hi[i] {
				n[i]++
				left--
			}
		}
		for _, i := range slices.Backward(order) {
			if left < 0 && n[i] > g.lo[i] {
				n[i]--
				left++
			}
		}
	}
	return n
}

// write spells the values; a share that stays as it is keeps its spelling.
func (g *shares) write(n []int) []string {
	out := make([]string, len(n))
	for i := range n {
		v := trim(float64(n[i]) * g.unit)
		out[i] = formatNumber(v) + g.params[i].Suffix
		if v == g.values[i] {
			out[i] = g.texts[i]
		}
	}
	return out
}

// encode implements axis.
func (g *shares) encode(set Settings, u []float64) error {
	v := make([]float64, len(g.at))
	same := true
	for k, i := range g.at {
		x, err := number(g.params[k], "share", set[i].Value)
		if err != nil {
			return err
		}
		v[k] = x
		same = same && set[i].Value == g.texts[k]
	}
	if !same {
		for j, z := range g.logRatios(v) {
			u[j] = math.Min(1, math.Max(0, 0.5+(z-g.centre[j])/(2*g.span(j))))
		}
	}
	return nil
}
