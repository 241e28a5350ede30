package kernel

import (
	"testing"

	"schedtune/simcore"
)

// A reduce merges 10 files at a time and begins as soon as there are 19. With 10 runs it
// does nothing more; with 11 it merges two after its copy, so that one merge of ten is
// left; the 19th begins a merge of the ten smallest, which leaves ten, and every ninth
// run after it another; 100 runs end in ten files, the first nine merges of ten runs.
func TestMergesInTheBackground(t *testing.T) {
	x := &Exec{cfg: simcore.ResourceConfig{MergeWhileCopying: true, SpillBuffer: 1000, MergeFactor: 10}}
	for runs, want := range map[int64][2]int64{
		1: {0, 0}, 10: {0, 0}, 11: {0, 2000}, 18: {0, 9000}, 19: {10000, 0}, 20: {10000, 2000},
		28: {20000, 0}, 100: {100000, 0},
	} {
		early, late := x.mergedRuns(1000 * runs)
		if early != want[0] || late != want[1] {
			t.Errorf("%d runs: %d and %d bytes, want %d and %d", runs, early, late, want[0], want[1])
		}
	}
	x.cfg.MergeFactor, x.merged.share = 0, 0
	if early, late := x.mergedRuns(1e6); early != 0 || late != 0 {
		t.Errorf("without merges: %d and %d bytes", early, late)
	}
	x.cfg = simcore.ResourceConfig{MergeWhileCopying: true, SpillBuffer: 1, MergeFactor: 2}
	x.merged.share = 0
	if early, late := x.mergedRuns(1 << 40); early <= 0 || late < 0 { // bounded in time and memory
		t.Errorf("a large share: %d and %d bytes", early, late)
	}
}

// Of 20 MB that a reduce copies over a link of 5 MB/s to a disk of 10 MB/s, 20 runs,
// half is merged meanwhile: the disk writes 20 MB, reads 10 and writes 10 in 4 s, the
// time of the link. Merged afterwards, 20 MB would be read and written.
func TestMergesOverlapTheCopy(t *testing.T) {
	end := func(early bool) float64 {
		x, w := newBench(simcore.ResourceConfig{SpillBuffer: 1e6, MergeFactor: 10, MergeWhileCopying: early})
		w.Jobs[0].Maps, w.Jobs[0].InputBytes = 1, 10e6
		x.cluster.Nodes[1].Rack = 0
		x.Start(0, 0, aReduce, 0, 1, 0, 1)
		x.MapDone(0, aMap, 0)
		return until(x, 100)[0]
	}
	// copy 4 s, compute 2 s; then 20 MB read, 2 MB merged (read and written), 30 MB written: 5.4 s
	near(t, "in the background", end(true), 4+2+5.4)
	near(t, "afterwards", end(false), 4+2+9)
}

// A map computes 1 s; where two reduces copy on its node, each slowing it by half, it
// takes 2 s, and no longer than 1 s where they copy elsewhere. Once a copy ends or its
// attempt is stopped, it slows nothing.
func TestCopyingSlowsWhatComputesBesideIt(t *testing.T) {
	end := func(node simcore.NodeID, stall float64, stop simcore.Time) float64 {
		x, w := newBench(simcore.ResourceConfig{CopyStall: stall})
		w.Jobs[0].Reduces, w.Jobs[1].InputBytes, w.Jobs[1].OutputBytes = 2, 0, 0
		w.Jobs[1].MapCPU, w.Jobs[1].MapDist = 0, 0
		w.Dists = []simcore.Dist{{Kind: simcore.Constant, A: 1}}
		x.Start(0, 0, simcore.Task{Kind: simcore.Reduce}, 0, node, 0, 1)
		x.Start(1, 0, simcore.Task{Kind: simcore.Reduce, Index: 1}, 0, node, 0, 1)
		x.Start(2, 0, aMapOnly, 0, 0, 0, 1)
		if stop > 0 {
			ends := until(x, stop.Seconds())
			x.Stop(0, stop)
			x.Stop(1, stop)
			if len(ends) > 0 {
				return ends[2]
			}
		}
		return until(x, 100)[2]
	}
	near(t, "no cost", end(0, 0, 0), 1)
	near(t, "on the node", end(0, 0.5, 0), 2)
	near(t, "elsewhere", end(1, 0.5, 0), 1)
	near(t, "half of it", end(0, 0.5, simcore.Second), 1.5)
	x, _ := newBench(simcore.ResourceConfig{CopyStall: 0.5})
	x.Start(0, 0, aReduce, 0, 1, 0, 1)
	x.MapDone(0, aMap, 1)
	x.MapDone(0, simcore.Task{Index: 1}, 1)
	// copied from its own disk in 2 s, then 2 s of computing that nothing slows, 3 s of writing
	near(t, "after its own copy", until(x, 100)[0], 7)
}

func TestMergingAllocatesNothing(t *testing.T) {
	x := &Exec{cfg: simcore.ResourceConfig{MergeWhileCopying: true, SpillBuffer: 1000, MergeFactor: 10}}
	share := int64(100e3)
	x.mergedRuns(share)
	if n := testing.AllocsPerRun(100, func() { share++; x.mergedRuns(share) }); n != 0 {
		t.Errorf("%v allocations for another share, want none", n)
	}
}
