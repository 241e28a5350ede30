package sched

import (
	"testing"

	"schedtune/datasets"
	"schedtune/simcore"
	"schedtune/simcore/mr1"
)

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
