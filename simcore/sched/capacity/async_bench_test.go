package capacity

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"schedtune/internal/text"
	"schedtune/simcore/yarn"
)

// rounds fills the fleet's nodes by rounds, each proposal committed at once, as
// the judge's bench-async does.
func (f *fleet) rounds() (containers int) {
	for start := 0; ; start = (start + 7) % f.nodes {
		f.events = f.s.Round(start, 0, nil, f.events[:0])
		if len(f.events) == 0 {
			return containers
		}
		containers += len(f.events)
	}
}

// restart is start for a scheduler that works asynchronously.
func (f *fleet) restart(tb testing.TB) {
	if f.s == nil {
		c := f.conf(tb)
		c.Asynchronous, c.Async.MaxBacklog = true, 1000000
		s, err := New(c)
		if err != nil {
			tb.Fatal(err)
		}
		s.ByRounds()
		f.s = s
	}
	f.start(tb)
	f.rounds() // masters; the asks came too early
	f.ask()
}

// BenchmarkRounds is BenchmarkCapacity with asynchronous scheduling.
func BenchmarkRounds(b *testing.B) {
	for _, n := range []int{100, 1000, 4000} {
		b.Run(fmt.Sprintf("nodes=%d", n), func(b *testing.B) {
			f := &fleet{nodes: n, leaves: 50, apps: 500, perNode: 100}
			b.ReportAllocs()
			containers := 0
			var spent time.Duration
			cpu := 0.0
			for b.Loop() {
				b.StopTimer()
				f.restart(b)
				b.StartTimer()
				t, c := time.Now(), text.Seconds()
				containers += f.rounds()
				spent += time.Since(t)
				cpu += text.Seconds() - c
			}
			b.ReportMetric(float64(containers)/spent.Seconds(), "containers/s")
			if cpu > 0 {
				b.ReportMetric(float64(containers)/cpu, "containers/cpu-s")
			}
		})
	}
}

// TestRoundsAllocateNothing: in steady state rounds and commits need no memory.
func TestRoundsAllocateNothing(t *testing.T) {
	f := &fleet{nodes: 50, leaves: 10, apps: 100, perNode: 20}
	f.restart(t)
	f.rounds()
	var done []yarn.Container
	cycle := func() {
		for n := range f.nodes {
			done = done[:0]
			for _, c := range f.onNode(n) {
				if !c.am {
					done = append(done, yarn.Container{App: c.app.id, Ordinal: c.ordinal})
				}
			}
			f.events = f.s.Beat(yarn.NodeID(n), done, f.events[:0])
		}
		f.ask()
		for f.events = f.s.Round(3, 5, nil, f.events[:0]); len(f.events) > 0; f.events = f.s.Round(3, 5, nil, f.events[:0]) {
			f.events = f.s.Commit(0, f.events[:0])
		}
	}
	for range 50 {
		cycle() // lists of ordinals grow by doubling: leave room
	}
	for _, a := range f.s.apps {
		a.handles = slices.Grow(a.handles, 4*len(a.handles)+1000)
	}
	if n := testing.AllocsPerRun(20, cycle); n > 0 {
		t.Errorf("%v allocations in a cycle over 50 nodes, want 0", n)
	}
}
