package yarn_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"schedtune/simcore"
	"schedtune/simcore/yarn"
)

// tezDay is a synthetic day of a million tasks: DAGs of two vertices with a shuffle between them,
// submitted evenly at random, as Tez applications or as MapReduce jobs.
func tezDay(tez bool) *simcore.Workload {
	const jobs = 2500
	r := rand.New(rand.NewPCG(1, 9))
	w := &simcore.Workload{Queues: []string{"root.a", "root.b"}, Users: []string{"u0", "u1", "u2", "u3"},
		Dists: []simcore.Dist{{Kind: simcore.Uniform, A: 10, B: 30}}}
	at := simcore.Time(0)
	for i := range jobs {
		at += simcore.Time(r.ExpFloat64() * float64(2*simcore.Hour) / jobs)
		j := simcore.Job{ID: fmt.Sprintf("j%d", i), Queue: int32(i % 2), User: int32(r.IntN(4)), Class: -1, Submit: at,
			FirstTask: -1, MapAsk: simcore.Vec{1024, 1}, ReduceAsk: simcore.Vec{1024, 1}, AMAsk: simcore.Vec{1024, 1}}
		maps, reduces := int32(100+r.IntN(500)), int32(20+r.IntN(60))
		if tez {
			j.Tez = &simcore.TezApp{Settings: simcore.DefaultTezSettings(), DAGs: []simcore.TezDAG{{Vertices: 2}},
				Vertices: []simcore.TezVertex{{Tasks: maps, FirstTask: -1}, {Tasks: reduces, FirstTask: -1,
					Sources: []simcore.TezSource{{}}}}}
		} else {
			j.Maps, j.Reduces, j.Slowstart = maps, reduces, 0.25
		}
		w.Jobs = append(w.Jobs, j)
	}
	return w
}

// BenchmarkTezDay simulates a million tasks on 1,000 nodes, of Tez and of MapReduce.
func BenchmarkTezDay(b *testing.B) {
	for _, kind := range []string{"tez", "mapreduce"} {
		b.Run(kind, func(b *testing.B) {
			w := tezDay(kind == "tez")
			sim, err := yarn.NewSim(sparkCluster(1000), w, yarn.Options{})
			if err != nil {
				b.Fatal(err)
			}
			conf := evaluate(b, twoQueues)
			b.ReportAllocs()
			for b.Loop() {
				r, err := sim.Run(yarn.RunConfig{Seed: 1, Slowstart: -1,
					Durations: simcore.DurationConfig{Model: simcore.Sampled}}, scheduler(b, conf))
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(r.Launches), "tasks")
			}
		})
	}
}
