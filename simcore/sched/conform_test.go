package sched_test

import (
	"testing"

	"schedtune/simcore"
	"schedtune/simcore/mr1"
	"schedtune/simcore/sched"
	"schedtune/simcore/schedtest"
)

// TestConformance runs the kit on every scheduler of the table, and on those
// whose switches change how they decide.
func TestConformance(t *testing.T) {
	specs := []string{
		"native:limit=2", "fair:pool=queue,jobs=fifo", "fair:total=true,first=reduce", "delay:inner=fifo",
		"capacity-mr1:minimum-user-limit-percent=25,supports-priority=true,init-time=3", "coshh:error=40,place=false",
		"coshh:estimates=history,charge=1",
		"learning:classifier=perceptron,utility=fcfs", "omo:lazy=false", "omo:batch=false",
		"coupling:wait=false", "coupling:mismatch=false,peek=false", "coupling:sample=3",
	}
	for _, e := range slotSchedulers() {
		specs = append(specs, e.Name)
	}
	for _, spec := range specs {
		t.Run(spec, func(t *testing.T) {
			s, err := sched.Parse(spec)
			if err != nil {
				t.Fatal(err)
			}
			schedtest.Conform(t, schedtest.Kit{
				New: func(seed uint64, _ *simcore.Cluster, w *simcore.Workload) (mr1.Scheduler, error) {
					// Every third user has a minimum share, every other weight 2.
					var grants []simcore.UserShare
					for u := range w.Users {
						grants = append(grants, simcore.UserShare{MinShare: int32((u % 3) / 2 * 2), Weight: float64(1 + u%2)})
					}
					return s.New(sched.Options{Seed: seed, Grants: grants})
				},
				Pool:          s.Entry.Pool,
				Configure:     func(c *mr1.Config) { c.TrackOutput = true },
				AllocsPerTask: allocations[spec],
				Seeds:         2,
			})
		})
	}
}

// allocations are how many a launched task may cause where it is not none: those
// of lists that a scheduler builds for every decision.
var allocations = map[string]float64{"coupling": 24, "coupling:sample=3": 24, "coshh": 1,
	"coshh:estimates=history,charge=1": 1, "delay:inner=fifo": 4}

// slotSchedulers are the rows of the table that run on Hadoop 1.
func slotSchedulers() []sched.Entry {
	var out []sched.Entry
	for _, e := range sched.Table() {
		if e.Runtime == sched.MR1 {
			out = append(out, e)
		}
	}
	return out
}
