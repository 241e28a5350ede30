package models

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"

	"schedtune/classify"
	"schedtune/internal/text"
)

// Names of the documents.
const (
	overloadSchema      = text.SchemaFitOverload
	overloadModelSchema = text.SchemaFitOverloadModel
)

// OverloadResult is what a fit of overload classifiers found.
type OverloadResult struct {
	Schema     string            `json:"schema"`
	Label      string            `json:"label"`
	Learner    string            `json:"learner"`
	Intake     Intake            `json:"log"`
	Decisions  int               `json:"decisions"`  // judged and learned
	Unlabelled int               `json:"unlabelled"` // outcome unknown: the rule's columns were
	Unresolved int               `json:"unresolved"` // the node's next row has not come
	Learners   []LearnerScore    `json:"learners"`
	Worth      *Worth            `json:"worth"` // absent where a model was continued
	Features   []OverloadFeature `json:"features"`
	Model      *OverloadModel    `json:"-"`
}

// OverloadModel is the saved learner: everything it needs to judge, and to go
// on learning as if it had never stopped.
type OverloadModel struct {
	Schema    string            `json:"schema"`
	Label     string            `json:"label"`
	Learner   string            `json:"learner"`
	Features  []OverloadFeature `json:"features"`
	Intake    Intake            `json:"log"` // the latest log learned from
	Decisions float64           `json:"decisions"`
	Accuracy  text.Num          `json:"accuracy"` // progressive, over the latest log
	BaseRate  text.Num          `json:"base_rate"`
	Modes     [][]float64       `json:"modes"`
	Waiting   []WaitingDecision `json:"waiting,omitempty"`
	Classify  json.RawMessage   `json:"model"`

	model classify.Model
}

// WaitingDecision is a decision whose node has not been heard of since.
type WaitingDecision struct {
	Node  string     `json:"node"`
	X     []text.Num `json:"x"`
	Guess int        `json:"guess"`
}

// save makes the model file of a learner.
func (f *overloadFit) save(p *pupil) *OverloadModel {
	m := &OverloadModel{Schema: overloadModelSchema, Label: f.opt.Label, Learner: p.name, Intake: *f.in,
		Decisions: p.model.Seen(), Accuracy: text.Num(p.total.Accuracy()), BaseRate: text.Num(p.total.BaseRate()),
		Modes: f.modes.Counts, model: p.model}
	m.Features = slices.Clone(f.features)
	for i, v := range p.model.Influence() {
		m.Features[i].Influence = text.Num(v)
	}
	at := slices.Index(f.pupils, p)
	for node, d := range f.waiting {
		m.Waiting = append(m.Waiting, WaitingDecision{Node: node, X: text.Nums(d.x), Guess: d.guesses[at]})
	}
	slices.SortFunc(m.Waiting, func(a, b WaitingDecision) int { return bytes.Compare([]byte(a.Node), []byte(b.Node)) })
	return m
}

// restoreWaiting takes up the decisions that waited when the model was saved.
func (f *overloadFit) restoreWaiting() {
	for _, w := range f.opt.Continue.Waiting {
		f.waiting[w.Node] = &decision{x: text.Floats(w.X), guesses: []int{w.Guess}, same: classify.Good}
	}
}

// Write writes the model file.
func (m *OverloadModel) Write(w io.Writer) error {
	var b bytes.Buffer
	if err := classify.Save(&b, m.model); err != nil {
		return err
	}
	m.Classify = b.Bytes()
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(m)
}

// ReadOverloadModel reads a model file.
func ReadOverloadModel(r io.Reader) (*OverloadModel, error) {
	var m OverloadModel
	if err := DecodeModel(r, &m); err != nil {
		return nil, err
	}
	if m.Schema != overloadModelSchema {
		return nil, fmt.Errorf("schema %q: must be %q", m.Schema, overloadModelSchema)
	}
	model, err := classify.Load(bytes.NewReader(m.Classify))
	if err != nil {
		return nil, fmt.Errorf("%w", err)
	}
	m.model = model
	return &m, m.validate()
}

func (m *OverloadModel) validate() error {
	n := len(m.model.Features())
	if len(m.Features) != n || len(m.Modes) != n {
		return fmt.Errorf("%d features and %d modes: must be %d of each", len(m.Features), len(m.Modes), n)
	}
	for i, f := range m.Features {
		if !(f.Low < f.High) || math.IsInf(f.High-f.Low, 0) {
			return fmt.Errorf("feature %q has the range %v to %v: must be low below high", f.Name, f.Low, f.High)
		}
		if want := featureOf(f.Name); m.model.Features()[i] != want {
			return fmt.Errorf("feature %q is %+v in the learner: must be %+v", f.Name, m.model.Features()[i], want)
		}
		if l := len(m.Modes[i]); m.Modes[i] != nil && l != m.model.Features()[i].Levels {
			return fmt.Errorf("feature %q has %d modes: must be %d, or null", f.Name, l, m.model.Features()[i].Levels)
		}
	}
	if len(m.model.ClassNames()) != 2 {
		return fmt.Errorf("%d classes: must be 2", len(m.model.ClassNames()))
	}
	want, err := newLearner(m.Learner, m.model.Features())
	if err != nil {
		return fmt.Errorf("%w", err)
	}
	if fmt.Sprintf("%T", want) != fmt.Sprintf("%T", m.model) {
		return fmt.Errorf("learner %q with a %T", m.Learner, m.model)
	}
	for _, w := range m.Waiting {
		if len(w.X) != n || (w.Guess != classify.Good && w.Guess != classify.Bad) {
			return fmt.Errorf("waiting decision of node %q has %d features and guess %d: must be %d, 0 or 1", w.Node, len(w.X),
				w.Guess, n)
		}
	}
	return nil
}
