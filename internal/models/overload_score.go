package models

import (
	"fmt"
	"slices"
	"strings"

	"schedtune/classify"
	"schedtune/internal/text"
)

// Learners returns the names of the online learners: the paper's, and a
// logistic regression as a baseline.
func Learners() []string {
	return []string{"naive-bayes", "gaussian", "perceptron", "averaged-perceptron", logistic}
}

// newLearner returns one of Learners for a valid schema.
func newLearner(name string, s classify.Schema) (m classify.Model) {
	var err error
	switch name {
	case "naive-bayes":
		m, err = classify.NewCategorical(s, classify.Binary())
	case "gaussian":
		m, err = classify.NewGaussian(s, classify.Binary())
	case logistic:
		m, err = classify.NewLogistic(s, classify.Binary())
	default:
		m, err = classify.NewPerceptron(s, classify.Binary(), name == "averaged-perceptron")
	}
	if err != nil {
		panic(err)
	}
	return m
}

// knownLearner returns an error for a name that is none of Learners.
func knownLearner(name string) error {
	if !slices.Contains(Learners(), name) {
		return fmt.Errorf("learner %q: must be one of %s", name, strings.Join(Learners(), ", "))
	}
	return nil
}

// Figures judge decisions; those of one class are of Bad.
type Figures struct {
	Accuracy  text.Num `json:"accuracy"`
	BaseRate  text.Num `json:"base_rate"`
	Balanced  text.Num `json:"balanced_accuracy"`
	Precision text.Num `json:"precision_bad"`
	Recall    text.Num `json:"recall_bad"`
	F1        text.Num `json:"f1_bad"`
}

func figures(c *classify.Confusion) Figures {
	return Figures{Accuracy: text.Num(c.Accuracy()), BaseRate: text.Num(c.BaseRate()), Balanced: text.Num(c.Balanced()),
		Precision: text.Num(c.Precision(classify.Bad)), Recall: text.Num(c.Recall(classify.Bad)),
		F1: text.Num(c.F1(classify.Bad))}
}

// LearnerScore is how one learner judged, decision by decision in the order of
// time, each before its outcome was learned.
type LearnerScore struct {
	Name      string  `json:"name"`
	Decisions float64 `json:"decisions"`
	Figures
	Kappa     text.Num              `json:"kappa"`
	Confusion [][]float64           `json:"confusion"` // [truth][judgement], bad then good
	Curve     []classify.CurvePoint `json:"curve"`
	// Frozen judges the learner without learning on: of a fit as it was before the last 30 %
	// of the decisions, on these; of a saved model on all.
	Frozen *Frozen `json:"frozen,omitempty"`
	Note   string  `json:"note,omitempty"`
}

// Score returns the figures of a learner's judgements.
func Score(name string, c *classify.Confusion, curve []classify.CurvePoint, note string) LearnerScore {
	return LearnerScore{Name: name, Decisions: c.Total(), Figures: figures(c), Kappa: text.Num(c.Kappa()),
		Confusion: c.Counts, Curve: curve, Note: note}
}

// online is one online learner with its score.
type online struct {
	name   string
	model  classify.Model
	total  *classify.Confusion
	window *classify.Confusion
	curve  []classify.CurvePoint
}

func newOnline(name string, m classify.Model) *online {
	return &online{name: name, model: m, total: classify.NewConfusion(classify.Binary()),
		window: classify.NewConfusion(classify.Binary())}
}
