package tune

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"testing"
)

// A special value may be a word, and may be the current one: no number is added for it,
// and it has its tenth of the interval, the first named the first.
func TestSpecialsAreNoNumbers(t *testing.T) {
	for present, at := range map[string]float64{"off": 0.05, "auto": 0.15, "3": 0.2 + 0.8*0.625} {
		for _, step := range []float64{1, 0} { // levels, and too many for levels
			p := Param{Name: "x", Min: 1, Max: 4, Step: step, Special: []string{"off", "auto"}, Present: present}
			s := mustSpace(t, p)
			if got := s.PresentSettings()[0].Value; got != present || s.Decode(s.Present())[0].Value != present {
				t.Errorf("present %s, step %v: %s, and %s at its coordinate", present, step, got, s.Decode(s.Present())[0].Value)
			}
			if step == 1 && math.Abs(s.Present()[0]-at) > 1e-12 {
				t.Errorf("present %s stands at %v, want %v", present, s.Present()[0], at)
			}
			for at, want := range map[float64]string{0.01: "off", 0.09: "off", 0.11: "auto", 0.19: "auto", 0.999999: "4"} {
				if got := s.Decode(Point{at})[0].Value; got != want {
					t.Errorf("present %s, step %v, at %v: %s, want %s", present, step, at, got, want)
				}
			}
			if cuts := s.Cuts(0); step == 1 && len(cuts) != 5 {
				t.Errorf("present %s: cuts %v, want those of two words and four numbers", present, cuts)
			}
		}
	}
}

// Settings are written as encoding/json writes strings, whatever they hold.
func TestSettingsAreWrittenAsJSON(t *testing.T) {
	texts := []string{"", "plain text ~", "\u00e4", "\xff", "a\u2028b"}
	for c := range 128 {
		texts = append(texts, "x"+string(rune(c))+"y")
	}
	for _, text := range texts {
		got, err := json.Marshal(Settings{{Name: text, Value: "v" + text}})
		if err != nil {
			t.Fatal(err)
		}
		want, err := json.Marshal(map[string]string{text: "v" + text})
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// The shares of a parent are one unit, named once, wherever its parameters stand; a
// parameter and those tied to it are one, too.
func TestUnits(t *testing.T) {
	share := func(name, group, present string) Param {
		return Param{Name: name, Kind: Share, Group: group, Present: present}
	}
	s := mustSpace(t, share("a", "g", "50"), Param{Name: "x", Max: 1, Present: "0"}, share("b", "g", "30"),
		share("k", "h", "60"), share("c", "g", "20"),
		Param{Name: "y", Tied: "x", Max: 1, Present: "0"}, share("l", "h", "40"))
	var got []string
	var coords []int
	for _, u := range s.units() {
		got = append(got, u.name)
		for _, i := range u.params {
			got = append(got, s.params[i].Name)
		}
		for k := range u.dim {
			coords = append(coords, u.first+k)
		}
	}
	slices.Sort(coords)
	for k := range s.Dim() {
		if len(coords) != s.Dim() || coords[k] != k {
			t.Fatalf("coordinates %v, want each of %d once", coords, s.Dim())
		}
	}
	want := []string{"shares of g", "a", "b", "c", "x", "x", "y", "shares of h", "k", "l"}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("units %v, want %v", got, want)
	}
}

// Of three changes on minFigures workloads one brings nothing, and goes; one brings little of the objective but
// much for a protected metric, and stays. Every figure is the part of the gain that goes without
// the change, and says whom it serves.
func TestEliminate(t *testing.T) {
	for idle := range 3 {
		space := cube(t, 3)
		serves := (idle + 1) % 3
		p := Problem{Space: space, Constraints: []Constraint{{Metric: "queue", Op: "<=", Factor: 2}}}
		d, ts, _ := byHand(t, p, nil)
		on := d.led.instances(minFigures, []int{0})
		full := d.led.trial(space.Decode(Point{0.9, 0.9, 0.9}), nil, "search")
		d.led.yield = func(rs []request) bool {
			d.led.outs = nil
			for _, r := range rs {
				cost, queue := 10.0, 10.0
				for i := range r.t.settings {
					switch changed := r.t.settings[i].Value != ts[0].settings[i].Value; {
					case changed && i == serves:
						cost, queue = cost-0.001, 5
					case changed && i != idle:
						cost -= 4
					}
				}
				d.led.outs = append(d.led.outs, Outcome{Metrics: map[string]float64{"cost": cost, "queue": queue}})
			}
			return true
		}
		d.plan.budget = unlimited
		a := &elimination{shortening: shortening{parts: d.parts, ins: on, most: 1000, kept: d.changes(full)}}
		a.begin(full)
		a.run()
		if len(a.kept) != 2 || slices.ContainsFunc(a.kept, func(u unit) bool { return u.params[0] == idle }) {
			t.Fatalf("%v is idle: %d changes are kept", idle, len(a.kept))
		}
		for i, s := range a.steps {
			little := a.kept[i].params[0] == serves
			if s.Interval == nil || s.Interval.N != minFigures || (*s.Alone < 0.001) != little ||
				(s.Serves == "queue") != little ||
				little && *s.Slower != 1 || s.Loss == nil {
				t.Errorf("%+v, of little gain %v", s, little)
			}
		}
	}
}

// What breaks limits is looked at on as many instances as a fiftieth of the budget, four
// at least and eight at most.
func TestInstancesBeyondTheLimits(t *testing.T) {
	for budget, want := range map[int]int{50: 4, 300: 6, 1000: 8} {
		for have := range 10 {
			row := func(v float64) (out []float64) {
				for range have + 1 {
					out = append(out, v)
				}
				return out
			}
			d, ts, ins := byHand(t, Problem{Constraints: []Constraint{{Metric: "cost", Op: ">=", Limit: 4}}}, row(5), row(2),
				row(4.5))
			d.plan.budget, d.found.best = budget, ts[2]
			d.led.yield = func([]request) bool { t.Error("measured again"); return false }
			if (&confirmation{parts: d.parts}).lookBeyond(ins); d.found.lifted == nil || d.found.lifted.Gain.N != min(want, have+1) {
				t.Errorf("budget %d, %d instances: %+v; want %d", budget, have+1, d.found.lifted, min(want, have+1))
			}
		}
	}
}

// The choices of a category have no order, wherever it stands.
func TestUnordered(t *testing.T) {
	c := Param{Name: "c", Kind: Category, Choices: []string{"a", "b"}, Present: "a"}
	x := Param{Name: "x", Max: 1, Present: "0"}
	for _, ps := range [][]Param{{c, x}, {x, c}} {
		s := mustSpace(t, ps...)
		for k := range ps {
			if got := s.Unordered(k); got != (ps[k].Kind == Category) {
				t.Errorf("coordinate %d, %s: unordered %v", k, ps[k].Name, got)
			}
		}
	}
}

// A ceiling stands between its share and 100 by the part that its coordinate says,
// wherever the two stand in the space.
func TestCeilingAboveItsShare(t *testing.T) {
	ceiling := Param{Name: "a.max", Kind: Ceiling, Of: "a", Present: "100", Max: 1}
	a := Param{Name: "a", Kind: Share, Group: "g", Present: "60"}
	b := Param{Name: "b", Kind: Share, Group: "g", Present: "40"}
	for _, ps := range [][]Param{{ceiling, a, b}, {a, ceiling, b}, {a, b, ceiling}} {
		s := mustSpace(t, ps...)
		at := -1
		for _, u := range s.units() {
			if u.name == "a.max" {
				at = u.first
			}
		}
		for u, want := range map[float64]string{0: "60", 0.25: "70", 0.5: "80"} {
			p := s.Present()
			p[at] = u
			set := s.Decode(p)
			if got, ok := set.Get("a.max"); !ok || got != want {
				t.Errorf("%v of the way from 60 to 100: %s, want %s", u, got, want)
			}
		}
	}
}

// Of two limits only the one that is broken is shown.
func TestBrokenLimits(t *testing.T) {
	limits := []Constraint{{Metric: "cost", Op: ">=", Limit: 4}, {Metric: "cost", Op: "<=", Limit: 9}}
	d, ts, ins := byHand(t, Problem{Constraints: limits}, []float64{5, 5}, []float64{2, 2}, []float64{4.5, 4.5})
	d.found.best = ts[2]
	d.led.yield = func([]request) bool { t.Error("measured again"); return false }
	if (&confirmation{parts: d.parts}).lookBeyond(ins); d.found.lifted == nil || len(d.found.lifted.Broken) != 1 ||
		d.found.lifted.Broken[0].Kept {
		t.Errorf("%+v, want one broken limit", d.found.lifted)
	}
}
