package resample

import (
	"fmt"
	"math"
	"reflect"
	"testing"

	"schedtune/internal/rng"
	"schedtune/simcore"
)

// sampled has jobs of two queues, three users and sizes from 1 to 300 tasks.
func mixed(n int) *simcore.Workload {
	w := &simcore.Workload{Name: "mixed", Queues: []string{"root.a", "root.b"}, Users: []string{"u", "v", "w"},
		Dists: []simcore.Dist{{Kind: simcore.Constant, A: 10}}}
	k := rng.NewKey(1, 1)
	for i := range n {
		u := k.IntN(uint64(i), 3)
		w.Jobs = append(w.Jobs, simcore.Job{ID: fmt.Sprint(i), Queue: int32(u / 2), User: int32(u), Class: -1, FirstTask: -1, ReduceDist: -1,
			Maps: int32(math.Pow(300, k.At(1).Float64(uint64(i)))), Submit: simcore.Time(i) * simcore.Minute})
	}
	return w
}

// Of every stratum the same part is taken, off by less than one job, with the jobs'
// tasks as they are.
func TestSampleTakesThePartOfEveryStratum(t *testing.T) {
	w := mixed(4000)
	none := Spread{Blocks: 1}
	all, part := map[stratum]float64{}, map[stratum]float64{}
	whole := Sample(w, none, 1, rng.NewKey(2, 1))
	for i := range whole.Jobs {
		all[stratumOf(&whole.Jobs[i])]++
	}
	for _, f := range []float64{0.5, 1.0 / 8, 1.0 / 30} {
		s := Sample(w, none, f, rng.NewKey(2, 1))
		clear(part)
		for i := range s.Jobs {
			part[stratumOf(&s.Jobs[i])]++
		}
		for at, n := range all {
			if math.Abs(part[at]-f*n) >= 1 {
				t.Errorf("part %.3f of %v: %v of %v jobs", f, at, part[at], n)
			}
		}
	}
	if s := Sample(w, none, 1, rng.NewKey(2, 1)); !reflect.DeepEqual(s, Workload(w, none, rng.NewKey(2, 1))) {
		t.Error("all of the jobs: another workload than Workload's")
	}
}

// Drawn again, a sample is the same; another key gives another one.
func TestSampleIsPure(t *testing.T) {
	w := mixed(500)
	s := Spread{Load: 0.2, User: 0.25, Queue: 0.2, Tasks: 0.15, Time: 0.1, Part: 0.25}
	a, b, c := Sample(w, s, 0.1, rng.NewKey(3, 1)), Sample(w, s, 0.1, rng.NewKey(3, 1)), Sample(w, s, 0.1, rng.NewKey(4, 1))
	if !reflect.DeepEqual(a, b) || reflect.DeepEqual(a.Jobs, c.Jobs) {
		t.Error("equal keys give other workloads, or other keys equal ones")
	}
	if len(Sample(mixed(1), s, 1e-9, rng.NewKey(3, 1)).Jobs) == 0 {
		t.Error("a sample without a job")
	}
}
