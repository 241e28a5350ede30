package papers

import (
	"math"
	"slices"
	"testing"
)

// testRunner has the series a, b of two replications and the family f-1, f-2, f-3.
func testRunner(t *testing.T) *runner {
	r := newRunner(t.Context(), Options{})
	r.series["two-greps"] = measured{"Fair/time 01": {100, 100}, "Coupling/time 01": {50, 90}}
	for i, n := range []string{"5", "10", "20", "30", "50", "75", "100"} {
		r.series["yahoo-jobs-"+n] = measured{
			"FIFO/completion": {10, 20}, "Fair/completion": {30}, "COSHH/completion": {float64(20 - 2*i)},
		}
	}
	for i, s := range []string{"0.05", "0.2", "0.4", "0.6", "0.8", "1"} {
		m := r.series["set A"]
		if m == nil {
			m = measured{}
			r.series["set A"] = m
		}
		m["Fair-"+s+"/span"] = []float64{math.Abs(float64(i)-2) + 1}
		m["Fair-"+s+"/maps"] = []float64{float64(i)}
	}
	return r
}

func TestExpressions(t *testing.T) {
	for _, c := range []struct {
		text string
		want []float64
	}{
		{"12.5", []float64{12.5}},
		{"two-greps/Fair/time 01", []float64{100, 100}},
		{"below(two-greps/Coupling/time 01,two-greps/Fair/time 01)", []float64{50, 10}},
		{"minus(two-greps/Fair/time 01,1)", []float64{99, 99}},
		{"avg(two-greps/Coupling/time 01)", []float64{70}},
		{"mean(two-greps/Coupling/time 01,two-greps/Fair/time 01)", []float64{75, 95}},
		{"mean(L=Fair|Coupling,two-greps/{L}/time 01)", []float64{75, 95}},
		{"over(sum(1,2,3),times(2,3))", []float64{1}},
		{"least(L=Fair|Coupling,two-greps/{L}/time 01)", []float64{50, 90}},
		{"most(two-greps/Coupling/time 01,60)", []float64{60, 90}},
		{"yahoo-jobs-*/COSHH/completion", []float64{20, 18, 16, 14, 12, 10, 8}},
		{"smallest(minus(least(yahoo-jobs-*/FIFO/completion,yahoo-jobs-*/Fair/completion),yahoo-jobs-*/COSHH/completion))",
			[]float64{-5}},
		{"largest(yahoo-jobs-*/COSHH/completion)", []float64{20}},
		{"lowest(yahoo-jobs-*/COSHH/completion)", []float64{100}},
		{"crossover(yahoo-jobs-*)", []float64{30}}, // 14 is below 15
		{"place(set A/Fair-*/span)", []float64{3}},
		{"set A/Fair best/maps", []float64{2}},
		{"omo-vs-fresh", []float64{29.3}},
		{"cell(7,FRESH,makespan)", []float64{2037}},
		{"place(column(2,3 jobs))", []float64{2}},
		{"quantiles(two-greps/Coupling,two-greps/Fair)", []float64{100}},
	} {
		t.Run(c.text, func(t *testing.T) {
			f := (&scope{testRunner(t), &Section{Paper: "omo"}, false}).eval(c.text)
			if !slices.EqualFunc(f.by, c.want, func(a, b float64) bool { return math.Abs(a-b) < 1e-9 }) {
				t.Errorf("got %v, want %v", f.by, c.want)
			}
		})
	}
	for _, text := range []string{"nothing", "two-greps/Fair/nothing", "nothing/Fair/time 01", "half(2)", "place(1,2)",
		"cell(7,FRESH,size)", "*/Fair/nothing"} {
		t.Run(text, func(t *testing.T) {
			x := &scope{testRunner(t), &Section{Paper: "omo"}, false}
			if err := errorOf(func() { x.eval(text) }); err == nil {
				t.Errorf("%s: got no error", text)
			}
		})
	}
}

// Estimates without common seeds differ by an interval as wide as both.
func TestApart(t *testing.T) {
	f := (&scope{testRunner(t), &Section{Paper: "omo"}, false}).eval("apart(two-greps/Fair/time " +
		"01,two-greps/Coupling/time 01)")
	e := estimate([]float64{50, 90})
	if f.Mean != 30 || f.Low != 100-e.High || f.High != 100-e.Low {
		t.Errorf("got %+v, want 30 (%v to %v)", f.Estimate, 100-e.High, 100-e.Low)
	}
}
