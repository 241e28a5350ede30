package tune

import (
	"context"
	"fmt"
	"testing"
)

// What breaks a limit on unused workloads is followed by a step back that keeps it, within the budget, where
// that pays for two attempts.
func TestSecondAttempt(t *testing.T) {
	for _, budget := range []int{40, 60, 80, 100, 120, 140, 160, 200, 400} {
		t.Run(fmt.Sprint(budget), func(t *testing.T) {
			p := Problem{Space: mustSpace(t, Param{Name: "x0", Max: 1, Present: "0.2"}), Windows: 2, HoldOut: []int{1},
				Objectives: []Objective{{Metric: "f"}}, Constraints: []Constraint{{Metric: "load", Op: "<=", Limit: 0.5}},
				Evaluator: Pool(1, func(_ context.Context, it Item) Outcome {
					x, load := value(it, "x0"), 0.0
					if it.Window == 1 && x > 0.7 {
						load = 1
					}
					return Outcome{Metrics: map[string]float64{"f": 2 - x, "load": load}}
				})}
			r := search(t, p, Options{Seed: 1, Budget: budget})
			if r.Runs > budget || budget >= 200 && !r.Decision.Recommended {
				t.Fatalf("%+v after %d runs, found %v; want a recommendation within %d", r.Decision, r.Runs, r.Found, budget)
			}
			if got := value(Item{Settings: r.Best.Settings}, "x0"); got < 0.2 || got > 0.7 || r.Decision.Recommended && got == 0.2 {
				t.Errorf("x0 = %v, want above 0.2 and at most 0.7", got)
			}
		})
	}
}

// Contenders that fail in the last round of the choice leave their place to the best of those that had left before.
func TestContendersThatFailLate(t *testing.T) {
	d, _, _ := byHand(t, Problem{Space: cube(t, 2)}, []float64{1})
	d.plan.budget, d.plan.o.Off = 200, PartConfirm
	var field []*trial
	for i := range 5 {
		field = append(field, d.led.pointTrial(Point{0.5, float64(1+i) / 100}, fmt.Sprint("c", i)))
	}
	d.led.yield = func(reqs []request) bool {
		d.led.outs = nil
		ts := map[*trial]bool{}
		for _, r := range reqs {
			ts[r.t] = true
		}
		for _, r := range reqs {
			o := Outcome{Metrics: map[string]float64{"cost": 1000}}
			if r.t != d.led.present {
				o.Metrics["cost"] = 2 + r.t.point[1]
				if len(ts) == 3 { // the last two and the current configuration
					o = Outcome{Err: "none"}
				}
			}
			d.led.outs = append(d.led.outs, o)
		}
		return true
	}
	c := &single{d.parts}
	c.choose(field, c.choiceRuns())
	if d.found.best != field[2] {
		t.Errorf("best %s, want the third, %s", d.found.best.origin, field[2].origin)
	}
}

// Where all contenders stall, the next ones of the model meet on the same workloads.
func TestNextContenders(t *testing.T) {
	d, _, _ := byHand(t, Problem{Space: cube(t, 2)}, []float64{1})
	d.plan.budget, d.plan.whole = 200, 200
	m := d.model
	m.worth, m.current = []float64{1, 1}, []float64{0, 0}
	for i := range 8 {
		p := Point{0.5, float64(1+i) / 100}
		c := d.led.pointTrial(p, fmt.Sprint("c", i))
		c.runs[d.work.first(1)[0]] = Outcome{Metrics: map[string]float64{"cost": 2}} // of the search
		m.trials = append(m.trials, &modelled{t: c, point: p,
			predicted: []float64{0, float64(i - 8)}, own: []float64{0, 0}, runs: 1})
	}
	d.led.yield = func(reqs []request) bool {
		d.led.outs = nil
		for _, r := range reqs {
			o := Outcome{Metrics: map[string]float64{"cost": 1000}}
			if r.t.origin[0] == 'c' && r.t.origin < "c4" {
				o = Outcome{Err: "none"}
			} else if r.t != d.led.present {
				o.Metrics["cost"] = 2 + d.led.pointOf(r.t)[1]
			}
			d.led.outs = append(d.led.outs, o)
		}
		return true
	}
	d.finisher.finish()
	if b := d.found.best; b == d.led.present || b.failed || d.led.spent > d.plan.budget {
		t.Errorf("best %s (failed: %v) after %d runs: want one that has results within %d", b.origin, b.failed, d.led.spent,
			d.plan.budget)
	}
}
