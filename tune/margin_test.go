package tune

import (
	"fmt"
	"math"
	"testing"

	"schedtune/internal/stats"
)

// apart says in what the strategy differs from the second opinion by more than the
// approximation of the length allows, and puts it right for the generations to come.
func apart(s *cmaes, ref *textbook) string {
	const within = 2e-4
	off := func(a, b float64) bool { return math.Abs(a-b) > within*math.Max(1, math.Abs(b)) }
	if off(s.sigma/ref.sigma, 1) {
		return fmt.Sprintf("step %v, want %v", s.sigma, ref.sigma)
	}
	belief := s.belief()
	for i := range ref.n {
		if off(belief[i], ref.mean[i]) || off(s.pc[i], ref.pc[i]) || off(s.ps[i], ref.ps[i]) {
			return fmt.Sprintf("coordinate %d: mean %v, paths %v and %v; want %v, %v and %v", i, belief[i], s.pc[i], s.ps[i],
				ref.mean[i], ref.pc[i], ref.ps[i])
		}
		for j := range ref.n {
			if off(s.c.At(i, j), ref.c.At(i, j)) {
				return fmt.Sprintf("covariance of %d and %d: %v, want %v", i, j, s.c.At(i, j), ref.c.At(i, j))
			}
		}
	}
	ref.sigma = s.sigma
	return ""
}

// The samples of a generation have the covariance sigma² C around the mean, whose
// axes differ by a factor of ten in length here: of 20000 points inside the cube the
// variances are so within 5 standard errors, 5 sqrt(2/10000) of independent pairs.
func TestCMAESSamplesItsCovariance(t *testing.T) {
	const n = 2
	sampler, err := newCMAES(SamplerConfig{Space: cube(t, n), Population: 20000, Seed: 3, Start: Point{0.5, 0.5}})
	if err != nil {
		t.Fatal(err)
	}
	s := sampler.(*cmaes)
	s.sigma = 0.05
	for i, row := range [][]float64{{1, 0.9}, {0.9, 0.85}} {
		for j, v := range row {
			s.c.SetSym(i, j, v)
		}
	}
	var x [2][]float64
	var product []float64
	for _, p := range sampler.Ask() {
		x[0], x[1] = append(x[0], (p[0]-0.5)/s.sigma), append(x[1], (p[1]-0.5)/s.sigma)
		product = append(product, (p[0]-0.5)*(p[1]-0.5)/s.sigma/s.sigma)
	}
	_, a := stats.Moments(x[0])
	_, b := stats.Moments(x[1])
	c, _ := stats.Moments(product)
	if tolerance := 5 * math.Sqrt(2.0/10000); math.Abs(a*a-1) > tolerance || math.Abs(b*b/0.85-1) > tolerance ||
		math.Abs(c/0.9-1) > tolerance {
		t.Errorf("variances %.3f and %.3f, covariance %.3f; want 1, 0.85 and 0.9", a*a, b*b, c)
	}
}

// After the margin's correction every cell that is not the mean's own is reached
// with the probability that the paper promises: from an inner cell either neighbour
// with at least alpha/2, from the first and the last the only one with at least alpha;
// what was enough before stays. The tails come from the distribution function.
func TestMarginReachesEveryCell(t *testing.T) {
	space := mustSpace(t, Param{Name: "n", Kind: Integer, Min: 0, Max: 4, Present: "2"},
		Param{Name: "x", Max: 1, Present: "0.5"})
	for _, mean := range []float64{0.01, 0.12, 0.19, 0.21, 0.5, 0.59, 0.61, 0.78, 0.82, 0.99} {
		for _, sigma := range []float64{1e-6, 1e-3, 0.02, 0.3} {
			sampler, err := newCMAES(SamplerConfig{Space: space, Population: 10, Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			s := sampler.(*cmaes)
			s.setPopulation()
			s.mean[0], s.sigma = mean, sigma
			cuts := space.Cuts(0)
			s.applyMargin()
			const alpha = 1.0 / (10 * 2)
			dev := s.deviation(0)
			below := func(x float64) float64 { return 0.5 * math.Erfc((s.mean[0]-x)/dev/math.Sqrt2) }
			cell := 0
			for cell < len(cuts) && mean >= cuts[cell] {
				cell++
			}
			tell := func(side string, before, after, want float64) {
				edge := cell == 0 || cell == len(cuts)
				if after < want*(1-1e-9) || before < want && after > want*1.5 || before < want && edge && after > want*(1+1e-6) {
					t.Errorf("mean %v, step %v: %s side reached with %.4f, before with %.4f; want %.4f", mean, sigma, side, after,
						before, want)
				}
			}
			old := func(x float64) float64 { return 0.5 * math.Erfc((mean-x)/sigma/math.Sqrt2) }
			switch {
			case cell == 0:
				tell("upper", 1-old(cuts[0]), 1-below(cuts[0]), alpha)
			case cell == len(cuts):
				tell("lower", old(cuts[cell-1]), below(cuts[cell-1]), alpha)
			default:
				tell("lower", old(cuts[cell-1]), below(cuts[cell-1]), alpha/2)
				tell("upper", 1-old(cuts[cell]), 1-below(cuts[cell]), alpha/2)
			}
			if s.mean[1] != 0.5 || s.a[1] != 1 {
				t.Errorf("a coordinate without cells moved to %v", s.mean[1])
			}
		}
	}
}

// What one tail is raised by comes from the middle and the other tail in proportion to
// what they have above the margin (section 4, eq. 14), so that all add up to 1.
func TestMarginKeepsProportions(t *testing.T) {
	const alpha = 0.02
	tail := func(x float64) float64 { return 0.5 * math.Erfc(x/math.Sqrt2) }
	for _, c := range []struct{ m, dev float64 }{{0.45, 0.02}, {0.43, 0.03}, {0.57, 0.035}, {0.42, 0.01}} {
		m, d := innerMargin(c.m, c.dev, 0.4, 0.6, alpha)
		lowBefore, upBefore := tail((c.m-0.4)/c.dev), tail((0.6-c.m)/c.dev)
		low, up := tail((m-0.4)/d), tail((0.6-m)/d)
		raised, other, otherBefore := low, up, upBefore
		if lowBefore > upBefore {
			raised, other, otherBefore = up, low, lowBefore
		}
		middle, middleBefore := 1-low-up, 1-lowBefore-upBefore
		if math.Abs(raised-alpha/2) > 1e-9 {
			t.Errorf("%+v: the smaller tail is %v, want %v", c, raised, alpha/2)
		}
		a, b := math.Max(otherBefore, alpha/2)-alpha/2, middleBefore-alpha/2
		if math.Abs((other-alpha/2)*b-(middle-alpha/2)*a) > 1e-9 {
			t.Errorf("%+v: other tail %v and middle %v, before %v and %v", c, other, middle, otherBefore, middleBefore)
		}
	}
}
