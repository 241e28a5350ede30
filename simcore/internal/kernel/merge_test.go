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
	x := &Exec{cfg: simcore.ResourceConfig{SpillBuffer: 1000, MergeFactor: 10}}
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
	x.cfg = simcore.ResourceConfig{SpillBuffer: 1, MergeFactor: 2}
	x.merged.share = 0
	if early, late := x.mergedRuns(1 << 40); early <= 0 || late < 0 { // bounded in time and memory
		t.Errorf("a large share: %d and %d bytes", early, late)
	}
}

// Of 20 MB that a reduce copies over a link of 5 MB/s to a disk of 10 MB/s, 20 runs,
// half is merged meanwhile: the disk writes 20 MB, reads 10 and writes 10 in 4 s, the
// time of the link.
func TestMergesOverlapTheCopy(t *testing.T) {
	x, w := newBench(simcore.ResourceConfig{SpillBuffer: 1e6, MergeFactor: 10})
	w.Jobs[0].Maps, w.Jobs[0].InputBytes = 1, 10e6
	x.cluster.Nodes[1].Rack = 0
	x.Start(0, 0, aReduce, 0, 1, 0, 1)
	x.MapDone(0, aMap, 0)
	// copy 4 s, compute 2 s; then 20 MB read, 2 MB merged (read and written), 30 MB written: 5.4 s
	near(t, "in the background", until(x, 100)[0], 4+2+5.4)
}

func TestMergingAllocatesNothing(t *testing.T) {
	x := &Exec{cfg: simcore.ResourceConfig{SpillBuffer: 1000, MergeFactor: 10}}
	share := int64(100e3)
	x.mergedRuns(share)
	if n := testing.AllocsPerRun(100, func() { share++; x.mergedRuns(share) }); n != 0 {
		t.Errorf("%v allocations for another share, want none", n)
	}
}
