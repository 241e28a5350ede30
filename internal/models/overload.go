package models

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"schedtune/classify"
	"schedtune/internal/fileio"
	"schedtune/internal/text"
)

// OverloadOptions sets a fit of overload classifiers; the zero value is usable.
type OverloadOptions struct {
	// Label is the overload rule, an expression that is true for an overloaded
	// node; it is applied to the node's next row. Empty: the log's outcome
	// column, else "load1/cpus > 1", else "memory > 0.9", whichever the log has
	// the columns for.
	Label string
	// Features are expressions over the columns; nil: every numeric column.
	Features []string
	// Learner is the one whose model is saved: see Learners. Empty reads as
	// naive-bayes.
	Learner string
	// Window is the number of decisions per point of the learning curve, 0
	// reads as 250. Delay is how many decisions a label of the outcome column
	// comes late, 0 reads as 1.
	Window, Delay int
	// Compare, if set, judges learners of another library on the first CompareMax
	// decisions, 0 reads as 2000.
	Compare    Batch
	CompareMax int
	// Continue is a model to go on with: its label, features and learner
	// replace those above.
	Continue *OverloadModel
	// Reading is told the bytes read.
	Reading Reading
}

// rangeRows is how many rows at the beginning of a log set the features'
// ranges.
const rangeRows = 500

// Learners returns the names of the online learners: the paper's, and a
// logistic regression as a baseline.
func Learners() []string {
	return []string{"naive-bayes", "gaussian", "perceptron", "averaged-perceptron", logistic}
}

func newLearner(name string, s classify.Schema) (classify.Model, error) {
	switch name {
	case "naive-bayes":
		return classify.NewCategorical(s, classify.Binary())
	case "gaussian":
		return classify.NewGaussian(s, classify.Binary())
	case "perceptron":
		return classify.NewPerceptron(s, classify.Binary(), false)
	case "averaged-perceptron":
		return classify.NewPerceptron(s, classify.Binary(), true)
	case logistic:
		return classify.NewLogistic(s, classify.Binary())
	}
	return nil, fmt.Errorf("learner %q: must be one of %s", name, strings.Join(Learners(), ", "))
}

// OverloadFeature is one feature: an expression and the range that is spread
// over the paper's scale of 1 to 10.
type OverloadFeature struct {
	Name string  `json:"name"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	// Influence is how much the feature tells about the outcome, in the unit of
	// the saved learner (see classify.Model).
	Influence text.Num `json:"influence"`
	expr      *Expr
}

// scale puts a value on the scale of 1 to 10.
func (f *OverloadFeature) scale(v float64) float64 { return 1 + 9*(v-f.Low)/(f.High-f.Low) }

// LearnerScore is how one learner judged, decision by decision in the order of
// time, each before its outcome was learned.
type LearnerScore struct {
	Name      string       `json:"name"`
	Decisions float64      `json:"decisions"`
	Accuracy  text.Num     `json:"accuracy"`
	BaseRate  text.Num     `json:"base_rate"`
	Precision text.Num     `json:"precision_bad"`
	Recall    text.Num     `json:"recall_bad"`
	F1        text.Num     `json:"f1_bad"`
	Kappa     text.Num     `json:"kappa"`
	Confusion [][]float64  `json:"confusion"` // [truth][judgement], bad then good
	Curve     []CurvePoint `json:"curve"`
	Note      string       `json:"note,omitempty"`
}

// CurvePoint is one window of a learning curve.
type CurvePoint struct {
	Decisions int      `json:"decisions"`
	Accuracy  text.Num `json:"accuracy"`
	BaseRate  text.Num `json:"base_rate"`
}

func score(name string, c *classify.Confusion, curve []classify.CurvePoint, note string) LearnerScore {
	s := LearnerScore{Name: name, Decisions: c.Total(), Accuracy: text.Num(c.Accuracy()), BaseRate: text.Num(c.BaseRate()),
		Precision: text.Num(c.Precision(classify.Bad)), Recall: text.Num(c.Recall(classify.Bad)),
		F1:    text.Num(c.F1(classify.Bad)),
		Kappa: text.Num(c.Kappa()), Confusion: c.Counts, Note: note}
	for _, p := range curve {
		s.Curve = append(s.Curve, CurvePoint{p.Decisions, text.Num(p.Accuracy), text.Num(p.BaseRate)})
	}
	return s
}

// pupil is one online learner with its score.
type pupil struct {
	name   string
	model  classify.Model
	total  *classify.Confusion
	window *classify.Confusion
	curve  []classify.CurvePoint
	// against counts the decisions on which it parts with "same as last" and
	// with the logistic regression.
	against [2]discord
}

// overloadFit is a fit under way.
type overloadFit struct {
	opt       OverloadOptions
	in        *Intake
	src       *stream
	label     *Expr // nil: the outcome column
	features  []OverloadFeature
	schema    classify.Schema
	pupils    []*pupil
	same      *pupil         // the baseline without a model
	outcome   map[string]int // by node, the newest outcome learned
	modes     *classify.Modes
	waiting   map[string]*decision // by node, where the label comes with the node's next row
	last      map[string]float64   // time of each node's last row
	queue     []*decision          // in order, where it comes with the row
	free      []*decision
	decisions int
	unknown   int // decisions whose label could not be told
	x         [][]float64
	y         []int
	scratch   []float64
}

// decision waits for its outcome.
type decision struct {
	x       []float64
	guesses []int // by pupil
	same    int   // what "same as last" says
	node    string
	label   int
}

// FitOverload learns from the logs in one pass. Memory does not grow with
// their size.
func FitOverload(sources []Source, opt OverloadOptions) (*OverloadResult, error) {
	f := &overloadFit{opt: opt, in: &Intake{FirstTime: text.Num(math.NaN()), LastTime: text.Num(math.NaN())},
		waiting: map[string]*decision{}, last: map[string]float64{}, outcome: map[string]int{}, scratch: make([]float64, 2)}
	f.defaults()
	var err error
	if f.src, err = openStream(sources, f.in, opt.Reading); err != nil {
		return nil, err
	}
	head, err := f.begin()
	if err != nil {
		return nil, err
	}
	for i := range head {
		if err := f.row(&head[i]); err != nil {
			return nil, err
		}
	}
	for {
		row, err := f.src.next()
		if errors.Is(err, io.EOF) {
			return f.finish()
		}
		if err != nil {
			return nil, err
		}
		if err := f.row(row); err != nil {
			return nil, err
		}
	}
}

func (f *overloadFit) defaults() {
	if c := f.opt.Continue; c != nil {
		f.opt.Label, f.opt.Learner = c.Label, c.Learner
		f.opt.Features = nil
		for _, x := range c.Features {
			f.opt.Features = append(f.opt.Features, x.Name)
		}
	}
	if f.opt.Learner == "" {
		f.opt.Learner = Learners()[0]
	}
	if f.opt.Window <= 0 {
		f.opt.Window = 250
	}
	if f.opt.Delay <= 0 {
		f.opt.Delay = 1
	}
	if f.opt.CompareMax <= 0 {
		f.opt.CompareMax = 2000
	}
}

// begin reads the head of the log, chooses label and features and makes the
// learners. It returns copies of the rows it has read.
func (f *overloadFit) begin() ([]Row, error) {
	var head []Row
	hasOutcome := false
	for len(head) < rangeRows {
		row, err := f.src.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		c := *row
		c.Values = slices.Clone(row.Values)
		hasOutcome = hasOutcome || c.Outcome >= 0
		head = append(head, c)
	}
	if len(head) == 0 {
		return nil, &fileio.FileError{File: f.src.sources[0].Name,
			Reason: fmt.Sprintf("no row could be read (%d bad)%s: must have a header with column names and at least one row "+
				"of numbers", f.in.BadRows, firstFault(f.in))}
	}
	if err := f.chooseLabel(hasOutcome); err != nil {
		return nil, err
	}
	if err := f.chooseFeatures(head); err != nil {
		return nil, err
	}
	// The whole log may have been read: sources that ended stay at their end.
	return head, f.makePupils()
}

func firstFault(in *Intake) string {
	if len(in.Faults) == 0 {
		return ""
	}
	return "; first: " + in.Faults[0]
}

func (f *overloadFit) chooseLabel(hasOutcome bool) (err error) {
	if f.opt.Label == "" && !hasOutcome {
		f.opt.Label = defaultLabel(f.src.columns)
		if f.opt.Label == "" {
			return fmt.Errorf("%s: no column tells what an overload is: outcome is missing, and so are load1 with cpus, and "+
				"memory, from which one would follow; use --label with an expression over %s", f.src.sources[0].Name,
				strings.Join(f.src.columns, ", "))
		}
	}
	if f.opt.Label != "" && f.opt.Label != "outcome" {
		if f.label, err = ParseExpr(f.opt.Label, f.src.columns); err != nil {
			return fmt.Errorf("label: %w", err)
		}
		return nil
	}
	f.opt.Label = "outcome"
	return nil
}

func defaultLabel(columns []string) string {
	has := func(name string) bool { return slices.Contains(columns, name) }
	switch {
	case has("load1") && has("cpus"):
		return "load1/cpus > 1"
	case has("memory"):
		return "memory > 0.9"
	}
	return ""
}

// chooseFeatures compiles the features and takes their ranges from the head of
// the log, or from the model that is continued. job_ columns have the range 1
// to 10.
func (f *overloadFit) chooseFeatures(head []Row) error {
	names := f.opt.Features
	if names == nil {
		names = f.src.columns
	}
	if len(names) == 0 {
		return fmt.Errorf("%s: no numeric column to use as a feature", f.src.sources[0].Name)
	}
	for i, n := range names {
		e, err := ParseExpr(n, f.src.columns)
		if err != nil {
			return fmt.Errorf("feature: %w", err)
		}
		ft := OverloadFeature{Name: n, expr: e, Low: 1, High: 10}
		switch {
		case f.opt.Continue != nil:
			ft.Low, ft.High = f.opt.Continue.Features[i].Low, f.opt.Continue.Features[i].High
		case !strings.HasPrefix(n, "job_"):
			ft.Low, ft.High = rangeOf(e, head)
		}
		if math.IsInf(ft.High-ft.Low, 0) {
			return fmt.Errorf("feature %q lies between %v and %v; the difference must be a number", n, ft.Low, ft.High)
		}
		f.features = append(f.features, ft)
		f.schema = append(f.schema, featureOf(n))
	}
	return f.schema.Validate()
}

// featureOf is a feature as the learners see it, on the paper's scale.
func featureOf(name string) classify.Feature {
	return classify.Feature{Name: name, Unit: "level 1 to 10", Job: strings.HasPrefix(name, "job_"), Levels: 10, Low: 1,
		High: 10}
}

// rangeOf is the range of an expression over the rows, widened where it is
// empty or constant.
func rangeOf(e *Expr, rows []Row) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for i := range rows {
		if v := e.Eval(rows[i].Values); v-v == 0 {
			lo, hi = math.Min(lo, v), math.Max(hi, v)
		}
	}
	if !(lo <= hi) {
		return 0, 1
	}
	if lo == hi {
		return lo - 0.5, hi + 0.5
	}
	return lo, hi
}

func (f *overloadFit) makePupils() error {
	f.modes = classify.NewModes(f.schema)
	f.same = &pupil{name: sameAsLast, total: classify.NewConfusion(classify.Binary()),
		window: classify.NewConfusion(classify.Binary())}
	names := Learners()
	if c := f.opt.Continue; c != nil {
		names = []string{c.Learner}
		f.modes.Counts = c.Modes
	}
	if !slices.Contains(Learners(), f.opt.Learner) {
		_, err := newLearner(f.opt.Learner, f.schema)
		return err
	}
	for _, n := range names {
		m, err := newLearner(n, f.schema)
		if err != nil {
			return err
		}
		if f.opt.Continue != nil {
			m = f.opt.Continue.model
		}
		f.pupils = append(f.pupils, &pupil{name: n, model: m, total: classify.NewConfusion(classify.Binary()),
			window: classify.NewConfusion(classify.Binary())})
	}
	if f.opt.Continue != nil {
		f.restoreWaiting()
	}
	return nil
}
