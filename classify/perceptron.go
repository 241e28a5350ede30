package classify

import (
	"cmp"
	"math"
)

// Perceptron (Dhok, Varma, section IV-D) and its averaged form (Freund,
// Schapire, 1999).
//
//	c(F) = 1 if W . F + b > 0, else 0
//	w_j += alpha (y - c(F)) F_j,  only when c(F) differs from y
//
// starting from zero, alpha = 1. The averaged form predicts with the mean of
// the weights over all observations, kept as w - u/n with u the sum of the
// changes weighted by when they came. Missing values (NaN) count as 0.
//
// What differs: the paper's update leaves b alone; here b learns as the weight
// of a constant 1 unless FixedBias is set, without which a boundary off the
// origin cannot be found.

// Perceptron is a linear classifier of two classes. Use NewPerceptron.
type Perceptron struct {
	linear
	Rate      float64 `json:"rate"`       // alpha, default 1
	Averaged  bool    `json:"averaged"`   // predict with averaged weights
	FixedBias bool    `json:"fixed_bias"` // the bias does not learn, as printed
	// Drift holds the changes of the weights, each times the observations before it.
	Drift  []float64 `json:"drift"`
	Errors float64   `json:"errors"` // observations that changed the weights
}

// NewPerceptron returns an untrained perceptron with rate 1; averaged selects
// the averaged form. Exactly two classes are allowed.
func NewPerceptron(s Schema, classes []string, averaged bool) (*Perceptron, error) {
	l, err := newLinear(formatPerceptron, s, classes)
	if err != nil {
		return nil, err
	}
	return &Perceptron{linear: l, Rate: 1, Averaged: averaged, Drift: make([]float64, len(s)+1)}, nil
}

// Learn takes one observation and changes the weights when it was misjudged.
// Values beyond Largest, infinite ones among them, are an error.
func (m *Perceptron) Learn(x []float64, class int) error {
	if err := m.observe(x, class); err != nil {
		return err
	}
	out := 0
	if m.margin(x, m.plain) > 0 {
		out = 1
	}
	if out != class {
		m.step(x, m.Rate*float64(class-out))
		m.Errors++
	}
	m.N++
	return nil
}

func (m *Perceptron) step(x []float64, d float64) {
	for i, v := range x {
		if v == v {
			m.Weights[i] += float64(d * v)
			m.Drift[i] += float64(d*v) * m.N
		}
	}
	if !m.FixedBias {
		m.Weights[len(x)] += d
		m.Drift[len(x)] += d * m.N
	}
}

// weight returns the weight that predicts. With n observations learned, the
// weights after each of them average to w - u/n, u = sum of change times the
// number of observations before it.
func (m *Perceptron) weight(i int) float64 {
	if !m.Averaged || m.N == 0 {
		return m.Weights[i]
	}
	return m.Weights[i] - m.Drift[i]/m.N
}

// Margin returns W . F + b of the weights that predict. Features beyond the schema are
// ignored, those missing at the end count as 0.
func (m *Perceptron) Margin(x []float64) float64 { return m.margin(x, m.weight) }

// LogOdds writes 0 for class 0 and the margin for class 1. The margin is no
// log probability; its sign is the decision. As printed in the paper a margin
// of exactly 0 is class 0; only before the first observation is it class 1,
// so that an untrained scheduler gets to learn.
func (m *Perceptron) LogOdds(x, dst []float64) []float64 {
	x, dst = m.room(x, dst)
	if len(dst) < 2 { // a zero value, which has no classes
		return dst
	}
	dst[0], dst[1] = 0, m.Margin(x)
	if dst[1] == 0 && m.N > 0 {
		dst[1] = -math.SmallestNonzeroFloat64
	}
	return dst
}

// Probabilities writes the decision as 0 and 1: a perceptron has no
// probabilities, and the paper multiplies the utility with c(F).
func (m *Perceptron) Probabilities(x, dst []float64) []float64 {
	dst = m.LogOdds(x, dst)
	if len(dst) < 2 {
		return dst
	}
	if dst[1] >= 0 {
		dst[0], dst[1] = 0, 1
	} else {
		dst[0], dst[1] = 1, 0
	}
	return dst
}

// Influence returns |weight| times the feature's root mean square: how much it
// moves the margin on average.
func (m *Perceptron) Influence() []float64 { return m.influence(m.weight) }

func (m *Perceptron) validateState() error {
	return cmp.Or(m.valid(), sized("drift", m.Drift, len(m.Schema)+1, true),
		sized("rate, errors", []float64{m.Rate, m.Errors}, 2, false))
}
