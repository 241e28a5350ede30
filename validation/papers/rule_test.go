package papers

import (
	"fmt"
	"math"
	"testing"
)

func TestRules(t *testing.T) {
	e := func(mean, low, high float64) Estimate { return Estimate{mean, low, high, 5} }
	for _, c := range []struct {
		name, rule string
		published  float64
		ours       Estimate
		want       bool
	}{
		{"interval above zero", "above", math.NaN(), e(2, 0.1, 4), true},
		{"interval with zero", "above", math.NaN(), e(2, -0.1, 4), false},
		{"interval below zero", "below", math.NaN(), e(-2, -4, -0.1), true},
		{"below with a bound", "below mean>-10", math.NaN(), e(-12, -14, -10), false},
		{"gain, 29 for 50 %", "gain", 50, exact(29), false},
		{"gain, 30 for 50 %", "gain", 50, exact(30), true},
		{"gain, 74 for 50 %", "gain", 50, exact(74), true},
		{"gain, 76 for 50 %", "gain", 50, exact(76), false},
		{"gain, a loss", "gain", 50, exact(-50), false},
		{"gain that is not significant", "gain", 50, e(50, -1, 101), false},
		{"gain-from, more than twice", "gain-from", 50, exact(90), true},
		{"no effect", "no-effect", 50, e(1, -29, 29), true},
		{"no effect that is not certain", "no-effect", 50, e(1, -1, 30), false},
		{"no harm, a gain", "no-harm", 50, e(40, -29, 80), true},
		{"no harm that is not certain", "no-harm", 50, e(-20, -30, -10), false},
		{"no effect within a tolerance", "no-effect:12", math.NaN(), e(5, -1, 11), true},
		{"half", "half-to-twice", 100, exact(50), true},
		{"more than twice", "half-to-twice", 100, exact(201), false},
		{"within a distance", "within:1e-9", 0.5, exact(0.5), true},
		{"beyond a distance", "within:1e-9", 0.5, exact(0.50001), false},
		{"within a part", "within:10%", 200, exact(180), true},
		{"beyond a part", "within:10%", 200, exact(179.9), false},
		{"unknown figure", "within:10%", 200, exact(math.NaN()), false},
		{"at least", "mean>=0.8", math.NaN(), exact(0.8), true},
		{"more than", "mean>0.8", math.NaN(), exact(0.8), false},
		{"upper end", "high<1", math.NaN(), e(0.9, 0.8, 1), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := parseRule(c.rule, c.published).met(c.ours); got != c.want {
				t.Errorf("%s for %v of %v published: got %v, want %v", c.rule, c.ours, c.published, got, c.want)
			}
		})
	}
	for _, rule := range []string{"sometimes", "no-luck", "no-effect:sight", "within:sight", "mean>=much", "median>=1"} {
		t.Run(rule, func(t *testing.T) {
			if err := errorOf(func() { parseRule(rule, 1) }); err == nil {
				t.Errorf("rule %q: got no error", rule)
			}
		})
	}
}

// A reduction by half is a speed-up of 2; half and twice its logarithm are speed-ups of
// sqrt(2) and 4: reductions by 29.3 and 75 %.
func TestGainRange(t *testing.T) {
	low, high := gainRange(50)
	if math.Abs(low-29.289) > 1e-3 || math.Abs(high-75) > 1e-9 {
		t.Errorf("50 %%: got %v to %v, want 29.289 to 75", low, high)
	}
}

// Tolerances by hand. Coupling: (23.5-16.15)/3.47 over 19.825 is 0.1068, times 2 sqrt 2.
// COSHH: localities of 95.6 and 94.9, 97.7 and 93.4 make a variance of (0.245+9.245)/2.
// Learning: figure 11's run times against 5 over its tasks. A count of 5 of 10 has a
// variance of 2.5, one of 9 of 9.
func TestTolerances(t *testing.T) {
	for _, c := range []struct {
		name            string
		published, want float64
	}{
		{"time", 10, 20 * math.Sqrt2 * 0.10684},
		{"locality", 95, 2 * math.Sqrt2 * math.Sqrt(9.49/2)},
		{"learning", 1, 0.1502},
		{"omo", 1, 0.1039},
		{"omo-ratio", 1, 0.1039 * math.Sqrt2},
		{"starvation", 1, 0.5},
		{"starvation", 10, 20 * math.Sqrt2 * 0.10684},
		{"binomial", 5, 2 * math.Sqrt(2*2.5)},
		{"binomial", 10, 0},
		{"binomial-mean", 5, 2 * math.Sqrt(2*2.5/8)},
		{"poisson", 9, 2 * math.Sqrt2 * 3},
	} {
		t.Run(fmt.Sprintf("%s of %v", c.name, c.published), func(t *testing.T) {
			if got, _ := tolerated(c.name, c.published); math.Abs(got-c.want) > 2e-3*c.want {
				t.Errorf("got %.4f, want %.4f", got, c.want)
			}
		})
	}
}

// Values on a parabola leave nothing beside it; an alternating 1 and -1 on 100 leaves, of
// six points, what neither slope nor curvature explains: slope 3/17.5, no curvature,
// 6 - 3*3/17.5 over 3 degrees of freedom.
func TestBesideParabola(t *testing.T) {
	var y []float64
	for i := range 6 {
		y = append(y, 7+3*float64(i)-2*float64(i*i))
	}
	if v := besideParabola(y); math.Abs(v) > 1e-12 {
		t.Errorf("parabola: got %v, want 0", v)
	}
	if v, want := besideParabola([]float64{99, 101, 99, 101, 99, 101}),
		math.Sqrt((6-9/17.5)/3)/100; math.Abs(v-want) > 1e-9 {
		t.Errorf("alternating: got %v, want %v", v, want)
	}
}

// comparableGains lists pairs of published reductions of one effect, as paper and keys of
// its stated figures.
var comparableGains = [][3]string{
	{"coshh", "yahoo-vs-fair", "yahoo-homogeneous-vs-fair"},
	{"coshh", "facebook-vs-fair", "facebook-homogeneous-vs-fair"},
	{"omo", "fresh-simple-vs-fair1", "fresh-mixed-vs-fair1"},
	{"omo", "batch-simple-vs-fresh", "batch-mixed-vs-fresh"},
	{"omo", "fresh-map-vs-fair1", "fresh-mapspan-vs-fair"},
	{"omo", "lazy-terasort-vs-fair", "lazy-seqcount-vs-fair"},
	{"omo", "lazy-A-vs-fair", "lazy-B-vs-fair"},
	{"omo", "lazy-terasort-vs-fresh", "lazy-seqcount-vs-fresh"},
	{"omo", "lazy-A-vs-fresh", "lazy-B-vs-fresh"},
	{"omo", "omo-vs-fair-best", "omo-vs-fair-40"},
	{"omo", "omo-vs-fresh", "omo-vs-fresh-40"},
	{"coupling", "sequence-response", "set-c"},
}

// The factor of gain follows from published figures: two root mean squares of the logarithms
// of the quotients of twelve pairs of reductions of one effect.
func TestGainFactorIsThePapers(t *testing.T) {
	var sum float64
	for _, p := range comparableGains {
		var speedup [2]float64
		for i, key := range p[1:] {
			speedup[i] = -math.Log1p(-cell(p[0], "claims", key, "value") / 100)
		}
		q := math.Log(speedup[0] / speedup[1])
		sum += q * q
	}
	if f := math.Exp(2 * math.Sqrt(sum/float64(len(comparableGains)))); f < 1.9 || f > 2.2 {
		t.Errorf("the papers' own effects differ by a factor of %.2f, want about %d as in the rule", f, gainFactor)
	}
}
