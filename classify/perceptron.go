package classify

import (
	"fmt"
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
	header
	Rate      float64 `json:"rate"`       // alpha, default 1
	Averaged  bool    `json:"averaged"`   // predict with averaged weights
	FixedBias bool    `json:"fixed_bias"` // the bias does not learn, as printed
	// Weights has one entry per feature and the bias last; Drift holds the
	// changes weighted by the observation that brought them.
	Weights []float64 `json:"weights"`
	Drift   []float64 `json:"drift"`
	N       float64   `json:"n"`      // observations learned
	Errors  float64   `json:"errors"` // observations that changed the weights
	// SumSq is the sum of squares of each feature, for Influence.
	SumSq []float64 `json:"sum_sq"`
}

// NewPerceptron returns an untrained perceptron with rate 1; averaged selects
// the averaged form. Exactly two classes are allowed.
func NewPerceptron(s Schema, classes []string, averaged bool) (*Perceptron, error) {
	h, err := newHeader(formatPerceptron, s, classes)
	if err != nil {
		return nil, err
	}
	if len(classes) != 2 {
		return nil, fmt.Errorf("classify: perceptron with %d classes: must be 2", len(classes))
	}
	return &Perceptron{header: h, Rate: 1, Averaged: averaged, Weights: make([]float64, len(s)+1),
		Drift: make([]float64, len(s)+1), SumSq: make([]float64, len(s))}, nil
}

// margin returns W . F + b of the weights that learn.
func (m *Perceptron) margin(x []float64) float64 {
	s := m.Weights[len(m.Schema)]
	for i, v := range x {
		if v == v {
			s += float64(m.Weights[i] * v)
		}
	}
	return s
}

// Learn takes one observation and changes the weights when it was misjudged.
// Values beyond Largest, infinite ones among them, are an error.
func (m *Perceptron) Learn(x []float64, class int) error {
	if err := m.check(x, class); err != nil {
		return err
	}
	if err := m.header.within(x); err != nil {
		return err
	}
	out := 0
	if m.margin(x) > 0 {
		out = 1
	}
	if out != class {
		m.step(x, m.Rate*float64(class-out))
		m.Errors++
	}
	for i, v := range x {
		if v == v {
			m.SumSq[i] += v * v
		}
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
func (m *Perceptron) Margin(x []float64) float64 {
	if len(m.Weights) <= len(m.Schema) {
		return 0 // the zero value
	}
	s := m.weight(len(m.Schema))
	for i, v := range x[:min(len(x), len(m.Schema))] {
		if v == v {
			s += float64(m.weight(i) * v)
		}
	}
	return s
}

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
func (m *Perceptron) Influence() []float64 {
	out := make([]float64, len(m.Schema))
	for i := range out {
		if m.N > 0 {
			out[i] = math.Abs(m.weight(i)) * math.Sqrt(m.SumSq[i]/m.N)
		}
	}
	return out
}

// Seen returns the number of observations learned.
func (m *Perceptron) Seen() float64 { return m.N }

func (m *Perceptron) validateState() error {
	f := len(m.Schema)
	if len(m.Names) != 2 {
		return fmt.Errorf("classify: perceptron with %d classes: must be 2", len(m.Names))
	}
	if err := sized("weights", m.Weights, f+1, true); err != nil {
		return err
	}
	if err := sized("drift", m.Drift, f+1, true); err != nil {
		return err
	}
	if err := sized("sum_sq", m.SumSq, f, false); err != nil {
		return err
	}
	return sized("rate, n, errors", []float64{m.Rate, m.N, m.Errors}, 3, false)
}
