package classify

import "math"

// A feature's unit may change while a model learns, as when its range turns out to be larger
// than the first rows told: what was x is a x + b from then on. The linear models and the
// normal distributions carry over exactly (the sums of squares behind Influence with the
// mean taken as the root mean square); of a histogram each level's count goes to the level
// of its middle.

// Rescale changes the unit of feature i; a must be positive.
func (m *Categorical) Rescale(i int, a, b float64) {
	f := &m.Schema[i]
	for c, row := range m.Levels {
		old := make([]float64, f.Levels)
		copy(old, row[m.at[i]:])
		clear(row[m.at[i]:m.at[i+1]])
		for l, n := range old {
			m.Levels[c][m.at[i]+f.Level(float64(a*f.Value(l))+b)] += n
		}
	}
}

// Rescale changes the unit of feature i; a must be positive.
func (m *Gaussian) Rescale(i int, a, b float64) {
	for at := i; at < len(m.Mean); at += len(m.Schema) {
		m.Mean[at] = float64(a*m.Mean[at]) + b
		m.M2[at] *= a * a
	}
}

// Rescale changes the unit of feature i; a must be positive.
func (m *Perceptron) Rescale(i int, a, b float64) {
	for _, w := range [][]float64{m.Weights, m.Drift} {
		w[i] /= a
		w[len(m.Schema)] -= float64(b * w[i])
	}
	m.SumSq[i] = rescaled(m.SumSq[i], m.N, a, b)
}

// Rescale changes the unit of feature i; a must be positive.
func (m *Logistic) Rescale(i int, a, b float64) {
	n := len(m.Weights)
	m.Weights[i] /= a
	m.Weights[n-1] -= float64(b * m.Weights[i])
	for j := range n { // C' = T C T^t, first the rows
		m.Cov[i*n+j] /= a
		m.Cov[(n-1)*n+j] -= float64(b * m.Cov[i*n+j])
	}
	for j := range n {
		m.Cov[j*n+i] /= a
		m.Cov[j*n+n-1] -= float64(b * m.Cov[j*n+i])
	}
	m.SumSq[i] = rescaled(m.SumSq[i], m.N, a, b)
}

func rescaled(sumSq, n, a, b float64) float64 {
	if n == 0 {
		return 0
	}
	v := float64(a*math.Sqrt(sumSq/n)) + b
	return v * v * n
}
