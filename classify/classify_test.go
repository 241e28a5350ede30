package classify

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

func near(t *testing.T, name string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol) {
		t.Errorf("%s: %v, want %v", name, got, want)
	}
}

// levels is a schema whose features take the levels 0 to 9 as they are.
func levels(n int) Schema {
	var s Schema
	for i := range n {
		s = append(s, Feature{Name: fmt.Sprint("f", i), Levels: 10, Low: 0, High: 9, Job: i == 0})
	}
	return s
}

// reference is 40 observations of three features made by a formula: 37 i mod
// 10, i^2 mod 10, i/3 mod 10; class 1 where the first and third exceed 8
// together.
func reference() (x [][]float64, y []int) {
	for i := range 40 {
		row := []float64{float64(i * 37 % 10), float64(i * i % 10), float64(i / 3 % 10)}
		c := 0
		if row[0]+row[2] > 8 {
			c = 1
		}
		x, y = append(x, row), append(y, c)
	}
	return x, y
}

var probes = [][]float64{{0, 0, 0}, {9, 4, 2}, {5, 5, 5}, {7, 1, 9}}

func trained(t *testing.T, m Model, x [][]float64, y []int) Model {
	t.Helper()
	for i := range x {
		if err := m.Learn(x[i], y[i]); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

func all(t *testing.T, s Schema) map[string]Model {
	t.Helper()
	c, err := NewCategorical(s, Binary())
	if err != nil {
		t.Fatal(err)
	}
	g, err := NewGaussian(s, Binary())
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewPerceptron(s, Binary(), false)
	if err != nil {
		t.Fatal(err)
	}
	a, err := NewPerceptron(s, Binary(), true)
	if err != nil {
		t.Fatal(err)
	}
	l, err := NewLogistic(s, Binary())
	if err != nil {
		t.Fatal(err)
	}
	return map[string]Model{"categorical": c, "gaussian": g, "perceptron": p, "averaged": a, "logistic": l}
}

// scikit-learn 1.9.1 on the reference observations: CategoricalNB(alpha=1,
// min_categories=10) and GaussianNB().predict_proba of class 1 at the probes;
// the confusion matrix of the former on its training data with f1_score,
// cohen_kappa_score and matthews_corrcoef. Priors are frequencies there, so
// prior smoothing is off.
func TestAgainstScikitLearn(t *testing.T) {
	x, y := reference()
	m := all(t, levels(3))
	m["categorical"].(*Categorical).PriorSmoothing = 0
	m["gaussian"].(*Gaussian).PriorSmoothing = 0
	for name, want := range map[string][]float64{
		"categorical": {0.0069305426669053075, 0.7095234429132343, 0.6468881609733275, 0.8300833145687905},
		"gaussian":    {0.0022454542056627447, 0.8304400259873981, 0.7102567292424489, 0.9963053581399992},
	} {
		trained(t, m[name], x, y)
		for i, p := range probes {
			near(t, name, m[name].Probabilities(p, make([]float64, 2))[1], want[i], 1e-12)
		}
	}
	near(t, "epsilon", m["gaussian"].(*Gaussian).epsilon(), 9.05e-09, 1e-20)
	c := NewConfusion(Binary())
	for i := range x {
		c.Add(y[i], Predict(m["categorical"], x[i], make([]float64, 2)))
	}
	if fmt.Sprint(c.Counts) != "[[21 1] [2 16]]" {
		t.Errorf("confusion %v, want [[21 1] [2 16]]", c.Counts)
	}
	near(t, "F1", c.F1(1), 0.9142857142857143, 1e-15)
	near(t, "kappa", c.Kappa(), 0.8477157360406091, 1e-15)
}

// scikit-learn 1.9.1, Perceptron(shuffle=False, max_iter=1, tol=None) on the
// reference observations with labels 0 and 30 set to 1: weights [1 -1 -1], bias
// -3. (It updates at a margin of exactly 0 for both classes, the paper only for
// class 1; the margin is 0 at these two observations only.)
func TestPerceptronAgainstScikitLearn(t *testing.T) {
	x, y := reference()
	y[0], y[30] = 1, 1
	p := trained(t, all(t, levels(3))["perceptron"], x, y).(*Perceptron)
	for i, want := range []float64{1, -1, -1, -3} {
		near(t, "weight", p.Weights[i], want, 0)
	}
}

// Two levels, class good seen with levels 0, 0, 1, bad with 1: with smoothing 1
// P(level 1 | good) = (1+1)/(3+2) = 2/5, P(level 1 | bad) = (1+1)/(1+2) = 2/3,
// priors (3+1)/(4+2) = 2/3 and 1/3, so P(good | level 1) =
// (2/3 2/5)/(2/3 2/5 + 1/3 2/3) = (4/15)/(4/15 + 2/9) = 6/11.
func TestCategoricalByHand(t *testing.T) {
	m, err := NewCategorical(Schema{{Name: "f", Levels: 2, Low: 0, High: 1}}, Binary())
	if err != nil {
		t.Fatal(err)
	}
	trained(t, m, [][]float64{{0}, {0}, {1}, {1}}, []int{Good, Good, Good, Bad})
	near(t, "P(good | 1)", m.Probabilities([]float64{1}, make([]float64, 2))[Good], 6.0/11, 1e-15)
	near(t, "P(good | unknown)", m.Probabilities([]float64{math.NaN()}, make([]float64, 2))[Good], 2.0/3, 1e-15)
	if m.Seen() != 4 {
		t.Errorf("seen %v, want 4", m.Seen())
	}
}

// The paper's update by hand, alpha 1, bias fixed: F = (2, 1), y = 1: c = 0, so
// w = (2, 1). F = (1, 1), y = 0: margin 3 > 0, c = 1, so w = (1, 0). F = (1, 5),
// y = 1: margin 1, c = 1, no change. Averaged over the three: (4/3, 1/3).
func TestPerceptronByHand(t *testing.T) {
	for _, averaged := range []bool{false, true} {
		m, err := NewPerceptron(levels(2), Binary(), averaged)
		if err != nil {
			t.Fatal(err)
		}
		m.FixedBias = true
		trained(t, m, [][]float64{{2, 1}, {1, 1}, {1, 5}}, []int{1, 0, 1})
		want := []float64{1, 0, 0}
		if averaged {
			want = []float64{4.0 / 3, 1.0 / 3, 0}
		}
		for i, w := range want {
			near(t, "weight", m.weight(i), w, 1e-15)
		}
		if m.Errors != 2 {
			t.Errorf("%v errors, want 2", m.Errors)
		}
	}
}

// On linearly separable points with margin g and norm R the perceptron makes at
// most (R/g)^2 errors, however often it sees them (Novikoff, 1962). Here the
// class is whether x0 + x1 > 10 with |x0 + x1 - 10| >= 1, so that with the bias
// as a third coordinate the separator (1, 1, -10)/sqrt 102 has margin at least
// 1/sqrt 102, R^2 <= 9^2 + 9^2 + 1 = 163: at most 16626 errors; and it ends
// with none.
func TestPerceptronConverges(t *testing.T) {
	var x [][]float64
	var y []int
	for a := range 10 {
		for b := range 10 {
			if a+b != 10 {
				x = append(x, []float64{float64(a), float64(b)})
				y = append(y, map[bool]int{true: 1}[a+b > 10])
			}
		}
	}
	m, _ := NewPerceptron(levels(2), Binary(), false)
	for epoch := 0; ; epoch++ {
		before := m.Errors
		trained(t, m, x, y)
		if m.Errors == before {
			break
		}
		if m.Errors > 16626 {
			t.Fatalf("%v errors after %d epochs, Novikoff's bound is 16626", m.Errors, epoch)
		}
	}
}

// Naive Bayes does not care about the order of observations: counts exactly,
// moments within rounding. Learning in two parts with a save between them is
// bit-equal to one pass, for every model.
func TestIncrementalEqualsBatch(t *testing.T) {
	const seed = 51
	r := rand.New(rand.NewPCG(seed, 0))
	x, y := reference()
	for name, m := range all(t, levels(3)) {
		trained(t, m, x, y)
		part := trained(t, all(t, levels(3))[name], x[:17], y[:17])
		var saved bytes.Buffer
		if err := Save(&saved, part); err != nil {
			t.Fatal(err)
		}
		loaded, err := Load(&saved)
		if err != nil {
			t.Fatal(name, err)
		}
		trained(t, loaded, x[17:], y[17:])
		var a, b bytes.Buffer
		Save(&a, m)
		Save(&b, loaded)
		if a.String() != b.String() {
			t.Errorf("%s: continued after loading differs from one pass", name)
		}
		if name == "perceptron" || name == "averaged" || name == "logistic" {
			continue // the order counts
		}
		shuffled := all(t, levels(3))[name]
		for _, i := range r.Perm(len(x)) {
			shuffled.Learn(x[i], y[i])
		}
		for _, p := range probes {
			near(t, name+" shuffled", shuffled.Probabilities(p, make([]float64, 2))[1],
				m.Probabilities(p, make([]float64, 2))[1], 1e-10)
		}
	}
}

// Naming the classes in the other order swaps the probabilities.
func TestClassOrder(t *testing.T) {
	x, y := reference()
	for _, name := range []string{"categorical", "gaussian"} {
		m, w := trained(t, all(t, levels(3))[name], x, y), all(t, levels(3))[name]
		for i := range x {
			w.Learn(x[i], 1-y[i])
		}
		for _, p := range probes {
			near(t, name, w.Probabilities(p, make([]float64, 2))[0], m.Probabilities(p, make([]float64, 2))[1], 1e-14)
		}
	}
}

// Three hundred features at probability 1/10 each would be 1e-300 per class and
// underflow with a little more; in logarithms they stay comparable.
func TestNoUnderflow(t *testing.T) {
	s := levels(600)
	m, _ := NewCategorical(s, Binary())
	a, b := make([]float64, 600), make([]float64, 600)
	for i := range b {
		b[i] = 9
	}
	for range 20 {
		m.Learn(a, Good)
		m.Learn(b, Bad)
	}
	p := m.Probabilities(a, make([]float64, 2))
	if !(p[Good] > 0.999) || math.IsNaN(p[Bad]) {
		t.Errorf("probabilities %v, want good", p)
	}
}

// Untrained, single-class, constant and missing inputs give finite
// probabilities that add up to 1, and an untrained model says Good.
func TestDegenerateInputs(t *testing.T) {
	nan := math.NaN()
	for name, m := range all(t, levels(2)) {
		scratch := make([]float64, 2)
		if Predict(m, []float64{1, 1}, scratch) != Good {
			t.Errorf("%s: untrained must say good", name)
		}
		for range 3 {
			if err := m.Learn([]float64{4, nan}, Bad); err != nil {
				t.Fatal(err)
			}
		}
		for _, x := range [][]float64{{4, 4}, {nan, nan}, {9, 0}} {
			p := m.Probabilities(x, scratch)
			near(t, name+" sum", p[0]+p[1], 1, 1e-12)
		}
		if Predict(m, []float64{4, nan}, scratch) != Bad {
			t.Errorf("%s: only bad was seen, so bad must be said", name)
		}
		if n := len(m.Probabilities([]float64{1, 2, 3}, nil)); n != 2 {
			t.Errorf("%s: a long vector and no scratch give %d probabilities, want 2", name, n)
		}
		if len(m.Influence()) != 2 || len(m.Features()) != 2 {
			t.Errorf("%s: influence and features must have one entry each", name)
		}
		if m.Learn([]float64{1}, Good) == nil || m.Learn([]float64{1, 1}, 2) == nil || m.Learn([]float64{1, 1}, -1) == nil {
			t.Errorf("%s: a short vector and a class out of range must be errors", name)
		}
		if m.Seen() != 3 {
			t.Errorf("%s: seen %v, want 3", name, m.Seen())
		}
	}
	p, _ := NewPerceptron(levels(1), Binary(), false)
	if p.Learn([]float64{math.Inf(1)}, 0) == nil {
		t.Error("perceptron: an infinite value must be an error")
	}
	if _, err := NewPerceptron(levels(1), []string{"a", "b", "c"}, false); err == nil {
		t.Error("perceptron: three classes must be an error")
	}
	g, _ := NewGaussian(levels(1), Binary())
	g.Learn([]float64{math.Inf(1)}, Good)
	if v := g.Probabilities([]float64{1}, make([]float64, 2)); math.IsNaN(v[0]) {
		t.Error("gaussian: an infinite value must count as missing")
	}
}

// Squares of values such as 1e200 overflow: they count as missing, or are
// refused, and what was learned can be saved.
func TestHugeValues(t *testing.T) {
	for name, m := range all(t, levels(2)) {
		err := m.Learn([]float64{1e200, 1}, Good)
		_, perceptron := m.(*Perceptron)
		_, regression := m.(*Logistic)
		if (perceptron || regression) != (err != nil) {
			t.Errorf("%s: 1e200 is learned with error %v", name, err)
		}
		for i := range 20 {
			if err := m.Learn([]float64{float64(i%2) * 9, -Largest}, i%2); err != nil {
				t.Fatal(name, err)
			}
		}
		if err := Save(io.Discard, m); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, p := range m.Probabilities([]float64{-1e300, 9}, nil) {
			if math.IsNaN(p) {
				t.Errorf("%s: probability NaN", name)
			}
		}
	}
}

// Ranges whose width is no number, or so small that levels per unit are none,
// would put values in no level.
func TestRangesBeyondNumbers(t *testing.T) {
	for _, r := range [][2]float64{{-math.MaxFloat64, math.MaxFloat64}, {0, 5e-324}, {math.Inf(-1), 0}, {0, math.NaN()}} {
		s := Schema{{Name: "f", Levels: 10, Low: r[0], High: r[1]}}
		if err := s.Validate(); err == nil || !strings.Contains(err.Error(), "low below high") {
			t.Errorf("range %v to %v: %v", r[0], r[1], err)
		}
	}
}
