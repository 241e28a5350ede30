package models

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"schedtune/classify"
	"schedtune/classify/modelfile"
	"schedtune/internal/text"
)

// OverloadResult is what a fit of overload classifiers found.
type OverloadResult struct {
	Schema     string              `json:"schema"`
	Label      string              `json:"label"`
	Learner    string              `json:"learner"`
	Saved      string              `json:"saved"` // the learner in the model: a perceptron's average where it is better
	Intake     Intake              `json:"log"`
	Decisions  int                 `json:"decisions"`                    // judged and learned
	Compared   int                 `json:"compared_decisions,omitempty"` // on which golearn's learners were fitted
	Frozen     bool                `json:"frozen"`                       // a saved model judged and learned nothing
	Unlabelled int                 `json:"unlabelled"`                   // outcome unknown: the rule's columns were
	Unresolved int                 `json:"unresolved"`                   // the node's next row has not come
	Learners   []LearnerScore      `json:"learners"`
	Worth      *Worth              `json:"worth"` // absent where a model was continued
	Features   []modelfile.Feature `json:"features"`
	Model      *OverloadModel      `json:"-"`
}

// OverloadModel is the saved learner: everything it needs to judge, and to go
// on learning as if it had never stopped.
type OverloadModel struct {
	modelfile.Model
	Intake    Intake            `json:"log"` // the latest log learned from
	Decisions float64           `json:"decisions"`
	Accuracy  text.Num          `json:"accuracy"` // progressive, over the latest log
	BaseRate  text.Num          `json:"base_rate"`
	Waiting   []WaitingDecision `json:"waiting,omitempty"`
}

// WaitingDecision is a decision whose node has not been heard of since.
type WaitingDecision struct {
	Node   string     `json:"node"`
	Values []text.Num `json:"values"` // of the features
	Odds   text.Num   `json:"log_odds"`
	Guess  int        `json:"guess"`
	Same   int        `json:"same"` // what the node was
}

// save makes the model file of a learner.
func (f *overloadFit) save(at int, learner classify.Model) *OverloadModel {
	p := f.learners[at]
	m := &OverloadModel{Intake: *f.in, Decisions: learner.Seen(), Accuracy: text.Num(p.total.Accuracy()),
		BaseRate: text.Num(p.total.BaseRate())}
	m.Model = modelfile.Model{Schema: text.SchemaFitOverloadModel, Label: f.opt.Label, Learner: p.name, Columns: f.space.Columns,
		Texts: f.space.Texts, Features: slices.Clone(f.features), Cut: f.cut, Modes: f.modes.Counts, Classifier: learner}
	if f.opt.Freeze {
		m.Calibration = f.opt.Continue.Calibration
	} else if len(f.kept.list) > 1 {
		m.Calibration = f.calibration(learner, f.features, f.kept.list, at)
	}
	for i, v := range learner.Influence() {
		m.Features[i].Influence = text.Num(v)
	}
	for _, node := range slices.Sorted(maps.Keys(f.waiting)) {
		d := f.waiting[node]
		m.Waiting = append(m.Waiting, WaitingDecision{Node: node, Values: text.Nums(d.x), Odds: text.Num(d.odds[at]),
			Guess: d.said[at], Same: d.same})
	}
	return m
}

// restoreWaiting takes up the decisions that waited when the model was saved.
func (f *overloadFit) restoreWaiting() {
	for _, w := range f.opt.Continue.Waiting {
		d := f.newDecision()
		d.node, d.same, d.odds[0], d.said[0] = w.Node, w.Same, float64(w.Odds), w.Guess
		d.time = math.NaN()
		copy(d.x, text.Floats(w.Values))
		f.contest.judge(d, f.learners)
		f.waiting[w.Node] = d
	}
}

// Write writes the model file.
func (m *OverloadModel) Write(w io.Writer) error {
	var b bytes.Buffer
	if err := classify.Save(&b, m.Classifier); err != nil {
		return err
	}
	m.Classify = b.Bytes()
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(m)
}

// Validate checks a model that was decoded and makes it ready to judge and to learn.
func (m *OverloadModel) Validate() error {
	if err := m.Model.Validate(); err != nil {
		return err
	}
	if err := knownLearner(m.Learner); err != nil {
		return err
	}
	want := newLearner(m.Learner, m.Classifier.Features())
	if fmt.Sprintf("%T", want) != fmt.Sprintf("%T", m.Classifier) {
		return fmt.Errorf("learner %q with a %T", m.Learner, m.Classifier)
	}
	for _, w := range m.Waiting {
		if len(w.Values) != len(m.Features) || (w.Guess|w.Same)&^1 != 0 {
			return fmt.Errorf("waiting decision of node %q has %d features, guess %d and last state %d: must be %d, 0 or 1",
				w.Node, len(w.Values), w.Guess, w.Same, len(m.Features))
		}
	}
	return nil
}
