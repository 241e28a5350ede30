package tune

import (
	"context"
	"slices"
	"testing"
	"time"
)

// The course of a study of 400 runs: design and rounds as in one of few runs until their part of
// the budget is spent, 1 - 0.12 - 0.1 - what the ablation has, then the phases of all others. The
// contenders of the halving and the present configuration are the model's best.
func TestCourseInRounds(t *testing.T) {
	out, st := batches(t, drawnBowl(1), Options{Seed: 4, Budget: 400})
	var phases []string
	runs := map[string]int{}
	total := 0
	for _, b := range out {
		total += b.runs
		runs[b.phase] += b.runs
		if len(phases) == 0 || phases[len(phases)-1] != b.phase {
			phases = append(phases, b.phase)
		}
		if b.phase == "search" && (b.runs > fewRound+1 || b.instances != 1 || b.trials[0] != 0) {
			t.Errorf("a round of %d runs on %d workloads", b.runs, b.instances)
		}
	}
	if want := []string{"design", "search", "halving", "ablation", "confirm"}; !slices.Equal(phases, want) {
		t.Errorf("phases %v, want %v", phases, want)
	}
	part := int(400*(1-st.d.reserve())) - fewRound - 1
	if n := runs["design"] + runs["search"]; n < part || n > part+fewRound+1 {
		t.Errorf("%d runs of the search, want %d to %d", n, part, part+fewRound+1)
	}
	if r := st.Result(); total > 400 || r.Runs != total || r.Sampler != "model" || !r.Proven || r.Status != BudgetSpent || len(r.Importance) == 0 {
		t.Errorf("%d runs: %+v", total, r)
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
		t.Errorf("%s after %d runs of %d, %d configurations of %d, %d confirmed", r.Status, r.Runs, all.Runs, r.Trials, all.Trials, r.Confirmed)
	}
}

// A search whose budget ends together with its patience has spent its budget: it is the study
// that it would be without patience, and says so.
func TestBudgetEndsWithPatience(t *testing.T) {
	o := Options{Seed: 4, Budget: 400}
	out, st := batches(t, drawnBowl(1), o)
	spent := 0
	for _, b := range out {
		if b.phase == "design" || b.phase == "search" {
			spent += b.runs
		}
	}
	o.Patience = spent - st.d.changedAt - 1 // over with the last round
	bare, r := st.Result(), search(t, drawnBowl(1), o)
	if o.Patience < fewRound+1 || r.Status != BudgetSpent || r.Runs != bare.Runs || r.Trials != bare.Trials {
		t.Errorf("patience %d: %s after %d runs of %d configurations; without patience %d of %d", o.Patience, r.Status, r.Runs, r.Trials, bare.Runs, bare.Trials)
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
		if got := (&driver{budget: budget}).roundSize(); got != want {
			t.Errorf("budget %d: %d, want %d", budget, got, want)
		}
	}
}

// What is searched in rounds, and what of that is a study of few runs.
func TestInRounds(t *testing.T) {
	for name, c := range map[string]struct {
		change      func(*Problem, *Options)
		rounds, few bool
	}{
		"100 runs":            {func(*Problem, *Options) {}, true, true},
		"299 runs":            {func(_ *Problem, o *Options) { o.Budget = 299 }, true, true},
		"without ablation":    {func(_ *Problem, o *Options) { o.Off = PartAblation | PartConfirm }, true, true},
		"99 runs":             {func(_ *Problem, o *Options) { o.Budget = 99 }, false, false},
		"300 runs":            {func(_ *Problem, o *Options) { o.Budget = 300 }, true, false},
		"a time":              {func(_ *Problem, o *Options) { o.Budget, o.TimeBudget = 0, time.Minute }, false, false},
		"one workload":        {func(p *Problem, _ *Options) { p.Windows, p.HoldOut = 1, nil }, false, false},
		"two objectives":      {func(p *Problem, _ *Options) { p.Objectives = append(p.Objectives, Objective{Metric: "x"}) }, false, false},
		"a sampler by name":   {func(_ *Problem, o *Options) { o.Method = "random" }, false, false},
		"without its model":   {func(_ *Problem, o *Options) { o.Off = PartModel }, false, false},
		"several runs of all": {func(_ *Problem, o *Options) { o.Replicates = 2 }, false, false},
	} {
		p, o := drawnBowl(1), Options{Seed: 1, Budget: 100}
		c.change(&p, &o)
		d, err := newDriver(p.withDefaults(), o.withDefaults())
		if err != nil || d.inRounds() != c.rounds || d.ofFewRuns() != c.few || (d.samplerName == "model") != c.rounds {
			t.Errorf("%s: %v, %v, sampler %s, %v; want %v, %v", name, d.inRounds(), d.ofFewRuns(), d.samplerName, err, c.rounds, c.few)
		}
	}
}

// The points of the design stand within fewRadius of the way from the present configuration
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
		ts, err := d.design()
		if err != nil || len(ts) != fewDesign-1 || ts[0].origin != "x 0.7" {
			t.Fatalf("%v, %v; want %d, the candidate first", names(ts), err, fewDesign-1)
		}
		for _, tr := range ts[1:] {
			for k, u := range tr.point {
				from := space.Present()[k]
				if u < from*(1-fewRadius)-1e-12 || u > from+fewRadius*(1-from)+1e-12 {
					t.Errorf("seed %d: %v stands at %v, further than %v of the way from %v to an end", seed, tr.point, u, fewRadius, from)
				}
				far = max(far, (u-from)/(1-from))
			}
		}
	}
	if far < 0.9*fewRadius {
		t.Errorf("no point further than %v of the way up", far)
	}
}
