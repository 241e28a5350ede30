package tune

import (
	"math"
	"testing"
)

func TestParseConstraint(t *testing.T) {
	for _, c := range []struct {
		text, metric, op string
		limit            float64
	}{
		{"queue.prod.p95-wait <= 60s", "queue.prod.p95-wait", "<=", 60},
		{"queue.prod.p95-wait<=1.5m", "queue.prod.p95-wait", "<=", 90},
		{"utilisation >= 80%", "utilisation", ">=", 0.8},
		{"makespan < 2 h", "makespan", "<=", 7200},
		{"mem <= 4Gi", "mem", "<=", 4 * 1024 * 1024 * 1024},
		{"x >= -3.5", "x", ">=", -3.5},
	} {
		got, err := ParseConstraint(c.text)
		if err != nil || got.Metric != c.metric || got.Op != c.op || math.Abs(got.Limit-c.limit) > 1e-9 ||
			got.Text != c.text {
			t.Errorf("%s: %+v, %v", c.text, got, err)
		}
	}
	for _, text := range []string{"", "x", "<= 3", "x <= ", "x <= 3 parsecs", "x == 3", "a b <= 3", "x <= NaN"} {
		if c, err := ParseConstraint(text); err == nil {
			t.Errorf("%q was taken as %+v", text, c)
		}
	}
}

func FuzzParseConstraint(f *testing.F) {
	for _, s := range []string{"a <= 1s", "b>=3%", "<", "x<=1e400", "x <= ---"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c, err := ParseConstraint(s)
		if err == nil && (c.Metric == "" || math.IsNaN(c.Limit) || math.IsInf(c.Limit, 0)) {
			t.Fatalf("%q: %+v", s, c)
		}
	})
}

// Feasible before infeasible, less violation before more, failures last.
func TestScoreOrder(t *testing.T) {
	list := []Score{
		{Values: []float64{1}}, {Values: []float64{2}},
		{Values: []float64{0}, Violation: 0.1}, {Values: []float64{-5}, Violation: 0.2},
		{Values: []float64{-9}, Failed: true},
	}
	for i := range list {
		for j := range list {
			if got, want := list[i].Less(list[j]), i < j; got != want {
				t.Errorf("%d before %d: %v", i, j, got)
			}
			if i < j && list[i].cost() >= list[j].cost() {
				t.Errorf("costs of %d and %d are not in order", i, j)
			}
		}
	}
}
