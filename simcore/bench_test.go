package simcore_test

import (
	"fmt"
	"testing"
	"time"

	"schedtune/simcore"
	"schedtune/simcore/schedtest"
)

// BenchmarkFIFO runs a synthetic FB-2010-sized day (24,442 jobs, 8.3 M tasks)
// on slots. The metric tree-updates/task is the cost of a task in bare updates
// of a winner tree of the same number of leaves, measured in the same run.
func BenchmarkFIFO(b *testing.B) {
	day := schedtest.FacebookDay(1, 24442, 8300000)
	tasks := schedtest.Tasks(day)
	for _, nodes := range []int{100, 1000, 16000} {
		b.Run(fmt.Sprintf("nodes=%d", nodes), func(b *testing.B) {
			b.ReportAllocs()
			c := schedtest.Uniform(nodes, 40, simcore.Vec{4, 2})
			sim := simcore.NewSim()
			for b.Loop() {
				if _, err := sim.Run(simcore.Config{DurationConfig: simcore.DurationConfig{Model: simcore.Sampled, Seed: 1}},
					c, day, &schedtest.FIFO{Slowstart: 0.05}); err != nil {
					b.Fatal(err)
				}
			}
			perTask := b.Elapsed().Seconds() / float64(b.N*tasks)
			b.ReportMetric(1/perTask, "tasks/s")
			b.ReportMetric(perTask/bareUpdate(nodes*6), "tree-updates/task")
		})
	}
}

// bareUpdate measures one pop-and-set of a tree of n leaves, in seconds.
func bareUpdate(n int) float64 {
	tree := simcore.NewTree(n)
	x := uint64(1)
	step := func() simcore.Time {
		x = x*6364136223846793005 + 1442695040888963407
		return simcore.Time(x >> 40)
	}
	for i := range n {
		tree.Set(int32(i), step())
	}
	const rounds = 2000000
	start := time.Now()
	for range rounds {
		leaf, at, _ := tree.Next()
		tree.Set(leaf, at+step())
	}
	return time.Since(start).Seconds() / rounds
}

// BenchmarkShuffle runs a tenth of the day with the resource model: HDFS
// placement, shared disks, NICs, uplinks and cores, and a shuffle.
func BenchmarkShuffle(b *testing.B) {
	day := schedtest.FacebookDay(1, 2444, 830000)
	tasks := schedtest.Tasks(day)
	for _, nodes := range []int{100, 1000, 16000} {
		b.Run(fmt.Sprintf("nodes=%d", nodes), func(b *testing.B) {
			b.ReportAllocs()
			c := schedtest.Uniform(nodes, 40, simcore.Vec{4, 2})
			c.UplinkRate = 1.25e9
			sim := simcore.NewSim()
			for b.Loop() {
				cfg := simcore.Config{
					DurationConfig: simcore.DurationConfig{Model: simcore.Resources, Seed: 1},
					Launch:         simcore.Second, Replication: 3,
				}
				if _, err := sim.Run(cfg, c, day, &schedtest.FIFO{Slowstart: 0.05}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N*tasks)/b.Elapsed().Seconds(), "tasks/s")
		})
	}
}
