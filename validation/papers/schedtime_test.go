package papers

import (
	"testing"
	"time"

	"schedtune/datasets"
	"schedtune/simcore/mr1"
	"schedtune/simcore/sched"
)

// slotScheduler makes the scheduler of a spec for a run with seed 1.
func slotScheduler(t *testing.T, spec string) mr1.Scheduler {
	t.Helper()
	p, err := sched.Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	s, err := p.New(sched.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The heartbeats of nodes with a free slot are counted as they are where all of them are
// simulated.
func TestFreeBeatsAreThoseOfAllHeartbeats(t *testing.T) {
	set, err := datasets.Load("omo-terasort-1")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"fifo", "fair"} {
		t.Run(name, func(t *testing.T) {
			s := slotScheduler(t, name)
			now := time.Duration(0)
			timed := measureTime(s, func() time.Duration { now++; return now })
			cfg := set.Config
			cfg.Seed, cfg.EveryBeat = 1, true
			r, err := mr1.NewSim().Run(cfg, set.Cluster, set.Workload, timed.Scheduler())
			if err != nil {
				t.Fatal(err)
			}
			free, beats := timed.FreeBeats(), timed.beats
			if free < 1 || beats < free*8/10 {
				t.Errorf("%s: %d heartbeats with a free slot counted, %d simulated up to the last pick of %v s", name, free, beats,
					r.End.Seconds())
			}
			if most := int64(r.End/timed.period+1) * int64(len(set.Cluster.Nodes)); free > most {
				t.Errorf("%s: %d heartbeats with a free slot, nodes sent %d", name, free, most)
			}
		})
	}
}

// COSHH counts more than FIFO in the same run: its classification and programs come on
// top. The count is the same in every run.
func TestOperationsAreRepeated(t *testing.T) {
	set, err := datasets.Load("coshh-real")
	if err != nil {
		t.Fatal(err)
	}
	count := func(name string) time.Duration {
		s := slotScheduler(t, name)
		c := countOperations(s)
		if _, err := mr1.NewSim().Run(set.Config, set.Cluster, set.Workload, c.Scheduler()); err != nil {
			t.Fatal(err)
		}
		return c.AllBeats()
	}
	fifo, own := count("fifo"), count("coshh")
	if fifo <= 0 || own <= fifo || own != count("coshh") {
		t.Errorf("fifo %d operations, coshh %d and in a second run another number", fifo, own)
	}
}
