package lp

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
)

// The paper's example (section 3.2), alpha = 2.45 = 49/20 for both classes,
// mu = [[9 5] [2 1]]: d = [[0 1/2] [1 1/2]] gives both classes the rate 5/2, so
// lambda >= (5/2)/(49/20) = 50/49. The weights w = (10, 50)/147 earn
// max(90, 100)/147 on machine 1 and max(50, 50)/147 on machine 2, 150/147 in
// all, with alpha w = 1, so lambda <= 150/147 = 50/49.
func TestPaperExample(t *testing.T) {
	for name, s := range solvers {
		a, err := Options{Solver: s}.MaxLambda([]float64{2.45, 2.45}, [][]float64{{9, 5}, {2, 1}})
		if err != nil {
			t.Fatal(name, err)
		}
		near(t, name+" lambda", a.Lambda, 50.0/49)
		for i, row := range [][]float64{{0, 0.5}, {1, 0.5}} {
			for j, d := range row {
				near(t, name+" share", a.Delta[i][j], d)
			}
		}
		near(t, name+" w1", a.Work[0], 10.0/147)
		near(t, name+" w2", a.Work[1], 50.0/147)
		near(t, name+" price 1", a.Price[0], 100.0/147)
		if sc := a.Suggested(); len(sc[0]) != 1 || sc[0][0] != 1 || len(sc[1]) != 2 {
			t.Errorf("%s: SC = %v, want [[1] [0 1]]", name, sc)
		}
	}
	e, err := ProveExact(rats(49, 20, 49, 20), [][]*big.Rat{rats(9, 1, 5, 1), rats(2, 1, 1, 1)})
	if err != nil {
		t.Fatal(err)
	}
	if e.Lambda.Cmp(big.NewRat(50, 49)) != 0 || e.Work[0].Cmp(big.NewRat(10, 147)) != 0 ||
		e.Delta[0][1].Cmp(big.NewRat(1, 2)) != 0 {
		t.Errorf("exact: lambda %v, w %v, d %v; want 50/49, 10/147, 1/2", e.Lambda, e.Work, e.Delta)
	}
}

// rats makes rationals of numerators and denominators in turn.
func rats(v ...int64) []*big.Rat {
	var out []*big.Rat
	for i := 0; i < len(v); i += 2 {
		out = append(out, big.NewRat(v[i], v[i+1]))
	}
	return out
}

func near(t *testing.T, name string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9*math.Max(1, math.Abs(want)) {
		t.Errorf("%s: %v, want %v", name, got, want)
	}
}

// One class: every machine works for it, lambda = sum of mu / alpha. One
// machine: its time is shared so that all classes get the same multiple,
// lambda sum alpha_i / mu_i = 1. M identical machines: M times that.
func TestClosedForms(t *testing.T) {
	one := must(t, []float64{2}, [][]float64{{3, 5, 0, 7}})
	near(t, "one class", one.Lambda, 15.0/2)
	alpha, mu := []float64{1, 2, 3}, []float64{4, 5, 6}
	single := must(t, alpha, [][]float64{{4}, {5}, {6}})
	want := 1 / (1.0/4 + 2.0/5 + 3.0/6)
	near(t, "one machine", single.Lambda, want)
	rows := make([][]float64, 3)
	for i, v := range mu {
		rows[i] = []float64{v, v, v, v, v}
	}
	many := must(t, alpha, rows)
	near(t, "five identical machines", many.Lambda, 5*want)
	if many.Groups != 1 {
		t.Errorf("five identical machines form %d groups, want 1", many.Groups)
	}
}

func must(t *testing.T, alpha []float64, mu [][]float64) *Allocation {
	t.Helper()
	a, err := MaxLambda(alpha, mu)
	if err != nil {
		t.Fatal(err)
	}
	proven(t, alpha, mu, a)
	return a
}

// proven checks an allocation by its certificate alone: the bounds agree, no
// machine is overfull, slackness is complementary, and the solution is a
// vertex: at most F + M - 1 shares and F - 1 shared machines.
func proven(t *testing.T, alpha []float64, mu [][]float64, a *Allocation) {
	t.Helper()
	c, err := Certify(alpha, mu, a.Delta, a.Work)
	if err != nil {
		t.Fatal(err)
	}
	f, m := len(alpha), len(mu[0])
	if !c.Optimal(1e-9) || c.Overload > 1e-9 || c.Slackness > 1e-8*math.Max(1, c.Upper) {
		t.Errorf("%d x %d: not proven: %+v", f, m, c)
	}
	if c.Positive > f+m-1 || c.Shared > f-1 {
		t.Errorf("%d x %d: %d shares, %d shared machines; a vertex has at most %d and %d", f, m, c.Positive, c.Shared, f+m-1,
			f-1)
	}
}

func randomRates(r *rand.Rand, f, m int) (alpha []float64, mu [][]float64) {
	for range f {
		alpha = append(alpha, 0.1+r.Float64())
		row := make([]float64, m)
		for j := range row {
			if r.IntN(8) > 0 {
				row[j] = 0.5 + 9.5*r.Float64()
			}
		}
		row[r.IntN(m)] = 1
		mu = append(mu, row)
	}
	return alpha, mu
}

// Random instances, with zero rates among them, proven one by one; the merged,
// the separate, the even and the unmodified form agree in lambda, as does
// gonum's solver on the small ones.
func TestRandomInstances(t *testing.T) {
	const seed = 21
	r := rand.New(rand.NewPCG(seed, 0))
	for trial := range 150 {
		f, m := 1+r.IntN(8), 1+r.IntN(30)
		alpha, mu := randomRates(r, f, m)
		a := must(t, alpha, mu)
		p, err := NewProblem(alpha, mu)
		if err != nil {
			t.Fatal(err)
		}
		for name, s := range solvers {
			sol, err := s.Solve(p)
			if err != nil {
				t.Fatalf("seed %d, trial %d, %s: %v", seed, trial, name, err)
			}
			near(t, "unmodified, "+name, sol.Value, a.Lambda)
		}
		if f*m <= 24 {
			v, err := gonumSolve(p)
			if err != nil {
				t.Fatalf("seed %d, trial %d: gonum: %v", seed, trial, err)
			}
			near(t, "gonum", v, a.Lambda)
		}
	}
}

// Machines of few kinds, some twice or half as fast as others of their kind:
// merging must not change lambda, and both ways of splitting must reach it.
func TestGroupingIsExact(t *testing.T) {
	const seed = 22
	r := rand.New(rand.NewPCG(seed, 0))
	for range 60 {
		f, kinds, m := 1+r.IntN(6), 1+r.IntN(4), 5+r.IntN(40)
		alpha, base := randomRates(r, f, kinds)
		mu := make([][]float64, f)
		for i := range mu {
			mu[i] = make([]float64, m)
		}
		for j := range m {
			k, s := r.IntN(kinds), []float64{0.5, 1, 1, 3}[r.IntN(4)]
			if j < kinds {
				k = j
			}
			for i := range mu {
				mu[i][j] = base[i][k] * s
			}
		}
		greedy := must(t, alpha, mu)
		if greedy.Groups > kinds {
			t.Errorf("seed %d: %d groups of %d kinds", seed, greedy.Groups, kinds)
		}
		for name, o := range map[string]Options{"separate": {Separate: true}, "even": {Split: Even}} {
			a, err := o.MaxLambda(alpha, mu)
			if err != nil {
				t.Fatal(err)
			}
			near(t, name, a.Lambda, greedy.Lambda)
			if !a.Certificate.Optimal(1e-9) {
				t.Errorf("seed %d: %s: not proven: %+v", seed, name, a.Certificate)
			}
		}
	}
}

// Small integer instances are full of ties and degenerate vertices; the exact
// proof must succeed on every one and agree with the floating-point answer.
func TestExactOnDegenerateIntegers(t *testing.T) {
	const seed = 23
	r := rand.New(rand.NewPCG(seed, 0))
	for trial := range 200 {
		f, m := 1+r.IntN(4), 1+r.IntN(6)
		alpha, mu := make([]float64, f), make([][]float64, f)
		ra, rm := make([]*big.Rat, f), make([][]*big.Rat, f)
		for i := range f {
			alpha[i] = float64(1 + r.IntN(3))
			ra[i] = new(big.Rat).SetFloat64(alpha[i])
			mu[i], rm[i] = make([]float64, m), make([]*big.Rat, m)
			for j := range m {
				mu[i][j] = float64(1 + r.IntN(4))
				rm[i][j] = new(big.Rat).SetFloat64(mu[i][j])
			}
		}
		e, err := ProveExact(ra, rm)
		if err != nil {
			t.Fatalf("seed %d, trial %d: %v", seed, trial, err)
		}
		lambda, _ := e.Lambda.Float64()
		near(t, "exact", must(t, alpha, mu).Lambda, lambda)
	}
}

// lambda(c mu) = c lambda; lambda(c alpha) = lambda / c; renaming classes and
// machines changes nothing; every machine twice doubles lambda; another machine
// or a larger rate never lowers it, a larger arrival rate never raises it.
func TestInvariances(t *testing.T) {
	const seed = 24
	r := rand.New(rand.NewPCG(seed, 0))
	for range 40 {
		f, m := 2+r.IntN(5), 2+r.IntN(12)
		alpha, mu := randomRates(r, f, m)
		l := must(t, alpha, mu).Lambda
		change := func(fa func(i int) float64, fm func(i, j int) float64, width int) float64 {
			a2, m2 := make([]float64, f), make([][]float64, f)
			for i := range f {
				a2[i], m2[i] = fa(i), make([]float64, width)
				for j := range width {
					m2[i][j] = fm(i, j)
				}
			}
			return must(t, a2, m2).Lambda
		}
		same := func(i int) float64 { return alpha[i] }
		as := func(i, j int) float64 { return mu[i][j%m] }
		near(t, "rates times 1e4", change(same, func(i, j int) float64 { return 1e4 * mu[i][j] }, m), 1e4*l)
		near(t, "arrivals times 7", change(func(i int) float64 { return 7 * alpha[i] }, as, m), l/7)
		near(t, "reversed", change(func(i int) float64 { return alpha[f-1-i] }, func(i, j int) float64 {
			return mu[f-1-i][m-1-j]
		}, m), l)
		near(t, "doubled", change(same, as, 2*m), 2*l)
		k, n := r.IntN(f), r.IntN(m)
		if v := change(same, as, m+1); v < l-1e-9 {
			t.Errorf("a machine more: %v < %v", v, l)
		}
		if v := change(same, func(i, j int) float64 {
			if i == k && j == n {
				return mu[i][j] + 1
			}
			return mu[i][j]
		}, m); v < l-1e-9 {
			t.Errorf("a larger rate: %v < %v", v, l)
		}
		if v := change(func(i int) float64 {
			if i == k {
				return alpha[i] + 0.5
			}
			return alpha[i]
		}, as, m); v > l+1e-9 {
			t.Errorf("a larger arrival rate: %v > %v", v, l)
		}
	}
}

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
		mu := make([][]float64, len(c.alpha))
		for i := range mu {
			mu[i] = []float64{1, 2}
		}
		if a, err := MaxLambda(c.alpha, mu); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %+v, %v; want %q", name, a, err, c.want)
		}
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
		for sn, s := range solvers {
			if _, err := (Options{Solver: s}).MaxLambda(c.alpha, c.mu); err == nil {
				t.Errorf("%s, %s: no error", name, sn)
			}
		}
	}
	if _, err := ProveExact([]*big.Rat{nil}, nil); err == nil {
		t.Error("ProveExact of nil: no error")
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
		if call() == nil {
			t.Errorf("Certify, %s: no error", name)
		}
	}
}

// A certificate must tell a bad allocation from a good one: half the machine
// idle gives half of lambda, an overfull machine is scaled down.
func TestCertifyJudges(t *testing.T) {
	alpha, mu := []float64{1}, [][]float64{{4}}
	half, err := Certify(alpha, mu, [][]float64{{0.5}}, []float64{1})
	if err != nil || half.Lower != 2 || half.Upper != 4 || half.Slackness != 2 {
		t.Errorf("half used: %+v, %v; want bounds 2 and 4, slackness 4 (1 - 1/2) = 2", half, err)
	}
	over, err := Certify(alpha, mu, [][]float64{{3}}, []float64{1})
	if err != nil || over.Lower != 4 || over.Overload != 2 {
		t.Errorf("overfull: %+v, %v; want lower bound 4 after scaling and overload 2", over, err)
	}
	if c, _ := Certify(alpha, mu, [][]float64{{1}}, []float64{0}); !math.IsInf(c.Upper, 1) {
		t.Errorf("weights all zero prove nothing: %+v", c)
	}
}

// No input may end the program or hang it.
func FuzzMaxLambda(f *testing.F) {
	f.Add([]byte{2, 2, 10, 10, 9, 5, 2, 1})
	f.Add([]byte{1, 1, 0, 0})
	f.Add([]byte{3, 4, 1, 255, 7, 0, 0, 0, 254, 3, 3, 3, 3, 1, 1, 1, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) < 2 {
			return
		}
		nf, nm := int(b[0]%6)+1, int(b[1]%8)+1
		at := 2
		next := func() float64 {
			if at >= len(b) {
				return 1
			}
			v := b[at]
			at++
			switch {
			case v == 255:
				return math.NaN()
			case v == 254:
				return 1e30
			case v >= 250:
				return math.Pow(10, float64(v-252)*9)
			}
			return float64(v)
		}
		alpha, mu := make([]float64, nf), make([][]float64, nf)
		for i := range alpha {
			alpha[i] = next()
		}
		for i := range mu {
			mu[i] = make([]float64, nm)
			for j := range mu[i] {
				mu[i][j] = next()
			}
		}
		a, err := MaxLambda(alpha, mu)
		if err == nil && !a.Certificate.Optimal(1e-6*math.Max(1, a.Lambda)) {
			t.Errorf("alpha %v, mu %v: not proven: %+v", alpha, mu, a.Certificate)
		}
	})
}

// The dual program, minimise sum of p_j subject to p_j >= w_i mu_ij and sum of
// alpha_i w_i = 1, solved on its own, must have the same value: two solutions
// of two different programs that can only meet at the optimum.
func TestDualProgram(t *testing.T) {
	const seed = 26
	r := rand.New(rand.NewPCG(seed, 0))
	for range 60 {
		f, m := 1+r.IntN(6), 1+r.IntN(15)
		alpha, mu := randomRates(r, f, m)
		p := &Problem{RowLower: make([]float64, 1+f*m), RowUpper: make([]float64, 1+f*m)}
		p.RowLower[0], p.RowUpper[0] = 1, 1
		for k := 1; k <= f*m; k++ {
			p.RowUpper[k] = math.Inf(1) // p_j - w_i mu_ij >= 0 in row 1 + i m + j
		}
		for i := range f {
			rows, vals := []int32{0}, []float64{alpha[i]}
			for j := range m {
				rows, vals = append(rows, int32(1+i*m+j)), append(vals, -mu[i][j])
			}
			p.AddColumn(0, 0, math.Inf(1), rows, vals)
		}
		for j := range m {
			var rows []int32
			var vals []float64
			for i := range f {
				rows, vals = append(rows, int32(1+i*m+j)), append(vals, 1)
			}
			p.AddColumn(-1, 0, math.Inf(1), rows, vals)
		}
		a := must(t, alpha, mu)
		for name, s := range solvers {
			sol, err := s.Solve(p)
			if err != nil {
				t.Fatalf("seed %d, %s: %v", seed, name, err)
			}
			near(t, "dual, "+name, -sol.Value, a.Lambda)
		}
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
