package sched

import (
	"testing"
	"time"

	"schedtune/datasets"
	"schedtune/simcore"
	"schedtune/simcore/mr1"
)

// slotScheduler makes the scheduler of a spec for a run with seed 1.
func slotScheduler(t *testing.T, spec string) mr1.Scheduler {
	t.Helper()
	p, err := Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	s, err := p.New(Options{Seed: 1})
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
		s := slotScheduler(t, name)
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

// looks checks at every heartbeat how many jobs a decision looks at: FIFO at those that
// wait, Fair at all to count them and at those that wait to compare them.
type looks struct {
	*fair
	t     *testing.T
	fifo  fifo
	beats int
}

func (l *looks) Pick(v *mr1.View, n simcore.NodeID) (simcore.Task, bool) {
	l.beats++
	jobs, waiting := int64(0), int64(0)
	for range v.Jobs() {
		jobs++
	}
	for range v.Waiting(simcore.Map) {
		waiting++
	}
	before := l.Operations()
	l.next(v, simcore.Map)
	if got := l.Operations() - before; got != jobs+waiting {
		l.t.Fatalf("fair: %d operations with %d jobs of which %d wait", got, jobs, waiting)
	}
	before = l.fifo.Operations()
	l.fifo.first(v, simcore.Map, 1)
	if got := l.fifo.Operations() - before; got != waiting {
		l.t.Fatalf("fifo: %d operations with %d jobs that wait", got, waiting)
	}
	return l.fair.Pick(v, n)
}

func TestOperationsAreTheJobsLookedAt(t *testing.T) {
	set, err := datasets.Load("omo-terasort-3")
	if err != nil {
		t.Fatal(err)
	}
	l := &looks{fair: makeFair(Options{}, Values{"pool": "job", "jobs": "fair", "slowstart": "0.5"}), t: t}
	if _, err := mr1.NewSim().Run(set.Config, set.Cluster, set.Workload, l); err != nil {
		t.Fatal(err)
	}
	if l.beats == 0 || l.Operations() == 0 {
		t.Errorf("%d heartbeats, %d operations", l.beats, l.Operations())
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
		c := Count(s)
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
