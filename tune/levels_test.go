package tune

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// levelled is the bowl with two levels: windows 8 … 15 cost a sixteenth and rank by
// cheap, windows 16 … 23 cost an eighth and rank as the bowl does, with more noise.
func levelled(cheap func(cost float64) float64) Problem {
	p := bowl(0.1)
	p.Windows, p.HoldOut = 24, []int{4, 5, 6, 7}
	p.Levels = []Level{{"cheap", 8, 8, 1.0 / 16}, {"middle", 16, 8, 1.0 / 8}}
	p.Evaluator = Pool(2, func(_ context.Context, it Item) Outcome {
		o := bowlRun(it, 0.1)
		if it.Window >= 16 {
			o = bowlRun(it, 0.2)
		}
		if it.Window >= 8 && it.Window < 16 {
			o.Metrics["cost"] = cheap(o.Metrics["cost"])
		}
		return o
	})
	return p
}

func same(v float64) float64    { return v }
func reverse(v float64) float64 { return 100 / v }

// The cheapest level that ranks like full fidelity is searched on; one that ranks the
// other way round is not. What is confirmed is so on full fidelity alone, and most of
// the gain is found at a fraction of the cost.
func TestLevels(t *testing.T) {
	whole := bowl(0.1)
	whole.Windows, whole.HoldOut = 8, []int{4, 5, 6, 7}
	want := search(t, whole, Options{Seed: 4, Budget: 800})
	for _, c := range []struct {
		name  string
		cheap func(float64) float64
		on    int
	}{{"as the whole", same, 0}, {"the other way round", reverse, 1}} {
		t.Run(c.name, func(t *testing.T) {
			r := search(t, levelled(c.cheap), Options{Seed: 4, Budget: 800})
			if len(r.Levels) != 3 || !r.Levels[c.on].Search {
				t.Fatalf("levels %+v; want the search on level %d", r.Levels, c.on)
			}
			if !r.Proven || r.Gain[0].Mean < 0.9*want.Gain[0].Mean {
				t.Errorf("gain %v, proven %v; on full fidelity %v", r.Gain[0].Mean, r.Proven, want.Gain[0].Mean)
			}
			work := 0.0
			for _, l := range r.Levels[:2] {
				work += l.Cost * float64(l.Runs)
			}
			if most := levelWork + 2*(designSize*designCost+1); work > most {
				t.Errorf("runs on levels cost %.1f whole ones; want %.1f at most, design and races included", work, most)
			}
			if share := r.Cost / float64(want.Runs); share > 0.25 || r.Confirmed != minConfirm {
				t.Errorf("cost %.0f of %d runs, %d confirmed; want a quarter at most and %d", r.Cost, want.Runs, r.Confirmed, minConfirm)
			}
		})
	}
}

// Runs of the confirmation are on held-out windows of full fidelity, those of the
// search, halving and ablation on levels.
func TestLevelsConfirmOnTheWhole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	log, _ := logged(t, levelled(same), Options{Seed: 2, Budget: 300}, path)
	seen := map[string]bool{}
	for _, line := range strings.Split(strings.TrimSpace(string(log)), "\n") {
		var run struct {
			Run    *int
			Phase  string
			Window int
		}
		if err := json.Unmarshal([]byte(line), &run); err != nil || run.Run == nil {
			continue
		}
		seen[run.Phase] = true
		switch whole := run.Window < 8; run.Phase {
		case "confirm", "lifted":
			if run.Window < 4 || !whole {
				t.Fatalf("confirmed on window %d", run.Window)
			}
		case "design", "finals", "check":
			if run.Window >= 4 && whole {
				t.Fatalf("%s on window %d, which is kept for the confirmation", run.Phase, run.Window)
			}
		default:
			if whole {
				t.Fatalf("%s on window %d", run.Phase, run.Window)
			}
		}
	}
	for _, phase := range []string{"design", "search", "halving", "ablation", "finals", "confirm"} {
		if !seen[phase] {
			t.Errorf("no run of phase %s", phase)
		}
	}
}

// A study with levels resumes to the same bytes, for any number of workers.
func TestLevelsResume(t *testing.T) {
	dir := t.TempDir()
	o := Options{Seed: 3, Budget: 300}
	log, res := logged(t, levelled(same), o, filepath.Join(dir, "full"))
	for k := range 8 {
		path := filepath.Join(dir, "cut")
		if err := os.WriteFile(path, log[:k*len(log)/8], 0o644); err != nil {
			t.Fatal(err)
		}
		p := levelled(same)
		one := p.Evaluator.(*pool).run
		p.Evaluator = Pool(1+3*k, one)
		again, res2 := logged(t, p, o, path)
		if !bytes.Equal(log, again) || !bytes.Equal(res, res2) {
			t.Fatalf("cut at %d of 8: another study", k)
		}
	}
	// A log without levels belongs to another study.
	p := bowl(0.1)
	p.Windows, p.HoldOut = 24, []int{4, 5, 6, 7}
	l, err := OpenLog(filepath.Join(dir, "full"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	o.Log = l
	if _, err := Search(context.Background(), p, o); err == nil || !strings.Contains(err.Error(), "levels") {
		t.Errorf("a log with levels was taken for one without: %v", err)
	}
}

// Where a run takes as long as it costs, the time left is true from the end of the first
// design on, to what the number of runs leaves open.
func TestLevelsRemaining(t *testing.T) {
	now := time.Duration(0)
	p := levelled(same)
	run := p.Evaluator.(*pool).run
	p.Evaluator = Pool(1, func(ctx context.Context, it Item) Outcome {
		cost := time.Second
		switch {
		case it.Window >= 16:
			cost /= 8
		case it.Window >= 8:
			cost /= 16
		}
		now += cost
		return run(ctx, it)
	})
	type point struct{ at, left time.Duration }
	var points []point
	o := Options{Seed: 5, Budget: 600, Clock: func() time.Duration { return now }, Progress: func(p Progress) {
		if p.Phase != "design" && p.Phase != "present" && p.Share > 0 && p.Share < 0.99 {
			points = append(points, point{now, p.Remaining})
		}
	}}
	search(t, p, o)
	worst := 0.0
	for _, x := range points {
		worst = max(worst, math.Abs((x.left - (now - x.at)).Seconds()))
	}
	if worst > 0.25*now.Seconds() || len(points) < 200 {
		t.Errorf("the time left is off by %.0f s of %.0f in %d reports; want a quarter at most", worst, now.Seconds(), len(points))
	}
}

func TestLevelErrors(t *testing.T) {
	for want, change := range map[string]func(*Problem){
		"cost 1.5":          func(p *Problem) { p.Levels[1].Cost = 1.5 },
		"cheapest first":    func(p *Problem) { p.Levels[0].Cost = 0.5 },
		"windows 2 to 9":    func(p *Problem) { p.Levels[0].First = 2 },
		"with 2 objectives": func(p *Problem) { p.Objectives = append(p.Objectives, Objective{Metric: "other"}) },
		"windows 16 to 24; allowed: inside 8 to 23, the last ones": func(p *Problem) { p.Levels[1].Windows, p.Levels[0].Windows = 9, 7 },
	} {
		p := levelled(same)
		change(&p)
		if _, err := NewStudy(p, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
	}
}

// Where the recommended settings lose work in the confirmation, the contenders of the
// finals are tried in their order: one that loses work is left at its first runs, and the
// first that does not takes their place, within the runs of one confirmation and eight; it
// was chosen there, so that nothing is proven of it.
func TestFallBack(t *testing.T) {
	p := levelled(same)
	losing := map[string]bool{}
	p.Evaluator = Pool(2, func(_ context.Context, it Item) Outcome {
		o := bowlRun(it, 0.1)
		if losing[it.Settings.Key()] && it.Window >= 4 {
			o.Lost = []int32{1}
		}
		return o
	})
	s, err := NewStudy(p, Options{Seed: 1, Budget: 300})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	d := s.d
	run := p.Evaluator.(*pool).run
	d.yield = func(reqs []request) bool {
		d.outs = nil
		for _, r := range reqs {
			d.outs = append(d.outs, run(context.Background(), Item{Settings: r.t.settings, Seed: r.in.seed, Window: r.in.window}))
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
		c, err := d.pointTrial(point, "test")
		if err != nil {
			t.Fatal(err)
		}
		ts = append(ts, c)
	}
	losing[ts[0].settings.Key()], losing[ts[1].settings.Key()] = true, true
	d.best, d.full, d.levels.contenders = ts[0], ts[0], ts
	ins := d.instances(minConfirm, d.held)
	if err := d.measure("confirm", []*trial{d.present, d.best}, ins); err != nil {
		t.Fatal(err)
	}
	if err := d.measure("finals", append([]*trial{d.present}, ts...), d.common(2)); err != nil {
		t.Fatal(err)
	}
	before := d.spent
	if err := d.fallBack(ins); err != nil {
		t.Fatal(err)
	}
	if !d.late || d.best != ts[2] || d.spent-before != fallBackStep+minConfirm {
		t.Errorf("trial %d after %d runs; want %d after %d", d.best.id, d.spent-before, ts[2].id, fallBackStep+minConfirm)
	}
	d.confirm = ins
	if r := d.result(0); !r.ChosenLate || r.Proven || r.Unproven == nil {
		t.Errorf("chosen late %v, proven %v, unproven %v; want an unproven one that was chosen late", r.ChosenLate, r.Proven, r.Unproven)
	}
}

// A study on levels takes no more runs than its budget, the first design and other
// contenders in the confirmation included.
func TestBudgetIsKeptOnLevels(t *testing.T) {
	for kind := range 8 {
		p := levelled([]func(float64) float64{same, reverse}[kind&1])
		if kind&2 != 0 {
			p.Constraints = []Constraint{{Metric: "cost", Op: "<=", Factor: 1.2, Text: "cost <= present + 20 %"}}
		}
		for i := range p.Levels { // as cheap as levels are at most: nothing else shortens the study
			p.Levels[i].Cost /= 16 * float64(kind&4/4*3+1)
		}
		for _, budget := range []int{LeastLevelBudget, 1000} {
			if r := search(t, p, Options{Seed: uint64(kind), Budget: budget}); r.Runs > budget || r.Runs < budget*3/4 {
				t.Errorf("kind %03b: %d runs of %d", kind, r.Runs, budget)
			}
		}
	}
}
