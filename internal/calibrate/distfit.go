package calibrate

import (
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/stat"

	"schedtune/internal/stats"
	"schedtune/internal/text"
)

// Duration distributions. Three families are fitted by maximum likelihood:
// constant (the median, for spreads below 1 %), exponential, and lognormal;
// the family with the smallest Kolmogorov-Smirnov distance on values it was
// not fitted to wins, or the empirical quantiles where no family comes within
// ksLimit and there are enough values.

// DistFit is a fitted distribution of seconds in the kernel's terms.
type DistFit struct {
	Family string    `json:"family"` // constant, exponential, lognormal, empirical
	A      float64   `json:"a"`      // see simcore.Dist
	B      float64   `json:"b,omitempty"`
	Points []float64 `json:"points,omitempty"` // empirical: 21 quantiles, seconds
	// HeldOut is the Kolmogorov-Smirnov distance on the values not fitted to
	// (every second one), null for fewer than 8 values.
	HeldOut text.Num `json:"held_out_ks"`
}

const (
	ksLimit      = 0.12
	minEmpirical = 40
	// minExponential is how many values it takes to consider the exponential.
	minExponential = 20
)

// fitDist fits the values, positive seconds in the order they were observed.
func fitDist(values []float64) DistFit {
	half, rest := alternate(values)
	best := DistFit{Family: "constant", A: stats.Median(slices.Clone(values)), HeldOut: text.Num(math.NaN())}
	lo, hi := slices.Min(values), slices.Max(values)
	if hi-lo <= 0.01*best.A || len(values) < 8 {
		return best
	}
	slices.Sort(rest)
	families := []func([]float64) DistFit{lognormal}
	if len(values) >= minExponential { // few values of a narrow law look like anything
		families = append(families, exponential)
	}
	for _, family := range families {
		d := family(half)
		ks := text.Num(ksCDF(rest, d.cdf))
		if math.IsNaN(float64(best.HeldOut)) || ks < best.HeldOut {
			full := family(values)
			full.HeldOut = ks
			best = full
		}
	}
	if best.HeldOut > ksLimit && len(values) >= minEmpirical {
		d := empirical(half)
		if ks := text.Num(ksCDF(rest, d.cdf)); ks < best.HeldOut {
			best = empirical(values)
			best.HeldOut = ks
		}
	}
	return best
}

// alternate parts values into every first and every second.
func alternate(v []float64) (a, b []float64) {
	for i, x := range v {
		if i%2 == 0 {
			a = append(a, x)
		} else {
			b = append(b, x)
		}
	}
	return a, b
}

func exponential(v []float64) DistFit {
	return DistFit{Family: "exponential", A: stats.Mean(v)}
}

func lognormal(v []float64) DistFit {
	mu, n := 0.0, float64(len(v))
	for _, x := range v {
		mu += math.Log(x) / n
	}
	va := 0.0
	for _, x := range v {
		d := math.Log(x) - mu
		va += d * d / n
	}
	return DistFit{Family: "lognormal", A: mu, B: math.Max(math.Sqrt(va), 1e-9)}
}

func empirical(v []float64) DistFit {
	s := slices.Clone(v)
	slices.Sort(s)
	d := DistFit{Family: "empirical"}
	for i := range 21 {
		d.Points = append(d.Points, stats.Quantile(s, float64(i)/20))
	}
	return d
}

// cdf is the probability of at most x.
func (d *DistFit) cdf(x float64) float64 {
	switch d.Family {
	case "exponential":
		return -math.Expm1(-x / d.A)
	case "lognormal":
		return 0.5 * math.Erfc(-(math.Log(x)-d.A)/(d.B*math.Sqrt2))
	}
	n := len(d.Points) - 1
	// The first point above x: equal points are a step of the distribution, and
	// at x all of it counts.
	switch i := sort.Search(len(d.Points), func(i int) bool { return d.Points[i] > x }); {
	case i > n:
		return 1
	case i == 0:
		return 0
	default:
		lo, hi := d.Points[i-1], d.Points[i]
		return (float64(i-1) + (x-lo)/(hi-lo)) / float64(n)
	}
}

// ksCDF is the Kolmogorov-Smirnov distance of ascending values from a
// distribution; NaN without values. Both may have steps: at a value the shares
// up to it are compared, and those below it.
func ksCDF(sorted []float64, cdf func(float64) float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	d, n := 0.0, float64(len(sorted))
	for i := 0; i < len(sorted); {
		x, below := sorted[i], float64(i)/n
		for i < len(sorted) && sorted[i] == x {
			i++
		}
		d = math.Max(d, math.Abs(cdf(math.Nextafter(x, math.Inf(-1)))-below))
		d = math.Max(d, math.Abs(cdf(x)-float64(i)/n))
	}
	return d
}

// ks2 is the Kolmogorov-Smirnov distance of two samples, which it sorts.
func ks2(a, b []float64) float64 {
	slices.Sort(a)
	slices.Sort(b)
	return stat.KolmogorovSmirnov(a, nil, b, nil)
}
