package sched

import (
	"fmt"
	"math"

	"schedtune/classify"
	"schedtune/classify/modelfile"
	"schedtune/simcore"
)

// judge labels decisions good or bad by their feature vectors, and learns from those that the
// overload rule has judged since: what the learning scheduler and the guard have in common.
type judge struct {
	model classify.Model // nil: the rule alone
	rule  classify.Rule
	x     []float64 // the vector of the decision at hand
	prob  []float64

	// Of a model that fit overload saved; vector is nil where it begins untrained.
	vector func(node string, row []float64) []float64
	row    []float64
	cut    float64
	frozen bool // it does not learn on
}

// newJudge makes a judge of a kind (bayes, perceptron, or else the rule alone) or by a saved
// model, which may learn on. smoothing is that of bayes; 0: its default.
func newJudge(kind string, target, smoothing float64, saved *modelfile.Model, learns bool) (judge, error) {
	j, schema := judge{prob: make([]float64, 2)}, loadSchema(target)
	var err error
	switch {
	case saved != nil:
		m := saved.Copy()
		j.vector, err = m.Bind(nodeColumns)
		if j.model, j.cut, j.frozen, j.row = m.Classifier, m.Cut, !learns, make([]float64, len(nodeColumns)); learns {
			j.model = classify.Clone(j.model)
		}
	case kind == "bayes":
		var m *classify.Categorical
		if m, err = classify.NewCategorical(schema, classify.Binary()); err == nil && smoothing > 0 {
			m.Smoothing, m.PriorSmoothing = smoothing, smoothing
		}
		j.model = m
	case kind == "perceptron":
		j.model, err = classify.NewPerceptron(schema, classify.Binary(), false)
	}
	if err == nil {
		j.rule, err = classify.NewRule("load", target)
	}
	if err != nil {
		return j, err
	}
	if j.model != nil {
		schema = j.model.Features()
	}
	j.x = make([]float64, len(schema))
	return j, nil
}

// loadSchema is the paper's schema with levels of the load up to twice the target, whatever
// that is, so that the classifier can tell loads around it apart.
func loadSchema(target float64) classify.Schema {
	s := classify.PaperSchema()
	s[jobFeatures].High = 2 * target
	return s
}

// jobFeatures is how many features of the paper's schema are the job's; they come first.
const jobFeatures = 4

// unhinted are the job features of a job without hints, and of a container.
var unhinted = []float64{math.NaN(), math.NaN(), math.NaN(), math.NaN()}

// features fills the vector of the paper's schema, or of the saved model's, from the job's four
// hints, NaN where unknown, and the node's state.
func (j *judge) features(node int32, hints []float64, st classify.NodeState, l simcore.NodeLoad) {
	if j.vector != nil {
		copy(j.row, hints)
		copy(j.row[jobFeatures:], []float64{st.Load1, st.CPUs, st.CPU, st.Memory, st.Swap, st.Disk, st.Network, st.Tasks,
			float64(l.Maps), float64(l.Reduces)})
		copy(j.x, j.vector(fmt.Sprint(node), j.row))
		return
	}
	cpus := math.Max(st.CPUs, 1)
	copy(j.x, hints)
	copy(j.x[jobFeatures:], []float64{
		st.Load1 / cpus, st.CPU, 1 - st.Memory, st.Disk, st.Network, st.Tasks / cpus, st.CPUs, 1 - st.Swap,
	})
}

// good reports whether the model says that the decision at hand does not overload the node.
func (j *judge) good() bool {
	if j.vector != nil {
		return !modelfile.Overloaded(j.model, modelfile.Odds(j.model, j.x, j.prob), j.cut)
	}
	return classify.Predict(j.model, j.x, j.prob) == classify.Good
}

// learn teaches what the rule has made of an earlier decision.
func (j *judge) learn(x []float64, label int) {
	if j.model != nil && !j.frozen {
		_ = j.model.Learn(x, label) // the vector has the model's length and the label is one of its classes
	}
}

// loadAverage is a node's load average of a minute as Linux keeps it.
type loadAverage struct {
	load1 float64
	at    simcore.Time
}

// advance moves it to now, with so many runnable processes since the last time.
func (a *loadAverage) advance(now simcore.Time, runnable float64) {
	keep := math.Exp(-(now - a.at).Seconds() / 60)
	a.load1, a.at = float64(keep*a.load1)+float64((1-keep)*runnable), now
}
