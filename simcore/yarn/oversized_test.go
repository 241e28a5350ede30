package yarn_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"schedtune/simcore"
	"schedtune/simcore/sched/capacity"
	"schedtune/simcore/yarn"
	"schedtune/validation/testdata"
)

// TestOversizedRequestFailsItsJob: a request above the maximum allocation fails the application that makes it, of
// any kind, and no other: the rest of the run ends, and no container stays behind.
func TestOversizedRequestFailsItsJob(t *testing.T) {
	t.Parallel()
	const large = 1 << 20
	seeds, failed := testdata.Cases(60), map[string]int{}
	for seed := range uint64(seeds) {
		s := randomScenario(t, seed)
		r := rand.New(rand.NewPCG(seed, 5))
		kinds := map[simcore.JobID]string{}
		for i := range s.work.Jobs {
			j, over := &s.work.Jobs[i], i%3 == int(seed%3)
			kind := "reduce"
			switch k := r.IntN(4); {
			case k == 0:
				kind, j.Maps, j.Reduces, j.FirstTask = "Spark", 0, 0, -1
				if j.Spark = randomApp(r, s.work, len(s.cluster.Nodes)); over {
					for e := range j.Spark.Executors {
						j.Spark.Executors[e].Container[simcore.Memory] = large
					}
				}
			case k == 1:
				kind, j.Maps, j.Reduces, j.FirstTask = "Tez", 0, 0, -1
				j.Tez = randomTez(r, s.work, len(s.cluster.Nodes))
				for v := range j.Tez.Vertices {
					if over {
						j.Tez.Vertices[v].Size[simcore.Memory] = large
					}
				}
			case over && k == 2 && j.Maps > 0:
				kind, j.MapAsk[simcore.Memory] = "map", large
			case over:
				j.ReduceAsk[simcore.Memory] = large
			}
			if over {
				kinds[simcore.JobID(i)] = kind
			}
		}
		var history [2][]change
		for k, eager := range []bool{false, true} {
			sim, err := yarn.NewSim(s.cluster, s.work, s.opt)
			if err != nil {
				t.Fatal(err)
			}
			sched, err := capacity.New(s.conf)
			if err != nil {
				t.Fatal(err)
			}
			cfg, held := s.cfg, 0
			cfg.Eager = eager
			cfg.Trace = func(at simcore.Time, c yarn.ContainerChange) {
				held += int(c.Delta)
				history[k] = append(history[k], change{at, c})
			}
			res, err := sim.Run(cfg, sched)
			if isStalled(err) {
				history = [2][]change{}
				break
			}
			if err != nil || held != 0 {
				t.Fatalf("seed %d: got error %v, %d containers left, want none", seed, err, held)
			}
			for i, times := range sim.JobTimes() {
				id := simcore.JobID(i)
				refused := slices.ContainsFunc(res.Refused, func(f simcore.Refused) bool { return f.Job == id && f.Limit != "" })
				if _, over := kinds[id]; refused && (!over || times.Status == yarn.Succeeded) ||
					times.Status == yarn.Failed && !refused || res.Jobs[i].Failed != refused {
					t.Errorf("seed %d: job %d: got status %v, refused %v, failed %v, oversized %v", seed, i, times.Status, refused,
						res.Jobs[i].Failed, over)
				}
				if refused {
					failed[kinds[id]]++
				}
			}
		}
		if !slices.Equal(history[0], history[1]) {
			t.Errorf("seed %d: lazy and eager histories differ: %s", seed, firstDifference(history[0], history[1]))
		}
	}
	for _, kind := range []string{"map", "reduce", "Spark", "Tez"} {
		if failed[kind] < seeds/6 {
			t.Errorf("got %d failed applications of kind %s, want %d or more", failed[kind], kind, seeds/6)
		}
	}
}
