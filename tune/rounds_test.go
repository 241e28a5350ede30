package tune

import (
	"context"
	"slices"
	"testing"
)

// A longer study in rounds proves its gain with a part of its runs, and ends when the answer is known.
func TestStudyInRounds(t *testing.T) {
	c := follow(t, drawnBowl(1), Options{Seed: 4, Budget: 400})
	c.check(t, 400)
	searched := 0
	for _, p := range c.phases {
		if p == "design" || p == "search" {
			searched++
		}
	}
	r := c.result
	if !r.Decision.Recommended || r.Status == AnswerKnown && searched > 200 || searched > 300 {
		t.Errorf("%s, recommended %v, %d of 400 runs of the search", r.Status, r.Decision.Recommended, searched)
	}
}

// With patience a search in rounds ends when no better configuration has come for so long.
func TestPatienceInRounds(t *testing.T) {
	r := search(t, drawnBowl(1), Options{Seed: 4, Budget: 2000, Patience: 60})
	if r.Status != NoProgress || r.Runs > 1500 {
		t.Errorf("%s after %d runs", r.Status, r.Runs)
	}
}

// So does one of few runs, which is then as long as its phases after the search ask for.
func TestPatienceOfFewRuns(t *testing.T) {
	all := search(t, drawnBowl(1), Options{Seed: 4, Budget: 250, Patience: 250})
	r := search(t, drawnBowl(1), Options{Seed: 4, Budget: 250, Patience: 1})
	if r.Status != NoProgress || r.Trials >= all.Trials || r.Runs > 250 || r.Confirmed == 0 {
		t.Errorf("%s after %d runs of %d, %d configurations of %d, %d confirmed", r.Status, r.Runs, all.Runs, r.Trials,
			all.Trials, r.Confirmed)
	}
}

// A search whose budget ends together with its patience has spent its budget; one whose patience ends before is planned
// again for what it has spent.
func TestBudgetEndsWithPatience(t *testing.T) {
	for name, c := range map[string]struct {
		spent  int
		want   Status
		budget int
	}{"both": {595, BudgetSpent, 1200}, "patience": {200, NoProgress, easyBudget}, "neither": {30, Running, 1200}} {
		t.Run(name, func(t *testing.T) {
			d := withBudget(t, 1200)
			d.o.Patience, d.led.spent = 40, c.spent
			if goes := d.goesOn(); goes != (c.want == Running) || d.found.status != c.want || d.plan.budget != c.budget {
				t.Errorf("goes on %v, %s, budget %d; want %s, %d", goes, d.found.status, d.plan.budget, c.want, c.budget)
			}
		})
	}
}

// Where everything but the design's workload and a confirmation has no result, a study ends
// all the same.
func TestNothingCountsInRounds(t *testing.T) {
	for _, budget := range []int{120, 400, 3000} {
		p := drawnBowl(2)
		first := -1
		run := p.Evaluator.(*pool).run
		p.Evaluator = Pool(1, func(ctx context.Context, it Item) Outcome {
			if first < 0 {
				first = it.Window
			}
			if it.Window != first && it.Window < 8 {
				return Outcome{Err: "stands still"}
			}
			return run(ctx, it)
		})
		p.Predict = &Prediction{}
		r, err := Search(t.Context(), p, Options{Seed: 2, Budget: budget})
		if err != nil || r.Runs > budget {
			t.Errorf("budget %d: %v, %+v", budget, err, r)
		}
	}
}

// A round has 7 configurations at first, a 30th of the runs so far later, and 32 at most.
func TestRoundSize(t *testing.T) {
	for spent, want := range map[int]int{12: 7, 239: 7, 240: 8, 600: 20, 1_000_000: 32} {
		d := withBudget(t, unlimited)
		d.led.spent = spent
		if got := newModelProposer(d.parts).size(); got != want {
			t.Errorf("%d runs so far: %d, want %d", spent, got, want)
		}
	}
}

// The points of the design stand within designRadius of the way from the current configuration
// to the ends of the space, and all over it; candidates come first, and what falls short does
// not come.
func TestDesignAroundThePresent(t *testing.T) {
	space := cube(t, 3)
	d, _, _ := byHand(t, Problem{Space: space, Shortfall: func(set Settings) float64 {
		if v := set[0].Value; v == "0.9" {
			return 1
		}
		return 0
	}}, []float64{5})
	var given []*trial
	for _, x := range []string{"0.9", "0.7"} {
		set := slices.Clone(space.PresentSettings())
		set[0].Value = x
		given = append(given, d.led.candidate(Candidate{"x " + x, set}))
	}
	far := 0.0
	for seed := range uint64(20) {
		d.o.Seed = seed
		ts := newModelProposer(d.parts).design(given)
		if len(ts) != designSize-1 || ts[0].origin != "x 0.7" {
			t.Fatalf("%v; want %d, the candidate first", names(ts), designSize-1)
		}
		for _, tr := range ts[1:] {
			for k, u := range tr.point {
				from := space.Present()[k]
				if u < from*(1-designRadius)-1e-12 || u > from+designRadius*(1-from)+1e-12 {
					t.Errorf("seed %d: %v stands at %v, further than %v of the way from %v to an end", seed, tr.point, u,
						designRadius, from)
				}
				far = max(far, (u-from)/(1-from))
			}
		}
	}
	if far < 0.9*designRadius {
		t.Errorf("no point further than %v of the way up", far)
	}
}
