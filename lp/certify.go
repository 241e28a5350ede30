package lp

import (
	"fmt"
	"math"
)

// Certificate of an allocation, by linear programming duality. For any d >= 0
//
//	L(d) = min over classes i with alpha_i > 0 of
//	       (sum over j of mu_ij d_ij / max(1, load_j)) / alpha_i
//
// is a lambda that can be reached, and for any w >= 0, not 0,
//
//	U(w) = sum over j of max over i of (w_i mu_ij) / sum over i of alpha_i w_i
//
// is one that cannot be exceeded. L and U use only the input, d and w, so that
// a small gap proves both, whoever computed them.

// Certificate bounds lambda from both sides.
type Certificate struct {
	Lower float64 // L(d): reached by the allocation, overfull machines scaled down
	Upper float64 // U(w): no allocation exceeds it; +Inf without a usable w
	// Overload is the largest excess of a machine's shares over 1.
	Overload float64
	// Slackness is the largest violation of complementary slackness in units
	// of lambda: shares on classes that earn less than the machine's price,
	// idle time of priced machines, surplus of priced classes.
	Slackness float64
	Positive  int // shares above 0; at most classes + machines - 1 at a vertex
	Shared    int // machines with several classes; at most classes - 1 at a vertex
}

// Gap returns Upper - Lower.
func (c Certificate) Gap() float64 { return c.Upper - c.Lower }

// Optimal reports whether the gap is within tol times max(1, Upper).
func (c Certificate) Optimal(tol float64) bool {
	return c.Gap() <= tol*math.Max(1, c.Upper)
}

// Certify judges an allocation delta with the dual w, as MaxLambda takes and
// returns them. Negative or NaN shares and weights are errors.
func Certify(alpha []float64, mu, delta [][]float64, w []float64) (Certificate, error) {
	if err := checkRates(alpha, mu); err != nil {
		return Certificate{}, err
	}
	if len(delta) != len(alpha) || len(w) != len(alpha) {
		return Certificate{}, fmt.Errorf("lp: %d rows of shares and %d weights: must be %d of each", len(delta), len(w),
			len(alpha))
	}
	for i, row := range delta {
		if len(row) != len(mu[0]) {
			return Certificate{}, fmt.Errorf("lp: class %d has %d shares: must be %d", i, len(row), len(mu[0]))
		}
		for j, d := range row {
			if !(d >= 0) || math.IsInf(d, 0) {
				return Certificate{}, fmt.Errorf("lp: share of class %d on machine %d is %v: must be 0 or more", i, j, d)
			}
		}
		if !(w[i] >= 0) || math.IsInf(w[i], 0) {
			return Certificate{}, fmt.Errorf("lp: weight of class %d is %v: must be 0 or more", i, w[i])
		}
	}
	return certify(alpha, mu, delta, w, prices(w, mu)), nil
}

// prices returns p_j = max over i of w_i mu_ij.
func prices(w []float64, mu [][]float64) []float64 {
	p := make([]float64, len(mu[0]))
	for i, row := range mu {
		if w[i] == 0 {
			continue
		}
		for j, v := range row {
			p[j] = math.Max(p[j], w[i]*v)
		}
	}
	return p
}

func certify(alpha []float64, mu, delta [][]float64, w, price []float64) Certificate {
	c := Certificate{Upper: math.Inf(1)}
	load := make([]float64, len(price))
	classes := make([]int32, len(price))
	for _, row := range delta {
		for j, d := range row {
			if d > 0 {
				load[j] += d
				classes[j]++
			}
		}
	}
	for j, n := range classes {
		c.Positive += int(n)
		if n > 1 {
			c.Shared++
		}
		c.Overload = math.Max(c.Overload, load[j]-1)
	}
	served := make([]float64, len(alpha))
	c.Lower = math.Inf(1)
	for i, row := range delta {
		for j, d := range row {
			if d > 0 {
				served[i] += mu[i][j] * d / math.Max(1, load[j])
			}
		}
		if alpha[i] > 0 {
			c.Lower = math.Min(c.Lower, served[i]/alpha[i])
		}
	}
	earned, total := 0.0, 0.0
	for i, a := range alpha {
		earned += a * w[i]
	}
	for _, p := range price {
		total += p
	}
	if earned > 0 {
		c.Upper = total / earned
		c.Slackness = slackness(alpha, mu, delta, w, price, load, served, c.Lower) / earned
	}
	return c
}

// slackness returns the largest complementary slackness product.
func slackness(alpha []float64, mu, delta [][]float64, w, price, load, served []float64, lambda float64) float64 {
	worst := 0.0
	for i, row := range delta {
		for j, d := range row {
			if d > 0 {
				worst = math.Max(worst, d*(price[j]-w[i]*mu[i][j]))
			}
		}
		worst = math.Max(worst, w[i]*(served[i]-alpha[i]*lambda))
	}
	for j, p := range price {
		worst = math.Max(worst, p*(1-load[j]))
	}
	return worst
}
