package modelfile

import (
	"math"
	"strings"
	"testing"
)

func TestExpr(t *testing.T) {
	cols, row := []string{"load1", "cpus", "x"}, []float64{4.4, 4, math.NaN()}
	for text, want := range map[string]float64{
		"load1/cpus > 1":                1,
		"load1/cpus > 1.1":              0,
		"load1/cpus >= 1.1":             1,
		"1 + 2 * 3 - 4 / 2":             5,
		"(1 + 2) * 3":                   9,
		"10 - 4 - 3":                    3,
		"-2 * -3":                       6,
		"--1":                           1,
		"!(load1 > cpus)":               0,
		"1 > 2 || 2 > 1":                1,
		"1 > 2 || 2 > 1 && 0":           0,
		"min(load1, cpus) == 4":         1,
		"max(1, abs(-7)) != 7":          0,
		"1e-3 <= .001":                  1,
		"1.5E+2":                        150,
		"x > 1":                         math.NaN(),
		"x > 1 || load1 > 1":            math.NaN(),
		"load1 - cpus < 0.5 && cpus==4": 1,
	} {
		e, err := (&Space{Columns: cols}).Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		got := e.Eval(row)
		if math.Abs(got-want) > 1e-12 || math.IsNaN(got) != math.IsNaN(want) {
			t.Errorf("%s = %v, want %v", text, got, want)
		}
		if e.String() != text {
			t.Errorf("String: %q", e.String())
		}
	}
	for text, want := range map[string]string{
		"":                       "position 1: ",
		"load1 >":                "position 8: ",
		"lod1 > 1":               `position 1: unknown column "lod1": must be one of load1, cpus, x`,
		"1 2":                    "position 3: ",
		"(1":                     "position 3: ",
		"min(1)":                 "position 6: 1 arguments of min",
		"1 < 2 < 3":              "second comparison",
		"1..2":                   "position 3: ",
		"a$":                     "position 2: ",
		"b":                      "unknown column",
		"load1 // cpus":          "position 8: ",
		"load1 & cpus":           "position 7: unknown operator",
		"x == 'a'":               "position 6: ",
		strings.Repeat("(", 500): "expected",
		"'a":                     "the quote has no end",
		"x.y":                    "position 1: ",
		"func() {}":              "position 1: ",
	} {
		if _, err := (&Space{Columns: cols}).Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}

func FuzzExpr(f *testing.F) {
	for _, s := range []string{"load1/cpus > 1", "min(a,1)||!b&&-c", "((a", "1e", "a<b<c", "mean(lag(a,2),3)", "'a'==c",
		strings.Repeat("-", 99)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		space := &Space{Columns: []string{"a", "b", "load1", "cpus"}}
		e, err := space.Parse(s)
		if err == nil {
			e.Eval(space.Row("n", []float64{1, 2, 3, 4}))
		}
	})
}
