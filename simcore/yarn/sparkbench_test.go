package yarn_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"schedtune/internal/text"
	"schedtune/simcore"
	"schedtune/simcore/yarn"
)

// sparkDay is a synthetic day: so many Spark applications with dynamic
// allocation, submitted evenly at random, of three jobs each, of a wide stage
// and one behind its shuffle, 400 tasks in the mean.
func sparkDay(apps int) *simcore.Workload {
	r := rand.New(rand.NewPCG(1, 9))
	w := &simcore.Workload{Name: "sparkday", Queues: []string{"root.a", "root.b"}, Users: []string{"u0", "u1", "u2", "u3"}}
	at := simcore.Time(0)
	for i := range apps {
		at += simcore.Time(r.ExpFloat64() * float64(24*simcore.Hour) / float64(apps))
		a := &simcore.SparkApp{Settings: simcore.DefaultSparkSettings(), Executors: []simcore.SparkExecutor{
			{Container: simcore.Vec{4505, 4}, Cores: 4}}}
		a.Settings.Dynamic, a.Settings.Instances, a.Settings.ShuffleService, a.Settings.Max = true, 0, true, 50
		for k := range int32(3) {
			job := simcore.SparkJob{Delay: simcore.Time(r.IntN(40)) * simcore.Second, FirstStage: 2 * k, Stages: 2}
			if k > 0 {
				job.After = []int32{k - 1}
			}
			a.Jobs = append(a.Jobs, job)
			wide := int32(20 + r.IntN(170))
			if r.IntN(20) == 0 {
				wide *= 4
			}
			for s, n := range []int32{wide, max(wide/8, 1)} {
				st := simcore.SparkStage{Job: k, Tasks: n, FirstTask: int32(len(w.Tasks.Duration)), Dist: -1, Reads: -1,
					Caches: -1, ShuffleWrite: s == 0}
				if s == 1 {
					st.Parents = []int32{2 * k}
				}
				scale := 2 + 10*r.Float64()
				for range n {
					w.Tasks.Duration = append(w.Tasks.Duration, simcore.Seconds(scale*(0.5+r.Float64())))
				}
				a.Stages = append(a.Stages, st)
			}
		}
		w.Jobs = append(w.Jobs, simcore.Job{ID: fmt.Sprintf("app%d", i), Queue: int32(i % 2), User: int32(r.IntN(4)),
			Class: -1, Submit: at,
			FirstTask: -1, MapDist: -1, ReduceDist: -1, AMAsk: simcore.Vec{1408, 1}, Spark: a})
	}
	return w
}

func sparkCluster(nodes int) *simcore.Cluster {
	c := &simcore.Cluster{}
	for i := range nodes {
		if i%40 == 0 {
			c.Racks = append(c.Racks, fmt.Sprintf("/rack%d", i/40))
		}
		c.Nodes = append(c.Nodes, simcore.Node{Name: fmt.Sprintf("node%03d", i), Rack: int32(i / 40),
			Capacity: simcore.Vec{65536, 32}})
	}
	return c
}

// BenchmarkSparkDay simulates a day of 5,000 Spark applications (2 million
// tasks) with dynamic allocation on 500 nodes.
func BenchmarkSparkDay(b *testing.B) {
	w := sparkDay(5000)
	conf := evaluate(b, twoQueues)
	sim, err := yarn.NewSim(sparkCluster(500), w, yarn.Options{})
	if err != nil {
		b.Fatal(err)
	}
	run := func() {
		if _, err := sim.Run(yarn.RunConfig{Seed: 1, Slowstart: -1, Jitter: yarn.Jitter{Launch: true, Phases: true}},
			scheduler(b, conf)); err != nil {
			b.Fatal(err)
		}
	}
	run() // the memory of the first run is kept
	b.ReportAllocs()
	cpu := text.Seconds()
	for b.Loop() {
		run()
	}
	b.ReportMetric(float64(len(w.Tasks.Duration)), "tasks")
	if used := text.Seconds() - cpu; used > 0 {
		b.ReportMetric(used/float64(b.N), "cpu-s/op")
	}
}
