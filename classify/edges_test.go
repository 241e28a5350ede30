package classify

import (
	"errors"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
)

// models are one of each kind, trained on a few observations.
func models(t *testing.T) map[string]Model {
	t.Helper()
	s, classes := levels(2), []string{"good", "overloaded"}
	c, err := NewCategorical(s, classes)
	if err != nil {
		t.Fatal(err)
	}
	g, err := NewGaussian(s, classes)
	if err != nil {
		t.Fatal(err)
	}
	l, err := NewLogistic(s, classes)
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewPerceptron(s, classes, true)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]Model{"categorical": c, "gaussian": g, "logistic": l, "perceptron": p}
	for name, m := range all {
		for i := range 12 {
			if err := m.Learn([]float64{float64(i % 10), float64(i * i % 10)}, i%3/2); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
	return all
}

// A frequency of 0 out of 0 is certain, of 0 out of 1 impossible, of 1 out of 1
// certain, of 1 out of 2 one bit.
func TestLogRatio(t *testing.T) {
	for _, c := range [][3]float64{{0, 0, 0}, {0, 1, math.Inf(-1)}, {1, 1, 0}, {1, 2, -math.Ln2}} {
		if got := logRatio(c[0], c[1]); got != c[2] && !(math.Abs(got-c[2]) < 1e-15) {
			t.Errorf("log %v/%v is %v, want %v", c[0], c[1], got, c[2])
		}
	}
}

// Two classes told apart by one observation each share one bit; a table with
// equal rows shares nothing.
func TestMutualInformation(t *testing.T) {
	if got := mutualInformation([]float64{1, 0, 0, 1}, 2, 2); got != 1 {
		t.Errorf("diagonal of ones: %v bits, want 1", got)
	}
	if got := mutualInformation([]float64{1, 1, 1, 1}, 2, 2); got != 0 {
		t.Errorf("table of ones: %v bits, want 0", got)
	}
}

// The perceptron knows no probabilities: the side of the margin is certain, and
// the border belongs to the second class.
func TestPerceptronIsCertain(t *testing.T) {
	p, err := NewPerceptron(levels(1), []string{"good", "overloaded"}, false)
	if err != nil {
		t.Fatal(err)
	}
	dst := make([]float64, 2)
	for _, c := range []struct{ weight, want float64 }{{1, 1}, {0, 1}, {-1, 0}} {
		p.Weights = []float64{c.weight, 0}
		if got := p.Probabilities([]float64{2}, dst); got[1] != c.want || got[0] != 1-c.want {
			t.Errorf("weight %v: %v, want %v for the second class", c.weight, got, c.want)
		}
	}
}

// Classes out of range are not counted and harm nothing.
func TestConfusionIgnoresWhatItDoesNotKnow(t *testing.T) {
	m := NewConfusion([]string{"a", "b"})
	for _, c := range [][2]int{{-1, 0}, {0, -1}, {2, 0}, {0, 2}, {3, 3}} {
		m.Add(c[0], c[1])
	}
	m.Add(1, 0)
	for truth, row := range m.Counts {
		for guess, n := range row {
			if want := truth == 1 && guess == 0; (n == 1) != want || n > 1 {
				t.Errorf("counts %v, want one judgement of b as a", m.Counts)
			}
		}
	}
}

// A job that has exactly its promise wants nothing; one that lacks a quarter
// wants 4 as printed and 1/4 by its deficit.
func TestDedicatedAtItsPromise(t *testing.T) {
	for _, c := range []struct {
		d         Dedicated
		allocated float64
		want      float64
	}{{Dedicated{}, 0.5, 0}, {Dedicated{}, 0.75, 0}, {Dedicated{}, 0.25, 4}, {Dedicated{ByDeficit: true}, 0.25, 0.25},
		{Dedicated{ByDeficit: true}, 0.5, 0}} {
		if got := c.d.Utility(Candidate{Promised: 0.5, Allocated: c.allocated}); got != c.want {
			t.Errorf("%+v with %v of 0.5: %v, want %v", c.d, c.allocated, got, c.want)
		}
	}
}

// Of equally frequent levels the lowest fills a gap.
func TestModesTie(t *testing.T) {
	m := NewModes(levels(1))
	for _, v := range []float64{7, 3, 7, 3} {
		m.Observe([]float64{v})
	}
	x := []float64{math.NaN()}
	if m.Fill(x); x[0] != 3 {
		t.Errorf("filled with %v, want 3", x[0])
	}
}

// Zero values of models have no classes: they say so and do not panic.
func TestZeroValues(t *testing.T) {
	for _, m := range []Model{&Categorical{}, &Gaussian{}, &Logistic{}, &Perceptron{}} {
		if p := m.Probabilities(nil, nil); len(p) != 0 {
			t.Errorf("%T: %v", m, p)
		}
		if err := m.Learn(nil, 0); err == nil || !strings.Contains(err.Error(), "constructor") {
			t.Errorf("%T: %v", m, err)
		}
	}
	if err := Save(io.Discard, nil); err == nil {
		t.Error("no model was saved")
	}
}

// Vectors that are too long or too short: features beyond the schema are ignored, those
// missing at the end are unknown, in every function that does not learn.
func TestVectorsOfAnotherLength(t *testing.T) {
	for name, m := range models(t) {
		short, long := []float64{3}, []float64{3, 4, 5, 6}
		for i, want := range m.LogOdds([]float64{3, 4}, nil) {
			if got := m.LogOdds(long, nil)[i]; got != want {
				t.Errorf("%s: four features of two: log odds %v, want %v", name, got, want)
			}
			if got, want := m.LogOdds(short, nil)[i], m.LogOdds([]float64{3, math.NaN()}, nil)[i]; got != want {
				t.Errorf("%s: one feature of two: log odds %v, want %v", name, got, want)
			}
		}
		if l, ok := m.(interface{ Margin([]float64) float64 }); ok {
			if got, want := l.Margin(long), l.Margin(long[:2]); got != want {
				t.Errorf("%s: four features of two: margin %v, want %v", name, got, want)
			}
			if got, want := l.Margin(short), l.Margin([]float64{3, math.NaN()}); got != want {
				t.Errorf("%s: one feature of two: margin %v, want %v", name, got, want)
			}
		}
	}
}

// Two hundred features that are each seen with a probability of 1/1002 multiply to less
// than the least float: the logarithms add up all the same.
func TestManyImprobableFeatures(t *testing.T) {
	s := levels(200)
	for i := range s {
		s[i].Levels, s[i].Low, s[i].High = 1000, 0, 999
	}
	m, err := NewCategorical(s, Binary())
	if err != nil {
		t.Fatal(err)
	}
	x := make([]float64, len(s))
	for _, class := range []int{Good, Good} {
		if err := m.Learn(x, class); err != nil {
			t.Fatal(err)
		}
	}
	for i := range x {
		x[i] = 500
	}
	odds := m.LogOdds(x, nil)
	// Classes: (2+1)/(2+2) and (0+1)/(2+2); levels: (0+1)/(2+1000) and (0+1)/(0+1000).
	for class, want := range []float64{math.Log(0.25) - 200*math.Log(1000), math.Log(0.75) - 200*math.Log(1002)} {
		if math.Abs(odds[class]-want) > 1e-9 {
			t.Errorf("class %d: log odds %v, want %v", class, odds[class], want)
		}
	}
}

// The share added to every variance is of the largest variance that is known: one feature
// varies by 10^6, the other was never seen.
func TestGaussianWithAFeatureNeverSeen(t *testing.T) {
	m, err := NewGaussian(levels(2), Binary())
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []float64{-1e3, 1e3} {
		if err := m.Learn([]float64{x, math.NaN()}, Good); err != nil {
			t.Fatal(err)
		}
	}
	if e := m.epsilon(); math.Abs(e/1e-3-1) > 1e-12 {
		t.Errorf("%v is added to variances, want 1e-9 of 1e6", e)
	}
}

// Shares of a whole use all levels between 0 and 1; a short vector is filled as far as it
// goes; an untrained perceptron says that no feature tells anything.
func TestSmallEdges(t *testing.T) {
	s := PaperSchema()
	for _, name := range []string{"cpu", "memory_free", "disk", "network", "swap_free"} {
		f := s[s.Index(name)]
		if f.Level(0) != 0 || f.Level(1) != 9 {
			t.Errorf("%s: levels of 0 and 1 are %d and %d, want 0 and 9", name, f.Level(0), f.Level(1))
		}
	}
	m := NewModes(s)
	m.Observe([]float64{1, 2, 3, 4})
	short := []float64{math.NaN(), math.NaN()}
	if m.Fill(short); short[0] != 1 || short[1] != 2 {
		t.Errorf("filled with %v, want 1 and 2", short)
	}
	p, err := NewPerceptron(levels(2), Binary(), false)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range p.Influence() {
		if v != 0 {
			t.Errorf("influence of feature %d is %v before anything was learned", i, v)
		}
	}
	if _, err := Load(iotest.ErrReader(errors.New("no more"))); err == nil || !strings.Contains(err.Error(), "no more") {
		t.Errorf("a source that fails: %v", err)
	}
}

// The influence of a perceptron's feature by hand: weight 2 on values 1, 1, 1 and 5, whose mean
// square is 28/4.
func TestPerceptronInfluence(t *testing.T) {
	m, err := NewPerceptron(levels(1), []string{"good", "overloaded"}, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []float64{1, 1, 1, 5} {
		if err := m.Learn([]float64{x}, 1); err != nil {
			t.Fatal(err)
		}
	}
	m.Weights[0] = -2
	near(t, "influence", m.Influence()[0], 2*math.Sqrt(7), 1e-12)
}

// Sizes at their bounds, and what a model file that is none is called.
func TestBounds(t *testing.T) {
	names := func(n int) []string {
		out := make([]string, n)
		for i := range out {
			out[i] = strconv.Itoa(i)
		}
		return out
	}
	for n, ok := range map[int]bool{1: false, 2: true, 1000: true, 1001: false} {
		if _, err := NewCategorical(levels(1), names(n)); (err == nil) != ok {
			t.Errorf("categorical with %d classes: %v", n, err)
		}
	}
	for n, ok := range map[int]bool{1: false, 2: true, 3: false} {
		if _, err := NewLogistic(levels(1), names(n)); (err == nil) != ok {
			t.Errorf("logistic with %d classes: %v", n, err)
		}
		if _, err := NewPerceptron(levels(1), names(n), true); (err == nil) != ok {
			t.Errorf("perceptron with %d classes: %v", n, err)
		}
	}
	const want = "classify: model: invalid character 'o'"
	if _, err := Load(strings.NewReader("not a model")); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
}
