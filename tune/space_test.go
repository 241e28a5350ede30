package tune

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

// drawSpace makes a random space of one or two groups of shares with ceilings
// and one parameter of every other kind.
func drawSpace(t *rapid.T) *Space {
	var ps []Param
	for g := range rapid.IntRange(1, 2).Draw(t, "groups") {
		group := fmt.Sprintf("g%d", g)
		k := rapid.IntRange(1, 6).Draw(t, "siblings")
		step := rapid.SampledFrom([]float64{1, 0.5, 0.1}).Draw(t, "step")
		left := 100
		for i := range k {
			v := left
			if i < k-1 {
				// A fixed first share leaves room for the others' floors.
				v = rapid.IntRange(0, min(left, 60)).Draw(t, "share")
			}
			left -= v
			name := fmt.Sprintf("%s.q%d", group, i)
			ps = append(ps, Param{
				Name: name, Kind: Share, Group: group, Step: step, Present: strconv.Itoa(v),
				Min: float64(rapid.IntRange(0, 8).Draw(t, "floor")), Fixed: i == 0 && k > 3,
			})
			ps = append(ps, Param{
				Name: name + ".max", Kind: Ceiling, Of: name,
				Present: rapid.SampledFrom([]string{"-1", "100", "62.5", "10"}).Draw(t, "max"),
			})
		}
	}
	ps = append(ps,
		Param{Name: "factor", Kind: Logarithmic, Min: 0.25, Max: 8,
			Present: rapid.SampledFrom([]string{"1", "1.0", "0.3333", "50"}).Draw(t, "factor")},
		Param{Name: "users", Kind: Users, Max: 12, Present: rapid.SampledFrom([]string{"100", "25", "15", "7"}).Draw(t,
			"users")},
		Param{Name: "delay", Kind: LogInteger, Min: 1, Max: 400, Special: []string{"-1"},
			Present: rapid.SampledFrom([]string{"-1", "40", "1000"}).Draw(t, "delay")},
		Param{Name: "small", Kind: Integer, Min: -2, Max: 5, Present: "0"},
		Param{Name: "slow", Kind: Linear, Min: 0, Max: 1, Step: 0.05,
			Present: rapid.SampledFrom([]string{"0.05", "0.052"}).Draw(t, "slow")},
		Param{Name: "beta", Kind: Logit, Min: 0.01, Max: 0.99, Present: "0.5"},
		Param{Name: "policy", Kind: Category, Choices: []string{"fifo", "fair", "utilization"}, Present: "fair"},
		Param{Name: "weights", Kind: Category, Choices: []string{"true", "false"}, Present: "false",
			When: &When{"policy", []string{"fair"}}},
		Param{Name: "copy", Tied: "factor", Present: "2"},
		Param{Name: "kept", Kind: Linear, Min: 0, Max: 1, Fixed: true, Present: "as it is"},
	)
	s, err := NewSpace(ps...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func drawPoint(t *rapid.T, s *Space) Point {
	p := make(Point, s.Dim())
	for i := range p {
		p[i] = rapid.Float64Range(-0.5, 1.5).Draw(t, "u")
	}
	return p
}

func mustFloat(t *rapid.T, text string) float64 {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// Every point decodes to settings that keep every rule: shares sum to exactly
// 100 (checked in thousandths, as integers), ceilings do not fall below their
// share unless the current configuration has them there, conditional and tied
// parameters follow.
func TestNoInfeasiblePoints(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSpace(t)
		set := s.Decode(drawPoint(t, s))
		sums := map[string]int64{}
		for i, p := range s.Params() {
			v := set[i].Value
			switch {
			case p.Fixed:
				if v != p.Present {
					t.Fatalf("%s is fixed at %s and became %s", p.Name, p.Present, v)
				}
				if p.Kind == Share {
					sums[p.Group] += int64(math.Round(1000 * mustFloat(t, v)))
				}
			case p.Kind == Share:
				x := mustFloat(t, v)
				sums[p.Group] += int64(math.Round(1000 * x))
				if x < p.Min && !presentGroup(s, set, p.Group) {
					t.Fatalf("%s = %s is below its floor %v", p.Name, v, p.Min)
				}
			case p.Kind == Ceiling:
				share, _ := set.Get(p.Of)
				if v != "-1" && v != p.Present && mustFloat(t, v) < mustFloat(t, share) {
					t.Fatalf("%s = %s is below its share %s", p.Name, v, share)
				}
			case p.Kind == Category && !slices.Contains(p.Choices, v):
				t.Fatalf("%s = %s", p.Name, v)
			}
		}
		for g, sum := range sums {
			if sum != 100_000 {
				t.Fatalf("shares of %s sum to %v", g, float64(sum)/1000)
			}
		}
		policy, _ := set.Get("policy")
		if v, _ := set.Get("weights"); policy != "fair" && v != "false" {
			t.Fatalf("weights = %s although policy is %s", v, policy)
		}
		f, _ := set.Get("factor")
		present, _ := s.PresentSettings().Get("factor")
		if v, _ := set.Get("copy"); v != f && !(v == "2" && f == present) {
			t.Fatalf("copy = %s, factor = %s", v, f)
		}
	})
}

// presentGroup reports whether a group's shares are those in force, which need
// not keep the search's floors.
func presentGroup(s *Space, set Settings, group string) bool {
	for i, p := range s.Params() {
		if p.Kind == Share && p.Group == group && set[i].Value != p.Present {
			return false
		}
	}
	return true
}

// The current configuration is a point and decodes to itself letter by letter,
// also where it lies outside the search's ranges.
func TestPresentDecodesToItself(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSpace(t)
		if got := s.Decode(s.Present()); !got.Equal(s.PresentSettings()) {
			t.Fatalf("present %v decodes to %v", s.PresentSettings(), got)
		}
		p, err := s.Encode(s.PresentSettings())
		if err != nil {
			t.Fatal(err)
		}
		for i := range p {
			if p[i] != s.Present()[i] {
				t.Fatalf("coordinate %d: %v, want %v", i, p[i], s.Present()[i])
			}
		}
	})
}

// What was decoded can be encoded: shares, ceilings and continuous values come
// back within their rounding, discrete ones exactly.
func TestEncodeInvertsDecode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSpace(t)
		set := s.Decode(drawPoint(t, s))
		p, err := s.Encode(set)
		if err != nil {
			t.Fatal(err)
		}
		again := s.Decode(p)
		for i, q := range s.Params() {
			a, b := set[i].Value, again[i].Value
			if a == b || q.Kind == Ceiling { // a ceiling's share may have been rounded away
				continue
			}
			tolerance := 0.0
			switch q.Kind {
			case Share: // a share at its floor counts as a tenth of a unit
				tolerance = 2 * q.Step
				if clipped(s, p, q.Group) {
					continue
				}
			case Logarithmic, Logit, Linear:
				tolerance = 2e-3*math.Abs(mustFloat(t, a)) + q.Step
			case LogInteger:
				tolerance = 1
			}
			if q.Kind == Category || math.Abs(mustFloat(t, a)-mustFloat(t, b)) > tolerance {
				t.Fatalf("%s: %s, encoded and decoded: %s", q.Name, a, b)
			}
		}
	})
}

// clipped reports whether a group's shares lie at the end of the range.
func clipped(s *Space, p Point, group string) bool {
	i := slices.IndexFunc(s.axes, func(u unit) bool { return u.label == group+".*" })
	u := s.axes[i]
	return slices.ContainsFunc(p[u.first:u.first+u.dim], func(v float64) bool { return v == 0 || v == 1 })
}

// Points of one cell decode alike and the cells of a coordinate cover all its
// values.
func TestCells(t *testing.T) {
	s, err := NewSpace(
		Param{Name: "users", Kind: Users, Present: "15"},
		Param{Name: "delay", Kind: LogInteger, Min: 1, Max: 20, Special: []string{"-1"}, Present: "8"},
		Param{Name: "weighted", Kind: Users, Min: 2.5, Max: 4, Present: "50"},
	)
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{
		// 100/n for n = 1 … 10, rounded down; the present 15 is not of that
		// form and gets a cell of its own between 16 and 14.
		{"100", "50", "33", "25", "20", "16", "15", "14", "12", "11", "10"},
		{"-1", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16", "17", "18", "19", "20"},
		{"50", "33", "25"}, // 2.5 users or more, and what is in force
	}
	for k := range s.Dim() {
		cuts := append(append([]float64{0}, s.Cuts(k)...), 1)
		for i := range len(cuts) - 1 {
			for _, f := range []float64{1e-9, 0.5, 1 - 1e-9} {
				p := s.Present()
				p[k] = cuts[i] + f*(cuts[i+1]-cuts[i])
				if got := s.Decode(p)[k].Value; got != want[k][i] {
					t.Errorf("coordinate %d at %v: %s, want %s", k, p[k], got, want[k][i])
				}
			}
		}
	}
}

func TestSpaceErrors(t *testing.T) {
	for _, c := range []struct {
		ps   []Param
		want string
	}{
		{[]Param{{Name: "a", Kind: Share, Group: "root", Present: "40"}}, "tune: shares of root: sum 40: must be 100 " +
			"within 0.05"},
		{[]Param{{Name: "a", Present: "x", Max: 1}}, `tune: a: current value "x": is not a number`},
		{[]Param{{Name: "a", Kind: Logarithmic, Present: "1", Max: 1}}, "tune: a: minimum 0: must be above 0 on a log scale"},
		{[]Param{{Name: "a", Present: "0", Max: 1}, {Name: "a", Present: "0", Max: 1}}, "tune: parameter a: appears twice"},
		{[]Param{{Name: "a", Kind: Ceiling, Of: "b", Present: "1"}},
			`tune: a: ceiling of "b", which is no share of 100 of the space`},
		{[]Param{{Name: "a", Tied: "b", Present: "1"}}, `tune: a: tied to "b", which is no free parameter of the space`},
	} {
		_, err := NewSpace(c.ps...)
		if err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

func TestSettingsKeepOrder(t *testing.T) {
	s := Settings{{"z", "1"}, {"a", "x\"y"}, {"m", ""}}
	b, err := json.Marshal(s)
	if err != nil || string(b) != `{"z":"1","a":"x\"y","m":""}` {
		t.Fatal(string(b), err)
	}
	var back Settings
	if err := json.Unmarshal(b, &back); err != nil || !back.Equal(s) {
		t.Fatal(back, err)
	}
	if err := json.Unmarshal([]byte(`{"a":1.50,"a":"2"}`), &back); err == nil {
		t.Error("a name twice must be refused")
	}
}

func FuzzSettings(f *testing.F) {
	f.Add([]byte(`{"a":1,"b":"x"}`))
	f.Add([]byte(`{"a":[1]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var s, again Settings
		if json.Unmarshal(data, &s) != nil {
			return
		}
		b, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(b, &again); err != nil || !again.Equal(s) {
			t.Fatalf("%s: %v, %v", b, again, err)
		}
	})
}

// The ends of a range are values of their own where the present lies beyond them.
func TestEndsBesideAPresentOutside(t *testing.T) {
	for _, p := range []Param{
		{Name: "x", Kind: LogInteger, Min: 1, Max: 400, Present: "1000"},
		{Name: "x", Kind: LogInteger, Min: 1, Max: 400, Special: []string{"-1"}, Present: "1000"},
		{Name: "x", Kind: Logarithmic, Min: 0.25, Max: 8, Present: "50"},
		{Name: "x", Kind: Logarithmic, Min: 0.25, Max: 8, Present: "0.1"},
		{Name: "x", Kind: Linear, Min: 0.5, Max: 1, Step: 0.001, Present: "0.2"},
	} {
		s, err := NewSpace(p)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range []string{formatNumber(p.Min), formatNumber(p.Max), p.Present} {
			at, err := s.Encode(Settings{{Name: "x", Value: v}})
			if err != nil {
				t.Fatal(err)
			}
			if got := s.Decode(at)[0].Value; got != v {
				t.Errorf("present %s: %s comes back as %s", p.Present, v, got)
			}
		}
	}
}
