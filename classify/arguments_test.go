package classify

import (
	"math"
	"testing"
)

// Classes that a confusion matrix does not have never came and were never named; a feature
// without levels is not counted.
func TestArgumentsOutOfRange(t *testing.T) {
	m := NewConfusion(Binary())
	for _, class := range []int{-1, 2} {
		for _, v := range []float64{m.Precision(class), m.Recall(class), m.F1(class)} {
			if !math.IsNaN(v) {
				t.Errorf("class %d: %v", class, v)
			}
		}
	}
	modes := NewModes(Schema{{Name: "a", Job: true, Levels: -3}})
	modes.Observe([]float64{1})
	x := []float64{math.NaN()}
	if modes.Fill(x); !math.IsNaN(x[0]) {
		t.Error(x)
	}
}

// What is missing decides nothing and ends nothing: a model, a rule, an entry of a list of
// rules or utilities, and models that no constructor made.
func TestMissingModelsAndRules(t *testing.T) {
	x := []float64{1, 2}
	for _, m := range []Model{nil, &Categorical{}, &Gaussian{}, &Perceptron{}, &Logistic{}} {
		if got := Predict(m, x, nil); got != -1 {
			t.Errorf("%T: class %d, want -1", m, got)
		}
		if eu, good := ExpectedUtility(m, x, 1, nil); eu != 0 || good {
			t.Errorf("%T: %v %v", m, eu, good)
		}
		if eu, good := JointUtility(m, x, 1, nil); eu != 0 || good {
			t.Errorf("%T: %v %v", m, eu, good)
		}
	}
	if (&Perceptron{}).Margin(x) != 0 || (&Logistic{}).Margin(x) != 0 {
		t.Error("the zero value has a margin")
	}
	if u := (Product{nil, FCFS{Floor: 3}}).Utility(Candidate{}); u != 3 {
		t.Errorf("utility %v, want 3", u)
	}
}
