package schedtest

import (
	"schedtune/internal/text"
	"schedtune/simcore"
	"schedtune/simcore/internal/kernel"
)

// TreeUpdate measures one pop-and-set of an event tree of n leaves, in processor
// seconds: what benchmarks of runtimes are compared with.
func TreeUpdate(n int) float64 {
	var tree kernel.Tree
	tree.Reset(n)
	x := uint64(1)
	step := func() simcore.Time {
		x = x*6364136223846793005 + 1442695040888963407
		return simcore.Time(x >> 40)
	}
	for i := range n {
		tree.Set(int32(i), step())
	}
	const rounds = 5000000
	start := text.Seconds()
	for range rounds {
		leaf, at, _ := tree.Next()
		tree.Set(leaf, at+step())
	}
	return (text.Seconds() - start) / rounds
}
