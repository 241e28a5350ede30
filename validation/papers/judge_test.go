package papers

import (
	"fmt"
	"math"
	"testing"

	"schedtune/datasets"
)

// The factor of gain follows from published figures: twelve pairs of reductions of
// one effect.
func TestGainFactorIsThePapers(t *testing.T) {
	f, err := measuredGainFactor()
	if err != nil {
		t.Fatal(err)
	}
	if f < 1.9 || f > 2.2 {
		t.Errorf("the papers' own effects differ by a factor of %.2f, the rule has %d", f, gainFactor)
	}
}

// A reduction by half is a speed-up of 2; half and twice its logarithm are
// speed-ups of sqrt(2) and 4: reductions by 29.3 and 75 %.
func TestGainHasBothBounds(t *testing.T) {
	low, high := gainRange(50)
	if math.Abs(low-29.289) > 1e-3 || math.Abs(high-75) > 1e-9 {
		t.Errorf("50 %%: %v to %v, want 29.289 to 75", low, high)
	}
	for ours, want := range map[float64]Verdict{29: Missed, 30: Met, 74: Met, 76: Missed, -50: Missed} {
		s := Section{}
		s.gain("x", 50, exact(ours))
		if s.Rows[0].Verdict != want {
			t.Errorf("50 %% published, %v %%: %s, want %s", ours, s.Rows[0].Verdict, want)
		}
	}
}

// Tolerances by hand. Coupling: (23.5-16.15)/3.47 over 19.825 is 0.1068, times
// 2 sqrt 2. COSHH: localities of 95.6 and 94.9, 97.7 and 93.4 make a variance of
// (0.245+9.245)/2. Learning: figure 11's run times against 5 over its tasks.
func TestTolerances(t *testing.T) {
	tol, err := loadTolerances()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"time", tol.time, 2 * math.Sqrt2 * 0.10684}, {"locality", tol.locality, 2 * math.Sqrt2 * math.Sqrt(9.49/2)},
		{"learning", tol.learning, 0.1502}, {"omo", tol.omo, 0.1030},
	} {
		if math.Abs(c.got-c.want) > 2e-3*c.want+1e-3 {
			t.Errorf("%s: %.4f, want %.4f", c.name, c.got, c.want)
		}
	}
}

// Values on a parabola leave nothing beside it; an alternating 1 and -1 on 100
// leaves, of six points, what neither slope nor curvature explains.
func TestBesideParabola(t *testing.T) {
	var y []float64
	for i := range 6 {
		y = append(y, 7+3*float64(i)-2*float64(i*i))
	}
	if v := besideParabola(y); math.Abs(v) > 1e-12 {
		t.Errorf("parabola: %v", v)
	}
	// Slope 3/17.5, no curvature: 6 - 3*3/17.5 over 3 degrees of freedom.
	if v, want := besideParabola([]float64{99, 101, 99, 101, 99, 101}), math.Sqrt((6-9/17.5)/3)/100; math.Abs(v-want) > 1e-9 {
		t.Errorf("alternating: %v, want %v", v, want)
	}
}

// A row that the null model meets is set apart whether ours meets it or not, and
// a calibration never counts.
func TestWhatCounts(t *testing.T) {
	s := Section{}
	s.above("effect", "", exact(1))
	s.claim("no harm", "", nan(), exact(1), noDifference, "", func(e Estimate) bool { return e.Mean > -10 })
	s.near("a", "", 100, exact(100), 0.1, "g")
	s.near("b", "", 104, exact(300), 0.1, "g")
	s.near("c", "", 200, exact(300), 0.1, "g")
	s.gain("set by it", 10, exact(10))
	s.calibrates("x")
	s.absent("counter", "", 3, 1, "", "not modelled")
	s.constantNull() // mean 134.7: meets none of a, b, c
	if got, want := s.Count(), (Tally{1, 1, 4, 1}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	s = Section{}
	for _, v := range []float64{9, 16, 25, 30} { // mean 20; reaches 8.5, 11.3, 14.1, 15.5: it meets all but 9
		s.absent("count", "", v, countReach(v), "g", "not modelled")
	}
	s.constantNull()
	if got, want := s.Count(), (Tally{0, 0, 1, 0}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	s = Section{}
	s.near("a", "", 100, exact(100), 0.1, "g")
	s.near("b", "", 104, exact(300), 0.1, "g")
	s.constantNull() // 102 meets both
	if got := s.Count(); got != (Tally{}) {
		t.Errorf("%+v, want nothing counted", got)
	}
}

// No order is no correlation; the means of types can be one.
func TestRankNull(t *testing.T) {
	s := Section{}
	theirs := []float64{1, 2, 3, 11, 12, 13}
	s.rank("flat", theirs, theirs, []float64{5, 5, 5, 5, 5, 5}, "constant")
	s.rank("types", theirs, theirs, []float64{2, 2, 2, 12, 12, 12}, "means of types")
	if !s.Rows[0].Counted() || s.Rows[1].Counted() {
		t.Errorf("counted %v and %v, want the first only", s.Rows[0].Counted(), s.Rows[1].Counted())
	}
}

// Every choice names a section that exists, and what was chosen after looking is
// marked in the sections it matters for.
func TestChoicesNameSections(t *testing.T) {
	for _, paper := range Papers() {
		ids, err := Select(paper, "")
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range datasets.Choices(paper) {
			found := len(c.Sections) == 0
			for _, id := range ids {
				for _, seen := range datasets.Seen(paper, id) {
					found = found || seen == c.Key
				}
			}
			if c.Seen && !found {
				t.Errorf("%s: choice %q matters in no section", paper, c.Key)
			}
		}
	}
}

// comparableGains lists pairs of published reductions of one effect, as paper and
// keys of its stated figures.
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

// measuredGainFactor is what comparableGains give.
func measuredGainFactor() (float64, error) {
	var sum float64
	for _, p := range comparableGains {
		c, err := loadClaims(p[0])
		if err != nil {
			return 0, err
		}
		a, b := -math.Log1p(-c.value(p[1])/100), -math.Log1p(-c.value(p[2])/100)
		if math.IsNaN(a + b) {
			return 0, fmt.Errorf("paper %s states no %s or %s", p[0], p[1], p[2])
		}
		q := math.Log(a / b)
		sum += q * q
	}
	return math.Exp(2 * math.Sqrt(sum/float64(len(comparableGains)))), nil
}
