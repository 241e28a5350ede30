package lp

import (
	"math"
	"math/rand/v2"
	"testing"
)

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
