package kernel

import (
	"math/rand/v2"
	"testing"
)

// TestTable compares with a map: small numbers, negative ones, and such as lie far apart at
// equal distances, which a table without a hash would put into one slot; emptied and filled
// again.
func TestTable(t *testing.T) {
	const seed = 1
	r := rand.New(rand.NewPCG(seed, 0))
	var table Table
	for round := range 60 {
		table.Clear()
		want := map[int32]int{}
		step := []int32{1, -1, 32, 1 << 20}[round%4]
		for i := range r.IntN(200) {
			key := int32(r.IntN(300)) * step
			if _, there := want[key]; !there {
				table.Add(key, i)
				want[key] = i
			}
			for _, probe := range []int32{key, int32(r.IntN(300)) * step, -7} {
				at, there := want[probe]
				if !there {
					at = -1
				}
				if got := table.Find(probe); got != at {
					t.Fatalf("round %d, %d numbers: %d stands at %d, want %d", round, len(want), probe, got, at)
				}
			}
		}
	}
}
