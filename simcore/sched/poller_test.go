package sched

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"schedtune/simcore"
	"schedtune/simcore/mr1"
)

// awake is the scheduler whose poller wakes up every interval.
type awake struct{ *capacityMR1 }

// Sleeps overrides the scheduler's.
func (awake) Sleeps() bool { return false }

// Wake-ups of the poller that do nothing are left out: every event is the same as with all of them,
// also where jobs come and end at the instants of wake-ups, wait for the limits on initialised jobs,
// and take a worker thread's time.
func TestPollerThatSleeps(t *testing.T) {
	for seed := range uint64(30) {
		draw := rand.New(rand.NewPCG(seed, 1))
		var jobs []simcore.Job
		submit := simcore.Time(0)
		for range 1 + draw.IntN(12) {
			submit += simcore.Time(draw.IntN(4)) * simcore.Time(draw.IntN(20)) * 500 * simcore.Millisecond
			j := job(int32(draw.IntN(2)), int32(draw.IntN(3)), int32(1+draw.IntN(9)))
			j.Submit = submit
			jobs = append(jobs, j)
		}
		run := func(sleeps bool) (events []string) {
			m := NewMR1([]string{"a", "b"}, []float64{50, 50})
			m.InitPollInterval, m.MaxSystemJobs = 500*(1+int(seed)%9), 2+int(seed)%5
			s, err := New(fmt.Sprintf("capacity-mr1:init-time=%d", seed%3), Options{MR1: m})
			if err != nil {
				t.Fatal(err)
			}
			if !sleeps {
				s = awake{s.(*capacityMR1)}
			}
			cfg := mr1.Config{DurationConfig: simcore.DurationConfig{Model: simcore.Sampled, Seed: seed},
				Trace: func(at simcore.Time, e mr1.Event) { events = append(events, fmt.Sprint(at, e)) }}
			if _, err := mr1.Run(cfg, slots(2), oneKind([]string{"a", "b"}, append([]simcore.Job{}, jobs...)), s); err != nil {
				t.Fatal(err)
			}
			return events
		}
		got, want := run(true), run(false)
		if len(got) != len(want) {
			t.Fatalf("seed %d: %d events, want %d", seed, len(got), len(want))
		}
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("seed %d, event %d: got %s, want %s", seed, i, got[i], want[i])
			}
		}
	}
}
