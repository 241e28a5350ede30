// Package modelfile opens overload classifiers that `fit overload --out DIR` saved and
// judges rows with them, as `fit predict` does:
//
//	m, err := modelfile.Open("DIR/model.json")
//	j := m.Judge("node7", map[string]float64{"cpu": 71, "memory": 0.4})
//	if j.Overloaded { … }
//
// A model file holds the expressions of its features, their ranges, what replaces job
// features that are not known, the learner, and the calibration of its probabilities.
package modelfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"schedtune/classify"
	"schedtune/internal/fileio"
	"schedtune/internal/text"
)

// Schema names the form of a model file.
const Schema = text.SchemaFitOverloadModel

// Feature is one feature: an expression and the range that is spread over the paper's scale
// of 1 to 10.
type Feature struct {
	Name string  `json:"name"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	// Influence is how much the feature tells about the outcome, in the unit of
	// the saved learner (see classify.Model).
	Influence text.Num `json:"influence"`
	// Permuted is the balanced accuracy lost on the hold-out where the feature's values are
	// shuffled among the decisions.
	Permuted text.Num `json:"permutation_importance"`
	// Seen counts the values, Outside those beyond the range since it was set, between Least
	// and Most.
	Seen    float64 `json:"seen,omitempty"`
	Outside float64 `json:"outside,omitempty"`
	Least   float64 `json:"outside_least,omitempty"`
	Most    float64 `json:"outside_most,omitempty"`

	expr *Expr
}

// Job reports whether the feature is one of the job, on the scale of 1 to 10.
func (f *Feature) Job() bool { return strings.HasPrefix(f.Name, "job_") }

// Scale puts a value on the scale of 1 to 10; what no learner takes is unknown.
func (f *Feature) Scale(v float64) float64 {
	if x := 1 + 9*(v-f.Low)/(f.High-f.Low); math.Abs(x) <= classify.Largest {
		return x
	}
	return math.NaN()
}

// Grow counts a value. Where more than one in a hundred lies outside, the range grows to
// them, by a quarter at least, and Grow returns what makes new scaled values of old ones,
// x -> a x + b; else a is 1. The range of a job feature stays.
func (f *Feature) Grow(v float64) (a, b float64) {
	if v-v != 0 {
		return 1, 0
	}
	f.Seen++
	if v >= f.Low && v <= f.High {
		return 1, 0
	}
	if f.Outside == 0 {
		f.Least, f.Most = v, v
	}
	f.Outside++
	f.Least, f.Most = math.Min(f.Least, v), math.Max(f.Most, v)
	if f.Job() || f.Outside < 2 || f.Outside*100 <= f.Seen {
		return 1, 0
	}
	low, high, more := f.Low, f.High, (f.High-f.Low)/4
	if f.Least < low {
		low = math.Min(f.Least, low-more)
	}
	if f.Most > high {
		high = math.Max(f.Most, high+more)
	}
	if math.IsInf(high-low, 0) {
		return 1, 0
	}
	a = (f.High - f.Low) / (high - low)
	b = 1 + 9*(f.Low-low)/(high-low) - a
	f.Low, f.High, f.Outside, f.Least, f.Most = low, high, 0, 0, 0
	return a, b
}

// Compile parses the feature's expression.
func (f *Feature) Compile(s *Space) (err error) {
	f.expr, err = s.Parse(f.Name)
	return err
}

// Value returns the feature of a row as Space.Row returns it, on its own scale.
func (f *Feature) Value(row []float64) float64 { return f.expr.Eval(row) }

// Model is a saved classifier. It is not safe for concurrent use.
type Model struct {
	Schema   string    `json:"schema"`
	Label    string    `json:"label"`
	Learner  string    `json:"learner"`
	Columns  []string  `json:"columns,omitempty"`      // of the log
	Texts    []string  `json:"text_columns,omitempty"` // of these, those with texts
	Features []Feature `json:"features"`
	// Cut is the log odds of overload against its opposite above which a decision is Bad, of
	// learners with probabilities.
	Cut         float64            `json:"log_odds_cut,omitempty"`
	Modes       [][]float64        `json:"modes"`
	Calibration *classify.Isotonic `json:"calibration,omitempty"` // of the score
	Classify    json.RawMessage    `json:"model"`

	Classifier classify.Model `json:"-"` // the saved learner

	space  *Space
	modes  *classify.Modes
	values []float64
	x, odd []float64
}

// Open reads the model file at a path. Errors are *fileio.FileError.
func Open(path string) (*Model, error) {
	m := &Model{}
	return m, fileio.OpenJSON(path, m)
}

// Validate checks a model whose fields were decoded and makes it ready to judge.
func (m *Model) Validate() (err error) {
	if m.Schema != Schema {
		return fmt.Errorf("schema %q: must be %q", m.Schema, Schema)
	}
	if m.Classifier, err = classify.Load(bytes.NewReader(m.Classify)); err != nil {
		return err
	}
	if err := m.validate(); err != nil {
		return err
	}
	m.space = &Space{Columns: m.Columns, Texts: m.Texts}
	for i := range m.Features {
		if err := m.Features[i].Compile(m.space); err != nil {
			return err
		}
	}
	m.modes = classify.NewModes(m.Classifier.Features())
	m.modes.Counts = m.Modes
	m.values, m.x, m.odd = make([]float64, len(m.space.Columns)), make([]float64, len(m.Features)), make([]float64, 2)
	return nil
}

func (m *Model) validate() error {
	n := len(m.Classifier.Features())
	if len(m.Features) != n || len(m.Modes) != n {
		return fmt.Errorf("%d features and %d modes: must be %d of each", len(m.Features), len(m.Modes), n)
	}
	for i, f := range m.Features {
		if !(f.Low < f.High) || math.IsInf(f.High-f.Low, 0) {
			return fmt.Errorf("feature %q has the range %v to %v: must be low below high", f.Name, f.Low, f.High)
		}
		if want := f.Schema(); m.Classifier.Features()[i] != want {
			return fmt.Errorf("feature %q is %+v in the learner: must be %+v", f.Name, m.Classifier.Features()[i], want)
		}
		if l := len(m.Modes[i]); m.Modes[i] != nil && l != m.Classifier.Features()[i].Levels {
			return fmt.Errorf("feature %q has %d modes: must be %d, or null", f.Name, l, m.Classifier.Features()[i].Levels)
		}
	}
	if len(m.Classifier.ClassNames()) != 2 {
		return fmt.Errorf("%d classes: must be 2", len(m.Classifier.ClassNames()))
	}
	if c := m.Calibration; c != nil && (len(c.X) != len(c.Y) || !slices.IsSorted(c.X)) {
		return fmt.Errorf("calibration with %d scores and %d probabilities: must be as many, ascending", len(c.X), len(c.Y))
	}
	return nil
}

// Schema is the feature as the learners see it, on the paper's scale.
func (f *Feature) Schema() classify.Feature {
	return classify.Feature{Name: f.Name, Unit: "level 1 to 10", Job: f.Job(), Levels: 10, Low: 1, High: 10}
}

// Judgement is what a model says of a row.
type Judgement struct {
	Overloaded bool
	// LogOdds of overload against its opposite; a perceptron's is its margin.
	LogOdds float64
	// Probability of overload as the learner has it; NaN for a perceptron.
	Probability float64
	// Calibrated is the probability of overload after recalibration on the log that the
	// model was made from; NaN for a model without.
	Calibrated float64
}

// Judge judges a node's row of named values, without learning; a column that is missing is
// unknown. The rows of a node come in order of time, which matters only for features with
// lag, mean or sd. Columns of texts hold TextValue.
func (m *Model) Judge(node string, row map[string]float64) Judgement {
	for i, c := range m.space.Columns {
		v, ok := row[c]
		if !ok {
			v = math.NaN()
		}
		m.values[i] = v
	}
	return m.Score(m.vector(node, m.values))
}

// vector is the row's vector on the features' scale, valid until the next call.
func (m *Model) vector(node string, values []float64) []float64 {
	values = m.space.Row(node, values)
	for i := range m.Features {
		m.x[i] = m.Features[i].Scale(m.Features[i].Value(values))
	}
	m.modes.Fill(m.x)
	return m.x
}

// Score judges a vector on the features' scale of 1 to 10.
func (m *Model) Score(x []float64) Judgement {
	return Judge(m.Classifier, Odds(m.Classifier, x, m.odd), m.Cut, m.Calibration)
}

// Odds returns the log odds of overload of a scaled vector. odd is scratch of two entries.
func Odds(c classify.Model, x, odd []float64) float64 {
	o := c.LogOdds(x, odd)
	return math.Max(-1e300, math.Min(o[classify.Bad]-o[classify.Good], 1e300))
}

// IsMargin reports whether a classifier has a margin and no probabilities.
func IsMargin(c classify.Model) bool {
	_, margin := c.(*classify.Perceptron)
	return margin
}

// Overloaded reports whether log odds are above the cut, those of a perceptron above 0.
func Overloaded(c classify.Model, odds, cut float64) bool {
	if IsMargin(c) {
		cut = 0
	}
	return odds > cut
}

// Judge makes a judgement of a classifier's log odds.
func Judge(c classify.Model, odds, cut float64, cal *classify.Isotonic) Judgement {
	j := Judgement{Overloaded: Overloaded(c, odds, cut), LogOdds: odds, Probability: math.NaN(),
		Calibrated: cal.Probability(odds)}
	if !IsMargin(c) {
		j.Probability = 1 / (1 + math.Exp(-odds))
	}
	return j
}

// Copy returns a model that judges on its own, beside m; the learner is the same.
func (m *Model) Copy() *Model {
	c := *m
	c.space = &Space{Columns: m.space.Columns, Texts: m.space.Texts, windows: m.space.windows}
	c.values, c.x, c.odd = slices.Clone(m.values), slices.Clone(m.x), slices.Clone(m.odd)
	return &c
}

// Bind returns a function that makes the vectors, on the scale of 1 to 10, of rows with the
// given columns; a vector is valid until the next call. The columns that the features use must
// be there, others are ignored.
func (m *Model) Bind(columns []string) (func(node string, row []float64) []float64, error) {
	at := make([]int, len(m.space.Columns))
	for c, used := range m.space.Used(m.Features) {
		if at[c] = slices.Index(columns, m.space.Columns[c]); used && at[c] < 0 {
			return nil, fmt.Errorf("the model needs the column %q: must be one of %s", m.space.Columns[c],
				strings.Join(columns, ", "))
		}
	}
	return func(node string, row []float64) []float64 {
		for i, k := range at {
			m.values[i] = math.NaN()
			if k >= 0 {
				m.values[i] = row[k]
			}
		}
		return m.vector(node, m.values)
	}, nil
}
