package tune

import (
	"math"
	"strings"
	"testing"
)

// Bounds of shares must leave room for their sum.
func TestBoundsOfShares(t *testing.T) {
	share := func(name, present string, lo, hi float64) Param {
		return Param{Name: name, Kind: Share, Group: "g", Present: present, Min: lo, Max: hi}
	}
	for _, c := range []struct {
		a, b Param
		want string // "": no error
	}{
		{share("a", "60", 0, 100), share("b", "40", 0, 100), ""},
		{share("a", "60", 60, 100), share("b", "40", 40, 100), ""},
		{share("a", "60", 0, 60), share("b", "40", 0, 40), ""},
		{share("a", "60", 70, 100), share("b", "40", 40, 100), "bounds add up to 110 to 200 points: must enclose 100"},
		{share("a", "60", 0, 30), share("b", "40", 0, 30), "bounds add up to 0 to 60 points: must enclose 100"},
	} {
		_, err := NewSpace(c.a, c.b)
		if (c.want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v to %v and %v to %v: %v, want %q", c.a.Min, c.a.Max, c.b.Min, c.b.Max, err, c.want)
		}
	}
}

// An ablated trial has lost too much if it gives up more than twice the slack beyond doubt,
// or, whatever the objective, if it alone loses work or has no result.
func TestTooMuchLost(t *testing.T) {
	row := func(mean float64) []float64 { return []float64{mean, mean + 0.01, mean - 0.01, mean + 0.02} }
	nan := math.NaN()
	present, full := row(10), row(5)
	for _, c := range []struct {
		name          string
		ablated, full []float64
		lostA, lostB  bool
		limit         float64
		want          bool
	}{
		{name: "as good", ablated: row(5), full: full},
		{name: "within twice the slack of 5", ablated: row(5 + 5*2*ablationSlack - 0.1), full: full},
		{name: "beyond it", ablated: row(5 + 5*2*ablationSlack + 0.1), full: full, want: true},
		{name: "loses work", ablated: row(5), full: full, lostA: true, want: true},
		{name: "the full one loses work", ablated: row(9), full: full, lostB: true},
		{name: "no result", ablated: []float64{nan, nan, nan, nan}, full: full, want: true},
		{name: "the full one has none", ablated: row(9), full: []float64{nan, nan, nan, nan}},
		{name: "breaks a limit", ablated: row(5.4), full: full, limit: 5.2, want: true},
		{name: "the full one breaks it", ablated: row(5), full: row(5.6), limit: 5.2},
	} {
		p := Problem{}
		if c.limit > 0 {
			p.Constraints = []Constraint{{Metric: "cost", Op: "<=", Limit: c.limit}}
		}
		d, ts, ins := byHand(t, p, present, c.ablated, c.full)
		for i, lost := range []bool{false, c.lostA, c.lostB} {
			if o := ts[i].runs[ins[0]]; lost {
				o.Lost = []int32{1}
				ts[i].runs[ins[0]] = o
			}
		}
		if got := d.tooMuchLost(ts[1], ts[2], ins); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
