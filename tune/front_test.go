package tune

import (
	"context"
	"math"
	"slices"
	"testing"
)

// On a log scale the first trial is ahead in the first objective (geometric means 10 and
// 20), by plain means the second in both: a front of plain means has the second and the
// third, by the first objective.
func TestShownFront(t *testing.T) {
	d, ts, ins := byHand(t, Problem{Objectives: []Objective{{Metric: "cost"}, {Metric: "rate", Maximize: true}}},
		[]float64{1, 100}, []float64{20, 20}, []float64{15, 15})
	d.found.frontOn, d.judge.logs = ins, true
	for i, rate := range []float64{1, 2, 1.5} {
		for _, in := range ins {
			ts[i].runs[in].Metrics["rate"] = rate
		}
	}
	front := (&frontFinisher{d.parts}).nonDominated(ts, ins)
	if len(front) != 3 {
		t.Fatalf("%d trials on a log scale, want all three", len(front))
	}
	if shown := (&frontFinisher{d.parts}).shownFront(front); len(shown) != 2 || shown[0] != ts[2] || shown[1] != ts[1] {
		t.Errorf("%d trials by plain means, want the third and the second", len(shown))
	}
}

// Of 22.7 and 22.9 minutes of waiting with 544 and 456 s of completion, and at present 45.6
// minutes and 808 s, the second is the compromise: it waits less than a part in a hundred longer,
// and has a quarter more of what is gained of the other. Over the two alone both are ends.
func TestCompromise(t *testing.T) {
	d, ts, ins := byHand(t, Problem{Objectives: []Objective{{Metric: "cost"}, {Metric: "more"}}}, []float64{2737, 2737},
		[]float64{1363, 1363}, []float64{1371, 1371})
	for i, more := range []float64{808, 544, 456} {
		for _, in := range ins {
			ts[i].runs[in].Metrics["more"] = more
		}
	}
	d.found.frontOn, d.found.front = ins, ts[1:]
	if got := (&frontFinisher{d.parts}).compromise(); got != ts[2] {
		t.Errorf("%s, want t2", got.origin)
	}
	d.found.front = ts[:1]
	if got := (&frontFinisher{d.parts}).compromise(); got != d.led.present {
		t.Errorf("%s of the present alone", got.origin)
	}
}

// With limits the last field holds, besides the front of what was searched on, what keeps
// the limits with room: t1 is the best within a limit of 1 on the one instance of the search, t2 keeps it
// with a part of 0.06 of room, t3 with 0.2 and is worse than both, t4 breaks it. Candidates of the caller
// join where they keep the
// limits and are not behind the current settings. Without limits it is the front alone.
func TestFieldOfAFrontWithLimits(t *testing.T) {
	for _, limited := range []bool{true, false} {
		p := Problem{Objectives: []Objective{{Metric: "cost"}, {Metric: "more"}}}
		if limited {
			p.Constraints = []Constraint{{Metric: "load", Op: "<=", Limit: 1}}
		}
		d, ts, ins := byHand(t, p, []float64{9}, []float64{2}, []float64{3}, []float64{4}, []float64{1.5}, []float64{8},
			[]float64{10})
		for i, load := range []float64{0.9, 0.99, 0.94, 0.8, 1.2, 0.99, 0.99} {
			m := ts[i].runs[ins[0]].Metrics
			m["load"], m["more"] = load, m["cost"]
		}
		d.found.given, d.work.drawn = []*trial{ts[0], ts[5], ts[6]}, ins[:1]
		var g generation
		for _, tr := range ts {
			g.points, g.scores = append(g.points, tr.point), append(g.scores, d.judge.score(tr, ins[:1]))
		}
		g.on = ins[0]
		d.found.history = []generation{g}
		want := []*trial{ts[0], ts[4]}
		if limited {
			want = []*trial{ts[0], ts[1], ts[2], ts[3], ts[5]}
		}
		if got := (&frontFinisher{d.parts}).frontCandidates(); !slices.Equal(got, want) {
			var names []string
			for _, tr := range got {
				names = append(names, tr.origin)
			}
			t.Errorf("limited %v: %v", limited, names)
		}
		if limited {
			d.found.frontOn = ins[:1]
			if half := (&frontFinisher{d.parts}).frontHalf([]*trial{ts[0], ts[4], ts[1], ts[3]}); !slices.Equal(half,
				[]*trial{ts[0], ts[1]}) {
				t.Errorf("%d trials are the better half, want the present and t1", len(half))
			}
		}
	}
}

// A front of five, (0, 1) to (1, 0) with the knee in the middle: after the knee the next to be confirmed is
// the nearest to the ideal point of those that keep the limit on the front's instances and lie a
// step of the extent from what was tried; the current configuration is none.
func TestNextOnFront(t *testing.T) {
	d, ts, ins := byHand(t, Problem{Objectives: []Objective{{Metric: "cost"}, {Metric: "more"}},
		Constraints: []Constraint{{Metric: "load", Op: "<=", Limit: 1}}},
		[]float64{9, 9}, []float64{0, 0}, []float64{0.1, 0.1}, []float64{0.2, 0.2}, []float64{0.25, 0.25}, []float64{1, 1})
	more := []float64{9, 1, 0.7, 0.2, 0.19, 0}
	for i, tr := range ts {
		for _, in := range ins {
			tr.runs[in].Metrics["more"], tr.runs[in].Metrics["load"] = more[i], 0
		}
	}
	d.found.frontOn, d.found.front, d.found.best = ins, ts[1:], ts[3]
	// From the ideal point: the knee 0.28, (0.25, 0.19) 0.31, (0.1, 0.7) 0.71, the ends 1.
	if !(&confirmation{parts: d.parts}).nextOnFront([]*trial{ts[3]}) || d.found.best != ts[2] {
		t.Errorf("after the knee %s, want t2", d.found.best.origin)
	}
	for _, in := range ins {
		ts[2].runs[in].Metrics["load"] = 2
	}
	if !(&confirmation{parts: d.parts}).nextOnFront([]*trial{ts[3]}) || d.found.best != ts[1] {
		t.Errorf("where t2 breaks the limit %s, want t1", d.found.best.origin)
	}
	if (&confirmation{parts: d.parts}).nextOnFront(ts[1:]) {
		t.Errorf("%s, though all were tried", d.found.best.origin)
	}
	d.found.confirm = ins
	if r := (account{d.parts}).result("", 0); r.Knee != 0 {
		t.Errorf("point %d of the front, want the first", r.Knee)
	} else if m, ok := r.FrontPresent.metric("cost"); !ok || m.Mean != 9 || m.N != 2 {
		t.Errorf("the present has %+v on the front's runs; want 9 on 2", m)
	}
}

// A study whose compromises break the limit on the workload of the confirmation only: it ends
// within its budget with another point of the front, confirmed on workloads of its own.
func TestFrontHasASecond(t *testing.T) {
	p := Problem{Space: cube(t, 2), Objectives: []Objective{{Metric: "f"}, {Metric: "g"}}, Windows: 2, HoldOut: []int{1},
		Constraints: []Constraint{{Metric: "load", Op: "<=", Limit: 0.5}},
		Evaluator: Pool(1, func(_ context.Context, it Item) Outcome {
			x, y := value(it, "x0"), math.Abs(value(it, "x1")-0.5)
			load := 0.0
			if it.Window == 1 && x > 0.3 && x < 0.7 {
				load = 1
			}
			return Outcome{Metrics: map[string]float64{"f": 1 + x*x + y, "g": 1 + (x-1)*(x-1) + y, "load": load}}
		})}
	r := search(t, p, Options{Seed: 1, Budget: 600})
	if r.Found == nil || !r.Found.Feasible || r.Confirmed < minConfirm || r.Runs > 600 {
		t.Fatalf("%+v, %+v, %d runs", r.Decision, r.Found, r.Runs)
	}
	if !r.Front[r.Knee].Settings.Equal(r.Found.Settings) {
		t.Errorf("point %d of the front is not what was confirmed", r.Knee)
	}
}

// 160 runs of a short study are 24 points and 34 generations of 4 children. On one workload
// all are measured on one instance, which lasts 48 generations; on several one lasts 18.
// Of 20 % of the runs the last measurement has one fresh run of each, and that of the search.
func TestInstancesOfAFront(t *testing.T) {
	for windows, want := range map[int]int{1: 1, 3: 2} {
		p := Problem{Space: cube(t, 5), Objectives: []Objective{{Metric: "f"}, {Metric: "g"}}, Windows: windows}
		st, err := NewStudy(p, Options{Seed: 1, Budget: 200, Off: PartConfirm})
		if err != nil {
			t.Fatal(err)
		}
		defer st.Close()
		seeds := map[uint64]bool{}
		for {
			items, err := st.Ask()
			if err != nil {
				t.Fatal(err)
			}
			if items == nil {
				break
			}
			for _, it := range items {
				if st.d.led.phase == "search" {
					seeds[it.Seed] = true
				}
				x, y := value(it, "x0"), value(it, "x1")
				if err := st.Tell(Outcome{Metrics: map[string]float64{"f": 1 + x + y, "g": 2 - x + y}}); err != nil {
					t.Fatal(err)
				}
			}
		}
		r := st.Result()
		if len(seeds) != want || r.Runs > 200 || !seeds[st.d.found.frontOn[0].seed] || seeds[st.d.found.frontOn[1].seed] {
			t.Errorf("%d workloads: %d instances, %d runs; want %d in at most 200", windows, len(seeds), r.Runs, want)
		}
	}
}
