//go:build unix

package tune

import (
	"context"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// The search's own processor time per run, log included, is below 5 % of a
// 1 ms run. Processor time and the best of five, because the machine may be
// busy with other things.
func TestOverheadBelowFivePercent(t *testing.T) {
	if testing.Short() {
		t.Skip("measures processor time; the race detector multiplies it")
	}
	p := plain(t, 20)
	best := time.Hour
	for range 5 {
		l, err := OpenLog(filepath.Join(t.TempDir(), "log"))
		if err != nil {
			t.Fatal(err)
		}
		before := cpu(t)
		r, err := Search(context.Background(), p, Options{Budget: 1000, Patience: -1, Log: l})
		if err != nil {
			t.Fatal(err)
		}
		best = min(best, (cpu(t)-before)/time.Duration(r.Runs))
		l.Close()
	}
	t.Logf("%v per run with 20 parameters", best)
	if best > 50*time.Microsecond {
		t.Errorf("%v per run; 50 µs are 5 %% of 1 ms", best)
	}
}

func cpu(t *testing.T) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
