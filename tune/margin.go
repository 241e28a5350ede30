package tune

import "math"

// Margin for discrete coordinates after R. Hamano, S. Saito, M. Nomura and
// S. Shirakawa, "CMA-ES with Margin: Lower-Bounding Marginal Probability for
// Mixed-Integer Black-Box Optimization", GECCO 2022 (section 4). Without it the
// step shrinks until every sample falls into one cell and a wrong value is
// never left.
//
// With cell borders l < u around the mean m and deviation s of a coordinate,
//
//	p_low = Pr(x < l),  p_up = Pr(x > u),
//
// both are raised to at least alpha/2, the excess is taken from where there is
// more (eq. 14), and m and s are set so that the normal distribution has these
// tails (eq. 17-18). In the first or last cell only m moves, so that the
// probability to leave is at least alpha. alpha = 1/(lambda n). Changing s goes
// into the diagonal A, not into C or sigma.

// applyMargin corrects every discrete coordinate.
func (s *cmaes) applyMargin() {
	alpha := 1 / float64(s.lambda*s.n)
	for i, cuts := range s.cuts {
		if len(cuts) == 0 {
			continue
		}
		dev := s.deviation(i)
		switch k := cuts.cell(s.mean[i]); {
		case k == 0:
			s.mean[i] = edgeMean(s.mean[i], dev, cuts[0], alpha)
		case k == len(cuts):
			s.mean[i] = 2*cuts[k-1] - edgeMean(2*cuts[k-1]-s.mean[i], dev, cuts[k-1], alpha)
		default:
			m, d := innerMargin(s.mean[i], dev, cuts[k-1], cuts[k], alpha)
			s.mean[i] = m
			s.a[i] *= d / dev
		}
	}
}

// edgeMean moves a mean below its only border up, if need be, so that samples
// cross the border with probability alpha.
func edgeMean(m, dev, border, alpha float64) float64 {
	if upperTail((border-m)/dev) >= alpha {
		return m
	}
	return border - dev*upperQuantile(alpha)
}

// innerMargin returns mean and deviation with tails of at least alpha/2 beyond
// both borders.
func innerMargin(m, dev, lo, hi, alpha float64) (float64, float64) {
	low, up := upperTail((m-lo)/dev), upperTail((hi-m)/dev)
	if low >= alpha/2 && up >= alpha/2 {
		return m, dev
	}
	mid := 1 - low - up
	pl, pu := math.Max(low, alpha/2), math.Max(up, alpha/2)
	d := (1 - pl - pu - mid) / (pl + pu + mid - 3*alpha/2)
	pl += d * (pl - alpha/2)
	pu += d * (pu - alpha/2)
	ql, qu := upperQuantile(pl), upperQuantile(pu)
	if ql+qu <= 0 {
		return m, dev
	}
	nd := (hi - lo) / (ql + qu)
	return lo + nd*ql, nd
}

// upperTail is Pr(z > x) of a standard normal z.
func upperTail(x float64) float64 { return math.Erfc(x/math.Sqrt2) / 2 }

// upperQuantile is the x with upperTail(x) = p.
func upperQuantile(p float64) float64 { return math.Sqrt2 * math.Erfcinv(2*p) }
