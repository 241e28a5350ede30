package lp

import (
	"math/big"
	"strings"
	"testing"
)

// Two classes of arrival rate 1 and two machines, each class of rate 2 on its own
// machine and of rate 1 on the other: lambda is 2, with every class on its own
// machine and equal weights of 1/2 (both bounds: 1·2 of the first class, and the sum
// over machines of the largest w mu, 1 + 1). Shares and weights that are not so are
// refused, each by its own fault; those that are feasible and not best by the gap.
func TestProofJudgesSharesAndWeights(t *testing.T) {
	r := big.NewRat
	alpha := []*big.Rat{r(1, 1), r(1, 1)}
	mu := [][]*big.Rat{{r(2, 1), r(1, 1)}, {r(1, 1), r(2, 1)}}
	// x: lambda, then shares by class and machine; y: weights of classes with the
	// other sign, then prices of machines.
	best := func() (x, y []*big.Rat) {
		return []*big.Rat{r(2, 1), r(1, 1), r(0, 1), r(0, 1), r(1, 1)}, []*big.Rat{r(-1, 1), r(-1, 1), r(1, 1), r(1, 1)}
	}
	x, y := best()
	e, err := proof(alpha, mu, x, y)
	if err != nil || e.Lambda.Cmp(r(2, 1)) != 0 {
		t.Fatalf("%+v, %v; want lambda 2", e, err)
	}
	for i := range 2 {
		if len(e.Delta) != 2 || len(e.Delta[i]) != 2 || e.Delta[i][i].Cmp(r(1, 1)) != 0 || e.Delta[i][1-i].Sign() != 0 ||
			e.Work[i].Cmp(r(1, 2)) != 0 {
			t.Errorf("class %d: shares %v, weight %v", i, e.Delta[i], e.Work[i])
		}
	}
	for _, c := range []struct {
		what   string
		change func(x, y []*big.Rat)
	}{
		{"weight of class 1 is -1", func(_, y []*big.Rat) { y[1] = r(1, 1) }},
		{"no weights", func(_, y []*big.Rat) { y[0], y[1] = r(0, 1), r(0, 1) }},
		{"share of class 0 on machine 1 is -1/2", func(x, _ []*big.Rat) { x[2] = r(-1, 2) }},
		{"load of machine 1 is 3/2", func(x, _ []*big.Rat) { x[2] = r(1, 2) }},
		{"lambda lies between 1/1 and 2/1", func(x, _ []*big.Rat) { x[4] = r(1, 2) }}, // half of the second machine
		// weights 1/4 and 3/4: 3/4 of the first machine, 3/2 of the second
		{"lambda lies between 2/1 and 9/4", func(_, y []*big.Rat) { y[0] = r(-1, 3) }},
	} {
		t.Run(c.what, func(t *testing.T) {
			x, y := best()
			c.change(x, y)
			if e, err := proof(alpha, mu, x, y); err == nil || !strings.Contains(err.Error(), c.what) {
				t.Errorf("%v, %v; want %q", e, err, c.what)
			}
		})
	}
}

// A rate that is missing is told, of arrivals as of services, before anything is
// solved.
func TestProveExactNamesMissingRates(t *testing.T) {
	one := big.NewRat(1, 1)
	for _, c := range []struct {
		alpha []*big.Rat
		mu    [][]*big.Rat
	}{{[]*big.Rat{one, nil}, [][]*big.Rat{{one}, {one}}}, {[]*big.Rat{one, one}, [][]*big.Rat{{one, one}, {one, nil}}}} {
		if _, err := ProveExact(c.alpha, c.mu); err == nil || !strings.Contains(err.Error(), "rate 1 is missing") {
			t.Errorf("%v", err)
		}
	}
}
