package tune

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
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

// batch is what a study asked for at once.
type batch struct {
	phase     string
	trials    []int
	windows   map[int]bool
	instances int
	runs      int
}

// batches runs a study and writes down what it asked for.
func batches(t *testing.T, p Problem, o Options) ([]batch, *Study) {
	t.Helper()
	st, err := NewStudy(p, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(st.Close)
	var out []batch
	for {
		items, err := st.Ask()
		if err != nil {
			t.Fatal(err)
		}
		if items == nil {
			return out, st
		}
		b := batch{phase: st.d.phase, windows: map[int]bool{}, runs: len(items)}
		seeds := map[uint64]bool{}
		for _, it := range items {
			if !slices.Contains(b.trials, it.Trial) {
				b.trials = append(b.trials, it.Trial)
			}
			seeds[it.Seed], b.windows[it.Window] = true, true
			if err := st.Tell(guarded(t.Context(), p.Evaluator.(*pool).run, it)); err != nil {
				t.Fatal(err)
			}
		}
		b.instances = len(seeds)
		out = append(out, b)
	}
}

// The course of a study of 100 runs: a design of 12 on one workload, rounds of seven and the
// present configuration on one further workload each, finals of three on six, a check of what
// is left of the changes on four of these, and the confirmation on those that are kept for it.
func TestFewCourse(t *testing.T) {
	out, st := batches(t, drawnBowl(1), Options{Seed: 4, Budget: 100})
	var phases []string
	rounds, runs := 0, 0
	for _, b := range out {
		runs += b.runs
		if len(phases) == 0 || phases[len(phases)-1] != b.phase {
			phases = append(phases, b.phase)
		}
		for w := range b.windows {
			if held := w >= 8; held != (b.phase == "confirm") {
				t.Errorf("%s on window %d", b.phase, w)
			}
		}
		switch b.phase {
		case "design":
			if b.runs != fewDesign || b.instances != 1 {
				t.Errorf("a design of %d runs on %d workloads", b.runs, b.instances)
			}
		case "search":
			if rounds++; b.runs != fewRound+1 || b.instances != 1 || b.trials[0] != 0 {
				t.Errorf("round %d: %d runs of %v on %d workloads", rounds, b.runs, b.trials, b.instances)
			}
		case "finals":
			if len(b.trials) > fewFinal+1 || b.instances > fewOn {
				t.Errorf("finals of %v on %d workloads", b.trials, b.instances)
			}
		case "check":
			if b.runs > fewRecheck {
				t.Errorf("a check of %d runs", b.runs)
			}
		}
	}
	phases = slices.DeleteFunc(phases, func(p string) bool { return p == "check" }) // where the model sees something in all changes
	if want := []string{"design", "search", "finals", "confirm"}; !slices.Equal(phases, want) {
		t.Errorf("phases %v, want %v", phases, want)
	}
	// Before the fourth round 12 + 3 * 8 are spent, and 8 + 3 * 6 and one for the present on the
	// sixth workload, 4 and 32 are needed at most: 99. Before a fifth it would be 106.
	if rounds != 4 {
		t.Errorf("%d rounds, want 4", rounds)
	}
	if r := st.Result(); runs > 100 || r.Runs != runs || r.Sampler != "model" || r.Confirmed != minConfirm || r.Generations != rounds || r.Status != BudgetSpent || len(r.Importance) == 0 {
		t.Errorf("%d runs: %+v", runs, r)
	}
}

// Few runs of the bowl, whose present costs 3.6 and whose best 1, are searched better by the
// model than by the generations of a sampler.
func TestFewRunsImprove(t *testing.T) {
	var few, generations float64
	const seeds = 6
	for seed := range uint64(seeds) {
		for _, o := range []Options{{Seed: seed, Budget: 140}, {Seed: seed, Budget: 140, Method: "cmaes"}} {
			r := search(t, drawnBowl(2), o)
			found := r.Best.Settings
			if r.Unproven != nil {
				found = r.Unproven.Settings
			}
			cost := math.Log(bowlRun(Item{Settings: found}, 0).Metrics["cost"]) / seeds
			if o.Method == "" {
				few += cost
			} else {
				generations += cost
			}
		}
	}
	t.Logf("the means of the logarithm are %.3f and %.3f", few, generations)
	if few > math.Log(1.9) || few > generations-0.1 {
		t.Errorf("the mean of the logarithm is %.3f, with generations %.3f", few, generations)
	}
}

// A study of few runs resumes to the same bytes, for any number of workers.
func TestFewResume(t *testing.T) {
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

// A study ends where the present configuration has no result, in the design and in the
// confirmation.
func TestPresentFailsInAFewRuns(t *testing.T) {
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
		if none := (*PresentError)(nil); !errors.As(err, &none) || !strings.Contains(err.Error(), "present configuration has no result") || !strings.Contains(err.Error(), "no memory") || r.Proven {
			t.Errorf("%s: %v, proven %v", name, err, r.Proven)
		}
	}
}

// Of the changes of three settings the model sees half of the cost in the first and the other
// half in the second: the third is taken back, if the workloads agree, and else all stay.
func TestTakeBack(t *testing.T) {
	for name, third := range map[string]float64{"agree": 0, "do not": 3} {
		d, ts, _ := byHand(t, Problem{Space: cube(t, 3)}, []float64{10})
		d.budget, d.search = 100, []int{0}
		d.yield = func(reqs []request) bool {
			d.outs = nil
			for _, r := range reqs {
				it := Item{Settings: r.t.settings}
				d.outs = append(d.outs, Outcome{Metrics: map[string]float64{"cost": 10 - 5*value(it, "x0") - 5*value(it, "x1") - third*value(it, "x2")}})
			}
			return true
		}
		best, err := d.pointTrial(Point{0.8, 0.8, 0.8}, "best")
		if err != nil {
			t.Fatal(err)
		}
		d.best = best
		if err := d.measure("finals", []*trial{ts[0], best}, d.common(fewRecheck)); err != nil {
			t.Fatal(err)
		}
		m := &fewModel{d: d, cost: linear{-5, -5, 0}.at}
		m.present = m.says(d.p.Space.Present())
		if err := d.takeBack(m); err != nil {
			t.Fatal(err)
		}
		kept := 0
		for _, s := range d.steps {
			if s.Kept {
				kept++
			}
		}
		x2 := value(Item{Settings: d.best.settings}, "x2")
		if gone := third == 0; d.full != best || len(d.steps) != 3 || (d.best != best) != gone || (math.Abs(x2-0.2) < 1e-9) != gone || (kept == 2) != gone || d.steps[0].Change != "x2" {
			t.Errorf("%s: %v, %d of %d changes kept", name, d.best.settings, kept, len(d.steps))
		}
		if d.spent != 2*fewRecheck+fewRecheck {
			t.Errorf("%s: %d runs", name, d.spent)
		}
	}
}

// linear is a model of known slopes.
type linear []float64

func (l linear) at(p Point) float64 {
	sum := 0.0
	for k, u := range p {
		sum += l[k] * u
	}
	return sum
}

// Where the recommended settings lose work in the confirmation, the contenders of the
// finals are tried in their order: one that loses work is left at its first runs, and the
// first that does not takes their place; it was chosen there, so that nothing is proven of it.
// Where the budget does not pay for that, nothing takes their place.
func TestFallBack(t *testing.T) {
	for _, c := range []struct{ left, runs int }{{fallBackStep + minConfirm, fallBackStep + minConfirm}, {fallBackStep + minConfirm - 1, minConfirm}} {
		p := drawnBowl(1)
		losing := map[string]bool{}
		run := func(it Item) Outcome {
			o := bowlRun(it, 0.1)
			if losing[it.Settings.Key()] && it.Window >= 8 {
				o.Lost = []int32{1}
			}
			return o
		}
		s, err := NewStudy(p, Options{Seed: 1, Budget: 200})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		d := s.d
		d.yield = func(reqs []request) bool {
			d.outs = nil
			for _, r := range reqs {
				d.outs = append(d.outs, run(Item{Settings: r.t.settings, Seed: r.in.seed, Window: r.in.window}))
			}
			return true
		}
		if d.present, err = d.trial(d.p.Space.PresentSettings(), d.p.Space.Present(), "present"); err != nil {
			t.Fatal(err)
		}
		var ts []*trial
		for i := range 4 {
			point := d.p.Space.Present()
			for k := range point {
				point[k] = 0.1 + 0.2*float64(i)
			}
			one, err := d.pointTrial(point, fmt.Sprint("t", i))
			if err != nil {
				t.Fatal(err)
			}
			ts = append(ts, one)
		}
		losing[ts[0].settings.Key()], losing[ts[1].settings.Key()] = true, true
		d.best, d.full, d.few.contenders = ts[0], ts[0], ts
		ins := d.instances(minConfirm, d.held)
		if err := d.measure("confirm", []*trial{d.present, d.best}, ins); err != nil {
			t.Fatal(err)
		}
		if err := d.measure("finals", append([]*trial{d.present}, ts...), d.common(2)); err != nil {
			t.Fatal(err)
		}
		d.spent = d.budget - c.left
		if err := d.fallBack(ins); err != nil {
			t.Fatal(err)
		}
		paid := c.left == c.runs
		if got := d.spent - (d.budget - c.left); d.late != paid || (d.best == ts[2]) != paid || got != c.runs {
			t.Errorf("%d runs left: %s after %d runs, chosen late %v", c.left, d.best.origin, got, d.late)
		}
		d.confirm = ins
		if r := d.result(0); r.ChosenLate != paid || r.Proven || r.Unproven == nil {
			t.Errorf("chosen late %v, proven %v, unproven %v", r.ChosenLate, r.Proven, r.Unproven)
		}
	}
}
