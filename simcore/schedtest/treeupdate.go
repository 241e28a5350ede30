package schedtest

import (
	"schedtune/internal/text"
	"schedtune/simcore"
	"schedtune/simcore/internal/kernel"
)

// TreeUpdate measures the processor time, in seconds, of one pop and set in an event tree of n
// leaves, with which benchmarks of runtimes are compared.
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
