package tune

import (
	"context"
	"math"
	"slices"
	"strconv"
	"testing"

	"schedtune/internal/rng"
)

// additive is a problem whose objective is 100 less the effects of its
// parameters, plus common noise: what each change brings is known.
func additive(t *testing.T, effects map[string]float64, params ...Param) Problem {
	t.Helper()
	return Problem{Space: mustSpace(t, params...), Objectives: []Objective{{Metric: "m"}},
		Evaluator: Pool(1, func(_ context.Context, it Item) Outcome {
			m := 100 + 0.5*rng.NewKey(it.Seed, 1).Norm(0)
			for _, p := range params {
				m -= effects[p.Name] * math.Min(1, value(it, p.Name)/0.5) // no more from one half on
			}
			return Outcome{Metrics: map[string]float64{"m": m}}
		})}
}

// Effects of 40, 20 and 10 on a mean of 100, and two that bring nothing: the
// attribution is on the objective's own scale, so 4/7, 2/7 and 1/7 of the gain,
// alone as along the path; on a log scale it would say otherwise. What brings
// nothing goes, and the value behind it is what a run without the change has.
func TestAttributionOnOwnScale(t *testing.T) {
	var ps []Param
	for _, n := range []string{"a", "b", "c", "d", "e"} {
		ps = append(ps, Param{Name: n, Max: 1, Step: 0.01, Present: "0"})
	}
	effects := map[string]float64{"a": 40, "b": 20, "c": 10}
	r := search(t, additive(t, effects, ps...), Options{Seed: 2, Budget: 1000})
	if len(r.Changes) != 3 {
		t.Fatalf("changes %+v, want a, b and c", r.Changes)
	}
	for _, s := range r.Ablation {
		want := effects[s.Change] / 70
		if !s.Kept {
			if want != 0 {
				t.Errorf("%s was dropped", s.Change)
			}
			continue
		}
		if math.Abs(*s.Loss-want) > 0.05 || math.Abs(*s.Alone-want) > 0.05 {
			t.Errorf("%s: loss %.3f, alone %.3f, want %.3f", s.Change, *s.Loss, *s.Alone, want)
		}
		if without := 30 + effects[s.Change]; math.Abs(*s.Value-without) > 4 {
			t.Errorf("%s: %.1f without it, want about %.1f", s.Change, *s.Value, without)
		}
	}
}

// The objective is flat from one half on, so that a search stops anywhere
// above. The values come back toward the present: the gain's 5 % allow less than
// a half, not much less.
func TestValuesAreMild(t *testing.T) {
	ps := []Param{{Name: "a", Max: 1, Step: 0.01, Present: "0"}, {Name: "b", Max: 1, Step: 0.01, Present: "0"}}
	for seed := range uint64(5) {
		r := search(t, additive(t, map[string]float64{"a": 40, "b": 40}, ps...), Options{Seed: seed, Budget: 600})
		for _, c := range r.Changes {
			v, err := strconv.ParseFloat(c.To, 64)
			if err != nil || v < 0.4 || v > 0.76 {
				t.Errorf("seed %d: %s is %s, want about 0.5", seed, c.Name, c.To)
			}
		}
		if r.Gain[0].Interval.Mean < 0.95*0.8-0.01 {
			t.Errorf("seed %d: gain %.3f, want 95 %% of 0.8", seed, r.Gain[0].Interval.Mean)
		}
	}
}

// Round numbers between the current value and this one, the nearest to the current value first.
func TestLadder(t *testing.T) {
	for _, c := range []struct {
		present, value string
		want           []string
	}{
		{"1", "13.75", []string{"2", "3", "4", "5", "6", "7", "8", "9", "10"}},
		{"1", "9.25", []string{"2", "3", "4", "5", "6", "7", "8", "9"}},
		{"20", "13.75", []string{"19", "18", "17", "16", "15", "14"}},
		{"0", "37", []string{"10", "20", "30"}},
		{"0.05", "0.3", []string{"0.06", "0.07", "0.08", "0.09", "0.1", "0.2", "0.3"}},
		{"0.1", "0.37", []string{"0.2", "0.3"}},
		{"100", "47", []string{"90", "80", "70", "60", "50"}},
		{"0.9", "0.37", []string{"0.8", "0.7", "0.6", "0.5", "0.4"}},
		{"1", "3", []string{"2", "3"}},
		{"5", "5.4", []string{"5.1", "5.2", "5.3", "5.4"}},
		{"5", "5", nil},
	} {
		s := mustSpace(t, Param{Name: "x", Max: 100, Step: 0.01, Present: c.present})
		var got []string
		for _, set := range s.ladder(Settings{{"x", c.value}}, s.units()[0]) {
			got = append(got, set[0].Value)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s from %s: %v, want %v", c.value, c.present, got, c.want)
		}
	}
}
