package mr1_test

import (
	"fmt"
	"testing"

	"schedtune/internal/text"
	"schedtune/simcore"
	"schedtune/simcore/mr1"
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
			sim := mr1.NewSim()
			cpu := text.Seconds()
			for b.Loop() {
				if _, err := sim.Run(mr1.Config{DurationConfig: simcore.DurationConfig{Model: simcore.Sampled, Seed: 1}},
					c, day, &schedtest.FIFO{Slowstart: 0.05}); err != nil {
					b.Fatal(err)
				}
			}
			used := report(b, tasks, cpu)
			b.ReportMetric(used/schedtest.TreeUpdate(nodes*6), "tree-updates/task")
		})
	}
}

// report gives the speed by the clock on the wall and by processor time, and
// returns the processor seconds per task.
func report(b *testing.B, tasks int, cpu float64) float64 {
	used := (text.Seconds() - cpu) / float64(b.N*tasks)
	b.ReportMetric(float64(b.N*tasks)/b.Elapsed().Seconds(), "tasks/s")
	b.ReportMetric(used*1e9, "cpu-ns/task")
	return used
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
			sim := mr1.NewSim()
			cpu := text.Seconds()
			for b.Loop() {
				cfg := mr1.Config{
					DurationConfig: simcore.DurationConfig{Model: simcore.Resources, Seed: 1},
					Launch:         simcore.Second, Replication: 3,
				}
				if _, err := sim.Run(cfg, c, day, &schedtest.FIFO{Slowstart: 0.05}); err != nil {
					b.Fatal(err)
				}
			}
			report(b, tasks, cpu)
		})
	}
}

// BenchmarkThesisRun is one run of the thesis's case study (4.1.3): 30 nodes,
// 4 map and 4 reduce slots, 8 cores and one disk each, 100 jobs, resource
// model. The thesis needed 4 hours.
func BenchmarkThesisRun(b *testing.B) {
	b.ReportAllocs()
	w, c := thesisMix(), thesisCluster()
	sim := mr1.NewSim()
	cpu := text.Seconds()
	for b.Loop() {
		if _, err := sim.Run(thesisConfig(), c, w, &schedtest.FIFO{Slowstart: 0.05}); err != nil {
			b.Fatal(err)
		}
	}
	report(b, schedtest.Tasks(w), cpu)
}

func thesisCluster() *simcore.Cluster {
	c := schedtest.Uniform(30, 30, simcore.Vec{4, 4})
	for n := range c.Nodes {
		c.Nodes[n].Disks = 1
	}
	return c
}

func thesisConfig() mr1.Config {
	return mr1.Config{
		DurationConfig: simcore.DurationConfig{Model: simcore.Resources, Seed: 1},
		Launch:         simcore.Second, Replication: 3,
	}
}

// BenchmarkModels is the table of speed against size for the three
// duration models on one workload.
func BenchmarkModels(b *testing.B) {
	w := schedtest.FacebookDay(1, 2444, 400000)
	recorded := *w
	recorded.Jobs = append([]simcore.Job(nil), w.Jobs...)
	record(&recorded, 1)
	for _, m := range []simcore.Model{simcore.Replay, simcore.Sampled, simcore.Resources} {
		for _, nodes := range []int{100, 1000, 10000} {
			b.Run(fmt.Sprintf("model=%v/nodes=%d", m, nodes), func(b *testing.B) {
				b.ReportAllocs()
				c := schedtest.Uniform(nodes, 40, simcore.Vec{4, 2})
				sim := mr1.NewSim()
				cpu := text.Seconds()
				for b.Loop() {
					cfg := mr1.Config{DurationConfig: simcore.DurationConfig{Model: m, Seed: 1}, Replication: 3}
					if _, err := sim.Run(cfg, c, &recorded, &schedtest.FIFO{Slowstart: 0.05}); err != nil {
						b.Fatal(err)
					}
				}
				report(b, schedtest.Tasks(&recorded), cpu)
			})
		}
	}
}
