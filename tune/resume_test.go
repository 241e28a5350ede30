package tune

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// logged runs a study with a log and returns the log's bytes and the result as
// JSON.
func logged(t *testing.T, p Problem, o Options, path string) ([]byte, []byte) {
	t.Helper()
	l, err := OpenLog(path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	o.Log = l
	r, err := Search(context.Background(), p, o)
	if err != nil {
		t.Fatal(err)
	}
	res, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data, res
}

// A study whose log is cut anywhere, in the middle of a line too, continues to
// the identical log and result.
func TestResumeIsBitEqual(t *testing.T) {
	for _, name := range []string{"cmaes", "ga", "de", "sobol"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			o := Options{Method: name, Seed: 3, Budget: 300}
			log, res := logged(t, bowl(0.2), o, filepath.Join(dir, "full"))
			r := rand.New(rand.NewPCG(1, 1))
			for k := range 8 {
				path := filepath.Join(dir, "cut")
				cut := r.IntN(len(log) + 1)
				if err := os.WriteFile(path, log[:cut], 0o644); err != nil {
					t.Fatal(err)
				}
				again, res2 := logged(t, bowl(0.2), o, path)
				if !bytes.Equal(log, again) || !bytes.Equal(res, res2) {
					t.Fatalf("cut %d at byte %d of %d: another study", k, cut, len(log))
				}
			}
		})
	}
}

// Cancelling returns the best so far without error, and what was logged
// continues to the identical study.
func TestCancelAndContinue(t *testing.T) {
	dir := t.TempDir()
	o := Options{Seed: 5, Budget: 300}
	log, _ := logged(t, bowl(0.2), o, filepath.Join(dir, "full"))
	path := filepath.Join(dir, "cancelled")
	l, err := OpenLog(path)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	o.Log, o.Progress = l, func(p Progress) {
		if p.Runs == 61 {
			cancel()
		}
	}
	r, err := Search(ctx, bowl(0.2), o)
	if err != nil || r.Status != Cancelled || r.Decision.Recommended || len(r.Best.Settings) == 0 {
		t.Fatalf("%v, %+v", err, r)
	}
	l.Close()
	o.Progress = nil
	again, _ := logged(t, bowl(0.2), o, path)
	if !bytes.Equal(log, again) {
		t.Error("continued after cancelling: another study")
	}
}

func TestWorkersChangeNothing(t *testing.T) {
	var log, res []byte
	for _, workers := range []int{1, 2, 8} {
		p := bowl(0.2)
		p.Evaluator = Pool(workers, func(_ context.Context, it Item) Outcome {
			time.Sleep(time.Duration(it.Seed%7) * 20 * time.Microsecond) // finish out of order
			return bowlRun(it, 0.2)
		})
		l, r := logged(t, p, Options{Seed: 2, Budget: 300}, filepath.Join(t.TempDir(), "log"))
		if log != nil && (!bytes.Equal(l, log) || !bytes.Equal(r, res)) {
			t.Errorf("%d workers: another study", workers)
		}
		log, res = l, r
	}
}

// A study bounded by time logs when the clock stopped it; a resumed one obeys
// the log and not its own clock.
func TestTimeBudgetReplays(t *testing.T) {
	dir := t.TempDir()
	ticks := 0
	clock := func() time.Duration { ticks++; return time.Duration(ticks) * time.Second }
	o := Options{Seed: 4, TimeBudget: 40 * time.Second, Clock: clock}
	log, res := logged(t, bowl(0.2), o, filepath.Join(dir, "full"))
	o.Clock = func() time.Duration { return 0 }
	for _, cut := range []int{len(log), len(log) - 1, len(log) * 99 / 100} {
		path := filepath.Join(dir, "again")
		if err := os.WriteFile(path, log[:cut], 0o644); err != nil {
			t.Fatal(err)
		}
		again, res2 := logged(t, bowl(0.2), o, path)
		if !bytes.Equal(log, again) || !bytes.Equal(res, res2) {
			t.Errorf("cut at %d of %d: another study", cut, len(log))
		}
	}
}

// A longer time budget continues where the shorter one stopped: apart from the
// header their logs are equal up to the decision to stop.
func TestTimeBudgetIsAPrefix(t *testing.T) {
	lines := func(budget time.Duration) []string {
		ticks := 0
		o := Options{Seed: 4, TimeBudget: budget, Patience: 10000, Clock: func() time.Duration {
			ticks++
			return time.Duration(ticks) * time.Second
		}}
		log, _ := logged(t, bowl(0.2), o, filepath.Join(t.TempDir(), "log"))
		return strings.Split(string(log), "\n")
	}
	a, b := lines(20*time.Second), lines(60*time.Second)
	k := 1
	for k < len(a) && a[k] == b[k] {
		k++
	}
	if k == len(a) || !strings.Contains(a[k], `"decision":"go-on"`) || !strings.Contains(b[k], `"value":0`) || k < 100 {
		t.Errorf("logs part at line %d: %s", k+1, short(a[min(k, len(a)-1)]))
	}
}

func TestForeignLogIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	logged(t, bowl(0.2), Options{Seed: 1, Budget: 60}, path)
	l, err := OpenLog(path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, err = Search(context.Background(), bowl(0.2), Options{Seed: 2, Budget: 60, Log: l})
	var le *LogError
	if !errors.As(err, &le) || le.Line != 1 {
		t.Errorf("another seed on the same log: %v", err)
	}
}

// Two processes that share only the log make the same study: one asks, the
// other tells.
func TestPlanAndCollect(t *testing.T) {
	dir := t.TempDir()
	o := Options{Seed: 6, Budget: 120}
	want, _ := logged(t, bowl(0.2), o, filepath.Join(dir, "whole"))
	path := filepath.Join(dir, "parts")
	for range 1000 {
		l, err := OpenLog(path)
		if err != nil {
			t.Fatal(err)
		}
		o.Log = l
		s, err := NewStudy(bowl(0.2), o)
		if err != nil {
			t.Fatal(err)
		}
		items, err := s.Ask()
		if err != nil {
			t.Fatal(err)
		}
		for _, it := range items {
			if err := s.Tell(bowlRun(it, 0.2)); err != nil {
				t.Fatal(err)
			}
		}
		s.Close()
		l.Close()
		if items == nil {
			break
		}
	}
	got, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("planned in parts: another study (%v)", err)
	}
}

func FuzzLog(f *testing.F) {
	f.Add([]byte("{\"schema\":\"schedtune/trials/v1\"}\n{"))
	f.Add([]byte("\n\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "log")
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		l, err := OpenLog(path)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		// Any content either is a prefix of the study's log or is refused.
		_, err = Search(context.Background(), bowl(0.2), Options{Budget: 20, Log: l})
		var le *LogError
		if err != nil && !errors.As(err, &le) {
			t.Fatal(err)
		}
	})
}
