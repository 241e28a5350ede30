package lp

import (
	"fmt"
	"math/big"
)

// Exact proof for small instances: the basis that Simplex ends with is solved
// again in rational numbers, and both bounds of the certificate are computed
// exactly. When they are equal, lambda is proven to the last digit.

// Exact is a proven optimum.
type Exact struct {
	Lambda *big.Rat     // as in Allocation, as are the others
	Delta  [][]*big.Rat // class, machine
	Work   []*big.Rat   // w, scaled to sum of alpha_i w_i = 1
}

// ProveExact solves and proves the max-lambda program over rationals. The
// effort grows with the cube of classes + machines; up to about a hundred is
// quick. It fails when the floating-point basis is not optimal in exact
// arithmetic, naming both bounds.
func ProveExact(alpha []*big.Rat, mu [][]*big.Rat) (*Exact, error) {
	fa, err := floats(alpha)
	if err != nil {
		return nil, err
	}
	fm := make([][]float64, len(mu))
	for i := range mu {
		if fm[i], err = floats(mu[i]); err != nil {
			return nil, err
		}
	}
	p, err := NewProblem(fa, fm)
	if err != nil {
		return nil, err
	}
	sol, err := Simplex{}.Solve(p)
	if err != nil {
		return nil, err
	}
	x, y, err := rationalBasis(alpha, mu, sol.Basis)
	if err != nil {
		return nil, err
	}
	return proof(alpha, mu, x, y)
}

func floats(v []*big.Rat) ([]float64, error) {
	out := make([]float64, len(v))
	for i, r := range v {
		if r == nil {
			return nil, fmt.Errorf("lp: rate %d is missing (nil)", i)
		}
		out[i], _ = r.Float64()
	}
	return out, nil
}

// rationalBasis solves B x_B = b and B' y = c_B for the basis of NewProblem's
// program. Every nonbasic variable is 0 but the logicals of machine rows,
// which are 1 and enter b.
func rationalBasis(alpha []*big.Rat, mu [][]*big.Rat, basis []int32) (x, y []*big.Rat, err error) {
	f, m := len(alpha), len(mu[0])
	n, rows := 1+f*m, len(alpha)+len(mu[0])
	b, bt := newRats(rows, rows+1), newRats(rows, rows+1)
	isBasic := make([]bool, n+rows)
	set := func(r, c int, v *big.Rat) {
		b[r][c].Set(v)
		bt[c][r].Set(v)
	}
	for k, v := range basis {
		isBasic[v] = true
		switch {
		case v == 0:
			for i, a := range alpha {
				set(i, k, new(big.Rat).Neg(a))
			}
			bt[k][rows].SetInt64(1) // cost of lambda
		case int(v) < n:
			i, j := (int(v)-1)/m, (int(v)-1)%m
			set(i, k, mu[i][j])
			set(f+j, k, big.NewRat(1, 1))
		default:
			set(int(v)-n, k, big.NewRat(-1, 1))
		}
	}
	for j := range m {
		if !isBasic[n+f+j] {
			b[f+j][rows].SetInt64(1)
		}
	}
	xb, err := solveRat(b)
	if err != nil {
		return nil, nil, err
	}
	if y, err = solveRat(bt); err != nil {
		return nil, nil, err
	}
	x = newRats(1, n+rows)[0]
	for k, v := range basis {
		x[v] = xb[k]
	}
	return x[:n], y, nil
}

func newRats(rows, cols int) [][]*big.Rat {
	t := make([][]*big.Rat, rows)
	for i := range t {
		t[i] = make([]*big.Rat, cols)
		for j := range t[i] {
			t[i][j] = new(big.Rat)
		}
	}
	return t
}

// solveRat solves the system given as rows with the right side last, by
// Gauss-Jordan elimination; it destroys its argument.
func solveRat(a [][]*big.Rat) ([]*big.Rat, error) {
	n, t := len(a), new(big.Rat)
	for c := range n {
		r := c
		for r < n && a[r][c].Sign() == 0 {
			r++
		}
		if r == n {
			return nil, ErrSingular
		}
		a[c], a[r] = a[r], a[c]
		inv := new(big.Rat).Inv(a[c][c])
		for k := c; k <= n; k++ {
			a[c][k].Mul(a[c][k], inv)
		}
		for i := range n {
			if i == c || a[i][c].Sign() == 0 {
				continue
			}
			q := new(big.Rat).Set(a[i][c])
			for k := c; k <= n; k++ {
				if a[c][k].Sign() != 0 {
					a[i][k].Sub(a[i][k], t.Mul(q, a[c][k]))
				}
			}
		}
	}
	x := make([]*big.Rat, n)
	for i := range x {
		x[i] = a[i][n]
	}
	return x, nil
}

// proof computes L(d) and U(w) exactly and compares them.
func proof(alpha []*big.Rat, mu [][]*big.Rat, x, y []*big.Rat) (*Exact, error) {
	f, m := len(alpha), len(mu[0])
	e := &Exact{Delta: make([][]*big.Rat, f), Work: make([]*big.Rat, f)}
	norm, t := new(big.Rat), new(big.Rat)
	for i := range f {
		e.Delta[i] = x[1+i*m : 1+(i+1)*m]
		e.Work[i] = new(big.Rat).Neg(y[i]) // class rows are lower bounds
		if e.Work[i].Sign() < 0 {
			return nil, fmt.Errorf("lp: not optimal in exact arithmetic: weight of class %d is %v", i, e.Work[i])
		}
		norm.Add(norm, t.Mul(alpha[i], e.Work[i]))
	}
	if norm.Sign() <= 0 {
		return nil, fmt.Errorf("lp: not optimal in exact arithmetic: no weights")
	}
	for i := range e.Work {
		e.Work[i].Quo(e.Work[i], norm)
	}
	upper := exactUpper(mu, e.Work)
	lower, err := exactLower(alpha, mu, e.Delta)
	if err != nil {
		return nil, err
	}
	if lower.Cmp(upper) != 0 {
		return nil, fmt.Errorf("lp: not optimal in exact arithmetic: lambda lies between %v and %v", lower, upper)
	}
	e.Lambda = lower
	return e, nil
}

func exactUpper(mu [][]*big.Rat, w []*big.Rat) *big.Rat {
	sum := new(big.Rat)
	for j := range mu[0] {
		top, t := new(big.Rat), new(big.Rat)
		for i := range mu {
			if t.Mul(w[i], mu[i][j]); t.Cmp(top) > 0 {
				top.Set(t)
			}
		}
		sum.Add(sum, top)
	}
	return sum
}

func exactLower(alpha []*big.Rat, mu, delta [][]*big.Rat) (*big.Rat, error) {
	one, t := big.NewRat(1, 1), new(big.Rat)
	for j := range mu[0] {
		load := new(big.Rat)
		for i := range mu {
			if delta[i][j].Sign() < 0 {
				return nil, fmt.Errorf("lp: not optimal in exact arithmetic: share of class %d on machine %d is %v", i, j,
					delta[i][j])
			}
			load.Add(load, delta[i][j])
		}
		if load.Cmp(one) > 0 {
			return nil, fmt.Errorf("lp: not optimal in exact arithmetic: load of machine %d is %v", j, load)
		}
	}
	var lower *big.Rat
	for i, a := range alpha {
		if a.Sign() == 0 {
			continue
		}
		s := new(big.Rat)
		for j := range mu[i] {
			s.Add(s, t.Mul(mu[i][j], delta[i][j]))
		}
		if s.Quo(s, a); lower == nil || s.Cmp(lower) < 0 {
			lower = s
		}
	}
	return lower, nil
}
