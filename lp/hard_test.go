package lp

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// Classes that do not arrive are ignored, machines that serve nobody are idle,
// rates of very different magnitude are scaled.
func TestOddInputs(t *testing.T) {
	a := must(t, []float64{0, 1}, [][]float64{{100, 100, 100}, {1, 2, 0}})
	near(t, "class without arrivals", a.Lambda, 3)
	if a.Delta[0][0] != 0 || a.Delta[1][2] != 0 {
		t.Errorf("shares %v, want none for class 0 and none of machine 2", a.Delta)
	}
	tiny := must(t, []float64{1e-12, 1e12}, [][]float64{{1e-9, 0}, {0, 1e9}})
	near(t, "scales", tiny.Lambda*1e3, 1)
	var u *UnservableError
	if _, err := MaxLambda([]float64{1, 1}, [][]float64{{1}, {0}}); !errors.As(err, &u) || u.Class != 1 {
		t.Errorf("class without rates: %v, want UnservableError of class 1", err)
	}
}

// Rates of a class that differ by up to seven powers of ten between machines:
// lambda is proven still. With the solver's usual tolerance and scales alone
// some of these programs keep a gap.
func TestRatesFarApart(t *testing.T) {
	const seed = 71
	for i := range 300 {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		power := func() float64 { return math.Pow(10, 7*(r.Float64()-0.5)) }
		f, m := 1+r.IntN(8), 1+r.IntN(12)
		alpha, mu := make([]float64, f), make([][]float64, f)
		for k := range alpha {
			alpha[k], mu[k] = power(), make([]float64, m)
			for j := range mu[k] {
				mu[k][j] = power()
			}
		}
		a, err := MaxLambda(alpha, mu)
		if err != nil {
			t.Fatalf("program %d: %v", i, err)
		}
		if c := a.Certificate; c.Gap() > 1e-9*c.Upper || c.Overload > 1e-9 || a.Lambda != c.Lower {
			t.Errorf("program %d, %d x %d: lambda %v, %+v", i, f, m, a.Lambda, c)
		}
	}
}

// Ratios of rates that are no number any more are errors that name the class.
func TestRatesBeyondNumbers(t *testing.T) {
	for name, c := range map[string]struct {
		alpha []float64
		want  string
	}{
		"alone":   {[]float64{5e-324}, "class 0 arrives 5e-324 times"},
		"beside":  {[]float64{1, 1e-320}, "class 1 arrives"},
		"between": {[]float64{1e-300, 1e20}, "class 0 can be carried"},
	} {
		t.Run(name, func(t *testing.T) {
			mu := make([][]float64, len(c.alpha))
			for i := range mu {
				mu[i] = []float64{1, 2}
			}
			if a, err := MaxLambda(c.alpha, mu); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %+v, %v; want %q", name, a, err, c.want)
			}
		})
	}
}

// A class that needs a share of 3e-10 of a machine must get it, or lambda is 0:
// the rates 1e9 and 1 stand side by side. One machine, so lambda = 1 / sum of
// alpha_i / mu_i. (Found by fuzzing; the share was lost in the tolerances.)
func TestVeryUnequalRates(t *testing.T) {
	alpha, mu := []float64{48, 32, 48, 48}, [][]float64{{48}, {1e9}, {1}, {1}}
	near(t, "one machine", must(t, alpha, mu).Lambda, 1/(1+32/1e9+48+48))
	many := make([][]float64, 4)
	for i := range many {
		many[i] = []float64{mu[i][0], 2 * mu[i][0], mu[i][0]}
	}
	near(t, "four such", must(t, alpha, many).Lambda, 4/(1+32/1e9+48+48))
	// Shares of 1e-15 of a machine, and rates 24 powers of ten apart.
	near(t, "further apart", must(t, []float64{1, 1}, [][]float64{{1e15}, {1}}).Lambda, 1)
	near(t, "a multiple of a billion", must(t, []float64{48}, [][]float64{{1, 1e9}}).Lambda, (1+1e9)/48)
	near(t, "two machines", must(t, []float64{1, 1}, [][]float64{{1e12, 1e-12}, {1e-12, 1}}).Lambda, 1)
}

func TestBadInputs(t *testing.T) {
	nan := math.NaN()
	for name, c := range map[string]struct {
		alpha []float64
		mu    [][]float64
	}{
		"no classes":       {nil, nil},
		"no machines":      {[]float64{1}, [][]float64{{}}},
		"rows missing":     {[]float64{1, 1}, [][]float64{{1}}},
		"ragged":           {[]float64{1, 1}, [][]float64{{1, 2}, {1}}},
		"NaN arrival":      {[]float64{nan}, [][]float64{{1}}},
		"negative arrival": {[]float64{-1}, [][]float64{{1}}},
		"infinite rate":    {[]float64{1}, [][]float64{{math.Inf(1)}}},
		"negative rate":    {[]float64{1}, [][]float64{{-1}}},
		"huge rate":        {[]float64{1}, [][]float64{{1e25}}},
		"nothing arrives":  {[]float64{0, 0}, [][]float64{{1}, {1}}},
	} {
		t.Run(name, func(t *testing.T) {
			for sn, s := range solvers {
				if _, err := (Options{Solver: s}).MaxLambda(c.alpha, c.mu); err == nil {
					t.Errorf("%s, %s: no error", name, sn)
				}
			}
		})
	}
	if s, err := (Simplex{}).Solve(&Problem{}); err != nil || s.Value != 0 {
		t.Errorf("the empty problem: %v, %v", s, err)
	}
	ok := [][]float64{{1}}
	for name, call := range map[string]func() error{
		"no shares":      func() error { _, err := Certify([]float64{1}, ok, nil, []float64{1}); return err },
		"negative share": func() error { _, err := Certify([]float64{1}, ok, [][]float64{{-1}}, []float64{1}); return err },
		"NaN weight":     func() error { _, err := Certify([]float64{1}, ok, [][]float64{{1}}, []float64{nan}); return err },
	} {
		t.Run(name, func(t *testing.T) {
			if call() == nil {
				t.Errorf("Certify, %s: no error", name)
			}
		})
	}
}

// Rates that are small integers tie nearly everywhere: the simplex method must
// not stall or cycle, merged or not.
func TestManyTies(t *testing.T) {
	const seed = 27
	r := rand.New(rand.NewPCG(seed, 0))
	for trial := range 24 {
		f, m, top := 1+r.IntN(25), 1+r.IntN(150), 1+r.IntN(4)
		alpha, mu := make([]float64, f), make([][]float64, f)
		for i := range mu {
			alpha[i], mu[i] = float64(1+r.IntN(top)), make([]float64, m)
			for j := range mu[i] {
				mu[i][j] = float64(r.IntN(top + 1))
			}
			mu[i][r.IntN(m)] = 1
		}
		a, err := Options{Separate: trial%2 == 0}.MaxLambda(alpha, mu)
		if err != nil {
			t.Fatalf("seed %d, trial %d: %v", seed, trial, err)
		}
		proven(t, alpha, mu, a)
	}
}

// The sizes that the package is meant for, proven like the small ones.
func TestLargeInstances(t *testing.T) {
	for _, c := range []struct{ f, m, kinds int }{{20, 10000, 8}, {50, 1000, 1000}} {
		alpha, mu := benchRates(c.f, c.m, c.kinds)
		if a := must(t, alpha, mu); a.Groups != c.kinds {
			t.Errorf("%d machines of %d kinds form %d groups", c.m, c.kinds, a.Groups)
		}
	}
}
