package tune

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"testing"

	"schedtune/internal/rng"
)

// E[max(0, e + s Z)]: s/√(2π) at e = 0, e itself far within, 0 far beyond, and e without
// spread. Between, it is the integral of 1 - Φ(-x/s) from -∞ to e, computed by the midpoint rule.
func TestExpectedExcess(t *testing.T) {
	for _, c := range []struct{ e, s, want float64 }{
		{0, 2, 2 / math.Sqrt(2*math.Pi)}, {3, 0, 3}, {-3, 0, 0}, {5, 0.1, 5}, {-5, 0.1, 0},
	} {
		if got := expectedExcess(c.e, c.s); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%v, %v: %v, want %v", c.e, c.s, got, c.want)
		}
	}
	const e, s, step = 0.3, 0.7, 1e-3
	sum := 0.0
	for x := e - 8*s + step/2; x < e; x += step {
		sum += step * math.Erfc(-x/s/math.Sqrt2) / 2
	}
	if got := expectedExcess(e, s); math.Abs(got-sum) > 1e-6 {
		t.Errorf("%v, the integral is %v", got, sum)
	}
}

// Four parts fall with coordinates on which a limit for each part depends too. Of 200 fresh points
// the 20 that a model with limits likes best have a better objective and pass their limits by less
// than the 20 that one likes that is given only which points break a limit; both were told 48 points
// in blocks of 8 whose limits are measured with noise. Means over six draws.
func TestLimitsHaveModels(t *testing.T) {
	const parts, each = 4, 3
	space, c := partedSpace(t, parts, each), parted(parts)
	for k := range parts { // a limit on each part
		c.Limits = append(c.Limits, func(name string) bool { return strings.HasPrefix(name, string(rune('0'+k))+".") })
	}
	excess := func(p Point, noise func(q int) float64) []float64 {
		out := make([]float64, parts)
		for q := range out {
			out[q] = 0.6*p[q*each+1] + 0.4*p[q*each+2] - 0.7 + noise(q)
		}
		return out
	}
	objective, beyond := map[bool]float64{}, map[bool]float64{} // with models of limits, without
	for seed := range uint64(6) {
		k := rng.NewKey(seed, 12)
		told, plain := &archive{known: composed(c, space)}, &archive{known: composed(c, space)}
		for b := range 6 {
			var points []Point
			var scores, blind []Score
			for i := range 8 {
				key := k.At(uint64(8*b + i))
				p := uniformPoint(key, parts*each)
				v := partsAt(p, parts, each)
				s := Score{parts: v, excess: excess(p, func(q int) float64 { return 0.1 * key.At(2).Norm(uint64(q)) })}
				s.Values = []float64{math.Log(c.Objectives[0].Metric(v))}
				s.Violation = violation(s.excess, nil)
				points, scores = append(points, p), append(scores, s)
				s.excess = nil
				blind = append(blind, s)
			}
			told.add(points, scores, ownBlock)
			plain.add(points, blind, ownBlock)
		}
		for with, m := range map[bool]*costModel{true: told.model(k), false: plain.model(k)} {
			var fresh []Point
			for i := range uint64(200) {
				fresh = append(fresh, uniformPoint(k.At(1000+i), parts*each))
			}
			slices.SortFunc(fresh, func(a, b Point) int { return cmp.Compare(m.at(a), m.at(b)) })
			for _, p := range fresh[:20] {
				objective[with] += math.Log(c.Objectives[0].Metric(partsAt(p, parts, each))) / 120
				beyond[with] += violation(excess(p, func(int) float64 { return 0 }), nil) / 120
			}
		}
	}
	t.Logf("objective %.3f with models of limits, %.3f without; beyond them %.3f and %.3f", objective[true],
		objective[false], beyond[true], beyond[false])
	if !(objective[true] < objective[false]-0.03 && beyond[true] < beyond[false]) {
		t.Error("models of limits tell no more than that a limit is broken")
	}
}
