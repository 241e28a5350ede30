package tune

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"testing"
)

// drawnBowl is the bowl on eight workloads for the search, two of them twice as slow, and four
// for the confirmation.
func drawnBowl(workers int) Problem {
	p := bowl(0.1)
	p.Windows, p.HoldOut = 12, []int{8, 9, 10, 11}
	for w := range 8 {
		p.Work = append(p.Work, float64(1+(w+1)/7))
	}
	p.Evaluator = Pool(workers, func(_ context.Context, it Item) Outcome {
		o := bowlRun(it, 0.1)
		if it.Window == 6 || it.Window == 7 {
			o.Metrics["cost"] *= 2
		}
		return o
	})
	return p
}

// record is what a study asked for, run by run.
type record struct {
	items  []Item
	phases []string // of Progress
	result *Result
	study  *Study
}

// follow runs a study with its problem's evaluator and writes down what it asked for.
func follow(t *testing.T, p Problem, o Options) record {
	t.Helper()
	st, err := NewStudy(p, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(st.Close)
	c := record{study: st}
	for {
		items, err := st.Ask()
		if err != nil {
			t.Fatal(err)
		}
		if items == nil {
			c.result = st.Result()
			return c
		}
		for _, it := range items {
			c.items, c.phases = append(c.items, it), append(c.phases, st.Progress().Phase)
			if err := st.Tell(guarded(t.Context(), p.Evaluator.(*pool).run, it)); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// check checks what holds for each search in rounds of drawnBowl: the budget holds, held-out
// workloads are asked for in the end only, and on every workload the current configuration has a
// run, to be compared with.
func (c record) check(t *testing.T, budget int) {
	t.Helper()
	if n := len(c.items); n > budget || n < min(budget, 200)*6/10 || c.result.Runs != n {
		t.Errorf("%d runs asked, %d in the result; want at most %d", n, c.result.Runs, budget)
	}
	confirming := false
	current := map[uint64]bool{}
	for i, it := range c.items {
		current[it.Seed] = current[it.Seed] || it.Trial == 0
		if held := it.Window >= 8; held != confirming {
			if confirming && c.phases[i] != "ablation" {
				t.Fatalf("window %d after a held-out one", it.Window)
			}
			confirming = held || confirming
		}
	}
	for seed, has := range current {
		if !has {
			t.Errorf("seed %d: no run of the current configuration", seed)
		}
	}
	r := c.result
	ended := r.Status == BudgetSpent || r.Status == AnswerKnown
	if r.Sampler != "model" || !ended || r.Confirmed < minConfirm ||
		len(r.Importance) == 0 {
		t.Errorf("sampler %s, status %s, %d confirmed, importance %v", r.Sampler, r.Status, r.Confirmed, r.Importance)
	}
}

// A study of 100 runs ends within them, although most are the confirmation's.
func TestShortStudyInRounds(t *testing.T) {
	c := follow(t, drawnBowl(1), Options{Seed: 4, Budget: 100})
	c.check(t, 100)
	if c.result.Confirmed != minConfirm {
		t.Errorf("%d workloads of the confirmation, want %d", c.result.Confirmed, minConfirm)
	}
}

// Few runs of the bowl, whose present costs 3.6 and whose best 1, bring most of the way.
func TestRoundsImprove(t *testing.T) {
	var rounds, generations float64
	const seeds = 6
	for seed := range uint64(seeds) {
		for _, o := range []Options{{Seed: seed, Budget: 140, Off: PartAblation},
			{Seed: seed, Budget: 140, Method: "cmaes", Off: PartAblation}} {
			r := search(t, drawnBowl(2), o)
			found := r.Shown().Settings
			cost := math.Log(bowlRun(Item{Settings: found}, 0).Metrics["cost"]) / seeds
			if o.Method == "" {
				rounds += cost
			} else {
				generations += cost
			}
		}
	}
	t.Logf("the means of the logarithm are %.3f and %.3f", rounds, generations)
	if rounds > math.Log(1.9) {
		t.Errorf("the mean of the logarithm is %.3f, want 1.9 at most", rounds)
	}
}

// A short study in rounds resumes to the same bytes, for any number of workers.
func TestRoundsResume(t *testing.T) {
	dir := t.TempDir()
	o := Options{Seed: 3, Budget: 100}
	log, res := logged(t, drawnBowl(2), o, filepath.Join(dir, "full"))
	for k := range 8 {
		path := filepath.Join(dir, "cut")
		if err := os.WriteFile(path, log[:k*len(log)/8], 0o644); err != nil {
			t.Fatal(err)
		}
		again, res2 := logged(t, drawnBowl(1+3*k), o, path)
		if !bytes.Equal(log, again) || !bytes.Equal(res, res2) {
			t.Fatalf("cut at %d of 8: another study", k)
		}
	}
}

// A study ends where the current configuration has no result, in the design and in the
// confirmation.
func TestPresentFailsInRounds(t *testing.T) {
	for name, from := range map[string]int{"design": 0, "confirmation": 8} {
		p := drawnBowl(1)
		run := p.Evaluator.(*pool).run
		p.Evaluator = Pool(1, func(ctx context.Context, it Item) Outcome {
			if it.Trial == 0 && it.Window >= from {
				return Outcome{Err: "no memory"}
			}
			return run(ctx, it)
		})
		r, err := Search(context.Background(), p, Options{Seed: 2, Budget: 100})
		if none := (*PresentError)(nil); !errors.As(err, &none) || none.Reason != "no memory" || r.Decision.Recommended {
			t.Errorf("%s: %v, proven %v; want an error of no memory", name, err, r.Decision.Recommended)
		}
	}
}
