//go:build clp

package lp

import (
	"math"
	"os"
	"os/exec"
	"testing"
)

// TestMain gives CLP to the tests that run every solver, and is the program
// that TestNoInputAborts runs.
func TestMain(m *testing.M) {
	if os.Getenv("LP_ABORT_CHILD") != "" {
		abortChild()
		return
	}
	solvers["clp"] = CLP{}
	os.Exit(m.Run())
}

// abortChild hands CLP everything that is known to end its process.
func abortChild() {
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e25, -1e30, math.MaxFloat64} {
		for _, spoil := range []func(p *Problem){
			func(p *Problem) { p.Cost[0] = v },
			func(p *Problem) { p.Value[0] = v },
			func(p *Problem) { p.Lower[0] = v },
			func(p *Problem) { p.Upper[0] = v },
			func(p *Problem) { p.RowLower[0] = v },
			func(p *Problem) { p.RowUpper[0] = v },
		} {
			p := dense([]float64{1, 1}, [][]float64{{1, 1}}, []float64{0}, []float64{1}, nil, nil)
			spoil(p)
			CLP{}.Solve(p) //nolint:errcheck // only surviving counts
		}
	}
}

// CLP ends the whole process on costs such as 1e25, which no recover catches:
// a child process must survive all of them.
func TestNoInputAborts(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), "LP_ABORT_CHILD=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("the child ended with %v: %s", err, out)
	}
}
