package yarn_test

import (
	"fmt"
	"math"
	"runtime"
	"testing"

	"schedtune/internal/text"
	"schedtune/simcore"
	"schedtune/simcore/schedtest"
	"schedtune/simcore/yarn"
)

// dayQueues is a queue file of three leaves with room to borrow.
const dayQueues = `<configuration>
<property><name>yarn.scheduler.capacity.root.queues</name><value>prod,batch,adhoc</value></property>
<property><name>yarn.scheduler.capacity.root.prod.capacity</name><value>50</value></property>
<property><name>yarn.scheduler.capacity.root.batch.capacity</name><value>30</value></property>
<property><name>yarn.scheduler.capacity.root.adhoc.capacity</name><value>20</value></property>
<property><name>yarn.scheduler.capacity.root.prod.user-limit-factor</name><value>2</value></property>
<property><name>yarn.scheduler.capacity.root.batch.user-limit-factor</name><value>3</value></property>
<property><name>yarn.scheduler.capacity.root.adhoc.user-limit-factor</name><value>4</value></property>
<property><name>yarn.scheduler.capacity.maximum-am-resource-percent</name><value>0.3</value></property>
</configuration>`

// facebookDay is a synthetic day of the FB-2010 classes on YARN: jobs dealt to
// three queues and 40 users, on nodes whose memory holds 70 % of the work.
func facebookDay(nodes, jobs, tasks int) (*simcore.Cluster, *simcore.Workload) {
	w := schedtest.FacebookDay(1, jobs, tasks)
	w.Queues = []string{"root.prod", "root.batch", "root.adhoc"}
	w.Users = nil
	for u := range 40 {
		w.Users = append(w.Users, fmt.Sprintf("u%d", u))
	}
	seconds := 0.0
	for j := range w.Jobs {
		job := &w.Jobs[j]
		job.Queue, job.User, job.Slowstart = int32(j%3), int32(j*7%40), 0.05
		job.MapAsk, job.ReduceAsk, job.AMAsk = simcore.Vec{1024, 1}, simcore.Vec{1024, 1}, simcore.Vec{1536, 1}
		seconds += float64(job.Maps)*w.Dists[job.MapDist].A + float64(job.Reduces)*w.Dists[job.ReduceDist].A
	}
	const each = 16 // containers of 1 GiB a node
	// Task times are scaled so that the work is 70 % of the day's memory-time.
	scale := 0.7 * 86400 * float64(nodes*each) / seconds
	for i := range w.Dists {
		w.Dists[i].A *= scale
	}
	c := schedtest.Uniform(nodes, 40, simcore.Vec{0, 0})
	for i := range c.Nodes {
		c.Nodes[i].Capacity = simcore.Vec{each << 10, each}
	}
	return c, w
}

// BenchmarkYARNDay simulates a synthetic day of the FB-2010 classes, jobs and
// tasks in proportion to the nodes (8.3 million tasks on 3,000), with the
// Capacity Scheduler. Metrics: tasks a second, processor time a task, the same
// in bare pop-and-set updates of the event tree of that size, and the memory
// that a run adds, by task.
func BenchmarkYARNDay(b *testing.B) {
	for _, nodes := range []int{300, 3000, 10000} {
		b.Run(fmt.Sprintf("nodes=%d", nodes), func(b *testing.B) {
			if testing.Short() && nodes > 300 {
				b.Skip("short")
			}
			c, w := facebookDay(nodes, 24442*nodes/3000, 8300000/3000*nodes)
			tasks := schedtest.Tasks(w)
			conf := evaluate(b, dayQueues)
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			sim, err := yarn.NewSim(c, w, yarn.Options{})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			cpu := text.Seconds()
			for b.Loop() {
				if _, err := sim.Run(yarn.RunConfig{Seed: 1, Slowstart: -1,
					Durations: simcore.DurationConfig{Model: simcore.Sampled},
					Jitter:    yarn.Jitter{Launch: true, Phases: true}}, scheduler(b, conf)); err != nil {
					b.Fatal(err)
				}
			}
			used := (text.Seconds() - cpu) / float64(b.N*tasks)
			runtime.GC()
			runtime.ReadMemStats(&after)
			b.ReportMetric(float64(tasks), "tasks")
			b.ReportMetric(float64(b.N*tasks)/b.Elapsed().Seconds(), "tasks/s")
			b.ReportMetric(used*1e9, "cpu-ns/task")
			b.ReportMetric(used/schedtest.TreeUpdate(nodes*17), "tree-updates/task")
			b.ReportMetric(math.Max(0, float64(after.HeapAlloc)-float64(before.HeapAlloc))/float64(tasks), "B-held/task")
			runtime.KeepAlive(sim)
		})
	}
}
