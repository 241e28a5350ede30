package sched_test

import (
	"testing"

	"schedtune/datasets"
	"schedtune/simcore/mr1"
	"schedtune/simcore/sched"
)

// BenchmarkSchedulers runs the default workload (88 jobs, 5690 tasks, 20
// nodes) under every scheduler: what a decision costs with the kernel around
// it.
func BenchmarkSchedulers(b *testing.B) {
	set, err := datasets.Load("default-1")
	if err != nil {
		b.Fatal(err)
	}
	for _, e := range slotSchedulers() {
		b.Run("scheduler="+e.Name, func(b *testing.B) {
			b.ReportAllocs()
			sim := mr1.NewSim()
			tasks := 0
			for b.Loop() {
				s, err := sched.New(e.Name, sched.Options{Seed: 1})
				if err != nil {
					b.Fatal(err)
				}
				r, err := sim.Run(mr1.Config{Pool: e.Pool, TrackOutput: true}, set.Cluster, set.Workload, s)
				if err != nil {
					b.Fatal(err)
				}
				tasks += int(r.Launches)
			}
			b.ReportMetric(float64(tasks)/b.Elapsed().Seconds(), "tasks/s")
		})
	}
}
