package yarn

import (
	"cmp"
	"slices"
	"testing"

	"schedtune/internal/rng"
	"schedtune/simcore"
)

// The idle nodes come in the order of phase and number, whatever was added and removed
// before, where phases differ and where many nodes have one.
func TestIdleNodes(t *testing.T) {
	const period, n = simcore.Second, 200
	for phases, seed := range map[int]uint64{1: 1, 3: 2, int(period): 3} {
		nodes := make([]nodeState, n)
		for i := range nodes {
			nodes[i].phase = -1
		}
		var l idleNodes
		l.reset(nodes, period)
		in := map[int32]simcore.Time{}
		k := rng.NewKey(seed, 1)
		for step := range uint64(5000) {
			i := int32(k.IntN(step, n))
			if phase := simcore.Time(k.At(1).IntN(step, phases)); k.At(2).Float64(step) < 0.6 {
				l.add(i, phase)
				in[i] = phase
			} else {
				l.remove(i)
				delete(in, i)
			}
			if step%50 > 0 || len(in) == 0 {
				continue
			}
			var want []int32
			for i := range in {
				want = append(want, i)
			}
			slices.SortFunc(want, func(a, b int32) int { return cmp.Or(cmp.Compare(in[a], in[b]), cmp.Compare(a, b)) })
			at := l.from(0, 0)
			for j, w := range want {
				if at != w || l.count != len(want) || l.from(in[w], w) != w {
					t.Fatalf("seed %d, step %d: node %d in place %d of %d; want %d", seed, step, at, j, l.count, w)
				}
				at = l.next(at)
			}
			if at != want[0] {
				t.Fatalf("seed %d, step %d: node %d after the last; want %d", seed, step, at, want[0])
			}
		}
	}
}
