package classify

import (
	"cmp"
	"fmt"
	"math"
)

// Categorical (histogram) Naive Bayes (Dhok, Varma, section IV-C; the
// histogram is section V-A's).
//
//	P(c | x) ~ P(c) prod over features i of P(x_i | c)
//	P(v | c) = (n_civ + a) / (n_ci + a L_i)
//
// n_civ counts the observations of class c whose feature i has level v, n_ci
// those whose feature i is known, L_i is the number of levels and a the
// smoothing, so that a level never seen has a small probability and not zero
// (scikit-learn's CategoricalNB with alpha = a and min_categories = L_i). The
// prior is (n_c + p) / (n + p C). Missing values (NaN) take no part.
//
// What differs from the paper: it names no smoothing; here a = p = 1 unless
// set otherwise.

// Categorical is a Naive Bayes classifier over histogram levels. Use
// NewCategorical.
type Categorical struct {
	header
	// Smoothing is a, PriorSmoothing is p; both 0 or more. With 0 a level or
	// class never seen has probability 0, as the plain frequencies say.
	Smoothing      float64 `json:"smoothing"`
	PriorSmoothing float64 `json:"prior_smoothing"`
	// Count[c] is the number of observations of class c.
	Count []float64 `json:"count"`
	// Levels[c] holds the histograms of class c, feature after feature.
	Levels [][]float64 `json:"levels"`

	at    []int     // first level of each feature in a row of Levels
	known []float64 // n_ci, class after class
	bins  []bin     // of each feature
}

// bin is what Feature.Level computes anew each time.
type bin struct {
	low, scale float64
	levels, at int
}

func (b *bin) level(x float64) int { return cut(float64((x-b.low)*b.scale)+0.5, b.levels) }

// NewCategorical returns an untrained classifier with smoothing 1.
func NewCategorical(s Schema, classes []string) (*Categorical, error) {
	h, err := newHeader(formatCategorical, s, classes)
	if err != nil {
		return nil, err
	}
	m := &Categorical{header: h, Smoothing: 1, PriorSmoothing: 1, Count: make([]float64, len(classes))}
	m.index()
	m.Levels = make([][]float64, len(classes))
	for c := range m.Levels {
		m.Levels[c] = make([]float64, m.at[len(s)])
	}
	return m, nil
}

// index derives the unexported tables from the exported ones.
func (m *Categorical) index() {
	m.at = make([]int, len(m.Schema)+1)
	m.bins = make([]bin, len(m.Schema))
	for i, f := range m.Schema {
		m.at[i+1] = m.at[i] + f.Levels
		m.bins[i] = bin{f.Low, f.scale(), f.Levels, m.at[i]}
	}
	m.known = make([]float64, len(m.Names)*len(m.Schema))
	for c, row := range m.Levels {
		for i := range m.Schema {
			for _, n := range row[m.at[i]:m.at[i+1]] {
				m.known[c*len(m.Schema)+i] += n
			}
		}
	}
}

// Learn counts one observation.
func (m *Categorical) Learn(x []float64, class int) error {
	if err := m.check(x, class); err != nil {
		return err
	}
	row, known := m.Levels[class], m.known[class*len(x):(class+1)*len(x)]
	for i, v := range x {
		if v == v {
			b := &m.bins[i]
			row[b.at+b.level(v)]++
			known[i]++
		}
	}
	m.Count[class]++
	return nil
}

// LogOdds writes log P(c) + sum of log P(x_i | c).
func (m *Categorical) LogOdds(x, dst []float64) []float64 {
	x, dst = m.room(x, dst)
	n := m.Seen() + m.PriorSmoothing*float64(len(m.Names))
	for c := range m.Names {
		dst[c] = logRatio(m.Count[c]+m.PriorSmoothing, n) + m.logLikelihood(c, x)
	}
	return dst
}

// logLikelihood multiplies probabilities as long as the product stays far from
// underflow and only then takes a logarithm, which is several times as fast as
// a logarithm per feature.
func (m *Categorical) logLikelihood(c int, x []float64) float64 {
	row, known := m.Levels[c], m.known[c*len(m.bins):(c+1)*len(m.bins)]
	sum, product := 0.0, 1.0
	for i, v := range x {
		if v != v {
			continue
		}
		b := &m.bins[i]
		total := known[i] + m.Smoothing*float64(b.levels)
		if total == 0 {
			continue // 0 out of 0 says nothing
		}
		product *= (row[b.at+b.level(v)] + m.Smoothing) / total
		if product < 1e-200 {
			sum += math.Log(product)
			product = 1
		}
	}
	return sum + math.Log(product)
}

// logRatio returns log(a/b); a frequency of 0 out of 0 says nothing and counts
// as certain, any other 0 is -Inf.
func logRatio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return math.Log(a / b)
}

// Probabilities writes P(c | x).
func (m *Categorical) Probabilities(x, dst []float64) []float64 { return softmax(m.LogOdds(x, dst)) }

// Influence returns the mutual information between each feature's level and
// the class in bits, from the smoothed counts.
func (m *Categorical) Influence() []float64 {
	out := make([]float64, len(m.Schema))
	for i, f := range m.Schema {
		joint := make([]float64, 0, len(m.Names)*f.Levels)
		for c := range m.Names {
			for l := range f.Levels {
				joint = append(joint, m.Levels[c][m.at[i]+l])
			}
		}
		out[i] = mutualInformation(joint, len(m.Names), f.Levels)
	}
	return out
}

// mutualInformation of a table of counts, rows x cols, in bits.
func mutualInformation(n []float64, rows, cols int) float64 {
	r, c, total := make([]float64, rows), make([]float64, cols), 0.0
	for i, v := range n {
		r[i/cols] += v
		c[i%cols] += v
		total += v
	}
	mi := 0.0
	for i, v := range n {
		if v > 0 {
			mi += v / total * math.Log2(v*total/(r[i/cols]*c[i%cols]))
		}
	}
	return math.Max(mi, 0)
}

// Seen returns the number of observations learned.
func (m *Categorical) Seen() float64 { return sum(m.Count) }

func sum(v []float64) (s float64) {
	for _, x := range v {
		s += x
	}
	return s
}

func (m *Categorical) validateState() error {
	if !(m.Smoothing >= 0) || !(m.PriorSmoothing >= 0) || math.IsInf(m.Smoothing+m.PriorSmoothing, 0) {
		return fmt.Errorf("classify: model: smoothing %v and %v: must be 0 or more", m.Smoothing, m.PriorSmoothing)
	}
	if len(m.Levels) != len(m.Names) {
		return fmt.Errorf("classify: model: levels of %d classes: must be %d", len(m.Levels), len(m.Names))
	}
	width := 0
	for _, f := range m.Schema {
		width += f.Levels
	}
	err := sized("count", m.Count, len(m.Names), false)
	for c := range m.Levels {
		err = cmp.Or(err, sized(fmt.Sprintf("levels[%d]", c), m.Levels[c], width, false))
	}
	if err == nil {
		m.index()
	}
	return err
}
