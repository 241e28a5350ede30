package classify

import (
	"math"
	"testing"
)

// The paper's rule: load 4.4 on 4 processors is 110 %.
func TestRules(t *testing.T) {
	s := NodeState{Load1: 4.4, CPUs: 4, CPU: 0.9, Memory: 0.5, Disk: 0.2, Network: 0.7}
	for _, c := range []struct {
		name  string
		limit float64
		want  bool
	}{
		{"load", 1, true}, {"load", 1.1, false} /* above, not at */, {"load", 1.5, false}, {"cpu", 0.8, true},
		{"memory", 0.5, false}, {"disk", 0.1, true}, {"network", 0.6, true},
	} {
		r, err := NewRule(c.name, c.limit)
		if got := r.Overloaded(s); err != nil || got != c.want || (Label(r, s) == Bad) != c.want {
			t.Errorf("%s above %v: got %v, %v, want %v", c.name, c.limit, got, err, c.want)
		}
	}
	if r, _ := NewRule("load", 1); r.Overloaded(NodeState{Load1: math.NaN(), CPUs: 4}) {
		t.Error("an unknown load overloads a node")
	}
	if r := Rule(func(s NodeState) bool { return s.CPU+s.Disk > 1 }); !r.Overloaded(s) || Label(nil, s) != Good {
		t.Error("a rule of one's own is not asked, or none is")
	}
	for _, name := range []string{"load", "cpu", "memory", "disk", "network"} {
		if r, err := NewRule(name, 0.1); err != nil || !r.Overloaded(s) {
			t.Errorf("rule %s: %v", name, err)
		}
	}
	if _, err := NewRule("luck", 1); err == nil {
		t.Error("unknown rule: no error")
	}
	if _, err := NewRule("load", 0); err == nil {
		t.Error("limit 0: no error")
	}
}

// The five policies of section IV-B on one candidate each.
func TestUtilities(t *testing.T) {
	for _, c := range []struct {
		name string
		u    Utility
		c    Candidate
		want float64
	}{
		{"constant", Constant{}, Candidate{}, 1},
		{"reduce too early", MapFirst{Share: 0.5}, Candidate{Reduce: true, Maps: 10, CompletedMaps: 4}, 0},
		{"reduce in time", MapFirst{Share: 0.5}, Candidate{Reduce: true, Maps: 10, CompletedMaps: 5}, 1},
		{"reduce at 7 of 100 maps, 0.07 * 100 being 7.000000000000001", MapFirst{Share: 0.07},
			Candidate{Reduce: true, Maps: 100, CompletedMaps: 7}, 1},
		{"reduce of a job without maps", MapFirst{Share: 1}, Candidate{Reduce: true}, 1},
		{"map", MapFirst{Share: 1}, Candidate{Maps: 10}, 1},
		{"age", FCFS{}, Candidate{Age: 12}, 12},
		{"age 0", FCFS{}, Candidate{}, 0},
		{"money", Budget{}, Candidate{Balance: 0.1}, 1},
		{"no money", Budget{}, Candidate{}, 0},
		{"deficit 1/4", Dedicated{}, Candidate{Allocated: 0.25, Promised: 0.5}, 4},
		{"deficit 1/4 by deficit", Dedicated{ByDeficit: true}, Candidate{Allocated: 0.25, Promised: 0.5}, 0.25},
		{"promise kept", Dedicated{}, Candidate{Allocated: 0.6, Promised: 0.5}, 0},
		{"offer", Revenue{}, Candidate{Offer: 3}, 3},
		{"product", Product{Revenue{}, Budget{}}, Candidate{Offer: 3, Balance: 1}, 3},
		{"product with 0", Product{Revenue{}, Budget{}}, Candidate{Offer: 3}, 0},
		{"empty product", Product{}, Candidate{}, 1},
	} {
		if got := c.u.Utility(c.c); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	for _, name := range []string{"constant", "map-first", "fcfs", "budget", "dedicated", "revenue"} {
		if _, err := NewUtility(name); err != nil {
			t.Error(err)
		}
	}
	if _, err := NewUtility("x"); err == nil {
		t.Error("unknown utility: no error")
	}
}

// Equation 1 with P(good) = 6/11 (see TestCategoricalByHand) and U = 22: 12.
func TestExpectedUtility(t *testing.T) {
	m, _ := NewCategorical(Schema{{Name: "f", Levels: 2, Low: 0, High: 1}}, Binary())
	trained(t, m, [][]float64{{0}, {0}, {1}, {1}}, []int{Good, Good, Good, Bad})
	eu, good := ExpectedUtility(m, []float64{1}, 22, make([]float64, 2))
	near(t, "expected utility", eu, 12, 1e-12)
	if !good {
		t.Error("6/11 is good")
	}
}

// P(good) = (3 + 1)/(4 + 2), P(1 given good) = (1 + 1)/(3 + 2), U = 15: E.U.* = 4.
// Equation 1 divides by P(1) = 4/15 + 1/3 2/3 = 22/45, which changes with the
// features: 4 45/22 = 15 6/11. A perceptron has no joint probability.
func TestJointUtility(t *testing.T) {
	m, _ := NewCategorical(Schema{{Name: "f", Levels: 2, Low: 0, High: 1}}, Binary())
	trained(t, m, [][]float64{{0}, {0}, {1}, {1}}, []int{Good, Good, Good, Bad})
	joint, good := JointUtility(m, []float64{1}, 15, make([]float64, 2))
	near(t, "joint utility", joint, 4, 1e-12)
	eu, _ := ExpectedUtility(m, []float64{1}, 15, make([]float64, 2))
	near(t, "over P(features)", joint*45/22, eu, 1e-12)
	if !good {
		t.Error("6/11 is good")
	}
	p, _ := NewPerceptron(m.Features(), Binary(), false)
	a, _ := JointUtility(p, []float64{1}, 3, make([]float64, 2))
	b, _ := ExpectedUtility(p, []float64{1}, 3, make([]float64, 2))
	near(t, "perceptron", a, b, 0)
}

// 3 of 4 bad found, 1 false alarm among 6 good: accuracy 8/10, base rate 6/10;
// bad: precision 3/4, recall 3/4, F1 3/4; kappa: chance = (4 4 + 6 6)/100 = 0.52,
// (0.8 - 0.52)/0.48 = 7/12.
func TestConfusion(t *testing.T) {
	c := NewConfusion(Binary())
	for truth, row := range [][]int{{3, 1}, {1, 5}} {
		for guess, n := range row {
			for range n {
				c.Add(truth, guess)
			}
		}
	}
	near(t, "accuracy", c.Accuracy(), 0.8, 1e-15)
	near(t, "base rate", c.BaseRate(), 0.6, 1e-15)
	near(t, "precision", c.Precision(Bad), 0.75, 1e-15)
	near(t, "recall", c.Recall(Bad), 0.75, 1e-15)
	near(t, "F1", c.F1(Bad), 0.75, 1e-15)
	near(t, "kappa", c.Kappa(), 7.0/12, 1e-15)
	if e := NewConfusion(Binary()); !math.IsNaN(e.Accuracy()) {
		t.Error("an empty matrix has an accuracy")
	}
}

// Learning and judging must not allocate.
func TestNoAllocations(t *testing.T) {
	x := make([]float64, 12)
	for name, m := range all(t, PaperSchema()) {
		scratch := make([]float64, 2)
		n := testing.AllocsPerRun(200, func() {
			x[0]++
			if m.Learn(x, Good) != nil || Predict(m, x, scratch) < 0 {
				t.Error("failed")
			}
		})
		if n != 0 {
			t.Errorf("%s: %v allocations per update", name, n)
		}
	}
}
