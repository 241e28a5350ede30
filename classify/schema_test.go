package classify

import (
	"math"
	"math/rand/v2"
	"testing"
)

// A feature that decides the class must have the largest influence, a constant
// one the least.
func TestInfluence(t *testing.T) {
	const seed = 52
	r := rand.New(rand.NewPCG(seed, 0))
	for name, m := range all(t, levels(3)) {
		for range 2000 {
			x := []float64{float64(r.IntN(10)), float64(r.IntN(10)), 0}
			m.Learn(x, map[bool]int{true: 1}[x[0] > 4.5])
		}
		in := m.Influence()
		if !(in[0] > in[1] && in[1] >= in[2]) {
			t.Errorf("seed %d, %s: influence %v, want feature 0 first and 2 last", seed, name, in)
		}
		if name == "categorical" { // feature 0 decides a fair coin: 1 bit
			near(t, "mutual information", in[0], 1, 0.01)
		}
	}
}

func TestSchema(t *testing.T) {
	f := Feature{Name: "f", Levels: 10, Low: 1, High: 10}
	for x, want := range map[float64]int{1: 0, 10: 9, 5: 4, 5.4: 4, 5.6: 5, -100: 0, 1e300: 9} {
		if got := f.Level(x); got != want {
			t.Errorf("level of %v is %d, want %d", x, got, want)
		}
	}
	if f.Level(math.NaN()) != -1 || f.Level(math.Inf(1)) != 9 || f.Level(math.Inf(-1)) != 0 || f.Value(4) != 5 {
		t.Error("levels of NaN and infinities, value of a level")
	}
	s := PaperSchema()
	if err := s.Validate(); err != nil || len(s) != 12 || s.Index("cpu") != 5 || s.Index("x") != -1 ||
		s.Names()[0] != "job_cpu" {
		t.Errorf("the paper's schema: %v", err)
	}
	for name, bad := range map[string]Schema{
		"empty":   nil,
		"no name": {{Levels: 2, High: 1}},
		"twice":   {{Name: "a", Levels: 2, High: 1}, {Name: "a", Levels: 2, High: 1}},
		"levels":  {{Name: "a", Levels: 1, High: 1}},
		"range":   {{Name: "a", Levels: 2}},
		"NaN":     {{Name: "a", Levels: 2, High: math.NaN()}},
	} {
		if bad.Validate() == nil {
			t.Errorf("%s: no error", name)
		}
	}
	for _, names := range [][]string{nil, {"a"}, {"a", "a"}, {"a", ""}} {
		if _, err := NewCategorical(levels(1), names); err == nil {
			t.Errorf("classes %q: no error", names)
		}
	}
}

// Job feature 0 was seen at 3, 7, 7: a missing one becomes 7. Node features
// and features never seen stay missing.
func TestModes(t *testing.T) {
	m := NewModes(levels(2))
	x := []float64{math.NaN(), math.NaN()}
	m.Fill(x)
	if !math.IsNaN(x[0]) {
		t.Error("nothing seen, nothing filled")
	}
	for _, v := range []float64{3, 7, 7} {
		m.Observe([]float64{v, v})
	}
	m.Fill(x)
	if x[0] != 7 || !math.IsNaN(x[1]) {
		t.Errorf("filled %v, want [7 NaN]", x)
	}
}
