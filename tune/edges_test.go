package tune

import (
	"math"
	"strings"
	"testing"
)

// References that lead nowhere are refused, each by its own rule.
func TestReferencesAreChecked(t *testing.T) {
	free := Param{Name: "a", Max: 1, Present: "0.5"}
	share := func(name string) Param {
		return Param{Name: name, Kind: Share, Group: "g", Min: 10, Max: 90, Present: "50"}
	}
	when := Param{Name: "b", Max: 1, Present: "0.5", When: &When{Param: "a", In: []string{"1"}}}
	tied := Param{Name: "c", Max: 1, Present: "0.5", Tied: "a"}
	for want, params := range map[string][]Param{
		`b: tied to "x"`:      {free, {Name: "b", Max: 1, Present: "0.5", Tied: "x"}},
		`d: tied to "c"`:      {free, tied, {Name: "d", Max: 1, Present: "0.5", Tied: "c"}},
		`d: tied to "b"`:      {free, when, {Name: "d", Max: 1, Present: "0.5", Tied: "b"}},
		`d: condition on "x"`: {free, {Name: "d", Max: 1, Present: "0.5", When: &When{Param: "x", In: []string{"1"}}}},
		`d: condition on "b"`: {free, when, {Name: "d", Max: 1, Present: "0.5",
			When: &When{Param: "b", In: []string{"1"}}}},
		`m: ceiling of "x"`:          {share("p"), share("q"), {Name: "m", Kind: Ceiling, Of: "x", Max: 1, Present: "100"}},
		`m: ceiling of "a"`:          {free, {Name: "m", Kind: Ceiling, Of: "a", Max: 1, Present: "100"}},
		"parameter a: appears twice": {free, free},
	} {
		if _, err := NewSpace(params...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	for name, params := range map[string][]Param{
		"tied": {free, tied}, "when": {free, when}, "ceiling": {share("p"), share("q"), {Name: "m", Kind: Ceiling, Of: "p",
			Max: 1, Present: "100"}},
	} {
		if _, err := NewSpace(params...); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// After so many runs a study that ends has the smallest budget from easyBudget on whose search has as many: a longer
// one shrinks to it, a shorter one stays, and one bounded by time gets it.
func TestShrink(t *testing.T) {
	for before, want := range map[int]int{unlimited: 500, 80: 80, 499: 499, 2000: 500} {
		d := withBudget(t, before)
		if d.plan.shrink(56); d.plan.budget != want { // of which the search has more than 56
			t.Errorf("budget %d shrinks to %d, want %d", before, d.plan.budget, want)
		}
	}
}

// A sample with a long upper tail has an interval that reaches further up than
// down, unlike Student's; one value repeated has no width.
func TestBootstrapFollowsSkewness(t *testing.T) {
	x := []float64{1, 1, 1, 2, 2, 3, 3, 4, 9, 30}
	iv := bootstrapInterval(x, 0.95, 7)
	if up, down := iv.High-iv.Mean, iv.Mean-iv.Low; up < 1.5*down || down <= 0 {
		t.Errorf("%+v: %v up, %v down", iv, up, down)
	}
	if mean := MeanInterval(x, 0.95); math.Abs((mean.High-mean.Mean)-(mean.Mean-mean.Low)) > 1e-12 ||
		mean.Mean != iv.Mean {
		t.Errorf("Student's interval %+v is not even", mean)
	}
	if again := bootstrapInterval(x, 0.95, 7); again != iv {
		t.Errorf("%+v, again %+v", iv, again)
	}
	if same := bootstrapInterval([]float64{2, 2, 2, 2}, 0.95, 7); same.Low != 2 || same.High != 2 {
		t.Errorf("%+v of one value repeated", same)
	}
}

// A ceiling below its share is lifted to it, unless both stand as at present; -1 is
// no ceiling.
func TestSettledCeilings(t *testing.T) {
	share := func(name, present string) Param {
		return Param{Name: name, Kind: Share, Group: "g", Present: present}
	}
	s, err := NewSpace(share("p", "60"), share("q", "40"), Param{Name: "m", Kind: Ceiling, Of: "p", Present: "50"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range [][3]string{{"70", "65", "70"}, {"70", "70", "70"}, {"70", "90", "90"}, {"60", "50", "50"},
		{"70", "50", "70"}, {"60", "55", "60"}, {"70", "-1", "-1"}} {
		out := s.PresentSettings()
		out[s.index["p"]].Value, out[s.index["m"]].Value = c[0], c[1]
		if out = s.settled(out); out[s.index["m"]].Value != c[2] {
			t.Errorf("share %s, ceiling %s: settled at %s, want %s", c[0], c[1], out[s.index["m"]].Value, c[2])
		}
	}
}
