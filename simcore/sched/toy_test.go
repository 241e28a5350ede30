package sched

import (
	"testing"

	"schedtune/simcore"
	"schedtune/simcore/mr1"
	"schedtune/simcore/schedtest"
)

// The three steps of CONTRIBUTING, tried: the type with its one method, the
// row of the table, and the conformance kit.

// Step 1: the newest job first.
type newest struct{ slowstart float64 }

func (s *newest) Pick(v *mr1.View, n simcore.NodeID) (simcore.Task, bool) {
	for _, k := range kinds {
		best := simcore.JobID(simcore.None)
		for j := range v.Waiting(k) {
			if due(v, j, k, s.slowstart) {
				best = j
			}
		}
		if best != simcore.None && v.Free(n, k) > 0 {
			return anyTask(best, k), true
		}
	}
	return simcore.Task{}, false
}

// Step 2: its row.
var newestRow = Entry{Name: "newest", Help: "the newest job first", Source: "a test",
	Params: []Param{{Name: "slowstart", Default: "0.05", Max: 1}},
	build:  func(_ Options, p Values) (mr1.Scheduler, error) { return &newest{p.float("slowstart")}, nil }}

// Step 3: the kit.
func TestAddingAScheduler(t *testing.T) {
	spec := &Spec{Entry: &newestRow, Values: Values{"slowstart": "0.05"}}
	if spec.String() != "newest" {
		t.Errorf("spec reads %q", spec)
	}
	schedtest.Conform(t, schedtest.Kit{
		New: func(seed uint64, _ *simcore.Cluster, _ *simcore.Workload) (mr1.Scheduler, error) {
			return spec.New(Options{Seed: seed})
		},
		Seeds: 1,
	})
}
