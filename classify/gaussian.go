package classify

import (
	"cmp"
	"fmt"
	"math"
)

// Gaussian Naive Bayes, online.
//
// Feature i of class c is normal with mean and variance learned by Welford's
// recurrence (Chan, Golub, LeVeque, 1983), one observation at a time:
//
//	d = x - mean;  mean += d/n;  M2 += d (x - mean);  var = M2 / n
//
// To every variance the largest feature variance over all classes times
// VarSmoothing is added (scikit-learn's GaussianNB with var_smoothing), which
// keeps constant features usable. Incremental learning equals batch learning,
// as here the largest variance is that of everything seen, not of one batch.
// Missing values (NaN) take no part; those beyond Largest, infinite ones among
// them, count as missing.

// Gaussian is a Naive Bayes classifier over real features. Use NewGaussian.
type Gaussian struct {
	header
	VarSmoothing   float64   `json:"var_smoothing"`   // share of the largest variance added, default 1e-9
	PriorSmoothing float64   `json:"prior_smoothing"` // as in Categorical, default 1
	Count          []float64 `json:"count"`           // observations of each class
	// Moments of feature i of class c at [c*F + i], F = number of features;
	// row C (after the last class) holds those over all classes.
	N    []float64 `json:"n"`
	Mean []float64 `json:"mean"`
	M2   []float64 `json:"m2"` // sum of squared deviations
}

// NewGaussian returns an untrained classifier with variance smoothing 1e-9.
func NewGaussian(s Schema, classes []string) (*Gaussian, error) {
	h, err := newHeader(formatGaussian, s, classes)
	if err != nil {
		return nil, err
	}
	size := (len(classes) + 1) * len(s)
	return &Gaussian{header: h, VarSmoothing: 1e-9, PriorSmoothing: 1, Count: make([]float64, len(classes)),
		N: make([]float64, size), Mean: make([]float64, size), M2: make([]float64, size)}, nil
}

// Learn takes one observation.
func (m *Gaussian) Learn(x []float64, class int) error {
	if err := m.check(x, class); err != nil {
		return err
	}
	f := len(x)
	m.welford(x, class*f)
	m.welford(x, len(m.Names)*f)
	m.Count[class]++
	return nil
}

func (m *Gaussian) welford(x []float64, at int) {
	n, mean, m2 := m.N[at:at+len(x)], m.Mean[at:at+len(x)], m.M2[at:at+len(x)]
	count, inverse := 0.0, 0.0 // 1/n, the same for all features when none is missing
	for i, v := range x {
		if !(math.Abs(v) <= Largest) {
			continue
		}
		n[i]++
		if n[i] != count {
			count, inverse = n[i], 1/n[i]
		}
		d := v - mean[i]
		mean[i] += float64(d * inverse)
		m2[i] = math.Max(m2[i]+float64(d*(v-mean[i])), 0) // rounding must not make it negative
	}
}

// epsilon is what is added to every variance; 1e-9 where nothing varies.
func (m *Gaussian) epsilon() float64 {
	top, at := 0.0, len(m.Names)*len(m.Schema)
	for i := range m.Schema {
		if m.N[at+i] > 0 {
			top = math.Max(top, m.M2[at+i]/m.N[at+i])
		}
	}
	if e := m.VarSmoothing * top; e > 0 {
		return e
	}
	return 1e-9
}

// LogOdds writes log P(c) + sum of log normal densities. A class never seen has
// no density: it is -Inf as soon as another class has been seen.
func (m *Gaussian) LogOdds(x, dst []float64) []float64 {
	x, dst = m.room(x, dst)
	eps, n := m.epsilon(), m.Seen()+m.PriorSmoothing*float64(len(m.Names))
	for c := range m.Names {
		dst[c] = logRatio(m.Count[c]+m.PriorSmoothing, n)
		if m.Count[c] == 0 && n > m.PriorSmoothing*float64(len(m.Names)) {
			dst[c] = math.Inf(-1)
			continue
		}
		at := c * len(m.Schema)
		for i, v := range x {
			if k := m.N[at+i]; k > 0 && math.Abs(v) <= Largest {
				va := m.M2[at+i]/k + eps
				d := v - m.Mean[at+i]
				dst[c] -= 0.5 * (math.Log(2*math.Pi*va) + d*d/va)
			}
		}
	}
	return dst
}

// Probabilities writes P(c | x).
func (m *Gaussian) Probabilities(x, dst []float64) []float64 { return softmax(m.LogOdds(x, dst)) }

// Influence returns, for each feature, the share of its variance that lies
// between the classes (eta squared of an analysis of variance), 0 to 1.
func (m *Gaussian) Influence() []float64 {
	f := len(m.Schema)
	out := make([]float64, f)
	for i := range out {
		total, within := m.M2[len(m.Names)*f+i], 0.0
		for c := range m.Names {
			within += m.M2[c*f+i]
		}
		if total > 0 {
			out[i] = math.Max(0, 1-within/total)
		}
	}
	return out
}

// Seen returns the number of observations learned.
func (m *Gaussian) Seen() float64 { return sum(m.Count) }

func (m *Gaussian) validateState() error {
	if !(m.VarSmoothing >= 0) || !(m.PriorSmoothing >= 0) || math.IsInf(m.VarSmoothing+m.PriorSmoothing, 0) {
		return fmt.Errorf("classify: model: smoothing %v and %v: must be 0 or more", m.VarSmoothing, m.PriorSmoothing)
	}
	size := (len(m.Names) + 1) * len(m.Schema)
	return cmp.Or(sized("count", m.Count, len(m.Names), false), sized("n", m.N, size, false),
		sized("mean", m.Mean, size, true), sized("m2", m.M2, size, false))
}
