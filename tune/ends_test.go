package tune

import (
	"math"
	"testing"

	"schedtune/internal/rng"
)

// An interval of a gain ends within what can be, and holds the gain itself.
func TestEndsOfIntervals(t *testing.T) {
	lower, higher := Objective{Metric: "time"}, Objective{Metric: "speed", Maximize: true}
	values := []float64{1, 2}
	for _, c := range []struct {
		name      string
		iv        Interval
		ob        Objective
		a         []float64
		e         ModelError
		low, high float64
	}{
		{"within", Interval{Mean: 0.2, Low: -0.1, High: 0.5}, lower, values, ModelError{}, -0.1, 0.5},
		{"more than all", Interval{Mean: 0.9, Low: 0.1, High: 1.7}, lower, values, ModelError{}, 0.1, 1},
		{"far below", Interval{Mean: 0.2, Low: -80, High: 0.9}, lower, values, ModelError{}, -farthest, 0.9},
		{"the gain itself is far below", Interval{Mean: -30, Low: -80, High: 0.9}, lower, values, ModelError{}, -30, 0.9},
		{"loses more than all", Interval{Mean: 0.2, Low: -1.4, High: 3}, higher, values, ModelError{}, -1, 3},
		{"no ends", Interval{Mean: 0.2, Low: math.Inf(-1), High: math.Inf(1)}, higher, values, ModelError{}, -1, farthest},
		{"negative values", Interval{Mean: 0.2, Low: -0.3, High: 1.7}, lower, []float64{-1, 2}, ModelError{}, -0.3, 1.7},
		{"not known", Interval{Mean: 0.2, Low: 0.1, High: 0.3}, lower, values, ModelError{Unknown: true}, -farthest, 1},
		{"not known, higher", Interval{Mean: 0.2, Low: 0.1, High: 0.3}, higher, values, ModelError{Unknown: true}, -1,
			farthest},
	} {
		if got := ends(c.iv, c.ob, c.a, values, c.e); got.Low != c.low || got.High != c.high || got.Mean != c.iv.Mean {
			t.Errorf("%s: %+v, want %g to %g", c.name, got, c.low, c.high)
		}
	}
}

// With an error that is not known nothing is proven, however large the gain, and
// with zeros among the values no interval leaves what can be.
func TestUnknownErrorProvesNothing(t *testing.T) {
	a, b := []float64{100, 110, 95, 105}, []float64{8, 9, 7, 8.5}
	for _, e := range []ModelError{{}, {Unknown: true}} {
		p := &Prediction{Errors: map[string]ModelError{"": e}}
		var g Gain
		p.forecast(&g, Objective{Metric: "cost"}, a, b)
		if again := p.onceMore(Objective{Metric: "cost"}, a, b, nil); g.Unknown != e.Unknown || (g.Low > 0) == e.Unknown ||
			(again.Low > 0) == e.Unknown {
			t.Errorf("%+v: %+v, again %+v", e, g, again)
		}
	}
	var g Gain
	(&Prediction{}).forecast(&g, Objective{Metric: "cost"}, []float64{0, 1, 30, 2}, []float64{5, 0, 0, 1})
	if g.High > 1 || g.Low < -farthest {
		t.Errorf("with zeros: %+v", g.Interval)
	}
}

// The interval of what a change brings covers the true part nine times in ten:
// paired gains and losses of known means and spreads.
func TestLostIntervalCovers(t *testing.T) {
	const cases, n = 3000, 12
	inside := 0
	for c := range uint64(cases) {
		d := newParts(Problem{Objectives: []Objective{{Metric: "x"}}}, Options{})
		then := made()
		d.led.present, d.found.best = made(), made()
		var ins []instance
		for i := range uint64(n) {
			in := instance{seed: i}
			level := 100 + 10*draw(c, 3*i)
			d.found.best.runs[in] = Outcome{Metrics: map[string]float64{"x": level}}
			d.led.present.runs[in] = Outcome{Metrics: map[string]float64{"x": level + 40 + 8*draw(c, 3*i+1)}}
			then.runs[in] = Outcome{Metrics: map[string]float64{"x": level + 10 + 6*draw(c, 3*i+2)}}
			ins = append(ins, in)
		}
		if iv := lostInterval(d.judge, then, d.found.best, ins); iv.Low <= 0.25 && 0.25 <= iv.High {
			inside++
		}
	}
	// A standard error of half a point.
	if share := float64(inside) / cases; math.Abs(share-0.90) > 0.025 {
		t.Errorf("%.3f inside, want 0.90", share)
	}
}

func made() *trial { return &trial{runs: map[instance]Outcome{}} }

// draw is a standard normal value of a case.
func draw(c, i uint64) float64 { return rng.NewKey(17, 3).At(c).Norm(i) }
