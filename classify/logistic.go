package classify

import (
	"cmp"
	"math"
)

// Logistic regression learned online: the baseline that a linear classifier
// has to beat. It is not in the papers.
//
//	P(class 1 | F) = p = 1 / (1 + exp(-m)),  m = W . F + b
//	K  = C F / (F' C F + 1 / (p (1 - p)))
//	W += K (y - p) / (p (1 - p)),  C -= K F' C
//
// F has a last entry of 1, whose weight is b. C is the covariance of the weights
// around their present value: the update is that of an extended Kalman filter,
// a Newton step for each observation, and after many the weights are those of
// the batch fit with a normal prior (Spiegelhalter, Lauritzen, 1990). Missing
// values (NaN) count as 0. An observation costs the square of the number of
// features.

// Logistic is a logistic regression of two classes. Use NewLogistic.
type Logistic struct {
	linear
	Cov []float64 `json:"covariance"` // of the weights, row by row

	f, cf []float64 // scratch: F and C F
}

// priorVariance of a weight before the first observation: wide for features
// on the paper's scale of 1 to 10.
const priorVariance = 100

// minSlope bounds p (1 - p) from below, so that an observation far on the
// wrong side moves the weights by a bounded step.
const minSlope = 1e-3

// NewLogistic returns an untrained logistic regression. Exactly two classes
// are allowed.
func NewLogistic(s Schema, classes []string) (*Logistic, error) {
	l, err := newLinear(formatLogistic, s, classes)
	if err != nil {
		return nil, err
	}
	n := len(s) + 1
	m := &Logistic{linear: l, Cov: make([]float64, n*n)}
	for i := range n {
		m.Cov[i*n+i] = priorVariance
	}
	return m, nil
}

// Margin returns m, the log odds of class 1 against class 0. Features beyond the schema are
// ignored, those missing at the end count as 0.
func (m *Logistic) Margin(x []float64) float64 { return m.margin(x, m.plain) }

// Learn takes one observation. Values beyond Largest, infinite ones among
// them, are an error.
func (m *Logistic) Learn(x []float64, class int) error {
	if err := m.observe(x, class); err != nil {
		return err
	}
	n := len(m.Weights)
	if m.f == nil {
		m.f, m.cf = make([]float64, n), make([]float64, n)
	}
	m.f[n-1] = 1
	for i, v := range x {
		if v != v {
			v = 0
		}
		m.f[i] = v
	}
	p := 1 / (1 + math.Exp(-m.Margin(x)))
	m.update(float64(class)-p, math.Max(p*(1-p), minSlope))
	m.N++
	return nil
}

// update is the step of the filter with the scratch vector F.
func (m *Logistic) update(miss, slope float64) {
	n := len(m.Weights)
	spread := 0.0
	for i := range n {
		row, s := m.Cov[i*n:(i+1)*n], 0.0
		for j, v := range m.f {
			s += float64(row[j] * v)
		}
		m.cf[i] = s
		spread += float64(s * m.f[i])
	}
	gain := 1 / (spread + 1/slope)
	for i := range n {
		m.Weights[i] += float64(m.cf[i] * gain * (miss / slope))
		for j := i; j < n; j++ { // both halves alike, so that it stays symmetric
			c := m.Cov[i*n+j] - float64(m.cf[i]*m.cf[j])*gain
			m.Cov[i*n+j], m.Cov[j*n+i] = c, c
		}
	}
}

// LogOdds writes 0 for class 0 and the margin for class 1.
func (m *Logistic) LogOdds(x, dst []float64) []float64 {
	x, dst = m.room(x, dst)
	if len(dst) < 2 { // a zero value, which has no classes
		return dst
	}
	dst[0], dst[1] = 0, m.Margin(x)
	return dst
}

// Probabilities writes the probability of each class.
func (m *Logistic) Probabilities(x, dst []float64) []float64 { return softmax(m.LogOdds(x, dst)) }

// Influence returns |weight| times the feature's root mean square: how much it
// moves the margin on average.
func (m *Logistic) Influence() []float64 { return m.influence(m.plain) }

func (m *Logistic) validateState() error {
	return cmp.Or(m.valid(), sized("covariance", m.Cov, len(m.Weights)*len(m.Weights), true))
}
