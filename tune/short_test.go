package tune

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"schedtune/internal/rng"
	"schedtune/validation/testdata"
)

// hill is a sphere of d coordinates, its optimum at 0.7, the present at 0.2,
// with noise that a seed shares and noise of each run.
func hill(t testing.TB, d int) Problem {
	var ps []Param
	for i := range d {
		ps = append(ps, Param{Name: fmt.Sprintf("x%d", i), Max: 1, Present: "0.2"})
	}
	p := Problem{Space: mustSpace(t, ps...), Objectives: []Objective{{Metric: "cost"}}}
	p.Evaluator = Pool(2, func(_ context.Context, it Item) Outcome {
		s := 1 + 0.1*rng.NewKey(it.Seed, 1).Norm(0) + 0.02*rng.NewKey(it.Seed, 2).Norm(uint64(it.Trial))
		for _, e := range it.Settings {
			v := value(Item{Settings: Settings{e}}, e.Name)
			s += (v - 0.7) * (v - 0.7)
		}
		return Outcome{Metrics: map[string]float64{"cost": s}}
	})
	return p
}

// A study takes no more runs than its budget. The confirmation has a minimum of
// its own (Options.Budget) and is left out. The halving needs ten runs, which
// studies of 40 runs used to overdraw.
func TestBudgetHolds(t *testing.T) {
	for _, d := range []int{5, 25} {
		p := hill(t, d)
		for k, n := 0, testdata.Cases(23); k < n; k++ {
			budget := 36 + k*276/n
			r := search(t, p, Options{Seed: uint64(budget), Budget: budget, Patience: budget, Off: PartAblation | PartConfirm})
			if r.Runs > budget {
				t.Errorf("%d parameters: %d runs of %d", d, r.Runs, budget)
			}
			if r.Runs < budget/2 {
				t.Errorf("%d parameters: only %d runs of %d", d, r.Runs, budget)
			}
		}
	}
}

// The choice of a short study takes all that the search has left, but for less than its field on one
// more instance. A short study in rounds leaves less than a round.
func TestShortHalvingTakesWhatIsLeft(t *testing.T) {
	for _, windows := range []int{1, 3} {
		p := hill(t, 20)
		p.Windows = windows
		for budget := 51; budget < shortRuns; budget += 31 {
			left := maxContenders + 1
			o := Options{Seed: uint64(budget), Budget: budget, Patience: budget, Off: PartAblation | PartConfirm}
			r := search(t, p, o)
			if r.Runs < budget-left || r.Runs > budget {
				t.Errorf("%d windows: %d runs of %d", windows, r.Runs, budget)
			}
		}
	}
}

// CMA-ES has small generations for its first five points per coordinate: at 20
// coordinates 4 + floor(1.5 ln 20) = 8 points until 104 are measured, then
// 4 + floor(3 ln 20) = 12.
func TestYoungGenerationsAreSmall(t *testing.T) {
	s := strategy(t, SamplerConfig{Space: cube(t, 20), Seed: 1})
	for g := range 15 {
		want := 8
		if g >= 13 {
			want = 12
		}
		points := s.Ask()
		if len(points) != want {
			t.Errorf("generation %d of %d points, want %d", g, len(points), want)
		}
		scores := make([]Score, len(points))
		for i := range scores {
			scores[i].Values = []float64{1}
		}
		s.Tell(points, scores, 0)
	}
}

// Short studies resume bit-equal, too.
func TestShortStudiesResume(t *testing.T) {
	dir := t.TempDir()
	o := Options{Seed: 3, Budget: 150}
	log, res := logged(t, hill(t, 20), o, filepath.Join(dir, "full"))
	for k := range 7 {
		path := filepath.Join(dir, "cut")
		if err := os.WriteFile(path, log[:k*len(log)/7+k], 0o644); err != nil {
			t.Fatal(err)
		}
		again, res2 := logged(t, hill(t, 20), o, path)
		if !bytes.Equal(log, again) || !bytes.Equal(res, res2) {
			t.Fatalf("cut at byte %d of %d: another study", k*len(log)/7+k, len(log))
		}
	}
}

// Short studies claim no gain where there is none: once where no setting
// matters (one-sided error of a 95 % interval: 2.5 %), once where the present
// configuration is the optimum.
func TestShortStudiesClaimNothing(t *testing.T) {
	repeats := testdata.Cases(100)
	flat, best := hill(t, 20), hill(t, 20)
	flat.Evaluator = Pool(1, func(_ context.Context, it Item) Outcome {
		k := rng.NewKey(it.Seed, 1)
		return Outcome{Metrics: map[string]float64{"cost": 10 + k.Norm(0) + k.At(uint64(it.Trial)).Norm(0)}}
	})
	best.Evaluator = Pool(1, func(_ context.Context, it Item) Outcome {
		k := rng.NewKey(it.Seed, 1)
		s := 10 + k.Norm(0) + 0.3*k.At(uint64(it.Trial)).Norm(0)
		for _, e := range it.Settings {
			s += square(value(Item{Settings: Settings{e}}, e.Name) - 0.2)
		}
		return Outcome{Metrics: map[string]float64{"cost": s}}
	})
	for name, p := range map[string]Problem{"flat": flat, "best": best} {
		claims := 0
		for s := range repeats {
			if search(t, p, Options{Seed: uint64(s), Budget: 150}).Decision.Recommended {
				claims++
			}
		}
		t.Logf("%s: %d claims in %d repeats", name, claims, repeats)
		if n := 0.025 * float64(repeats); float64(claims) > n+4*math.Sqrt(n) {
			t.Errorf("%s: %d claims in %d repeats", name, claims, repeats)
		}
	}
}

func square(v float64) float64 { return v * v }

// With more changes than the ablation has runs for, the budget holds, and what
// does nothing is still reverted in large sets: of 200 changes only three do
// something.
func TestManyChangesKeepTheBudget(t *testing.T) {
	var params []Param
	better := Settings{}
	for k := range 200 {
		name := fmt.Sprintf("p%03d", k)
		params = append(params, Param{Name: name, Kind: Linear, Min: 0, Max: 1, Step: 0.01, Present: "0"})
		better = append(better, Setting{name, "1"})
	}
	p := Problem{Space: mustSpace(t, params...), Objectives: []Objective{{Metric: "cost"}},
		Candidates: []Candidate{{Name: "all", Settings: better}},
		Evaluator: Pool(1, func(_ context.Context, it Item) Outcome {
			cost := 4.0
			for _, name := range []string{"p005", "p006", "p150"} {
				cost -= value(it, name)
			}
			return Outcome{Metrics: map[string]float64{"cost": cost}}
		})}
	r := search(t, p, Options{Seed: 1, Budget: 300})
	if r.Runs > 300 || len(r.Changes) > 70 || !r.Decision.Recommended {
		t.Errorf("%d runs, %d changes, proven %v", r.Runs, len(r.Changes), r.Decision.Recommended)
	}
}
