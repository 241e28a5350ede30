package classify

import (
	"cmp"
	"fmt"
	"math"
)

// linear is what the linear models of two classes share. Missing values (NaN) count as 0.
type linear struct {
	header
	// Weights has one entry per feature and the bias last.
	Weights []float64 `json:"weights"`
	SumSq   []float64 `json:"sum_sq"` // sum of squares of each feature, for Influence
	N       float64   `json:"n"`      // observations learned
}

func newLinear(format string, s Schema, classes []string) (linear, error) {
	h, err := newHeader(format, s, classes)
	if err == nil {
		err = h.two()
	}
	return linear{header: h, Weights: make([]float64, len(s)+1), SumSq: make([]float64, len(s))}, err
}

func (h *header) two() error {
	if len(h.Names) != 2 {
		return fmt.Errorf("classify: linear model with %d classes: must be 2", len(h.Names))
	}
	return nil
}

// plain is a weight as it was learned.
func (m *linear) plain(i int) float64 { return m.Weights[i] }

// margin returns W . F + b. Features beyond the schema are ignored, those missing at the end
// count as 0; the zero value has none.
func (m *linear) margin(x []float64, weight func(i int) float64) float64 {
	n := len(m.Schema)
	if len(m.Weights) <= n {
		return 0
	}
	s := weight(n)
	for i, v := range x[:min(len(x), n)] {
		if v == v {
			s += float64(weight(i) * v)
		}
	}
	return s
}

// influence returns |weight| times the feature's root mean square: how much it moves the margin
// on average.
func (m *linear) influence(weight func(i int) float64) []float64 {
	out := make([]float64, len(m.Schema))
	for i := range out {
		if m.N > 0 {
			out[i] = math.Abs(weight(i)) * math.Sqrt(m.SumSq[i]/m.N)
		}
	}
	return out
}

// observe checks an observation and counts its squares. Values beyond Largest, infinite ones
// among them, are an error.
func (m *linear) observe(x []float64, class int) error {
	if err := m.check(x, class); err != nil {
		return err
	}
	if err := m.within(x); err != nil {
		return err
	}
	for i, v := range x {
		if v == v {
			m.SumSq[i] += v * v
		}
	}
	return nil
}

// Seen returns the number of observations learned.
func (m *linear) Seen() float64 { return m.N }

// valid checks a saved model.
func (m *linear) valid() error {
	f := len(m.Schema)
	return cmp.Or(m.two(), sized("weights", m.Weights, f+1, true), sized("sum_sq", m.SumSq, f, false),
		sized("n", []float64{m.N}, 1, false))
}
