package svg

import (
	"bytes"
	"encoding/xml"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"schedtune/internal/text"

	"github.com/google/go-cmp/cmp"
)

// Equal values are one step of the distribution: {1, 2, 2, 4} rises to 1/4 at
// 1, to 3/4 at 2, to 1 at 4.
func TestECDF(t *testing.T) {
	want := []Point{{1, 0.25}, {2, 0.75}, {4, 1}}
	if diff := cmp.Diff(want, ECDF([]float64{1, 2, 2, 4})); diff != "" {
		t.Error(diff)
	}
	if ECDF(nil) != nil {
		t.Error("a distribution of nothing")
	}
}

// Thinning keeps the area below a step function: here of 1000 steps of width
// 1 with heights i mod 7.
func TestThinKeepsArea(t *testing.T) {
	var pts []Point
	area := 0.0
	for i := range 1001 {
		pts = append(pts, Point{float64(i), float64(i % 7)})
		if i < 1000 {
			area += float64(i % 7)
		}
	}
	for _, n := range []int{10, 37, 999} {
		thin := Thin(pts, n)
		if len(thin) > n+1 {
			t.Errorf("%d points of %d", len(thin), n)
		}
		got := 0.0
		for i := 0; i+1 < len(thin); i++ {
			got += thin[i].Y * (thin[i+1].X - thin[i].X)
		}
		if math.Abs(got-area) > 1e-6 {
			t.Errorf("%d bins: area %v, want %v", n, got, area)
		}
	}
	if got := Thin(pts[:5], 10); len(got) != 5 {
		t.Error("a short function was thinned")
	}
}

// Two areas with steps at different times: the upper one is the sum at every
// time either changes.
func TestStack(t *testing.T) {
	got := stack([]Series{{Points: []Point{{0, 1}, {4, 3}}}, {Points: []Point{{2, 5}, {4, 0}}}})
	if diff := cmp.Diff([]Point{{0, 1}, {2, 1}, {4, 3}}, got[0].Points); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]Point{{0, 1}, {2, 6}, {4, 3}}, got[1].Points); diff != "" {
		t.Error(diff)
	}
}

func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		v    float64
		want string
	}{{0, "0"}, {-0.0001, "−0.0001"}, {0.12345, "0.123"}, {1.234, "1.23"}, {12.34, "12.3"}, {123.4, "123"}, {9999, "9999"},
		{12345, "12.3k"}, {1234567, "1.23M"}, {-5, "−5"}, {math.NaN(), "–"}, {math.Inf(1), "∞"}} {
		if got := text.Number(c.v); got != c.want {
			t.Errorf("Number(%v) = %q, want %q", c.v, got, c.want)
		}
	}
	for _, c := range []struct {
		v    float64
		want string
	}{{5, "5 s"}, {599, "599 s"}, {600, "10 min"}, {3 * 3600, "3 h"}, {86400, "24 h"}, {3 * 86400, "3 d"}} {
		if got := text.Duration(c.v); got != c.want {
			t.Errorf("Duration(%v) = %q, want %q", c.v, got, c.want)
		}
	}
}

// Ticks are round, inside the range and about as many as asked.
func TestTicks(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		axis   Axis
		n      int
		want   string
	}{
		{0, 10, Axis{}, 5, "0 2 4 6 8 10"},
		{0, 1, Axis{Percent: true}, 2, "0 % 50 % 100 %"},
		{0, 7200, Axis{Seconds: true}, 4, "0 min 50 min 100 min"},
		{-1, 1, Axis{}, 4, "−1.0 −0.5 0.0 0.5 1.0"},
		{1, 4000, Axis{Log: true, Seconds: true}, 4, "1 s 30 s 10 min"},
	} {
		var got []string
		for _, x := range ticks(c.lo, c.hi, &c.axis, c.n) {
			if x.at < c.lo-1e-9 || x.at > c.hi+1e-9 {
				t.Errorf("tick %v outside %v to %v", x.at, c.lo, c.hi)
			}
			got = append(got, x.text)
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%v to %v: %q, want %q", c.lo, c.hi, s, c.want)
		}
	}
}

// The largest value of a series touches the right place of the plot: x from 0
// to 10 on a chart 640 wide, so x = 10 stands at the right margin.
func TestChartPlacesPoints(t *testing.T) {
	c := Chart{Title: "t", X: Axis{Min: 0, Max: 10}, Y: Axis{Min: 0, Max: 4},
		Series: []Series{{Name: "s", Points: []Point{{0, 0}, {10, 4}}}}}
	out := string(c.Render("x"))
	// No legend for one series; margins: left 14+7, right 12, top 8, bottom 40.
	if !strings.Contains(out, "M21 260L628 8") {
		t.Errorf("path not where expected:\n%s", out)
	}
}

// Nothing that can be put in makes the output break: names with markup, points
// that are no numbers, empty series and ranges.
func FuzzChart(f *testing.F) {
	f.Add("a<b>&\"'", 1.0, 2.0, true, true)
	f.Add("", math.NaN(), math.Inf(1), false, false)
	f.Add("x", -1e300, 1e300, false, true)
	f.Fuzz(func(t *testing.T, name string, a, b float64, log, seconds bool) {
		if noNumber(name) {
			t.Skip("a name may say what no number may")
		}
		c := Chart{Title: name, Desc: name, X: Axis{Label: name, Log: log, Seconds: seconds},
			Y: Axis{Min: a, Max: b},
			Series: []Series{{Name: name, Points: []Point{{a, b}, {b, a}}, Shape: Area}, {Name: "2", Points: []Point{{b, b}},
				Shape: Dots}},
			Marks: []Mark{{Name: name, At: a, Vertical: seconds}}, Stacked: seconds}
		well(t, c.File())
		bars := Bars{Title: name, Width: 640, Bars: []Bar{{Name: name, Value: a, Low: b, High: a}, {Name: "z", Value: b}}}
		well(t, bars.File())
	})
}

func well(t *testing.T, b []byte) {
	t.Helper()
	dec := xml.NewDecoder(bytes.NewReader(b))
	for {
		if _, err := dec.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("%v in %.500s", err, b)
		}
	}
	if noNumber(string(b)) {
		t.Fatalf("no number: %.2000s", b)
	}
}

// noNumber reports whether a text holds what is printed for no number.
func noNumber(s string) bool { return strings.Contains(s, "NaN") || strings.Contains(s, "Inf") }

// The labels of upright lines that stand close together do not cover one another.
func TestUprightLabelsApart(t *testing.T) {
	c := &Chart{Title: "t", Width: 700, Height: 200, X: Axis{Label: "x"}, Y: Axis{Label: "y"},
		Series: []Series{{Name: "s", Points: []Point{{X: 0, Y: 0}, {X: 100, Y: 1}}, Shape: Dots}},
		Marks:  []Mark{{Name: "present", At: 50, Vertical: true}, {Name: "recommended", At: 51, Vertical: true}}}
	heights := map[string]bool{}
	for _, m := range regexp.MustCompile(
		`class="tick halo" x="[^"]*" y="([^"]*)"[^>]*>(?:present|recommended)<`).FindAllSubmatch(c.Render("c"), -1) {
		heights[string(m[1])] = true
	}
	if len(heights) != 2 {
		t.Errorf("labels at %v; want two heights", heights)
	}
}

// The value beside the longest bar ends within the picture, however long it is.
func TestLongValuesFit(t *testing.T) {
	for _, v := range []float64{0.4, 7032, 123456789} {
		b := Bars{Title: "t", Width: 640, Bars: []Bar{{Name: "root.sci", Value: v, Low: math.NaN(), High: math.NaN()}}}
		m := regexp.MustCompile(`</rect><text class="tick" x="([0-9.]+)" y="[0-9.]+">([^<]*)</text>`).FindStringSubmatch(
			string(b.Render("c")))
		if m == nil {
			t.Fatalf("%v: no value in %s", v, b.Render("c"))
		}
		x, err := strconv.ParseFloat(m[1], 64)
		if end := x + textWidth(m[2]); err != nil || end > 640 {
			t.Errorf("%s ends at %v of 640, %v", m[2], end, err)
		}
	}
}
