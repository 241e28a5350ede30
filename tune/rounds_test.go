package tune

import (
	"context"
	"slices"
	"testing"
	"time"
)

// A longer study in rounds proves its gain with a part of its runs, and searches with the most.
func TestStudyInRounds(t *testing.T) {
	c := follow(t, drawnBowl(1), Options{Seed: 4, Budget: 400})
	c.check(t, 400)
	searched := 0
	for _, p := range c.phases {
		if p == "design" || p == "search" {
			searched++
		}
	}
	if !c.result.Decision.Recommended || searched < 170 || searched > 300 {
		t.Errorf("proven %v, %d of 400 runs of the search; want a proven gain and 170 to 300", c.result.Decision.Recommended, searched)
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
	all := search(t, drawnBowl(1), Options{Seed: 4, Budget: 250})
	r := search(t, drawnBowl(1), Options{Seed: 4, Budget: 250, Patience: 1})
	if r.Status != NoProgress || r.Trials >= all.Trials || r.Runs >= all.Runs || r.Confirmed == 0 {
		t.Errorf("%s after %d runs of %d, %d configurations of %d, %d confirmed", r.Status, r.Runs, all.Runs, r.Trials,
			all.Trials, r.Confirmed)
	}
}

// A search whose budget ends together with its patience has spent its budget: it is the study
// that it would be without patience, and says so.
func TestBudgetEndsWithPatience(t *testing.T) {
	o := Options{Seed: 4, Budget: 400}
	c := follow(t, drawnBowl(1), o)
	spent := 0
	for _, p := range c.phases {
		if p == "design" || p == "search" {
			spent++
		}
	}
	o.Patience = spent - c.study.d.changedAt - 1 // over with the last round
	bare, r := c.result, search(t, drawnBowl(1), o)
	if o.Patience < leastRound+1 || r.Status != BudgetSpent || r.Runs != bare.Runs || r.Trials != bare.Trials {
		t.Errorf("patience %d: %s after %d runs of %d configurations; without patience %d of %d", o.Patience, r.Status,
			r.Runs, r.Trials, bare.Runs, bare.Trials)
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

// A round of a study of 1,200 runs has 20 configurations, a 60th, and one of a million 32.
func TestRoundSize(t *testing.T) {
	for budget, want := range map[int]int{100: 7, 420: 7, 480: 8, 1200: 20, 1_000_000: 32} {
		if got := withBudget(t, budget).rounds.roundSize(); got != want {
			t.Errorf("budget %d: %d, want %d", budget, got, want)
		}
	}
}

// What is searched in rounds, and what of that is a short study.
func TestInRounds(t *testing.T) {
	for name, c := range map[string]struct {
		change        func(*Problem, *Options)
		rounds, short bool
	}{
		"100 runs":         {func(*Problem, *Options) {}, true, true},
		"299 runs":         {func(_ *Problem, o *Options) { o.Budget = 299 }, true, true},
		"without ablation": {func(_ *Problem, o *Options) { o.Off = PartAblation | PartConfirm }, true, true},
		"99 runs":          {func(_ *Problem, o *Options) { o.Budget = 99 }, false, false},
		"300 runs":         {func(_ *Problem, o *Options) { o.Budget = 300 }, true, false},
		"a time":           {func(_ *Problem, o *Options) { o.Budget, o.TimeBudget = 0, time.Minute }, false, false},
		"one workload":     {func(p *Problem, _ *Options) { p.Windows, p.HoldOut = 1, nil }, false, false},
		"two objectives": {func(p *Problem, _ *Options) { p.Objectives = append(p.Objectives, Objective{Metric: "x"}) },
			false, false},
		"a sampler by name": {func(_ *Problem, o *Options) { o.Method = "random" }, false, false},
	} {
		p, o := drawnBowl(1), Options{Seed: 1, Budget: 100}
		c.change(&p, &o)
		d, err := newDriver(p.withDefaults(), o.withDefaults())
		if err != nil {
			t.Fatal(err)
		}
		short := d.rounds != nil && d.short()
		if rounds := d.rounds != nil; rounds != c.rounds || short != c.short || (d.samplerName == "model") != c.rounds {
			t.Errorf("%s: in rounds %v, short %v, sampler %s; want %v, %v", name, rounds, short, d.samplerName, c.rounds,
				c.short)
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
	for _, x := range []string{"0.9", "0.7"} {
		set := slices.Clone(space.PresentSettings())
		set[0].Value = x
		d.p.Candidates = append(d.p.Candidates, Candidate{"x " + x, set})
	}
	far := 0.0
	for seed := range uint64(20) {
		d.o.Seed = seed
		ts := d.rounds.design()
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
