package predict

import (
	"math"
	"slices"
	"testing"
)

func near(t *testing.T, name string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol) {
		t.Errorf("%s: %v, want %v", name, got, want)
	}
}

// Algorithm 1 of Coupling for M = 100 maps of which 50 finished, R = 3 reduces,
// none launched, threshold 3: delta = 1 - 1/e, unit = delta 100/3, mapProgress =
// 50/unit = 1.5/delta, redProgress = 1: mismatch = (1.5/0.632121 - 1)/3 = 0.457657.
func TestMismatch(t *testing.T) {
	p := Progress{Maps: 100, FinishedMaps: 50, PendingMaps: 50, Reduces: 3, PendingReduces: 3}
	near(t, "delta", Delta(3, 3), 1-math.Exp(-1), 1e-15)
	near(t, "mismatch", p.Mismatch(3), (1.5/(1-math.Exp(-1))-1)/3, 1e-12)
	near(t, "default threshold", p.Mismatch(0), p.Mismatch(3), 0)
	p.PendingMaps = 0
	near(t, "no map pending", p.Mismatch(3), 4+1.0/3, 1e-15)
	p.PendingReduces = 0
	near(t, "no reduce pending", p.Mismatch(3), 0, 0)
}

// The paper normalises the mismatch to at most 1/delta, and threshold 3 makes
// delta >= 1 - exp(-1/3) = 0.283 > 1/4, so that jobs with maps pending stay
// below 4 and those without come above.
func TestMismatchBound(t *testing.T) {
	top := 0.0
	for r := 1; r <= 50; r++ {
		for m := 1; m <= 50; m++ {
			p := Progress{Maps: m, FinishedMaps: m, PendingMaps: 1, Reduces: r, PendingReduces: r}
			top = math.Max(top, p.Mismatch(3))
			if p.PendingMaps = 0; p.Mismatch(3) <= 4 {
				t.Fatalf("R = %d: %v with no map pending, want above 4", r, p.Mismatch(3))
			}
		}
	}
	if top >= 4 || top < 1 {
		t.Errorf("largest mismatch with maps pending %v, want below 4", top)
	}
	if d := Delta(1, 3); d <= 0.25 {
		t.Errorf("delta %v, want above 1/4", d)
	}
}

// Equation 2 of Coupling: s = 4 7 slots, mean map time 48.5 s, T = 15 s, N = 427:
// exp(-28 15/48.5) = 1.7343e-4, (1 - that)^427 = 0.9286: the paper's 92.9 %.
func TestAllLocalProbability(t *testing.T) {
	near(t, "p_s", AllLocalProbability(28, 48.5, 15, 427), math.Pow(1-math.Exp(-28*15/48.5), 427), 1e-12)
	near(t, "p_s of the paper", AllLocalProbability(28, 48.5, 15, 427), 0.929, 0.0005)
	near(t, "no maps", AllLocalProbability(28, 48.5, 15, 0), 1, 0)
	near(t, "no wait", AllLocalProbability(28, 48.5, 0, 5), 0, 0)
}

// Small numbers at which a formula could be cut off: one job, one reduce, a sample of one node,
// a request without one of the resources.
func TestSmallest(t *testing.T) {
	// A job alone has the releases either way: t_fair = 3 / 1 + 4; t_batch = F_o 0 ... = 0.
	fair, batch := MapStage{Pending: 3, Reduces: 8, MapTime: 4}.BatchTimes(ReleaseEstimate{Frequency: 1, Available: 8}, 1)
	near(t, "t_fair of one job", fair, 7, 1e-12)
	near(t, "t_batch of one job", batch, 0, 0)
	near(t, "shuffle time of one reduce and one map", ShuffleTime(8, 1, 1, 2), 4, 0)
	share, free := Sampled(1, 1, 1, 20)
	near(t, "share of a sample of one", share, 1, 0)
	near(t, "free nodes of a sample of one", free, 20, 0)
	if n, err := FreeContainers([][]int64{{5, 2}}, []int64{0, 1}); err != nil || n != 2 {
		t.Errorf("nothing of the first resource asked for: %d, %v; want 2", n, err)
	}
}

// Reduces launched count as progress, and the one that would be next: as in TestMismatch with
// one of three reduces finished and one running, redProgress = 1 + 1 + 1.
func TestMismatchCountsRunningReduces(t *testing.T) {
	p := Progress{Maps: 100, FinishedMaps: 50, PendingMaps: 50, Reduces: 3, PendingReduces: 1, FinishedReduces: 1,
		RunningReduces: 1}
	near(t, "mismatch", p.Mismatch(3), (1.5/(1-math.Exp(-1))-3)/3, 1e-12)
}

// Another threshold than the paper's: with 6, three reduces need delta = 1 - exp(-1/2) of the maps.
func TestMismatchThreshold(t *testing.T) {
	delta := 1 - math.Exp(-0.5)
	near(t, "delta", Delta(3, 6), delta, 1e-15)
	p := Progress{Maps: 100, FinishedMaps: 50, PendingMaps: 50, Reduces: 3, PendingReduces: 3}
	near(t, "mismatch", p.Mismatch(6), (1.5/delta-1)/3, 1e-12)
}

// Without distances every node costs the same, and without answers nobody waits.
func TestMissingFunctions(t *testing.T) {
	if c := TransferCost([]float64{5, 6}, nil, 1); c != 0 {
		t.Errorf("cost %v", c)
	}
	if l := Centrality([]float64{5, 6}, nil, []int{4, 2, 9}, 2, nil); !slices.Equal(l, []int{4, 2}) {
		t.Errorf("list %v", l)
	}
	var w WaitScheduler
	if j := w.Heartbeat(0, 3, nil); j != -1 {
		t.Errorf("launched %d", j)
	}
}
