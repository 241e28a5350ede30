package yarn_test

import (
	"fmt"
	"testing"

	"schedtune/internal/text"
	"schedtune/simcore"
	"schedtune/simcore/sched/capacity"
	"schedtune/simcore/yarn"
	"schedtune/trace"
	"schedtune/validation/testdata"
	"schedtune/yarnconf"
)

// twoQueues is a queue file of two leaves with room to borrow.
const twoQueues = `<configuration>
<property><name>yarn.scheduler.capacity.root.queues</name><value>a,b</value></property>
<property><name>yarn.scheduler.capacity.root.a.capacity</name><value>60</value></property>
<property><name>yarn.scheduler.capacity.root.b.capacity</name><value>40</value></property>
<property><name>yarn.scheduler.capacity.root.a.user-limit-factor</name><value>2</value></property>
<property><name>yarn.scheduler.capacity.root.b.user-limit-factor</name><value>2</value></property>
<property><name>yarn.scheduler.capacity.maximum-am-resource-percent</name><value>0.5</value></property>
<property><name>yarn.scheduler.capacity.per-node-heartbeat.maximum-offswitch-assignments</name><value>4</value></property>
</configuration>`

func evaluate(tb testing.TB, xml string) *yarnconf.Config {
	tb.Helper()
	d, err := yarnconf.Parse("queues.xml", []byte(xml))
	if err != nil {
		tb.Fatal(err)
	}
	conf, err := yarnconf.Evaluate(d)
	if err != nil {
		tb.Fatal(err)
	}
	return conf
}

// hundredNodes is the cluster of the benchmark: 100 nodes of 8 GiB in 5 racks.
func hundredNodes() *simcore.Cluster {
	c := &simcore.Cluster{}
	for i := range 100 {
		if i%20 == 0 {
			c.Racks = append(c.Racks, fmt.Sprintf("/rack%d", i/20))
		}
		c.Nodes = append(c.Nodes, simcore.Node{Name: fmt.Sprintf("node%02d", i), Rack: int32(i / 20),
			Capacity: simcore.Vec{8192, 8}})
	}
	return c
}

// benchRuns measures whole runs: scheduler built, workload simulated to the
// last release.
func benchRuns(b *testing.B, c *simcore.Cluster, w *simcore.Workload) {
	for j := range w.Jobs {
		w.Jobs[j].Queue = int32(j % 2)
	}
	w.Queues = []string{"root.a", "root.b"}
	conf := evaluate(b, twoQueues)
	sim, err := yarn.NewSim(c, w, yarn.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	var beats int64
	cpu := text.Seconds()
	for b.Loop() {
		r, err := sim.Run(yarn.RunConfig{Seed: 1, Slowstart: -1, Jitter: yarn.Jitter{Launch: true, Phases: true}},
			scheduler(b, conf))
		if err != nil {
			b.Fatal(err)
		}
		beats = r.Beats
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "runs/s")
	if used := text.Seconds() - cpu; used > 0 {
		b.ReportMetric(float64(b.N)/used, "runs/cpu-s")
	}
	b.ReportMetric(float64(beats), "beats/run")
}

// scheduler returns a new scheduler of a configuration.
func scheduler(tb testing.TB, conf *yarnconf.Config) *capacity.Scheduler {
	tb.Helper()
	s, err := capacity.New(conf)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// synthetic has the size of the 19-job trace: 19 jobs, 11,829 tasks, five
// users, submissions over two hours.
func synthetic() *simcore.Workload {
	w := &simcore.Workload{Users: []string{"u0", "u1", "u2", "u3", "u4"},
		Dists: []simcore.Dist{{Kind: simcore.LogNormal, A: 3.2, B: 0.6}, {Kind: simcore.LogNormal, A: 4, B: 0.6}}}
	for j := range 19 {
		maps := int32(500 + 60*(j%5))
		if j == 18 {
			maps = 11829 - 18*622 - 17*0 - 9
		}
		w.Jobs = append(w.Jobs, simcore.Job{ID: fmt.Sprintf("job%02d", j), Class: -1, User: int32(j % 5), FirstTask: -1,
			Slowstart: 0.05,
			Submit:    simcore.Time(j) * 400 * simcore.Second, Maps: maps, Reduces: 2, MapDist: 0, ReduceDist: 1,
			MapAsk: simcore.Vec{1024, 1}, ReduceAsk: simcore.Vec{1024, 1}, AMAsk: simcore.Vec{1536, 1}})
	}
	fill := int32(11829)
	for j := range w.Jobs {
		fill -= w.Jobs[j].Maps + w.Jobs[j].Reduces
	}
	w.Jobs[18].Maps += fill
	return w
}

func BenchmarkYARN(b *testing.B) {
	b.Run("trace=19jobs", func(b *testing.B) {
		tr, err := trace.Open(testdata.Shared(b, "traces/hadoop/mumak-19-jobs.trace.json.gz"), trace.Options{})
		if err != nil {
			b.Fatal(err)
		}
		w, _, err := tr.Workload(trace.WorkloadOptions{})
		if err != nil {
			b.Fatal(err)
		}
		benchRuns(b, hundredNodes(), w)
	})
	b.Run("trace=19jobs-located", func(b *testing.B) {
		tr, err := trace.Open(testdata.Shared(b, "traces/hadoop/mumak-19-jobs.trace.json.gz"), trace.Options{})
		if err != nil {
			b.Fatal(err)
		}
		c := hundredNodes()
		w, _, err := tr.Workload(trace.WorkloadOptions{Cluster: c})
		if err != nil {
			b.Fatal(err)
		}
		benchRuns(b, c, w)
	})
	b.Run("trace=synthetic", func(b *testing.B) { benchRuns(b, hundredNodes(), synthetic()) })
}
