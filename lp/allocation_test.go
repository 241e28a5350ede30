package lp

import (
	"math"
	"math/rand/v2"
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
// the separate and the unmodified form agree in lambda, as does
// gonum's solver on the small ones.
func TestRandomInstances(t *testing.T) {
	const seed = 21
	r := rand.New(rand.NewPCG(seed, 0))
	for trial := range 150 {
		f, m := 1+r.IntN(8), 1+r.IntN(30)
		alpha, mu := randomRates(r, f, m)
		a := must(t, alpha, mu)
		p := paperProblem(alpha, mu)
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
		for name, o := range map[string]Options{"separate": {Separate: true}} {
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

// Degenerate programs of small integers: lambda is proven on every one, with groups and without.
func TestDegenerateIntegers(t *testing.T) {
	const seed = 23
	r := rand.New(rand.NewPCG(seed, 0))
	for trial := range 200 {
		f, m := 1+r.IntN(4), 1+r.IntN(6)
		alpha, mu := make([]float64, f), make([][]float64, f)
		for i := range f {
			alpha[i], mu[i] = float64(1+r.IntN(3)), make([]float64, m)
			for j := range m {
				mu[i][j] = float64(1 + r.IntN(4))
			}
		}
		a, err := Options{Separate: true}.MaxLambda(alpha, mu)
		if err != nil || !a.Certificate.Optimal(1e-12) {
			t.Fatalf("seed %d, trial %d: %+v, %v", seed, trial, a, err)
		}
		near(t, "lambda", must(t, alpha, mu).Lambda, a.Lambda)
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
