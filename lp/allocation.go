package lp

import (
	"fmt"
)

// Maximum-lambda allocation (Rasooli, Down, COSHH, section 3.2, equations 1 to
// 3, and 4 to 6 for the secondary classification, which is the same program):
//
//	maximise    lambda
//	subject to  sum over j of mu_ij d_ij >= lambda alpha_i   for each class i
//	            sum over i of d_ij <= 1                      for each machine j
//	            d >= 0
//
// What differs: classes with alpha_i = 0 take no part; machines that are
// identical or multiples of each other are merged first (group.go), which
// changes neither lambda nor what can be reached; rates are scaled (see reduced);
// a large program starts from a greedy allocation (crash.go). None of
// it is trusted: the certificate is computed from the original numbers.

// Options changes how MaxLambda works; the zero value is the default.
type Options struct {
	Solver   Solver // nil: Simplex, again with other scales where the certificate leaves a gap
	Separate bool   // do not merge machines
}

// Allocation is the answer. Row = class, column = machine, as in mu.
type Allocation struct {
	Lambda float64     // the multiple of alpha that the allocation carries
	Delta  [][]float64 // share of machine j given to class i, 0 to 1
	// Work[i] is the worth of one unit of class i's work (the dual w), scaled
	// to sum of alpha_i w_i = 1; Price[j] = max over i of w_i mu_ij is what
	// machine j adds to lambda.
	Work, Price []float64
	Certificate Certificate
	Groups      int // machines left after merging
	Iterations  int // of the solver
}

// Suggested returns SC_j, the classes with a share of machine j, ascending.
func (a *Allocation) Suggested() [][]int {
	if len(a.Delta) == 0 {
		return nil
	}
	sets := make([][]int, len(a.Delta[0]))
	for i, row := range a.Delta {
		for j, d := range row[:min(len(row), len(sets))] {
			if d != 0 {
				sets[j] = append(sets[j], i)
			}
		}
	}
	return sets
}

// UnservableError reports a class that arrives but that no machine serves, so
// that lambda is 0.
type UnservableError struct {
	Class int // row of mu, from 0
}

// Error names the class.
func (e *UnservableError) Error() string {
	return fmt.Sprintf("lp: class %d arrives but every machine's rate for it is 0; lambda is 0", e.Class)
}

// MaxLambda allocates machines to classes: alpha[i] is the arrival rate of
// class i, mu[i][j] its execution rate on machine j when the whole machine
// works for it, both 0 or more, at most Huge and in the same unit. All alpha
// zero is an error (lambda would be unbounded), as are a class that arrives and
// cannot be served (*UnservableError) and rates so far apart that their ratio is
// no number.
func MaxLambda(alpha []float64, mu [][]float64) (*Allocation, error) {
	return Options{}.MaxLambda(alpha, mu)
}

// MaxLambda is the function of the same name with options.
func (o Options) MaxLambda(alpha []float64, mu [][]float64) (*Allocation, error) {
	if err := checkRates(alpha, mu); err != nil {
		return nil, err
	}
	a, err := o.attempt(alpha, mu, highRate)
	if err != nil || o.Solver != nil {
		return a, err
	}
	for _, high := range retryRates() {
		if a.Certificate.Gap() <= smallGap*a.Certificate.Upper {
			break
		}
		o.Solver = Simplex{Tolerance: retryTolerance}
		if b, err := o.attempt(alpha, mu, high); err == nil {
			a.improve(b, alpha, mu)
		}
	}
	return a, nil
}

// Rates that differ by more than five powers of ten within a class can hide in
// the solver's tolerances what an allocation gains. The certificate tells, and
// the program is then solved again with a finer tolerance and other scales.
const (
	smallGap       = 1e-9 // relative: lambda is proven
	retryTolerance = 1e-12
)

func retryRates() []float64 { return []float64{1e7, 1e5, highRate} }

// attempt solves the program with one scaling, see reduced.
func (o Options) attempt(alpha []float64, mu [][]float64, high float64) (*Allocation, error) {
	r, err := reduce(alpha, mu, !o.Separate, high)
	if err != nil {
		return nil, err
	}
	sol, err := o.solve(r)
	if err != nil {
		return nil, err
	}
	a := &Allocation{Groups: len(r.groups), Iterations: sol.Iterations}
	a.Delta = r.spread(sol.X[1:], len(alpha), len(mu[0]))
	a.Work = r.work(sol.Dual, alpha)
	a.Price = prices(a.Work, mu)
	a.Certificate = certify(alpha, mu, a.Delta, a.Work, a.Price)
	a.Lambda = a.Certificate.Lower
	return a, nil
}

// improve takes from b what is better: the shares that reach more, the worths
// that allow less. The bounds hold for any pair of them.
func (a *Allocation) improve(b *Allocation, alpha []float64, mu [][]float64) {
	if b.Certificate.Lower > a.Certificate.Lower {
		a.Delta = b.Delta
	}
	if b.Certificate.Upper < a.Certificate.Upper {
		a.Work, a.Price = b.Work, b.Price
	}
	a.Iterations += b.Iterations
	a.Certificate = certify(alpha, mu, a.Delta, a.Work, a.Price)
	a.Lambda = a.Certificate.Lower
}

func (o Options) solve(r *reduced) (*Solution, error) {
	p := r.problem()
	switch s := o.Solver.(type) {
	case nil:
		return Simplex{}.SolveFrom(p, r.crash())
	case Simplex:
		return s.SolveFrom(p, r.crash())
	default:
		sol, err := s.Solve(p)
		if err == nil && (len(sol.X) != len(p.Cost) || len(sol.Dual) != len(p.RowLower)) {
			err = fmt.Errorf("lp: the solver returned %d variables and %d duals: must be %d and %d", len(sol.X), len(sol.Dual),
				len(p.Cost), len(p.RowLower))
		}
		return sol, err
	}
}

func checkRates(alpha []float64, mu [][]float64) error {
	if len(alpha) == 0 || len(mu) != len(alpha) || len(mu[0]) == 0 {
		return fmt.Errorf("lp: %d arrival rates and %d rows of execution rates: must be as many rows as classes, at least "+
			"1, and at least 1 machine", len(alpha), len(mu))
	}
	total := 0.0
	for i, a := range alpha {
		if !(a >= 0 && a <= Huge) {
			return fmt.Errorf("lp: arrival rate of class %d is %v: must be 0 to %g", i, a, Huge)
		}
		total += a
		if len(mu[i]) != len(mu[0]) {
			return fmt.Errorf("lp: class %d has %d execution rates: must be %d, one per machine", i, len(mu[i]), len(mu[0]))
		}
		for j, v := range mu[i] {
			if !(v >= 0 && v <= Huge) {
				return fmt.Errorf("lp: execution rate of class %d on machine %d is %v: must be 0 to %g", i, j, v, Huge)
			}
		}
	}
	if total == 0 {
		return fmt.Errorf("lp: all arrival rates are 0: must be at least one above 0 (lambda would be unbounded)")
	}
	return nil
}
