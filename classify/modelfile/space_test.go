package modelfile

import (
	"bytes"
	"math"
	"testing"

	"schedtune/internal/fileio"
)

// Names that are columns, whatever they hold, are these columns; quoted ones too.
func TestNames(t *testing.T) {
	s := &Space{Columns: []string{"used", "total", "used-total", "%user", "rkB/s", "CPU usage [%]", "1min", "max", "role"},
		Texts: []string{"role"}}
	row := []float64{8, 10, 777, 60, 5, 91, 3, 4, TextValue("web")}
	for text, want := range map[string]float64{
		"used-total":           777,
		"used - total":         -2,
		"%user > 50":           1,
		"rkB/s*2":              10,
		`"CPU usage [%]" > 90`: 1,
		"CPU usage [%] > 95":   0,
		"1min + 1":             4,
		"max + max(used, 9)":   13,
		"role == 'web'":        1,
		"(role != 'web') + 1":  1,
	} {
		e, err := s.Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := e.Eval(row); got != want {
			t.Errorf("%s: got %v, want %v", text, got, want)
		}
	}
	for _, text := range []string{"role > 1", `"usr" > 1`, "role == web", "lag(used)", "lag(used, 0)", "mean(used, x)"} {
		if _, err := s.Parse(text); err == nil {
			t.Errorf("%s: no error", text)
		}
	}
}

// Series are those of the node's rows, and begin anew where they are told to.
func TestSeries(t *testing.T) {
	nan := math.NaN()
	s := &Space{Columns: []string{"x"}}
	e := map[string][]float64{ // by row of node a: 1, 4, unknown, 10, then anew 2
		"lag(x, 1)":         {nan, 1, 4, nan, nan},
		"mean(x, 3)":        {1, 2.5, 2.5, 7, 2},
		"sd(x, 2)":          {0, 1.5, 0, 0, 0},
		"x - mean(x, 2)":    {0, 1.5, nan, 0, 0},
		"lag(mean(x,2), 1)": {nan, 1, 2.5, 4, nan},
	}
	exprs := map[string]*Expr{}
	for text := range e {
		x, err := s.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		exprs[text] = x
	}
	for i, x := range []float64{1, 4, nan, 10, 2} {
		if i == 4 {
			s.Forget("a")
		}
		s.Row("b", []float64{100}) // another node
		row := s.Row("a", []float64{x})
		for text, want := range e {
			if got := exprs[text].Eval(row); got != want[i] && (got == got || want[i] == want[i]) {
				t.Errorf("%s, row %d: got %v, want %v", text, i, got, want[i])
			}
		}
	}
}

// A range grows when more than one value in a hundred lies outside, and old scaled values
// become those of the new range.
func TestGrow(t *testing.T) {
	f := Feature{Name: "hour", Low: 0, High: 1}
	for range 300 {
		f.Grow(0.5)
	}
	if a, _ := f.Grow(1e9); a != 1 || f.High != 1 {
		t.Errorf("one value in 301: got the range %v to %v, want it as it was", f.Low, f.High)
	}
	f.Outside = 0
	for i := range 10 {
		old := f.Scale(0.25)
		if a, b := f.Grow(2); a != 1 {
			if got, want := f.Scale(0.25), a*old+b; math.Abs(got-want) > 1e-12 || f.High != 2 || i < 2 {
				t.Errorf("after %d values: scaled %v, want %v; range %v to %v", i+1, got, want, f.Low, f.High)
			}
			return
		}
	}
	t.Error("ten values outside: the range did not grow")
}

// A damaged model file is an error and not a panic, and what is read judges.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"schema":"schedtune/fit-overload-model/v1","label":"x > 1","columns":["x"],"features":[{"name":` +
		`"lag(x, 2)","low":0,"high":1}],"modes":[null],"calibration":{"score":[0,1],"probability":[0.1,0.9]},"model":` +
		`{"format":"schedtune/classify/logistic/v1","features":[{"name":"lag(x, 2)","unit":"level 1 to 10","levels":10,` +
		`"low":1,"high":10}],"classes":["bad","good"],"weights":[1,2],"covariance":[1,0,0,1],"sum_sq":[3],"n":4}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		m := &Model{}
		if fileio.ReadJSON(bytes.NewReader(b), m) != nil {
			return
		}
		for _, x := range []float64{1, 2, 3} {
			m.Judge("n", map[string]float64{"x": x})
		}
	})
}
