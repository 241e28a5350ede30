package models

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math"
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
	r, err := FitAllocation("r.csv", rates, "")
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(r.Lambda-50.0/49) > 1e-12 || !r.Proven || !slices.Equal(r.Nodes[0].Suggested, []string{"C2"}) ||
		!slices.Equal(r.Nodes[1].Suggested, []string{"C1", "C2"}) {
		t.Errorf("%+v", r)
	}
	table, err := r.WriteCSV()
	if err != nil || string(table) != "node,C1,C2\nR1,0,1\nR2,0.5,0.5\n" {
		t.Errorf("table %q, %v", table, err)
	}
	var text bytes.Buffer
	if err := r.Print(&text); err != nil || !strings.Contains(text.String(), "lambda 1.02041") {
		t.Errorf("print: %v\n%s", err, text.String())
	}
}

func TestReadRatesFaults(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"empty":       {"", "r.csv: the table is empty: must have a header"},
		"blank":       {"\n\n", "r.csv: the table is empty: must have a header"},
		"late header": {"\n\nname,rate\n", "r.csv:3: header"},
		"quotes":      {"class,alpha,n\n\"a,1,1\n", "r.csv:"},
		"node twice":  {"class,alpha,n,n\na,1,1,1\n", `r.csv:1: column 4: node "n": must be a unique name`},
		"no node":     {"class,alpha,\na,1,1\n", `r.csv:1: column 3: node ""`},
		"class twice": {"class,alpha,n\na,1,1\na,1,1\n", `r.csv:3: class "a": must be different`},
		"too large":   {"class,alpha,n\na,1,1e30\n", `r.csv:2: column 3: rate "1e30": must be a number, 0 to 1e+20`},
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
	if _, err := FitAllocation("x", rates, ""); err == nil || !strings.Contains(err.Error(), "class b arrives") {
		t.Errorf("a class nobody serves: %v", err)
	}
	if _, err := FitAllocation("x", rates, "cplex"); err == nil {
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
	c := &simcore.Cluster{Nodes: []simcore.Node{{Name: "slow", Slots: simcore.Vec{2, 1}},
		{Name: "fast", Slots: simcore.Vec{2, 1}, Speed: 2}, {Name: "yarn", Capacity: simcore.Vec{2048, 9}}}}
	r, err := RatesOf(w, c, func(int) string { return "c" }, nil)
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
	if _, err := RatesOf(&simcore.Workload{}, c, nil, nil); err == nil {
		t.Error("no jobs: no error")
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
		if a, err := FitAllocation("x", r, ""); err == nil {
			a.Print(&bytes.Buffer{}) //nolint:errcheck // only surviving counts
			_ = fmt.Sprint(a)
		}
	})
}
