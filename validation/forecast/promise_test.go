package forecast

import (
	"context"
	"math"
	"reflect"
	"strings"
	"testing"

	"schedtune/internal/rng"
	"schedtune/internal/study"
	"schedtune/tune"
)

// The interval score is smallest in the mean for the true quantiles: any other
// interval for a normal variable scores worse.
func TestIntervalScoreIsProper(t *testing.T) {
	k := rng.NewKey(4, 4)
	mean := func(low, high float64) float64 {
		s := 0.0
		const n = 40000
		for i := range uint64(n) {
			s += intervalScore(low, high, k.Norm(i), Level) / n
		}
		return s
	}
	const z = 1.6449
	best := mean(-z, z)
	for _, other := range [][2]float64{{-1.2, 1.2}, {-2.2, 2.2}, {-z + 0.5, z + 0.5}, {0, 0}} {
		if s := mean(other[0], other[1]); s <= best {
			t.Errorf("interval %v scores %.3f, the true quantiles %.3f", other, s, best)
		}
	}
	if s := intervalScore(0, 10, 12, 0.9); math.Abs(s-50) > 1e-9 {
		t.Errorf("two beyond an interval of ten score %v, want 10 + 20·2", s)
	}
}

func TestScores(t *testing.T) {
	s := score([]Range{{0.2, 0.1, 0.3}, {0.5, 0.4, 0.6}}, []float64{0.25, 0.1})
	want := Scores{Cases: 2, Coverage: 0.5, Bias: 17.5, Distance: 22.5, Width: 20, Interval: 20 + 20*30/2}
	for _, p := range [][2]float64{{s.Coverage, want.Coverage}, {s.Bias, want.Bias}, {s.Distance, want.Distance},
		{s.Width, want.Width}, {s.Interval, want.Interval}} {
		if math.Abs(p[0]-p[1]) > 1e-9 {
			t.Errorf("%+v, want %+v", s, want)
			break
		}
	}
	c := constant([]float64{1, 2, 3})
	if c[0].Point != 2.5 || c[2].Point != 1.5 {
		t.Errorf("the constant of a case knows the case itself: %+v", c)
	}
}

// Cases of the two halves differ, and equal requests give equal outcomes for any
// number of workers.
func TestCasesAreReproducible(t *testing.T) {
	t.Parallel()
	small := func(q *study.Request) { q.Workloads = 4 }
	r := Request{Sample: Sample{Cases: 1, Seed: 3, Budget: 30, Workers: 1}, Study: small}
	a, err := Run(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	r.Workers = 2
	b, err := Run(context.Background(), r)
	if err != nil || !reflect.DeepEqual(a, b) {
		t.Errorf("%+v and %+v (%v) differ", a, b, err)
	}
	all, err := sources(nil)
	if err != nil {
		t.Fatal(err)
	}
	held := r
	held.HeldOut = true
	if x, y := r.cases(all, kinds), held.cases(all, kinds); len(x) != 1 || len(y) != 1 || x[0].Name == y[0].Name {
		t.Errorf("cases %d and %d; want one each, of different halves", len(x), len(y))
	}
	for _, o := range a {
		if o.Case == "" || o.Found && !(o.Expected.Low <= o.Expected.Point && o.Expected.Point <= o.Expected.High) {
			t.Errorf("outcome %+v", o)
		}
	}
}

// A row of each case in points, whatever came of it.
func TestWriteCases(t *testing.T) {
	name := func(n string) string { return n + ": flows, 206 and 191 jobs, 5 queues" }
	half := 0.5
	var b strings.Builder
	err := WriteCases(&b, []Outcome{
		{Case: name("1"), Kind: KindTuned, Periods: 3, Budget: 200, Objective: "makespan", Found: true, Recommended: true,
			Expected: Range{0.25, -0.05, 0.5}, Again: Range{Point: 0.3}, Came: 0.1, WorstQueue: -0.02,
			Changes:  []Change{{Objective: 0.02}, {Objective: 0.005, Queue: 0.04}},
			Decision: tune.Decision{Better: &half}},
		{Case: name("3"), Kind: KindDrawn, Found: true, Came: math.Inf(-1), WorstQueue: math.Inf(1)},
		{Case: name("5"), Kind: KindDrawn, Repeat: 1},
		{Case: name("7"), Kind: KindNothing, Invalid: true},
	})
	want := `case,workload,file,periods,objective,budget,seed,recommended,reason,changes,without_effect,better,worse,expected,low,high,recorded_trace,came,worst_queue,lost
1,flows,tuned,3,makespan,200,1,true,,2,1,50.0,,25.0,-5.0,50.0,30.0,10.0,-2.0,0.00
3,flows,drawn,0,,0,1,false,,0,0,,,0.0,0.0,0.0,0.0,stalls,stalls,0.00
5,flows,drawn,0,,0,2,nothing found,,,,,,,,,,,,
7,flows,nothing to gain,0,,0,1,no such case,,,,,,,,,,,,
`
	if err != nil || b.String() != want {
		t.Errorf("error %v, got\n%s\nwant\n%s", err, b.String(), want)
	}
}
