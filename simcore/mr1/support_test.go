package mr1_test

import (
	"fmt"
	"testing"

	"schedtune/internal/rng"
	"schedtune/simcore"
	"schedtune/simcore/mr1"
	"schedtune/simcore/schedtest"
)

// queueOf returns single-map jobs with exponential times between arrivals: with
// a cluster of c slots the simulator is a G/G/c queue. Rate is in arrivals per
// second.
func queueOf(seed uint64, jobs int, rate float64, service simcore.Dist) *simcore.Workload {
	w := &simcore.Workload{Name: "queue", Queues: []string{"default"}, Users: []string{"all"},
		Dists: []simcore.Dist{service}}
	key, at := rng.NewKey(seed, 2), 0.0
	for j := range jobs {
		at += key.Exp(uint64(j)) / rate
		w.Jobs = append(w.Jobs, simcore.Job{
			ID: fmt.Sprintf("job%d", j), Class: -1, Submit: simcore.Seconds(at), Maps: 1, FirstTask: -1, MapDist: 0,
			ReduceDist: -1, Slowstart: -1,
		})
	}
	return w
}

// stageOf returns one job of n maps whose times follow one distribution.
func stageOf(n int, d simcore.Dist) *simcore.Workload {
	return &simcore.Workload{
		Name: "stage", Queues: []string{"default"}, Users: []string{"all"}, Dists: []simcore.Dist{d},
		Jobs: []simcore.Job{{ID: "job0", Class: -1, Maps: int32(n), FirstTask: -1, ReduceDist: -1, Slowstart: -1}},
	}
}

// thesisType is a row of table 4.1 of the capacity scheduler thesis: jobs per
// hundred, maps, reduces, shuffle and output ratio, map and reduce compute in
// cycles per byte.
type thesisType struct {
	jobs, maps, reduces int32
	shuffle, output     float64
	mapCycles, redCycle float64
}

var thesisTypes = []thesisType{
	{8, 100, 15, 1, 1, 5, 40},
	{6, 200, 1, 0.025, 3, 40, 5},
	{4, 400, 30, 3, 0.025, 40, 40},
	{2, 800, 8, 0.075, 0.0005, 20, 20},
	{48, 1, 1, 1, 1, 1, 1},
	{24, 2, 1, 1, 1, 1, 1},
	{8, 10, 1, 1, 1, 1, 1},
}

// thesisMix returns the thesis's 100 jobs (table 4.1), long jobs first, one a
// second, 64 MB per map, in two queues, every job with a user of its own.
func thesisMix() *simcore.Workload {
	w := &simcore.Workload{Name: "thesis-mix", Queues: []string{"queue1", "queue2"}}
	for class, k := range thesisTypes {
		w.Classes = append(w.Classes, fmt.Sprintf("type%d", class+1))
		for range k.jobs {
			i := len(w.Jobs)
			in := float64(k.maps) * 64e6
			w.Users = append(w.Users, fmt.Sprintf("user%d", i))
			w.Jobs = append(w.Jobs, simcore.Job{
				ID: fmt.Sprintf("job%d", i), Queue: int32(i % 2), User: int32(i), Class: int32(class),
				Submit: simcore.Time(i/2) * simcore.Second, Maps: k.maps, Reduces: k.reduces, FirstTask: -1, Slowstart: -1,
				InputBytes: int64(in), ShuffleBytes: int64(in * k.shuffle), OutputBytes: int64(in * k.shuffle * k.output),
				MapDist: -1, ReduceDist: -1, MapCPU: k.mapCycles / 2.5e9, ReduceCPU: k.redCycle / 2.5e9,
			})
		}
	}
	return w
}

// capricious picks a random waiting job and kind, or declines: it tests orders that no sensible
// scheduler produces. It declines only finitely often, and in a pool, where reduces that wait for
// maps could occupy every container, it launches reduces only after their maps.
type capricious struct {
	draws *rng.Stream
}

// newCapricious returns a scheduler with the given seed.
func newCapricious(seed uint64) *capricious {
	return &capricious{rng.NewStream(rng.NewKey(seed, 4))}
}

// Pick draws.
func (s *capricious) Pick(v *mr1.View, n simcore.NodeID) (simcore.Task, bool) {
	k := simcore.Kind(s.draws.Uint64() % 2)
	if v.Free(n, k) == 0 || v.TotalPending(k) == 0 || s.draws.Uint64()%3 == 0 {
		return simcore.Task{}, false
	}
	j := v.FirstWaiting(k)
	for s.draws.Uint64()%3 == 0 && v.NextWaiting(j, k) != simcore.None {
		j = v.NextWaiting(j, k)
	}
	if k == simcore.Reduce && v.Pool() && v.Done(j, simcore.Map) < v.Tasks(j, simcore.Map) {
		return simcore.Task{}, false
	}
	return simcore.Task{Job: j, Kind: k, Index: simcore.AnyTask}, true
}

// TestCapriciousConforms checks random decisions with the kit, on slots and in a pool.
func TestCapriciousConforms(t *testing.T) {
	for name, pool := range map[string]bool{"slots": false, "pool": true} {
		t.Run(name, func(t *testing.T) {
			schedtest.Conform(t, schedtest.Kit{Pool: pool, New: func(seed uint64, _ *simcore.Cluster, _ *simcore.Workload) (
				mr1.Scheduler, error) {
				return newCapricious(seed), nil
			}})
		})
	}
}
