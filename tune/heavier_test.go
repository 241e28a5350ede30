package tune

import (
	"context"
	"testing"
)

// unsteady is the drawn bowl with four heavier workloads, on which what allows a.max more than
// most stands still, and nothing else tells.
func unsteady(most float64) Problem {
	p := drawnBowl(2)
	p.Windows, p.Heavier = 16, []int{12, 13, 14, 15}
	run := p.Evaluator.(*pool).run
	p.Evaluator = Pool(2, func(ctx context.Context, it Item) Outcome {
		if it.Window >= 12 && value(it, "a.max") > most {
			return Outcome{Err: "nothing can progress"}
		}
		return run(ctx, it)
	})
	return p
}

// What stands still under more work is not recommended. A contender that does not takes its
// place, or nothing is proven, and the result says on how many workloads it stood still.
func TestWhatStandsStillUnderMoreWorkIsNotRecommended(t *testing.T) {
	proven := 0
	for _, budget := range []int{100, 200, 400} {
		for seed := range uint64(3) {
			r := search(t, unsteady(70), Options{Seed: seed, Budget: budget})
			if r.Runs > budget {
				t.Errorf("budget %d, seed %d: %d runs", budget, seed, r.Runs)
			}
			most := value(Item{Settings: r.Best.Settings}, "a.max")
			switch h := r.Heavier; {
			case r.Proven && (most > 70 || h == nil || h.Failed > 0 || h.Workloads != min(heavierMost, budget/heavierPart)):
				t.Errorf("budget %d, seed %d: a.max %v is recommended, with %+v", budget, seed, most, h)
			case !r.Proven && r.Unproven != nil && h == nil:
				t.Errorf("budget %d, seed %d: nothing is said of more work", budget, seed)
			case r.Proven:
				proven++
			}
		}
	}
	if t.Logf("%d of 9 proven", proven); proven < 3 {
		t.Errorf("%d of 9 studies prove a gain, want 3 or more", proven)
	}
}

// Heavier workloads serve nothing else, one half of them rounds of a longer search and the
// other what is recommended.
func TestHeavierWorkloadsAreKept(t *testing.T) {
	for _, budget := range []int{200, 400} {
		out, st := batches(t, unsteady(100), Options{Seed: 1, Budget: budget})
		runs, rounds := 0, 0
		for _, b := range out {
			for w := range b.windows {
				if (w >= 12) != (b.phase == "heavier") {
					t.Errorf("%s on window %d", b.phase, w)
				}
			}
			switch {
			case b.windows[12] || b.windows[13]:
				rounds++
				if b.runs != fewRound+1 || b.trials[0] != 0 || b.instances != 1 {
					t.Errorf("a round of %d runs of %v on %d workloads", b.runs, b.trials, b.instances)
				}
			case b.phase == "heavier":
				runs += b.runs
			}
		}
		n := budget / heavierPart
		if h := st.Result().Heavier; runs < 2*n || budget == 200 && runs > 2*n || (rounds > 0) != (budget == 400) || h == nil || *h != (Heavier{Workloads: n}) {
			t.Errorf("budget %d: %d rounds, %d runs, %+v", budget, rounds, runs, h)
		}
	}
	// Where the present settings stand still, too, nothing is asked of others.
	p := unsteady(0)
	if h := search(t, p, Options{Seed: 1, Budget: 200}).Heavier; h != nil {
		t.Errorf("the present settings stand still, and %+v", h)
	}
}

// Windows with more work are none of the confirmation's, and leave some for the search.
func TestHeavierWindowsAreChecked(t *testing.T) {
	for _, heavier := range [][]int{{11}, {16}, {-1}, {0, 1, 2, 3, 4, 5, 6, 7}} {
		p := drawnBowl(1)
		p.Heavier = heavier
		if _, err := NewStudy(p, Options{}); err == nil {
			t.Errorf("%v: no error", heavier)
		}
	}
}
