package lp

import (
	"errors"
	"math"
	"testing"
)

func says(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// Every fault of a problem is told with its place, its value and what is allowed.
func TestProblemFaultsAreNamed(t *testing.T) {
	nan := math.NaN()
	for want, spoil := range map[string]func(*Problem){
		"lp: 1 upper row bounds: must be 2 as there are lower ones": func(p *Problem) {
			p.RowUpper = p.RowUpper[:1]
		},
		"lp: 1 lower and 3 upper bounds: must be 3, one per variable": func(p *Problem) {
			p.Lower = p.Lower[:1]
		},
		"lp: 3 lower and 4 upper bounds: must be 3, one per variable": func(p *Problem) {
			p.Upper = append(p.Upper, 1)
		},
		"lp: 0 column starts: must be 4": func(p *Problem) {
			p.Start = nil
		},
		"lp: 5 column starts: must be 4": func(p *Problem) {
			p.Start = append(p.Start, 6)
		},
		"lp: 7 row indices for 6 values": func(p *Problem) {
			p.Index = append(p.Index, 0)
		},
		"lp: cost of variable 2 is NaN: must be at most 1e+20 in magnitude": func(p *Problem) {
			p.Cost[2] = nan
		},
		"lp: cost of variable 1 is -1.1e+20: must be at most 1e+20 in magnitude": func(p *Problem) {
			p.Cost[1] = -1.1e20
		},
		"lp: bounds of variable 1 are NaN and +Inf: must be at most 1e+20 in magnitude, or infinite": func(p *Problem) {
			p.Lower[1] = nan
		},
		"lp: bounds of variable 1 are 0 and NaN: must be at most 1e+20 in magnitude, or infinite": func(p *Problem) {
			p.Upper[1] = nan
		},
		"lp: bounds of variable 2 are 0 and 2e+20: must be at most 1e+20 in magnitude, or infinite": func(p *Problem) {
			p.Upper[2] = 2e20
		},
		"lp: bounds of variable 0 are +Inf and +Inf: must be at most 1e+20 in magnitude, or infinite": func(p *Problem) {
			p.Lower[0] = inf
		},
		"lp: bounds of row 1 are -Inf and -Inf: must be at most 1e+20 in magnitude, or infinite": func(p *Problem) {
			p.RowLower[1], p.RowUpper[1] = -inf, -inf
		},
		"lp: variable 2 has lower bound 2 above upper bound 1": func(p *Problem) {
			p.Lower[2], p.Upper[2] = 2, 1
		},
		"lp: row 1 has lower bound 3 above upper bound 2": func(p *Problem) {
			p.RowLower[1] = 3
		},
		"lp: column 0 starts at 0 and ends at -1: must be ascending, at most 6": func(p *Problem) {
			p.Start[1] = -1
		},
		"lp: column 0 starts at -1 and ends at 2: must be ascending, at most 6": func(p *Problem) {
			p.Start[0] = -1
		},
		"lp: column 2 starts at 4 and ends at 7: must be ascending, at most 6": func(p *Problem) {
			p.Start[3] = 7
		},
		"lp: column 1 names row 2: must be 0 to 1": func(p *Problem) {
			p.Index[3] = 2
		},
		"lp: column 1 names row -1: must be 0 to 1": func(p *Problem) {
			p.Index[3] = -1
		},
		"lp: column 2 names row 0 twice": func(p *Problem) {
			p.Index[5] = 0
		},
		"lp: entry of row 1, column 2 is NaN: must be at most 1e+20 in magnitude": func(p *Problem) {
			p.Value[5] = nan
		},
		"lp: entry of row 0, column 1 is -Inf: must be at most 1e+20 in magnitude": func(p *Problem) {
			p.Value[2] = -inf
		},
	} {
		t.Run(want, func(t *testing.T) {
			p := dense([]float64{1, 2, 3}, [][]float64{{1, 1, 1}, {1, 2, 3}}, []float64{0, 0}, []float64{1, 2}, nil, nil)
			if err := p.Validate(); err != nil {
				t.Fatal(err)
			}
			spoil(p)
			says(t, p.Validate(), want)
		})
	}
}

// What is on the border is allowed, and the numbers of columns count up.
func TestProblemBordersAreAllowed(t *testing.T) {
	p := &Problem{RowLower: []float64{-Huge, -inf}, RowUpper: []float64{-Huge, inf}}
	for j, c := range []float64{Huge, -Huge, 0} {
		if got := p.AddColumn(c, c, c, []int32{1, 0}, []float64{-Huge, Huge}); got != j {
			t.Errorf("column %d has the number %d", j, got)
		}
	}
	if got := p.AddColumn(0, -inf, inf, nil, nil); got != 3 {
		t.Errorf("column 3 has the number %d", got)
	}
	if err := p.Validate(); err != nil {
		t.Error(err)
	}
	for _, p := range []*Problem{{}, {Start: []int32{0}}} {
		if err := p.Validate(); err != nil {
			t.Errorf("nothing at all: %v", err)
		}
	}
	says(t, (&Problem{Start: []int32{0, 0}}).Validate(), "lp: 2 column starts: must be 1")
}

// Faults of rates, shares and weights are told in the same way.
func TestRateFaultsAreNamed(t *testing.T) {
	const shape = " rows of execution rates: must be as many rows as classes, at least 1, and at least 1 machine"
	for want, c := range map[string]struct {
		alpha []float64
		mu    [][]float64
	}{
		"lp: 0 arrival rates and 0" + shape: {nil, nil},
		"lp: 1 arrival rates and 1" + shape: {[]float64{1},
			[][]float64{{}}},
		"lp: 1 arrival rates and 2" + shape: {[]float64{1},
			[][]float64{{1}, {1}}},
		"lp: arrival rate of class 1 is -1: must be 0 to 1e+20": {[]float64{1, -1},
			[][]float64{{1}, {1}}},
		"lp: arrival rate of class 0 is 2e+20: must be 0 to 1e+20": {[]float64{2e20, 1},
			[][]float64{{1}, {1}}},
		"lp: class 1 has 1 execution rates: must be 2, one per machine": {[]float64{1, 1},
			[][]float64{{1, 1}, {1}}},
		"lp: class 1 has 3 execution rates: must be 2, one per machine": {[]float64{1, 1},
			[][]float64{{1, 1}, {1, 1, 1}}},
		"lp: execution rate of class 1 on machine 0 is -1: must be 0 to 1e+20": {[]float64{1, 1},
			[][]float64{{1}, {-1}}},
		"lp: execution rate of class 0 on machine 1 is +Inf: must be 0 to 1e+20": {[]float64{1},
			[][]float64{{1, inf}}},
		"lp: all arrival rates are 0: must be at least one above 0 (lambda would be unbounded)": {[]float64{0, 0},
			[][]float64{{1}, {1}}},
	} {
		t.Run(want, func(t *testing.T) {
			_, err := MaxLambda(c.alpha, c.mu)
			says(t, err, want)
			_, err = Certify(c.alpha, c.mu, nil, nil)
			says(t, err, want)
		})
	}
	near(t, "the largest rates", must(t, []float64{Huge}, [][]float64{{Huge, 0}}).Lambda, 1)
	_, err := MaxLambda([]float64{1, 1}, [][]float64{{1}, {0}})
	says(t, err, "lp: class 1 arrives but every machine's rate for it is 0; lambda is 0")

	alpha, mu := []float64{1, 1}, [][]float64{{1, 1}, {1, 1}}
	ok := func() ([][]float64, []float64) { return [][]float64{{1, 0}, {0, 1}}, []float64{1, 1} }
	for want, spoil := range map[string]func(d *[][]float64, w *[]float64){
		"lp: 1 rows of shares and 2 weights: must be 2 of each": func(d *[][]float64, _ *[]float64) { *d = (*d)[:1] },
		"lp: 2 rows of shares and 1 weights: must be 2 of each": func(_ *[][]float64, w *[]float64) { *w = (*w)[:1] },
		"lp: class 1 has 1 shares: must be 2": func(d *[][]float64, _ *[]float64) {
			(*d)[1] = (*d)[1][:1]
		},
		"lp: share of class 1 on machine 0 is -1: must be 0 or more": func(d *[][]float64, _ *[]float64) {
			(*d)[1][0] = -1
		},
		"lp: share of class 0 on machine 1 is +Inf: must be 0 or more": func(d *[][]float64, _ *[]float64) {
			(*d)[0][1] = inf
		},
		"lp: share of class 0 on machine 0 is NaN: must be 0 or more": func(d *[][]float64, _ *[]float64) {
			(*d)[0][0] = math.NaN()
		},
		"lp: weight of class 1 is -1: must be 0 or more":   func(_ *[][]float64, w *[]float64) { (*w)[1] = -1 },
		"lp: weight of class 0 is +Inf: must be 0 or more": func(_ *[][]float64, w *[]float64) { (*w)[0] = inf },
	} {
		t.Run(want, func(t *testing.T) {
			d, w := ok()
			spoil(&d, &w)
			_, err := Certify(alpha, mu, d, w)
			says(t, err, want)
		})
	}
}

// stub is a solver with one answer.
type stub struct {
	s   *Solution
	err error
}

func (s stub) Solve(*Problem) (*Solution, error) { return s.s, s.err }

// A solver of others is asked once and not trusted: its error comes back, answers
// of the wrong size are refused, and a poor answer is judged by the certificate.
func TestForeignSolver(t *testing.T) {
	// one group of capacity 2: lambda' and x, one class row, one machine row
	alpha, mu := []float64{1}, [][]float64{{2, 2}}
	ask := func(s Solver) (*Allocation, error) { return Options{Solver: s}.MaxLambda(alpha, mu) }
	mine := errors.New("mine")
	if _, err := ask(stub{err: mine}); err != mine {
		t.Errorf("%v, want %v", err, mine)
	}
	for want, s := range map[string]*Solution{
		"lp: the solver returned 1 variables and 2 duals: must be 2 and 2": {X: make([]float64, 1), Dual: make([]float64, 2)},
		"lp: the solver returned 2 variables and 3 duals: must be 2 and 2": {X: make([]float64, 2), Dual: make([]float64, 3)},
	} {
		t.Run(want, func(t *testing.T) {
			_, err := ask(stub{s: s})
			says(t, err, want)
		})
	}
	a, err := ask(stub{s: &Solution{X: []float64{1, 1}, Dual: []float64{-1, 1}, Iterations: 7}})
	if err != nil || a.Lambda != 2 || a.Certificate.Upper != 4 || a.Iterations != 7 || a.Groups != 1 {
		t.Errorf("%+v, %v; want lambda 2 of at most 4 after 7 changes", a, err)
	}
	if sets := (&Allocation{}).Suggested(); sets != nil {
		t.Errorf("suggestions of nothing: %v", sets)
	}
}
