package tune

import (
	"math"
	"slices"
	"testing"

	"schedtune/internal/rng"
)

// What runs tell, by hand: the cost, the logarithm of the part of a limit of twice the present
// that they have, 1 at most, and a 1 for what loses work or has no result, which tells nothing else.
func TestFigures(t *testing.T) {
	limit := []Constraint{{Metric: "cost", Op: "<=", Factor: 2}}
	d, ts, ins := byHand(t, Problem{Constraints: limit}, []float64{5}, []float64{20}, []float64{5000},
		[]float64{math.NaN()}, []float64{8})
	o := ts[4].runs[ins[0]]
	o.Lost = []int32{1}
	ts[4].runs[ins[0]] = o
	for i, want := range [][]float64{{0, 5, math.Log(0.5)}, {0, 20, math.Log(2)}, {0, 5000, 1}, {1},
		{1, 8, math.Log(0.8)}} {
		got := d.model.of(ts[i], ins[0])
		if len(got) != len(want) {
			t.Fatalf("%d: %v, want %v", i, got, want)
		}
		for k := range want {
			if math.Abs(got[k]-want[k]) > 1e-12 {
				t.Errorf("%d: %v, want %v", i, got, want)
			}
		}
	}
}

// The sample has the runs on common workloads in their order, none of others and none on a
// workload that the current configuration has no result on.
func TestSample(t *testing.T) {
	d, ts, ins := byHand(t, Problem{}, []float64{5, math.NaN(), 6, 7}, []float64{4, 4, 4, 4}, []float64{3})
	d.work.drawn = ins[:3]
	s := d.model.sample(&d.work)
	if s.blocks != 2 || !slices.Equal(mapped(s.runs, func(r sampledRun) *trial { return r.t }),
		[]*trial{ts[0], ts[1], ts[2], ts[0], ts[1]}) || !slices.Equal(s.block(), []int{0, 0, 0, 1, 1}) {
		t.Fatalf("%v in blocks %v of %d", names(mapped(s.runs, func(r sampledRun) *trial { return r.t })), s.block(),
			s.blocks)
	}
	if got := s.column(1); !slices.Equal(got, []float64{5, 4, 3, 6, 4}) {
		t.Errorf("costs %v", got)
	}
	// Without a model the rest is what differs from the block's mean: 4 and 5.
	rest := residuals(s.column(1), make([]float64, 5), s.block(), s.blocks)
	if !slices.Equal(rest, []float64{1, 0, -1, 1, -1}) {
		t.Errorf("rest %v", rest)
	}
	// The median of 1, 2 and 9 is 2, one from the best: what is beyond 2 + 2 is given as 4.
	s = &sample{blocks: 1, runs: []sampledRun{{figures: []float64{0, 1}}, {figures: []float64{0, 9}},
		{figures: []float64{0, 2}}}}
	if got := s.clipped(1, nil); !slices.Equal(got, []float64{1, 4, 2}) {
		t.Errorf("clipped to %v, want 1, 4 and 2", got)
	}
}

// The model orders points by what they cost where none has been measured, though each
// workload adds something of its own; it knows that a limit is passed on one side and that
// work stalls on another.
func TestModel(t *testing.T) {
	limit := []Constraint{{Metric: "wait", Op: "<=", Factor: 1}}
	p := Problem{Space: cube(t, 3), Objectives: []Objective{{Metric: "cost"}}, Constraints: limit}
	d, ts, _ := byHand(t, p, []float64{})
	key := rng.NewKey(5, 5)
	for b := range 8 {
		in := instance{uint64(100 + b), 0}
		d.work.drawn = append(d.work.drawn, in)
		for i := range 9 {
			tr := ts[0]
			if i > 0 {
				at := Point{key.Float64(uint64(30*b + 3*i)), key.Float64(uint64(30*b + 3*i + 1)),
					key.Float64(uint64(30*b + 3*i + 2))}
				tr = d.led.pointTrial(at, "test")
			}
			it := Item{Settings: tr.settings}
			o := Outcome{Metrics: map[string]float64{"cost": 20 - value(it, "x0") + 3*key.Norm(uint64(b)),
				"wait": 1 + value(it, "x1")}}
			if value(it, "x2") > 0.7 {
				o = Outcome{Err: "none"}
				d.led.failed++
			}
			tr.runs[in] = o
		}
	}
	d.model.learn(&d.work, 100, rng.NewKey(1, 1))
	m := d.model
	base := m.at(Point{0.8, 0.1, 0.1})
	if low := m.at(Point{0.2, 0.1, 0.1}); low-base < 0.3 {
		t.Errorf("x0 of 0.8 costs %.3f and of 0.2 %.3f; want 0.6 more", base, low)
	}
	if over := m.at(Point{0.8, 0.9, 0.1}); over-base < 0.5*passCost*math.Log(1.9/1.2) {
		t.Errorf("with a limit passed by half %.3f, else %.3f", over, base)
	}
	if stuck := m.at(Point{0.8, 0.1, 0.9}); stuck-base < 0.5*stallCost {
		t.Errorf("where work stalls %.3f, else %.3f", stuck, base)
	}
	if first := m.ranked()[0]; value(Item{Settings: first.settings}, "x0") < 0.5 || value(Item{Settings: first.settings},
		"x1") > 0.5 || value(Item{Settings: first.settings}, "x2") > 0.7 {
		t.Errorf("%v is first", first.settings)
	}
}

// The price by hand: a gain of 1 counts for the probability 1/2 of a limit at its edge, and what
// is expected beyond, s/√(2π) for s = 1/√4 after no run, costs ten times as much; a limit
// kept for sure leaves the gain whole, and one passed for sure nothing of it; a loss counts in any case.
func TestPrice(t *testing.T) {
	limits := []Constraint{{Metric: "x", Op: "<=", Limit: 1}}
	m := &model{figures: newFigures(Problem{Constraints: limits, Objectives: make([]Objective, 1)}, Options{}, nil, nil),
		current: []float64{0, 0, 0}, anchor: []float64{0}, sd: []float64{1}}
	edge := -0.5 + passCost*0.5/math.Sqrt(2*math.Pi)
	if got := m.price([]float64{0, -1, 0}, 0, 0); math.Abs(got-edge) > 1e-9 {
		t.Errorf("at the edge %v, want %v", got, edge)
	}
	m.sd[0] = 0
	for _, c := range []struct{ stuck, change, e, want float64 }{
		{0, -1, -0.1, -1}, {0, -1, 0.2, 10 * 0.2}, {0, 0.3, 0.2, 0.3 + 10*0.2}, {0.5, -1, -0.1, -1 + 3*0.5}, {0, -1, 5, 10},
	} {
		if got := m.price([]float64{c.stuck, c.change, c.e}, 0, 0); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// What the model does not say and its runs do decides by their number, and by how far runs of one configuration agree:
// where they do, one that was 1.4 better than its block on one workload comes before one that was 1.1 better on two;
// where
// they do not, behind it.
func TestOwnRuns(t *testing.T) {
	d, ts, ins := byHand(t, Problem{}, []float64{5, 5}, []float64{3, 3}, []float64{2.5}, []float64{5, 5})
	d.work.drawn = ins
	d.model.learn(&d.work, 100, rng.NewKey(1, 1))
	m := d.model
	// Block means are 3.875 and 13/3: t1 has -0.875 and -1.333, t2 has -1.375 alone.
	if got := m.ranked(); got[0] != ts[2] || got[1] != ts[1] {
		t.Errorf("order %v, want t2 and t1", names(got))
	}
	m.worth[costFigure] = 1
	if got := m.ranked(); got[0] != ts[1] || got[1] != ts[2] {
		t.Errorf("order %v, want t1 and t2", names(got))
	}
	ts[1].runs[ins[1]] = Outcome{Err: "none"}
	d.led.failed++
	d.model.learn(&d.work, 100, rng.NewKey(1, 1))
	m = d.model
	if got := m.ranked(); got[len(got)-1] != ts[1] {
		t.Errorf("order %v, want the one that stalled last", names(got))
	}
}
