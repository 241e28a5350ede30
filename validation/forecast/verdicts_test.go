package forecast

import (
	"fmt"
	"math"
	"testing"

	"schedtune/internal/rng"
)

// Gains of 40 and 20 % are found and the first is recommended: two thirds of what was found.
// Gains below 3 % count on neither side, and neither do cases with nothing to gain.
func TestShareOfGain(t *testing.T) {
	outs := []Outcome{
		{Case: "0", Kind: KindDrawn, Found: true, Recommended: true, Came: 0.4},
		{Case: "2", Kind: KindTuned, Found: true, Came: 0.2},
		{Case: "4", Kind: KindTuned, Found: true, Recommended: true, Came: 0.02},
		{Case: "6", Kind: KindNothing, Found: true, Recommended: true, Came: 0.1},
		{Case: "8", Kind: KindDrawn},
	}
	v := Judge(outs).Verdicts
	if math.Abs(v.Share-2.0/3) > 1e-12 || v.ShareTuned != 0 || v.Gains != 2 || v.GainsTuned != 1 {
		t.Errorf("%+v, want 2/3 of two cases, nothing of one that is tuned", v)
	}
	if v.Nothing != 1 || v.NothingRecommended != 1 {
		t.Errorf("%d of %d with nothing to gain, want 1 of 1", v.NothingRecommended, v.Nothing)
	}
}

// Stated probabilities from which what comes is drawn score better than the base rate and lie
// within their bins; sharper ones do not.
func TestCalibrationKnowsTruth(t *testing.T) {
	const n = 1200
	k := rng.NewKey(24, 1)
	var right, sharp []float64
	var came []bool
	for i := range uint64(n) {
		p := 0.5 + 0.45*(k.Float64(2*i)-0.5)*2
		right, came = append(right, p), append(came, k.Float64(2*i+1) < p)
		sharp = append(sharp, math.Max(0, math.Min(1, 0.5+2.5*(p-0.5))))
	}
	a, b := calibration(right, came), calibration(sharp, came)
	inside := 0
	for _, bin := range a.Bins {
		inside += int(one(bin.Came >= bin.Low && bin.Came <= bin.High))
	}
	if a.Brier >= a.Base || len(a.Bins) != n/leastBin || inside < 24 {
		t.Errorf("seed 24: Brier %.3f, base %.3f, %d of %d bins hold what was stated", a.Brier, a.Base, inside, len(a.Bins))
	}
	if b.Brier <= a.Brier || b.reliable() {
		t.Errorf("seed 24: sharper probabilities score %.3f beside %.3f, reliable: %t", b.Brier, a.Brier, b.reliable())
	}
}

// Of 10 draws at one half, 90 % lie between 2 and 8 (R: qbinom(c(0.05, 0.95), 10, 0.5)).
func TestBinomial(t *testing.T) {
	for _, c := range []struct {
		n         int
		p         float64
		low, high int
	}{{10, 0.5, 2, 8}, {40, 0, 0, 0}, {40, 1, 40, 40}, {1, 0.5, 0, 1}, {0, 0.3, 0, 0}} {
		if low, high := binomial(c.n, c.p); low != c.low || high != c.high {
			t.Errorf("%d draws at %g: got %d to %d, want %d to %d", c.n, c.p, low, high, c.low, c.high)
		}
	}
}

// A study says yes with 100 runs, no with 200, yes with 400: one of two is reversed. Of two seeds the
// first gets 90 % of its gain from a change that the second makes too, in the same direction; the second
// gets half of its gain from one that the first does not make.
func TestFurtherStudies(t *testing.T) {
	of := func(name string, budget, seed int, yes bool, changes ...Change) Outcome {
		o := Outcome{Case: fmt.Sprint(name, budget, seed), Of: name, Budget: budget, Repeat: seed, Recommended: yes,
			Found: true, Expected: Range{0.2, 0.1, 0.3}, Changes: changes}
		if budget == 200 && seed == 0 {
			o.Case, o.Of = name, ""
		}
		return o
	}
	main := Change{Name: "a", From: "1", To: "2", Objective: 0.09}
	same := Change{Name: "a", From: "1", To: "4", Objective: 0.05}
	v := Judge([]Outcome{
		of("x", 200, 0, false), of("x", 100, 0, true), of("x", 400, 0, true), of("x", 800, 0, true),
		of("y", 200, 0, true, main, Change{Name: "b", From: "1", To: "2", Objective: 0.01}), of("y", 200, 1, true, same),
		of("z", 200, 0, true, main),
		of("z", 200, 1, true, same, Change{Name: "c", From: "fifo", To: "fair", Objective: 0.05}),
	}).Verdicts
	if v.Yes != 2 || v.Reversed != 1 {
		t.Errorf("%d of %d reversed, want 1 of 2", v.Reversed, v.Yes)
	}
	if v.Seeds != 2 || v.SameChanges != 1 || v.SameGains != 2 {
		t.Errorf("%+v, want two problems, one with the same changes", v)
	}
}
