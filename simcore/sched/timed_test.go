package sched

import (
	"testing"
	"time"

	"schedtune/datasets"
	"schedtune/simcore/mr1"
)

// The heartbeats of nodes with a free slot are counted as they are where all of them are
// simulated.
func TestFreeBeatsAreThoseOfAllHeartbeats(t *testing.T) {
	set, err := datasets.Load("omo-terasort-1")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"fifo", "fair"} {
		spec, err := Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		s, err := spec.New(Options{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		now := time.Duration(0)
		timed := Time(s, func() time.Duration { now++; return now })
		cfg := set.Config
		cfg.Seed, cfg.EveryBeat = 1, true
		r, err := mr1.NewSim().Run(cfg, set.Cluster, set.Workload, timed.Scheduler())
		if err != nil {
			t.Fatal(err)
		}
		free, beats := timed.FreeBeats(), timed.beats
		if free < 1 || beats < free*8/10 {
			t.Errorf("%s: %d heartbeats with a free slot counted, %d simulated up to the last pick of %v s", name, free, beats, r.End.Seconds())
		}
		if most := int64(r.End/timed.period+1) * int64(len(set.Cluster.Nodes)); free > most {
			t.Errorf("%s: %d heartbeats with a free slot, nodes sent %d", name, free, most)
		}
	}
}
