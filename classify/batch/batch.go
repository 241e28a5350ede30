// Package batch gives a heartbeat log to golearn's batch learners under the
// evaluation of package classify, for comparison: time-ordered, every decision
// judged by a model that was fitted to earlier decisions only.
//
// A batch learner cannot learn one observation at a time. It is fitted anew
// before each window of decisions to (the latest of) the decisions before the
// window whose labels are known, and judges the window.
//
// Of golearn's learners that build without cgo, two can be used: "cart", a
// decision tree on the values, and "bernoulli-nb", Naive Bayes on whether a
// value lies in the upper half of its range. Its averaged perceptron is left
// out because its training does not read the labels; its Bernoulli Naive Bayes
// panics when some class has no feature set, which comes back as an error; its
// ID3 breaks ties by the order of a Go map, so that its results cannot be
// reproduced.
package batch

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/sjwhitworth/golearn/base"
	"github.com/sjwhitworth/golearn/naive"
	"github.com/sjwhitworth/golearn/trees"

	"schedtune/classify"
)

// Learners returns the names Evaluate knows.
func Learners() []string { return []string{"cart", "bernoulli-nb"} }

// Options sets an evaluation; the zero value is usable.
type Options struct {
	Window int // decisions judged per fit, 0 reads as 250
	Delay  int // decisions before a label is known, as in classify
}

const (
	mostTrained = 2000 // latest decisions fitted to
	depth       = 6    // of the tree
)

// Result is what the evaluation found.
type Result struct {
	Confusion *classify.Confusion   // over all decisions
	Curve     []classify.CurvePoint // by window
	// Failed counts windows in which the learner failed (golearn panicked or
	// returned an error); their decisions are judged Good. Failure is the
	// first such message.
	Failed  int
	Failure string
}

// Evaluate judges the decisions x with outcomes y (classify.Good or Bad) in
// the order given. Missing values (NaN) are replaced by the middle of the
// feature's range. The first window, for which nothing is known, is judged
// Good.
func Evaluate(learner string, schema classify.Schema, x [][]float64, y []int, opt Options) (*Result, error) {
	fit := map[string]fitter{"cart": fitCART, "bernoulli-nb": fitBernoulli}[learner]
	if fit == nil {
		return nil, fmt.Errorf("batch: learner %q: must be one of cart, bernoulli-nb", learner)
	}
	if err := check(schema, x, y); err != nil {
		return nil, err
	}
	opt.Window = cmp.Or(max(opt.Window, 0), 250)
	r := &Result{Confusion: classify.NewConfusion(classify.Binary())}
	for from := 0; from < len(x); from += opt.Window {
		to := min(from+opt.Window, len(x))
		known := min(max(from-opt.Delay, 0), from)
		first := max(known-mostTrained, 0)
		guess, err := guarded(fit, schema, x[first:known], y[first:known], x[from:to])
		if err != nil {
			if r.Failed++; r.Failed == 1 {
				r.Failure = err.Error()
			}
		}
		r.score(y[from:to], guess, to)
	}
	return r, nil
}

func check(schema classify.Schema, x [][]float64, y []int) error {
	if err := schema.Validate(); err != nil {
		return err
	}
	if len(x) != len(y) || len(x) == 0 {
		return fmt.Errorf("batch: %d decisions with %d outcomes: must be as many of each, at least 1", len(x), len(y))
	}
	for i, row := range x {
		if len(row) != len(schema) {
			return fmt.Errorf("batch: decision %d has %d features: must be %d", i, len(row), len(schema))
		}
		if y[i] != classify.Good && y[i] != classify.Bad {
			return fmt.Errorf("batch: outcome %d is %d: must be %d, %d", i, y[i], classify.Bad, classify.Good)
		}
	}
	return nil
}

func (r *Result) score(y, guess []int, to int) {
	w := classify.NewConfusion(classify.Binary())
	for i, t := range y {
		g := classify.Good
		if guess != nil {
			g = guess[i]
		}
		r.Confusion.Add(t, g)
		w.Add(t, g)
	}
	r.Curve = append(r.Curve, classify.CurvePoint{Decisions: to, Accuracy: w.Accuracy(), BaseRate: w.BaseRate()})
}

// fitter fits a learner to x and y and judges the rows of test. It panics where golearn fails.
type fitter func(s classify.Schema, x [][]float64, y []int, test [][]float64) []int

// must panics for an error, which guarded returns.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// guarded turns golearn's panics and errors into errors and answers what needs no learner:
// without two classes to tell apart the known one is the answer.
func guarded(fit fitter, s classify.Schema, x [][]float64, y []int, test [][]float64) (guess []int,
	err error) {
	defer func() {
		if p := recover(); p != nil {
			guess, err = nil, fmt.Errorf("batch: golearn panicked: %v", p)
		}
	}()
	if len(y) == 0 {
		return nil, nil
	}
	if slices.ContainsFunc(y, func(v int) bool { return v != y[0] }) {
		return fit(s, x, y, test), nil
	}
	return slices.Repeat(y[:1], len(test)), nil
}

func fitCART(s classify.Schema, x [][]float64, y []int, test [][]float64) []int {
	f := form{func(name string) base.Attribute { return base.NewFloatAttribute(name) }, base.NewFloatAttribute(className),
		func(_ *classify.Feature, v float64) []byte { return base.PackFloatToBytes(v) },
		func(label int) []byte { return base.PackFloatToBytes(float64(label)) }}
	tree := trees.NewDecisionTreeClassifier("gini", depth, []int64{classify.Bad, classify.Good})
	must(tree.Fit(f.grid(s, x, y)))
	guess := make([]int, len(test))
	for i, g := range tree.Predict(f.grid(s, test, make([]int, len(test)))) {
		guess[i] = int(g)
	}
	return guess
}

// fitBernoulli has features of 1 in the upper half of their range.
func fitBernoulli(s classify.Schema, x [][]float64, y []int, test [][]float64) []int {
	// Both tables have the same attributes: golearn finds those of the judged rows by those of
	// the fitted ones.
	class := base.NewCategoricalAttribute()
	class.SetName(className)
	for _, n := range classify.Binary() {
		class.GetSysValFromString(n) // fixes the order of the values
	}
	f := form{func(name string) base.Attribute { return base.NewBinaryAttribute(name) }, class,
		func(f *classify.Feature, v float64) []byte {
			if v > (f.Low+f.High)/2 {
				return []byte{1}
			}
			return []byte{0}
		},
		func(label int) []byte { return class.GetSysValFromString(classify.Binary()[label]) }}
	nb := naive.NewBernoulliNBClassifier()
	must(nb.Fit(f.grid(s, x, y)))
	out, err := nb.Predict(f.grid(s, test, make([]int, len(test))))
	must(err)
	guess := make([]int, len(test))
	for i := range guess {
		guess[i] = slices.Index(classify.Binary(), base.GetClass(out, i))
	}
	return guess
}

const className = "class of the decision"

// form is how a learner wants its table.
type form struct {
	attribute func(name string) base.Attribute
	class     base.Attribute
	cell      func(f *classify.Feature, v float64) []byte
	label     func(label int) []byte
}

// grid builds golearn's table; unknown values are the middle of the feature's range.
func (f form) grid(s classify.Schema, x [][]float64, y []int) *base.DenseInstances {
	g := base.NewDenseInstances()
	specs := make([]base.AttributeSpec, len(s))
	for i := range s {
		specs[i] = g.AddAttribute(f.attribute(s[i].Name))
	}
	spec := g.AddAttribute(f.class)
	must(g.AddClassAttribute(f.class))
	must(g.Extend(len(x)))
	for r, row := range x {
		for i, v := range row {
			if math.IsNaN(v) {
				v = (s[i].Low + s[i].High) / 2
			}
			g.Set(specs[i], r, f.cell(&s[i], v))
		}
		g.Set(spec, r, f.label(y[r]))
	}
	return g
}
