package fit

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"schedtune/simcore"
)

// The COSHH paper's example through the table: lambda 50/49, C2 alone on R1.
func TestAllocationExample(t *testing.T) {
	rates, err := ReadRates("r.csv", strings.NewReader("class,alpha,R1,R2\nC1,2.45,9,5\nC2, 2.45 ,2,1\n"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := FitAllocation("r.csv", rates, "", false)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(r.Lambda-50.0/49) > 1e-12 || !r.Proven || !slices.Equal(r.Nodes[0].Suggested, []string{"C2"}) || !slices.Equal(r.Nodes[1].Suggested, []string{"C1", "C2"}) {
		t.Errorf("%+v", r)
	}
	table, err := r.WriteCSV()
	if err != nil || string(table) != "node,C1,C2\nR1,0,1\nR2,0.5,0.5\n" {
		t.Errorf("table %q, %v", table, err)
	}
	var text bytes.Buffer
	if err := r.Print(&text); err != nil || !strings.Contains(text.String(), "lambda 1.02041") || len(r.Chart()) == 0 {
		t.Errorf("print: %v\n%s", err, text.String())
	}
}

func TestReadRatesFaults(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"empty":       {"", "r.csv: the table is empty; allowed: a header"},
		"blank":       {"\n\n", "r.csv: the table is empty; allowed: a header"},
		"late header": {"\n\nname,rate\n", "r.csv:3: header"},
		"quotes":      {"class,alpha,n\n\"a,1,1\n", "r.csv:"},
		"node twice":  {"class,alpha,n,n\na,1,1,1\n", `r.csv:1: column 4: node "n"; allowed: different`},
		"no node":     {"class,alpha,\na,1,1\n", `r.csv:1: column 3: node ""`},
		"class twice": {"class,alpha,n\na,1,1\na,1,1\n", `r.csv:3: class "a"; allowed: different`},
		"too large":   {"class,alpha,n\na,1,1e30\n", `r.csv:2: column 3: rate "1e30"; allowed: a number, 0 to 1e+20`},
		"header":      {"name,rate\n", "r.csv:1: header"},
		"no classes":  {"class,alpha,n\n", "no classes"},
		"all at once": {"class,alpha,n\na,x,1\nb,1\nc,1,-1\n", "r.csv:4: column 3"},
	} {
		_, err := ReadRates("r.csv", strings.NewReader(c.in))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	_, err := ReadRates("r.csv", strings.NewReader("class,alpha,n\na,x,1\nb,1\nc,1,-1\n"))
	if n := strings.Count(err.Error(), "\n"); n != 2 {
		t.Errorf("%d lines of faults, want all three: %v", n+1, err)
	}
	rates := &Rates{Classes: []string{"a", "b"}, Nodes: []string{"n"}, Alpha: []float64{1, 1}, Mu: [][]float64{{1}, {0}}}
	if _, err := FitAllocation("x", rates, "", false); err == nil || !strings.Contains(err.Error(), "class b arrives") {
		t.Errorf("a class nobody serves: %v", err)
	}
	if _, err := FitAllocation("x", rates, "cplex", false); err == nil {
		t.Error("unknown solver: no error")
	}
}

// Tables come from spreadsheets, with a byte order mark and CRLF, and packed.
func TestReadRatesForms(t *testing.T) {
	const table = "\xef\xbb\xbfclass,alpha,R1,R2\r\nC1,2.45,9,5\r\nC2,2.45,2,1\r\n"
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write([]byte(table)) //nolint:errcheck // a buffer
	z.Close()
	for name, in := range map[string]string{"plain": table, "gzip": packed.String()} {
		r, err := ReadRates("r.csv", strings.NewReader(in))
		if err != nil || len(r.Classes) != 2 || len(r.Nodes) != 2 || r.Mu[1][0] != 2 {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
}

// Two jobs of class c, 100 s apart, with 4 maps of 10 s and 2 reduces of 5 s. A
// node with 2 map slots and 1 reduce slot at speed 1 works 40/2 + 10/1 = 30 s on
// one, a node twice as fast 15 s: rates 1/30 and 1/15; alpha = 2/100.
func TestRatesOf(t *testing.T) {
	job := simcore.Job{Class: 0, Maps: 4, Reduces: 2, FirstTask: -1, MapDist: 0, ReduceDist: 1}
	later := job
	later.Submit = 100 * simcore.Second
	w := &simcore.Workload{Classes: []string{"c"}, Jobs: []simcore.Job{job, later},
		Dists: []simcore.Dist{{Kind: simcore.Constant, A: 10}, {Kind: simcore.Constant, A: 5}}}
	c := &simcore.Cluster{Nodes: []simcore.Node{{Name: "slow", Slots: simcore.Vec{2, 1}}, {Name: "fast", Slots: simcore.Vec{2, 1}, Speed: 2}, {Name: "yarn", Capacity: simcore.Vec{2048, 9}}}}
	r, err := RatesOf(w, c, func(int) string { return "c" })
	if err != nil {
		t.Fatal(err)
	}
	// The third node holds two containers of 1024 MiB: 40/2 + 10/2 = 25 s.
	for n, want := range []float64{1.0 / 30, 1.0 / 15, 1.0 / 25} {
		if math.Abs(r.Mu[0][n]-want) > 1e-12 {
			t.Errorf("rate on %s: %v, want %v", r.Nodes[n], r.Mu[0][n], want)
		}
	}
	if math.Abs(r.Alpha[0]-0.02) > 1e-15 {
		t.Errorf("alpha %v, want 0.02", r.Alpha[0])
	}
	if _, err := RatesOf(&simcore.Workload{}, c, nil); err == nil {
		t.Error("no jobs: no error")
	}
}

// Samples of known laws are recognised: the family with the smallest distance
// on values it was not fitted to, with parameters near the true ones (five
// standard errors).
func TestFitDist(t *testing.T) {
	const seed, n = 61, 2000
	r := rand.New(rand.NewPCG(seed, 0))
	draw := func(f func() float64) []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = f()
		}
		return v
	}
	e := fitDist(draw(func() float64 { return 3 * r.ExpFloat64() }))
	if e.Family != "exponential" || math.Abs(e.A-3) > 5*3/math.Sqrt(n) {
		t.Errorf("exponential of mean 3: %+v", e)
	}
	l := fitDist(draw(func() float64 { return math.Exp(2 + 0.5*r.NormFloat64()) }))
	if l.Family != "lognormal" || math.Abs(l.A-2) > 5*0.5/math.Sqrt(n) || math.Abs(l.B-0.5) > 5*0.5/math.Sqrt(2*n) {
		t.Errorf("lognormal (2, 0.5): %+v", l)
	}
	two := fitDist(draw(func() float64 { return []float64{1, 50}[r.IntN(2)] + 0.1*r.Float64() }))
	if two.Family != "empirical" || two.HeldOut > 0.12 {
		t.Errorf("two peaks: %+v, want empirical quantiles", two)
	}
	seconds := fitDist(draw(func() float64 { return []float64{10, 10, 10, 60}[r.IntN(4)] }))
	if seconds.Family != "empirical" || seconds.HeldOut > 0.12 {
		t.Errorf("two values, 10 and 60: %+v, want empirical quantiles", seconds)
	}
	if c := fitDist([]float64{5, 5, 5.01}); c.Family != "constant" || c.A != 5 || c.text() != "constant 5" {
		t.Errorf("nearly constant: %+v", c)
	}
}

// Kolmogorov-Smirnov by hand: {1, 2} against {1.5, 3}: after 1 the shares are
// 1/2 and 0, after 2 they are 1 and 1/2: distance 1/2. {1, 3} against the
// uniform law on [0, 4]: at 1 the law has 1/4 (between 0 and 1/2), at 3 it has
// 3/4 (between 1/2 and 1): distance 1/4.
func TestKS(t *testing.T) {
	if d := ks2([]float64{2, 1}, []float64{3, 1.5}); d != 0.5 {
		t.Errorf("two samples: %v, want 0.5", d)
	}
	if d := ks2([]float64{1, 1, 2}, []float64{1, 1, 2}); d != 0 {
		t.Errorf("equal samples with ties: %v, want 0", d)
	}
	if d := ksCDF([]float64{1, 3}, func(x float64) float64 { return x / 4 }); d != 0.25 {
		t.Errorf("against a law: %v, want 0.25", d)
	}
	// Whole seconds: three values of 10 and one of 20 against themselves. The
	// quantiles are 10 up to 2/3, so that the law has a step there.
	steps := empirical([]float64{10, 10, 10, 20})
	if p := steps.cdf(10); p < 0.6 || p > 0.75 {
		t.Errorf("law at its step: %v, want about 2/3", p)
	}
	if d := ksCDF([]float64{10, 10, 10, 20}, steps.cdf); d > 0.25 {
		t.Errorf("against its own quantiles: %v, want at most 0.25", d)
	}
	d := empirical([]float64{1, 2, 3, 4, 5})
	for _, x := range []float64{0, 1, 1.5, 3, 4.9, 5, 9} {
		if p := d.cdf(x); math.Abs(p-math.Max(0, math.Min(1, (x-1)/4))) > 1e-12 {
			t.Errorf("empirical law at %v: %v, want %v", x, p, (x-1)/4)
		}
	}
}

// FuzzReadRates: no table may panic, and what reads must be solvable or
// refused.
func FuzzReadRates(f *testing.F) {
	f.Add([]byte("class,alpha,R1,R2\nC1,2.45,9,5\nC2,2.45,2,1\n"))
	f.Add([]byte("class,alpha,n\na,\"1\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := ReadRates("x", bytes.NewReader(b))
		if err != nil || len(r.Classes)*len(r.Nodes) > 400 {
			return
		}
		if a, err := FitAllocation("x", r, "", false); err == nil {
			a.Print(&bytes.Buffer{}) //nolint:errcheck // only surviving counts
			_ = fmt.Sprint(a)
		}
	})
}
