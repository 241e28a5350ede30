package batch

import (
	"math/rand/v2"
	"strings"
	"testing"

	"schedtune/classify"
)

// log makes decisions whose outcome is decided by the first feature: bad above
// 1, which lies in the middle of its range 0 to 2, so that both a tree and a
// Naive Bayes on upper halves can learn it. noise flips that share of labels.
func log(n int, noise float64, seed uint64) (s classify.Schema, x [][]float64, y []int) {
	s = classify.Schema{
		{Name: "load_ratio", Levels: 10, Low: 0, High: 2},
		{Name: "cpu", Levels: 10, Low: 0, High: 1},
	}
	r := rand.New(rand.NewPCG(seed, 1))
	for range n {
		row := []float64{2 * r.Float64(), r.Float64()}
		c := classify.Good
		if row[0] > 1 {
			c = classify.Bad
		}
		if r.Float64() < noise {
			c = 1 - c
		}
		x, y = append(x, row), append(y, c)
	}
	return s, x, y
}

// With 10 % of the labels flipped no judge can be right more often than 90 % of
// the time but by luck: 0.9 with standard error sqrt(0.09/1750) = 0.7 % over
// the 1750 decisions after the first window. Both learners must come within 5
// points of it there; the base rate is about one half.
func TestLearnersLearn(t *testing.T) {
	const seed = 3
	s, x, y := log(2000, 0.1, seed)
	for _, name := range Learners() {
		r, err := Evaluate(name, s, x, y, Options{Delay: 1})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if r.Failed > 0 {
			t.Errorf("%s failed in %d windows: %s", name, r.Failed, r.Failure)
		}
		sum := 0.0
		for _, p := range r.Curve[1:] {
			sum += p.Accuracy
		}
		if acc := sum / float64(len(r.Curve)-1); acc < 0.85 || acc > 0.93 {
			t.Errorf("%s, seed %d: accuracy %.3f after the first window, want 0.9 ± 0.05", name, seed, acc)
		}
		if r.Confusion.Total() != 2000 || len(r.Curve) != 8 {
			t.Errorf("%s: %v decisions in %d windows, want 2000 in 8", name, r.Confusion.Total(), len(r.Curve))
		}
	}
}

// The first window sees no label, so that its judgements are all Good and its
// accuracy is the share of Good.
func TestFirstWindowIsGood(t *testing.T) {
	s, x, y := log(300, 0, 5)
	r, err := Evaluate("cart", s, x, y, Options{})
	if err != nil {
		t.Fatal(err)
	}
	good := 0
	for _, c := range y[:250] {
		good += c
	}
	if want := float64(good) / 250; r.Curve[0].Accuracy != want {
		t.Errorf("first window %v, want %v", r.Curve[0].Accuracy, want)
	}
}

// golearn's Bernoulli Naive Bayes indexes an empty table when a class never has
// a feature set: here all features of Good lie in their lower halves. The panic
// must come back as a failed window, not end the program.
func TestGolearnPanicIsAnError(t *testing.T) {
	s := classify.Schema{{Name: "a", Levels: 10, Low: 0, High: 2}}
	var x [][]float64
	var y []int
	for i := range 40 {
		x, y = append(x, []float64{float64(i%2) * 2}), append(y, 1-i%2)
	}
	r, err := Evaluate("bernoulli-nb", s, x, y, Options{Window: 20})
	if err != nil {
		t.Fatal(err)
	}
	if r.Failed != 1 || !strings.Contains(r.Failure, "golearn panicked") {
		t.Errorf("failed windows %d (%q), want 1 panic", r.Failed, r.Failure)
	}
}

// Equal vectors with different outcomes and constant features must neither
// panic nor recurse without end.
func TestContradictions(t *testing.T) {
	s, _, _ := log(1, 0, 1)
	var x [][]float64
	var y []int
	for i := range 60 {
		x, y = append(x, []float64{1, 0.5}), append(y, i%2)
	}
	for _, name := range Learners() {
		if _, err := Evaluate(name, s, x, y, Options{Window: 20}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestErrors(t *testing.T) {
	s, x, y := log(10, 0, 1)
	for name, call := range map[string]func() error{
		"unknown learner": func() error { _, err := Evaluate("perceptron", s, x, y, Options{}); return err },
		"no data":         func() error { _, err := Evaluate("cart", s, nil, nil, Options{}); return err },
		"short row":       func() error { _, err := Evaluate("cart", s, [][]float64{{1}}, []int{1}, Options{}); return err },
		"third class":     func() error { _, err := Evaluate("cart", s, x[:1], []int{2}, Options{}); return err },
		"bad schema":      func() error { _, err := Evaluate("cart", nil, x, y, Options{}); return err },
	} {
		if call() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
