package schedtest

import (
	"fmt"

	"schedtune/internal/rng"
	"schedtune/simcore"
)

// Mixed returns a random workload of small and large jobs of several queues,
// users and classes, with reduces, sampled times and recorded bytes, for
// property tests. Sizes are such that a run takes milliseconds.
func Mixed(seed uint64, jobs int) *simcore.Workload {
	w := &simcore.Workload{
		Name: fmt.Sprintf("mixed-%d", seed), Queues: []string{"prod", "dev"}, Users: []string{"ann", "bob", "cyd"},
		Classes: []string{"small", "large"},
		Dists: []simcore.Dist{
			{Kind: simcore.Exponential, A: 10}, {Kind: simcore.Uniform, A: 5, B: 60},
			{Kind: simcore.LogNormal, A: 3, B: 0.5}, {Kind: simcore.Constant, A: 20},
		},
	}
	k, at := rng.NewKey(seed, 3), 0.0
	for j := range jobs {
		q := k.At(uint64(j))
		at += q.Exp(0) * 15
		large := q.IntN(1, 4) == 0
		maps, reduces, class := int32(1+q.IntN(2, 5)), int32(q.IntN(3, 3)), int32(0)
		if large {
			maps, reduces, class = int32(20+q.IntN(4, 80)), int32(q.IntN(5, 8)), 1
		}
		bytes := int64(maps) * 64 << 20
		w.Jobs = append(w.Jobs, simcore.Job{
			ID: fmt.Sprintf("job%d", j), Queue: int32(q.IntN(6, 2)), User: int32(q.IntN(7, 3)), Class: class,
			Priority: int32(q.IntN(12, 3)), Submit: simcore.Seconds(at), Maps: maps, Reduces: reduces, FirstTask: -1,
			Slowstart:  -1,
			InputBytes: bytes, ShuffleBytes: bytes / int64(1+q.IntN(8, 4)), OutputBytes: bytes / int64(1+q.IntN(9, 4)),
			MapDist: int32(q.IntN(10, 4)), ReduceDist: int32(q.IntN(11, 4)), MapCPU: 5e-8, ReduceCPU: 5e-8,
		})
	}
	return w
}
