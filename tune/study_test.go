package tune

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"schedtune/internal/rng"
	"schedtune/validation/testdata"
)

func value(it Item, name string) float64 {
	v, _ := it.Settings.Get(name)
	f, _ := strconv.ParseFloat(v, 64)
	return f
}

func search(t *testing.T, p Problem, o Options) *Result {
	t.Helper()
	r, err := Search(context.Background(), p, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Of eight parameters two matter. The ablation keeps those and gives the rest
// back; its losses add up to the whole gain; importance puts them first.
func TestAblationAndImportance(t *testing.T) {
	var ps []Param
	for _, n := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		ps = append(ps, Param{Name: n, Max: 1, Step: 0.01, Present: "0.2"})
	}
	p := Problem{Space: mustSpace(t, ps...), Objectives: []Objective{{Metric: "m"}},
		Evaluator: Pool(1, func(_ context.Context, it Item) Outcome {
			noise := 0.05 * rng.NewKey(it.Seed, 1).Norm(0)
			return Outcome{Metrics: map[string]float64{"m": 1 + 2*math.Abs(value(it, "c")-0.8) + math.Abs(value(it, "f")-0.7) +
				noise}}
		})}
	r := search(t, p, Options{Seed: 1, Budget: 1000})
	if !r.Decision.Recommended || len(r.Changes) != 2 || r.Changes[0].Name != "c" || r.Changes[1].Name != "f" {
		t.Errorf("proven %v, changes %+v", r.Decision.Recommended, r.Changes)
	}
	sum := 0.0
	for _, s := range r.Ablation {
		if s.Kept != (s.Loss != nil) || s.Kept != (s.Alone != nil) {
			t.Errorf("%+v", s)
		} else if s.Kept {
			sum += *s.Loss
		}
		if s.Kept != (s.Change == "c" || s.Change == "f") {
			t.Errorf("%+v", s)
		}
	}
	if math.Abs(sum-1) > 1e-9 {
		t.Errorf("losses add up to %v", sum)
	}
	if r.Importance[0].Name != "c" || r.Importance[1].Name != "f" {
		t.Errorf("importance %+v", r.Importance)
	}
}

// Only the candidate has c = 1, which carries the gain. Of g and h, which cost a
// little of it, one is needed to keep the limit. In the order of the losses g and
// h are the first to be reverted, and together break the limit before the five
// come up that do nothing: these must go all the same.
func TestAblationUnderLimits(t *testing.T) {
	var ps []Param
	all := Settings{}
	for _, n := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		ps = append(ps, Param{Name: n, Max: 1, Step: 0.001, Present: "0"})
		all = append(all, Setting{n, "1"})
	}
	p := Problem{Space: mustSpace(t, ps...), Objectives: []Objective{{Metric: "m"}}, Candidates: []Candidate{{"all", all}},
		Constraints: []Constraint{{Metric: "wait", Op: "<=", Limit: 1, Text: "wait <= 1"}},
		Evaluator: Pool(1, func(_ context.Context, it Item) Outcome {
			c, g, h := value(it, "c"), value(it, "g"), value(it, "h")
			m := 3 + 0.02*(g+h) + 0.001*rng.NewKey(it.Seed, 1).Norm(0)
			if c == 1 {
				m -= 2
			}
			return Outcome{Metrics: map[string]float64{"m": m, "wait": 1.2 - 0.4*max(g, h)}}
		})}
	r := search(t, p, Options{Seed: 1, Method: "random", Budget: 300})
	if len(r.Changes) != 2 || r.Changes[0].Name != "c" || !strings.Contains("gh", r.Changes[1].Name) {
		t.Errorf("changes %+v, want c and one of g and h", r.Changes)
	}
	if !r.Decision.Recommended || !r.Constraints[0].Kept {
		t.Errorf("proven %v, constraints %+v", r.Decision.Recommended, r.Constraints)
	}
}

// The best settings lie on the limit, and which side a measurement falls on is
// chance. Where the best found turns out beyond it, the safest contender is
// recommended: nearly every study ends with proven settings within the limit.
func TestNoisyLimitStillGivesAnAnswer(t *testing.T) {
	var ps []Param
	for _, n := range []string{"a", "b", "c", "d"} {
		ps = append(ps, Param{Name: n, Max: 1, Step: 0.001, Present: "0.2"})
	}
	repeats := testdata.Cases(100)
	proven, kept := 0, 0
	for seed := range uint64(repeats) {
		p := Problem{Space: mustSpace(t, ps...), Objectives: []Objective{{Metric: "m"}},
			Constraints: []Constraint{{Metric: "wait", Op: "<=", Limit: 1, Text: "wait <= 1"}},
			Evaluator: Pool(1, func(_ context.Context, it Item) Outcome {
				sum, key := 0.0, rng.NewKey(it.Seed, 1)
				for _, n := range []string{"a", "b", "c", "d"} {
					sum += value(it, n)
				}
				// The noise of the limit is not common to all settings.
				own := rng.NewKey(it.Seed, uint64(1000*sum)).Norm(1)
				return Outcome{Metrics: map[string]float64{"m": 10 - sum + 0.1*key.Norm(0), "wait": 0.5 + sum/4 + 0.05*own}}
			})}
		r := search(t, p, Options{Seed: seed, Budget: 300})
		if r.Decision.Recommended {
			proven++
		}
		if r.Decision.Recommended && r.Constraints[0].Kept {
			kept++
		}
	}
	t.Logf("%d of %d proven, %d within the limit", proven, repeats, kept)
	if proven < 95*repeats/100 || kept != proven {
		t.Errorf("%d of %d proven, %d of them within the limit; want at least 95 %%, all within", proven, repeats, kept)
	}
}

// The unconstrained optimum x = 1 violates x <= 0.5, and the present
// configuration violates it too: feasible first.
func TestConstraintsComeFirst(t *testing.T) {
	p := Problem{Space: mustSpace(t, Param{Name: "x", Max: 1, Present: "0.9"}, Param{Name: "y", Max: 1, Present: "0.9"}),
		Objectives: []Objective{{Metric: "gain", Maximize: true}},
		Evaluator: Pool(2, func(_ context.Context, it Item) Outcome {
			n := 0.01 * rng.NewKey(it.Seed, 1).Norm(0)
			return Outcome{Metrics: map[string]float64{"gain": value(it, "x") + value(it, "y") + n, "wait": value(it, "x") + n}}
		})}
	c, err := ParseConstraint("wait <= 500ms")
	if err != nil {
		t.Fatal(err)
	}
	p.Constraints = []Constraint{c}
	r := search(t, p, Options{Seed: 1, Budget: 600, Patience: 600})
	x, y := value(Item{Settings: r.Best.Settings}, "x"), value(Item{Settings: r.Best.Settings}, "y")
	if !r.Decision.Recommended || !r.Best.Feasible || r.Present.Feasible || x > 0.51 || x < 0.42 || y < 0.93 {
		t.Errorf("x = %v, y = %v, proven %v, %+v", x, y, r.Decision.Recommended, r.Constraints)
	}
	if len(r.Constraints) != 1 || !r.Constraints[0].Kept {
		t.Errorf("%+v", r.Constraints)
	}
}

// The confirmation uses seeds, and held-out windows, that no other phase saw.
func TestConfirmationIsUnseen(t *testing.T) {
	p := bowl(0.2)
	p.Windows = 8
	path := filepath.Join(t.TempDir(), "log")
	logged(t, p, Options{Seed: 1, Budget: 300}, path)
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	seen := map[uint64]string{}
	confirmed, windows := 0, map[string]map[int]bool{}
	for sc := bufio.NewScanner(f); sc.Scan(); {
		var r runLine
		if err := json.Unmarshal(sc.Bytes(), &r); err != nil || r.Phase == "" {
			continue
		}
		if was := seen[r.Seed]; was != "" && was != "confirm" && r.Phase == "confirm" {
			t.Fatalf("seed %d in %s and %s", r.Seed, was, r.Phase)
		}
		if seen[r.Seed] != "confirm" { // whose instances the elimination shares
			seen[r.Seed] = r.Phase
		}
		if r.Phase == "ablation" && seen[r.Seed] == "confirm" {
			continue
		}
		if windows[r.Phase] == nil {
			windows[r.Phase] = map[int]bool{}
		}
		windows[r.Phase][r.Window] = true
		if r.Phase == "confirm" {
			confirmed++
		}
	}
	if confirmed < 2*minConfirm {
		t.Errorf("%d confirmation runs", confirmed)
	}
	for phase, ws := range windows {
		for w := range ws {
			if (w >= 6) != (phase == "confirm") {
				t.Errorf("window %d in phase %s; 6 and 7 of 8 are held out", w, phase)
			}
		}
	}
}

// A panic of the search itself, which runs in a coroutine, keeps the place where it happened.
func TestPanicKeepsItsPlace(t *testing.T) {
	p := twoParted(t, 1)
	p.Composite.Objectives[0].Metric = func([]float64) float64 { panic("here") }
	p.Evaluator = Pool(1, func(_ context.Context, it Item) Outcome {
		return Outcome{Metrics: map[string]float64{"cost": value(it, "0.0"), "price": 1}, Parts: make([]float64, 8)}
	})
	defer func() {
		got, ok := recover().(*Panic)
		if !ok || got.Error() != "here" || !strings.Contains(string(got.Stack()), "TestPanicKeepsItsPlace") {
			t.Errorf("%v", got)
		}
	}()
	search(t, p, Options{Seed: 4, Budget: 140})
	t.Error("no panic")
}

// Configurations that break the simulator lose, are counted and explained.
func TestFailuresLose(t *testing.T) {
	p := bowl(0.1)
	p.Evaluator = Pool(2, func(_ context.Context, it Item) Outcome {
		switch v := value(it, "slowstart"); {
		case v > 0.7:
			panic("no progress")
		case v > 0.5:
			return Outcome{Err: "stalled"}
		case v > 0.4:
			return Outcome{Metrics: map[string]float64{"cost": math.NaN()}}
		}
		return bowlRun(it, 0.1)
	})
	r := search(t, p, Options{Seed: 1, Budget: 600})
	if v := value(Item{Settings: r.Best.Settings}, "slowstart"); v > 0.4 || !r.Decision.Recommended {
		t.Errorf("slowstart %v, proven %v", v, r.Decision.Recommended)
	}
	if r.FailedRuns == 0 || r.FirstFailure == "" {
		t.Errorf("%d failures, %q", r.FailedRuns, r.FirstFailure)
	}
}

// If the current configuration has no result, at the beginning or on a seed of
// the confirmation, nothing can be proven, and the study ends with an error.
func TestPresentFails(t *testing.T) {
	for _, late := range []bool{false, true} {
		p := bowl(0)
		confirming := false
		p.Evaluator = Pool(1, func(_ context.Context, it Item) Outcome {
			if it.Trial == 0 && (!late || confirming) {
				return Outcome{Err: "no memory"}
			}
			return bowlRun(it, 0)
		})
		o := Options{Budget: 100, Progress: func(p Progress) { confirming = p.Phase == "confirm" }}
		r, err := Search(context.Background(), p, o)
		if none := (*PresentError)(nil); !errors.As(err, &none) || none.Reason != "no memory" {
			t.Errorf("late %v: %v, want an error of no memory", late, err)
		}
		if r.Decision.Recommended {
			t.Errorf("late %v: proven", late)
		}
	}
}

// A candidate of the caller that is already optimal is found although the
// budget is far too small to search.
func TestCandidatesAreTried(t *testing.T) {
	p := bowl(0.1)
	p.Candidates = []Candidate{{"good", Settings{{"a.capacity", "55"}, {"c.capacity", "10"}, {"d.capacity", "10"},
		{"a.max", "80"}, {"factor", "3"}, {"delay", "8"}, {"slowstart", "0.6"}, {"order", "fair"}}}}
	r := search(t, p, Options{Budget: 100, Off: PartAblation})
	if !r.Decision.Recommended || r.Gain[0].Mean < 0.5 {
		t.Errorf("%s proven %v", r.Best.Origin, r.Decision.Recommended)
	}
	p.Candidates[0].Settings = Settings{{"nonsense", "1"}}
	if _, err := Search(context.Background(), p, Options{Budget: 100}); err == nil || !strings.Contains(err.Error(),
		"nonsense") {
		t.Errorf("%v", err)
	}
}

// Patience ends a search that makes no progress, and says so.
func TestNoProgress(t *testing.T) {
	p := bowl(0)
	p.Evaluator = Pool(1, func(_ context.Context, it Item) Outcome {
		return Outcome{Metrics: map[string]float64{"cost": 1}}
	})
	r := search(t, p, Options{Budget: 100000, Patience: 200})
	if r.Status != NoProgress || r.Decision.Recommended || r.Runs > 1000 {
		t.Errorf("%v after %d runs, proven %v", r.Status, r.Runs, r.Decision.Recommended)
	}
}

// Patience does not end a search that makes progress: the bowl, which costs 3.6 now, is searched down to near its
// bottom
// of 1.
func TestPatienceSeesProgress(t *testing.T) {
	for seed := range uint64(testdata.Cases(3)) {
		// which gives a part of the gain for milder values
		r := search(t, bowl(0), Options{Seed: seed, Budget: 2000, Patience: 300, Off: PartAblation})
		if v := r.Best.Metrics[0].Mean; v > 1.1 {
			t.Errorf("seed %d: %v after %d runs, cost %v", seed, r.Status, r.Runs, v)
		}
	}
}

// Two objectives that pull x apart: the front runs between them and the knee
// lies inside.
func TestParetoFront(t *testing.T) {
	p := Problem{Space: cube(t, 3), Objectives: []Objective{{Metric: "f"}, {Metric: "g"}},
		Evaluator: Pool(2, func(_ context.Context, it Item) Outcome {
			x := value(it, "x0")
			pen := math.Pow(value(it, "x1")-0.5, 2) + math.Pow(value(it, "x2")-0.5, 2)
			n := math.Exp(0.1 * rng.NewKey(it.Seed, 1).Norm(0))
			return Outcome{Metrics: map[string]float64{"f": n * (1 + x*x + pen), "g": n * (1 + (x-1)*(x-1) + pen)}}
		})}
	r := search(t, p, Options{Seed: 1, Budget: 1200})
	if r.Sampler != "nsga2" || len(r.Front) < 5 || r.Hypervolume < 0.3 {
		t.Fatalf("%s, front of %d, hypervolume %v", r.Sampler, len(r.Front), r.Hypervolume)
	}
	for i := 1; i < len(r.Front); i++ {
		a, _ := r.Front[i-1].metric("g")
		b, _ := r.Front[i].metric("g")
		if !(a.Mean > b.Mean) {
			t.Errorf("front point %d does not trade g for f", i)
		}
	}
	if x := value(Item{Settings: r.Front[r.Knee].Settings}, "x0"); x < 0.25 || x > 0.75 {
		t.Errorf("knee at %v", x)
	}
}

func TestBounds(t *testing.T) {
	p := bowl(0)
	p.Bounds = map[string]float64{"cost": 1}
	r := search(t, p, Options{Budget: 600})
	f := bowlRun(Item{Settings: r.Best.Settings}, 0).Metrics["cost"]
	if len(r.Bounds) != 1 || math.Abs(r.Bounds[0].Gap-(f-1)/f) > 1e-9 {
		t.Errorf("%+v at cost %v", r.Bounds, f)
	}
}

func TestOptionErrors(t *testing.T) {
	p := bowl(0)
	for _, o := range []Options{{Budget: 5}, {Method: "x"}, {TimeBudget: 1}, {Threads: -1}} {
		if _, err := Search(context.Background(), p, o); err == nil {
			t.Errorf("%+v was taken", o)
		}
	}
	p.Windows, p.HoldOut = 2, []int{0, 1}
	if _, err := Search(context.Background(), p, Options{}); err == nil {
		t.Error("all windows held out: nothing left to search on")
	}
}
