package classify

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
)

// Model is an online classifier. Implementations do not keep the slices they
// are given and are not safe for concurrent use.
type Model interface {
	// Learn takes one observation of a class. A vector of another length than
	// the schema or a class out of range is an error and changes nothing.
	Learn(x []float64, class int) error
	// LogOdds writes the unnormalised log probability of each class into dst
	// and returns it; dst is scratch of one entry per class, and is made anew
	// when it is shorter. Features beyond the schema are ignored, those missing
	// at the end count as unknown. A perceptron writes its margins.
	LogOdds(x []float64, dst []float64) []float64
	// Probabilities writes the probability of each class into dst.
	Probabilities(x []float64, dst []float64) []float64
	// Influence returns, for each feature, how much it tells about the class;
	// the unit is the model's and only the order within one model matters.
	Influence() []float64
	// Rescale changes the unit of feature i: what was x is a x + b from now on; a must be
	// positive.
	Rescale(i int, a, b float64)
	// Features is the schema of the vectors; it must not be changed.
	Features() Schema
	// ClassNames are the names of the classes by index; they must not be changed.
	ClassNames() []string
	// Seen is the number of observations learned.
	Seen() float64
}

// Predict returns the most probable class; of equal ones the largest index, so
// that an untrained model says Good and gets to learn. dst is scratch of one
// entry per class. It is -1 without a model (nil) or without classes.
func Predict(m Model, x, dst []float64) int {
	best, top := -1, 0.0
	if m == nil {
		return best
	}
	for c, v := range m.LogOdds(x, dst) {
		if best < 0 || v >= top {
			best, top = c, v
		}
	}
	return best
}

// Clone returns a copy of one of this package's models that learns on its own; nil for others.
func Clone(m Model) Model {
	switch m := m.(type) {
	case *Categorical:
		c := *m
		c.Count, c.known, c.Levels = slices.Clone(m.Count), slices.Clone(m.known), slices.Clone(m.Levels)
		for i := range c.Levels {
			c.Levels[i] = slices.Clone(m.Levels[i])
		}
		return &c
	case *Gaussian:
		c := *m
		c.Count, c.N, c.Mean, c.M2 = slices.Clone(m.Count), slices.Clone(m.N), slices.Clone(m.Mean), slices.Clone(m.M2)
		return &c
	case *Perceptron:
		c := *m
		c.Weights, c.Drift, c.SumSq = slices.Clone(m.Weights), slices.Clone(m.Drift), slices.Clone(m.SumSq)
		return &c
	case *Logistic:
		c := *m
		c.Weights, c.Cov, c.SumSq = slices.Clone(m.Weights), slices.Clone(m.Cov), slices.Clone(m.SumSq)
		c.f, c.cf = nil, nil
		return &c
	}
	return nil
}

// room returns dst with one entry per class and x no longer than the schema.
func (h *header) room(x, dst []float64) (features, odds []float64) {
	if len(dst) < len(h.Names) {
		dst = make([]float64, len(h.Names))
	}
	return x[:min(len(x), len(h.Schema))], dst[:len(h.Names)]
}

// softmax turns log odds into probabilities in place. Without any finite entry
// all classes are equally probable.
func softmax(dst []float64) []float64 {
	top := math.Inf(-1)
	for _, v := range dst {
		top = math.Max(top, v)
	}
	sum := 0.0
	for i, v := range dst {
		if math.IsInf(top, -1) {
			v = top
			dst[i] = 1
		} else {
			dst[i] = math.Exp(v - top)
		}
		sum += dst[i]
	}
	for i := range dst {
		dst[i] /= sum
	}
	return dst
}

// header is the common part of every model: the start of its JSON form.
type header struct {
	Format string   `json:"format"` // names learner and version, see Load
	Schema Schema   `json:"features"`
	Names  []string `json:"classes"`
}

// Features returns the schema of the vectors.
func (h *header) Features() Schema { return h.Schema }

// ClassNames returns the names of the classes by index.
func (h *header) ClassNames() []string { return h.Names }

func newHeader(format string, s Schema, classes []string) (header, error) {
	h := header{Format: format, Schema: append(Schema(nil), s...), Names: append([]string(nil), classes...)}
	return h, h.validate()
}

func (h *header) validate() error {
	if err := h.Schema.Validate(); err != nil {
		return err
	}
	if len(h.Names) < 2 || len(h.Names) > 1000 {
		return fmt.Errorf("classify: %d classes: must be 2 to 1000", len(h.Names))
	}
	seen := map[string]bool{}
	for i, n := range h.Names {
		if n == "" || seen[n] {
			return fmt.Errorf("classify: class %d is named %q: must be different names, not empty", i, n)
		}
		seen[n] = true
	}
	return nil
}

// check tells whether an observation fits the model.
func (h *header) check(x []float64, class int) error {
	if len(x) != len(h.Schema) {
		return fmt.Errorf("classify: vector of %d features: must be %d", len(x), len(h.Schema))
	}
	if class < 0 || class >= len(h.Names) {
		if len(h.Names) == 0 {
			return errors.New("classify: a model without classes; use one that its constructor made")
		}
		return fmt.Errorf("classify: class %d: must be 0 to %d", class, len(h.Names)-1)
	}
	return nil
}

// within refuses values that the weights of a linear model would carry on.
func (h *header) within(x []float64) error {
	for i, v := range x {
		if math.Abs(v) > Largest {
			return fmt.Errorf("classify: feature %q is %v: must be at most %g in magnitude, or NaN", h.Schema[i].Name, v,
				Largest)
		}
	}
	return nil
}

// Save writes the model as indented JSON: format, features with units, class
// names, and every count it has learned.
func Save(w io.Writer, m Model) error {
	if m == nil {
		return errors.New("classify: no model to save")
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(m)
}

// Formats of saved models; the number changes when the meaning of a field does.
const (
	formatCategorical = "schedtune/classify/categorical-nb/v1"
	formatGaussian    = "schedtune/classify/gaussian-nb/v1"
	formatPerceptron  = "schedtune/classify/perceptron/v1"
	formatLogistic    = "schedtune/classify/logistic/v1"
)

// validator is what a loaded model checks about itself.
type validator interface {
	Model
	validateState() error
}

// maxModel is the largest model that is read, bytes.
const maxModel = 128 << 20

// Load reads a model written by Save; learning continues where it stopped.
func Load(r io.Reader) (Model, error) {
	raw, err := io.ReadAll(io.LimitReader(r, maxModel)) // a longer one is cut, and no JSON
	if err != nil {
		return nil, fmt.Errorf("classify: model: %w", err)
	}
	var h header
	if err := json.Unmarshal(raw, &h); err != nil {
		return nil, fmt.Errorf("classify: model: %w", err)
	}
	var m validator
	switch h.Format {
	case formatCategorical:
		m = &Categorical{}
	case formatGaussian:
		m = &Gaussian{}
	case formatPerceptron:
		m = &Perceptron{}
	case formatLogistic:
		m = &Logistic{}
	default:
		return nil, fmt.Errorf("classify: model format %q; use %s, %s, %s, %s", h.Format, formatCategorical, formatGaussian,
			formatPerceptron, formatLogistic)
	}
	if err := json.Unmarshal(raw, m); err != nil {
		return nil, fmt.Errorf("classify: model: %w", err)
	}
	if err := h.validate(); err != nil {
		return nil, err
	}
	return m, m.validateState()
}

// sized reports a table of a saved model that has the wrong length or holds
// something that is no finite count.
func sized(name string, v []float64, want int, signed bool) error {
	if len(v) != want {
		return fmt.Errorf("classify: model: %s has %d entries: must be %d", name, len(v), want)
	}
	for i, x := range v {
		if math.IsNaN(x) || math.IsInf(x, 0) || (!signed && x < 0) {
			return fmt.Errorf("classify: model: %s[%d] is %v: must be finite%s", name, i, x,
				map[bool]string{false: ", 0 or more"}[signed])
		}
	}
	return nil
}
