package tune

import (
	"runtime"
	"testing"
	"time"
)

// What a study holds does not grow with its runs once it is full: old
// configurations are dropped, and the study still ends well.
func TestMemoryIsBounded(t *testing.T) {
	if !long() {
		t.Skip("long: set SCHEDTUNE_LONG=1")
	}
	p := plain(t, 5)
	s, err := NewStudy(p, Options{Method: "random", Budget: 150_000, Off: PartAblation})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for {
		items, err := s.Ask()
		if err != nil {
			t.Fatal(err)
		}
		if items == nil {
			break
		}
		for _, it := range items {
			if err := s.Tell(Outcome{Metrics: map[string]float64{"cost": 1 + value(it, "x0")}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if n := len(s.d.led.byKey); n > maxTrials+1000 {
		t.Errorf("%d configurations are held", n)
	}
	if r := s.Result(); r.Trials < 100_000 || !r.Decision.Recommended {
		t.Errorf("%d trials, proven %v", r.Trials, r.Decision.Recommended)
	}
}

// A closed study leaves no goroutine behind, wherever it was stopped.
func TestCloseLeavesNothing(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, sampler := range []string{"cmaes", "de", "pso"} {
		for _, batches := range []int{0, 1, 3} {
			s, err := NewStudy(bowl(0.1), Options{Method: sampler, Budget: 200})
			if err != nil {
				t.Fatal(err)
			}
			for range batches {
				items, err := s.Ask()
				if err != nil {
					t.Fatal(err)
				}
				for _, it := range items {
					if err := s.Tell(bowlRun(it, 0.1)); err != nil {
						t.Fatal(err)
					}
				}
			}
			s.Close()
			s.Close()
		}
	}
	for range 6000 { // half a minute: on a loaded machine they end late
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Errorf("%d goroutines before, %d after", before, runtime.NumGoroutine())
}
