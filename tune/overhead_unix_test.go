//go:build unix

package tune

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"
)

// The search's own processor time per run, log included, is below a tenth of a run that takes 3 ms on a machine that
// sorts 20,000 numbers in 1.5 ms, where models learn from the objective alone: a Composite costs more
// (bench/tried.md). Until one search served all budgets, races without a model kept long studies below a twentieth.
// A simulation of 19 jobs takes longer. Processor time, the best of five, and a reference in the same run, because the
// machine may be slow or busy with other things.
func TestOverheadBelowATenth(t *testing.T) {
	if testing.Short() {
		t.Skip("measures processor time; the race detector multiplies it")
	}
	p := plain(t, 20)
	for _, budget := range []int{150, 1000} { // a short study and a long one
		best, sorting := time.Hour, time.Hour
		for range 5 {
			best = min(best, overhead(t, p, budget, 1000/budget))
			sorting = min(sorting, reference(t))
		}
		t.Logf("%v per run with 20 parameters and %d runs; sorting takes %v", best, budget, sorting)
		if most := sorting / 5; best > most {
			t.Errorf("%d runs: %v per run; want at most %v, a fifth of the time that sorting takes", budget, best, most)
		}
	}
}

// reference is the processor time of sorting 20,000 numbers.
func reference(t *testing.T) time.Duration {
	r := rand.New(rand.NewPCG(1, 2))
	x := make([]float64, 20000)
	for i := range x {
		x[i] = r.Float64()
	}
	before := cpu(t)
	slices.Sort(x)
	return cpu(t) - before
}

// overhead is the processor time per run of a few studies.
func overhead(t *testing.T, p Problem, budget, studies int) time.Duration {
	t.Helper()
	runs, spent := 0, time.Duration(0)
	for k := range studies {
		l, err := OpenLog(filepath.Join(t.TempDir(), "log"))
		if err != nil {
			t.Fatal(err)
		}
		before := cpu(t)
		r, err := Search(context.Background(), p, Options{Budget: budget, Seed: uint64(k), Log: l})
		if err != nil {
			t.Fatal(err)
		}
		spent += cpu(t) - before
		runs += r.Runs
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return spent / time.Duration(runs)
}

func cpu(t *testing.T) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
