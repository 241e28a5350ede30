package tune

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
)

// Beyond the limits: of those that break one, lose nothing and are better than the
// current configuration, the two that gained most in the runs of the search.
func TestBeyondTheLimits(t *testing.T) {
	limit := []Constraint{{Metric: "cost", Op: ">=", Limit: 4.5}}
	d, ts, ins := byHand(t, Problem{Constraints: limit}, []float64{5, 5}, []float64{3, 3}, []float64{4, 4},
		[]float64{2, 2}, []float64{4.8, 4.8}, []float64{6, 6}, []float64{1, 1})
	ts[6].shortfall = 1
	if got := (&confirmation{parts: d.parts}).beyond(2); !slices.Equal(got, []*trial{ts[3], ts[1]}) {
		t.Errorf("%v, want t3 and t1", names(got))
	}
	d.found.best = ts[3]
	if got := (&confirmation{parts: d.parts}).beyond(5); !slices.Equal(got, []*trial{ts[1], ts[2]}) {
		t.Errorf("%v, want t1 and t2: the recommended one is not among them", names(got))
	}
	d.found.best = ts[4]
	d.led.yield = func([]request) bool { t.Error("measured again"); return false }
	if (&confirmation{parts: d.parts}).lookBeyond(ins); d.found.lifted == nil {
		t.Fatal("nothing is found")
	}
	if l := d.found.lifted; !l.Settings.Equal(ts[3].settings) || math.Abs(l.Gain.Mean-0.6) > 1e-12 ||
		math.Abs(l.With.Mean-0.04) > 1e-12 || len(l.Broken) != 1 {
		t.Errorf("%+v", l)
	}
	o := ts[3].runs[ins[0]]
	o.Lost = []int32{3}
	ts[3].runs[ins[0]] = o
	d.found.lifted = nil
	if (&confirmation{parts: d.parts}).lookBeyond(ins); d.found.lifted == nil || !d.found.lifted.Settings.Equal(ts[1].settings) {
		t.Errorf("%+v, want t1, which loses nothing", d.found.lifted)
	}
}

// The nearest to the ideal point of a front whose first is the nearest; scales count.
func TestKneeOfTwo(t *testing.T) {
	for _, c := range []struct {
		front [][]float64
		want  int
	}{{[][]float64{{0, 100}}, 0}, {[][]float64{{1, 100}, {0, 100}}, 1}, {[][]float64{{0, 100}, {1, 0}}, 0},
		{[][]float64{{0, 1000}, {0.3, 200}, {1, 0}}, 1}, {[][]float64{{0, 1000}, {0.9, 0.5}, {1, 0}}, 1},
		{[][]float64{{0, 300}, {0.9, 290}, {0.95, 20}, {1, 0}}, 2}} {
		if got := byIdeal(c.front)[0]; got != c.want {
			t.Errorf("%v: %d, want %d", c.front, got, c.want)
		}
	}
}

// The largest step that divides what is to be handed out and is no larger than asked.
func TestFitStep(t *testing.T) {
	for _, c := range [][3]float64{{100, 1, 1}, {100, 0.3, 0.25}, {33.3, 1, 0.1}, {99.5, 1, 0.5}, {100, 7, 1}, {98, 7, 7},
		{0.123, 1, 0.001}, {33.25, 2, 0.25}, {10.05, 0.1, 0.05}, {0.03, 1, 0.01}} {
		if got := fitStep(c[0], c[1]); got != c[2] {
			t.Errorf("%v points by %v: step %v, want %v", c[0], c[1], got, c[2])
		}
	}
	share := func(name, present, suffix string, total float64) Param {
		return Param{Name: name, Kind: Share, Group: "g", Present: present, Suffix: suffix, Total: total}
	}
	for want, ps := range map[string][]Param{
		`q: total 10 and suffix "w"`:  {share("p", "6w", "w", 100), share("q", "4w", "w", 10)},
		`q: total 10 and suffix "x"`:  {share("p", "6w", "w", 10), share("q", "4x", "x", 10)},
		"sum 101: must be 100 within": {share("p", "60", "", 0), share("q", "41", "", 0)},
	} {
		if _, err := NewSpace(ps...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// Settings are one JSON object in order, of texts and numbers; nothing else is taken.
func TestSettingsAsJSON(t *testing.T) {
	set := Settings{{"b", "1"}, {"a", `x "<&> \ ü` + "\n"}, {"", ""}}
	b, err := json.Marshal(set)
	if err != nil {
		t.Fatal(err)
	}
	var again Settings
	if err := json.Unmarshal(b, &again); err != nil || !again.Equal(set) {
		t.Errorf("%v: %v became %v", err, set, again)
	}
	if err := json.Unmarshal([]byte(`{"a":1.50,"b":"x"}`), &again); err != nil ||
		!again.Equal(Settings{{"a", "1.50"}, {"b", "x"}}) {
		t.Errorf("%v, %v", err, again)
	}
	for _, text := range []string{`[]`, `"x"`, `{"a":true}`, `{"a":null}`, `{"a":{}}`, `{"a":"1","a":"2"}`, `3`} {
		if err := json.Unmarshal([]byte(text), &again); err == nil {
			t.Errorf("%s was taken as %v", text, again)
		}
	}
	for _, pair := range [][2]Settings{{{{"a", "b"}}, {{"a", "c"}}}, {{{"a", "1"}, {"b", "2"}}, {{"a", "1"}}},
		{{{"a=1", ""}}, {{"a", "1"}}}, {{{"x", "1;1:y=1:2"}}, {{"x", "1"}, {"y", "2"}}}} {
		if pair[0].Key() == pair[1].Key() || pair[0].Equal(pair[1]) {
			t.Errorf("%v and %v have one key", pair[0], pair[1])
		}
	}
}

// The bootstrap-t interval of a symmetric sample is symmetric within its resampling
// error and as wide as Student's within a fifth.
func TestBootstrapOfSymmetry(t *testing.T) {
	var x []float64
	for i := range 15 {
		x = append(x, 10+float64(i), 10-float64(i))
	}
	b, s := bootstrapInterval(x, 0.95, 3), MeanInterval(x, 0.95)
	up, down, half := b.High-b.Mean, b.Mean-b.Low, s.High-s.Mean
	if math.Abs(up-down) > 0.15*half || math.Abs(up+down-2*half) > 0.4*half || b.Mean != s.Mean || b.N != 30 {
		t.Errorf("%+v, Student's %+v", b, s)
	}
	if got, want := bootstrapInterval(x[:2], 0.95, 3), MeanInterval(x[:2], 0.95); got != want {
		t.Errorf("of two values %+v, want %+v", got, want)
	}
}
