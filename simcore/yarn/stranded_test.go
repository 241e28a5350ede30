package yarn

import (
	"reflect"
	"testing"

	"schedtune/internal/rng"
	"schedtune/simcore"
)

// A master that is left asleep because it is stranded would decide nothing in any
// later heartbeat: it acts as one that makes room for maps, whatever the headroom, and
// finds nothing to make room with. In random states of a job with reduces and with a
// reduce's container where it holds one.
func TestStranded(t *testing.T) {
	const seed = 7
	k := rng.NewKey(seed, 1)
	found := 0
	for i := range uint64(4000) {
		at := k.At(i)
		draw := func(purpose uint64, n int) int32 { return int32(at.IntN(purpose, n)) }
		m := master{waitMaps: draw(1, 2), runMaps: draw(2, 2), heldReds: draw(3, 2), pend: ring{n: draw(4, 2)},
			asked: ring{n: draw(5, 2)}, hanging: simcore.Minute}
		s := &Sim{work: &simcore.Workload{Jobs: []simcore.Job{{Maps: 9, Reduces: 2}}}, now: simcore.Time(draw(6, 10)) *
			simcore.Minute, taskTables: taskTables{redRing: make([]int32, 4)}}
		s.plan = plan{mapAsk: []Resource{{Memory: 1024, VCores: 1}}, redAsk: []Resource{{Memory: 1024, VCores: 1}},
			redBase: []int32{0, 2}}
		if !s.stranded(&m) {
			continue
		}
		found++
		if m.heldReds > 0 {
			t.Fatalf("seed %d, state %d: reduces could be killed", seed, i)
		}
		before := m
		s.now += simcore.Time(draw(7, 3000)) * simcore.Second
		before.headroom.Memory = 1024 * int64(draw(8, 20))
		after := before
		if !s.preemptReduces(0, &after) || !reflect.DeepEqual(after, before) {
			t.Fatalf("seed %d, state %d: decided on reduces; before %+v, after %+v", seed, i, before, after)
		}
	}
	if found < 50 { // of 4,000, 1 in 64: half of pend aside, 4 of 10 instants, waiting maps, and none of the other three
		t.Errorf("%d stranded states, expected more than 50", found)
	}
}
