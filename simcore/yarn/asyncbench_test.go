package yarn_test

import (
	"fmt"
	"strings"
	"testing"

	"schedtune/internal/text"
	"schedtune/simcore"
	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

// BenchmarkAsynchronous simulates work with asynchronous scheduling at Hadoop's
// defaults and, as the reference, the same work scheduled by heartbeats. The
// executors of Spark do not divide a node, so that nodes are reserved while
// applications wait.
func BenchmarkAsynchronous(b *testing.B) {
	day := func(apps, nodes int) (*simcore.Cluster, *simcore.Workload) {
		w := sparkDay(apps)
		for j := range w.Jobs {
			w.Jobs[j].Submit /= 11 // some 70 % of the memory
		}
		return sparkCluster(nodes), w
	}
	for _, w := range []struct {
		name string
		make func() (*simcore.Cluster, *simcore.Workload)
	}{
		{"work=spark/nodes=6", func() (*simcore.Cluster, *simcore.Workload) { return day(150, 6) }},
		{"work=spark/nodes=40", func() (*simcore.Cluster, *simcore.Workload) { return day(1000, 40) }},
		{"work=mapreduce/nodes=40", func() (*simcore.Cluster, *simcore.Workload) { return crowded(40) }},
	} {
		for _, threads := range []int{0, 1, 4} {
			name := "by=heartbeats"
			if threads > 0 {
				name = fmt.Sprintf("by=rounds/threads=%d", threads)
			}
			b.Run(w.name+"/"+name, func(b *testing.B) {
				c, work := w.make()
				benchAsynchronous(b, c, work, twoQueues, threads)
			})
			b.Run(w.name+"/offered=together/"+name, func(b *testing.B) {
				c, work := w.make()
				benchAsynchronous(b, c, work, strings.Replace(twoQueues, "</configuration>", together, 1), threads)
			})
		}
	}
}

// together are the properties of placement on several nodes, sorted by usage every second.
var together = property("capacity.multi-node-placement-enabled", true) + property("capacity.multi-node-sorting.policy",
	"usage") +
	property("capacity.multi-node-sorting.policy.names", "usage") +
	property("capacity.multi-node-sorting.policy.usage.class", yarnconf.ByUsage) +
	property("capacity.multi-node-sorting.policy.usage.sorting-interval.ms", 1000) + "</configuration>"

// crowded is the size of the 19-job trace in the time in which so many nodes can
// do it, with reduces of three times the memory of maps.
func crowded(nodes int) (*simcore.Cluster, *simcore.Workload) {
	c, w := hundredNodes(), synthetic()
	c.Nodes = c.Nodes[:nodes]
	for j := range w.Jobs {
		job := &w.Jobs[j]
		job.Submit, job.Reduces, job.ReduceAsk = job.Submit/5, 20, simcore.Vec{3072, 1}
	}
	return c, w
}

// benchAsynchronous measures runs of a queue file with so many threads; none: by heartbeats.
func benchAsynchronous(b *testing.B, c *simcore.Cluster, w *simcore.Workload, queues string, threads int) {
	for j := range w.Jobs {
		w.Jobs[j].Queue = int32(j % 2)
	}
	w.Queues = []string{"root.a", "root.b"}
	conf := evaluate(b, queues)
	conf.Asynchronous = threads > 0
	conf.Async = yarnconf.Async{Interval: 5, Threads: threads, MaxBacklog: 100, SkipAfter: 2000}
	sim, err := yarn.NewSim(c, w, yarn.Options{})
	if err != nil {
		b.Fatal(err)
	}
	run := func(s yarn.Scheduler) *simcore.Result {
		r, err := sim.Run(yarn.RunConfig{Seed: 1, Slowstart: -1, Jitter: yarn.Jitter{Launch: true, Phases: true}}, s)
		if err != nil {
			b.Fatal(err)
		}
		return r
	}
	counted := &countRounds{Scheduler: scheduler(b, conf)}
	run(counted) // the memory of the first run is kept
	var busy float64
	b.ReportAllocs()
	cpu := text.Seconds()
	for b.Loop() {
		busy = run(scheduler(b, conf)).Utilisation
	}
	if used := text.Seconds() - cpu; used > 0 {
		b.ReportMetric(used*1e3/float64(b.N), "cpu-ms/op")
	}
	b.ReportMetric(float64(counted.rounds), "rounds")
	b.ReportMetric(busy, "utilisation")
}
