package predict

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Nodes 0, 1 in one rack and 2, 3 in another, 2 hops within a rack and 4
// between: with 10 bytes on node 0 and 30 on node 2 equation 1 gives
// C(0) = 30 4 = 120, C(1) = 10 2 + 30 4 = 140, C(2) = 10 4 = 40,
// C(3) = 10 4 + 30 2 = 100.
func TestCentrality(t *testing.T) {
	hops := func(u, v int) float64 {
		switch {
		case u == v:
			return 0
		case u/2 == v/2:
			return 2
		}
		return 4
	}
	sizes := []float64{10, 0, 30, 0}
	for v, want := range []float64{120, 140, 40, 100} {
		near(t, "cost", TransferCost(sizes, hops, v), want, 0)
	}
	list := Centrality(sizes, hops, []int{0, 1, 2, 3}, 0, nil)
	want := []int{2, 3, 0, 1}
	for i, v := range want {
		if list[i] != v {
			t.Fatalf("list %v, want %v", list, want)
		}
	}
	for v, g := range []int{2, 3, 1, 2} {
		if got := CentralityGroup(list, v); got != g {
			t.Errorf("node %d in group %d, want %d", v, got, g)
		}
	}
	if got := Centrality(sizes, hops, []int{1, 3}, 1, nil); len(got) != 1 || got[0] != 3 {
		t.Errorf("of nodes 1 and 3 kept %v, want [3]", got)
	}
	if CentralityGroup(list, 9) != 0 || len(Centrality(nil, hops, nil, 3, nil)) != 0 {
		t.Error("a node outside the list has no group, no free nodes give no list")
	}
	// Without data all costs are equal and the order is random: each node is
	// first about as often, 1000 +- 5 standard deviations (27) of 4000.
	r, first := rand.New(rand.NewPCG(1, 1)), [4]int{}
	for range 4000 {
		first[Centrality(make([]float64, 4), hops, []int{0, 1, 2, 3}, 4, r)[0]]++
	}
	for v, n := range first {
		if n < 860 || n > 1140 {
			t.Errorf("node %d first %d times of 4000, want about 1000", v, n)
		}
	}
}

// waitLab is a WaitEnv of one job, number 3: its list is nodes 0, 1, 2, 3, 4.
type waitLab struct {
	refuse   map[int]bool
	mismatch float64
	runs     map[int]bool
}

func (w *waitLab) MostLagging() (int, float64) { return 3, w.mismatch }

func (w *waitLab) Group(_, v int) int { return CentralityGroup([]int{0, 1, 2, 3, 4}, v) }

func (w *waitLab) RunsReduceOf(_, v int) bool { return w.runs[v] }

func (w *waitLab) Launch(_, v int) bool { return !w.refuse[v] }

// Algorithm 2 in a cluster of N = 10 nodes whose heartbeats come from the given
// nodes in turn: how many heartbeats after the candidate was found does the
// launch come, and where? Node 0 may take it in heartbeats 1 to 10, nodes 1 and
// 2 in 11 to 20, nodes 3 and 4 in 21 to 30, any in 31 to 40.
func TestWaitScheduling(t *testing.T) {
	const n = 10
	tests := []struct {
		name    string
		lab     waitLab
		node    func(beat int) int
		at, now int // heartbeat of the launch, -1 never; mismatch sign
	}{
		{"central node at once", waitLab{mismatch: 1}, func(int) int { return 0 }, 1, 1},
		{"second group waits one round", waitLab{mismatch: 1}, func(int) int { return 2 }, 11, 1},
		{"third group waits two", waitLab{mismatch: 1}, func(int) int { return 4 }, 21, 1},
		{"any node after three", waitLab{mismatch: 1}, func(int) int { return 9 }, 31, 1},
		// The centre refuses at once: wait = N + 1, so node 1 may follow next.
		{"a refusal moves on", waitLab{mismatch: 1, refuse: map[int]bool{0: true}}, func(b int) int { return b - 1 }, 2, 1},
		{"a node that runs one is passed over", waitLab{mismatch: 1, runs: map[int]bool{0: true}}, func(int) int {
			return 0
		}, 31, 1},
		{"everyone refuses", waitLab{mismatch: 1, refuse: map[int]bool{9: true}}, func(int) int { return 9 }, -1, 1},
		{"no mismatch, no candidate", waitLab{}, func(int) int { return 0 }, -1, 0},
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			var w WaitScheduler
			if w.Heartbeat(0, n, &c.lab) != -1 {
				t.Errorf("%s: the heartbeat that finds a candidate must not launch", c.name)
			}
			at := -1
			for beat := 1; beat <= 41 && at < 0; beat++ {
				if w.Heartbeat(c.node(beat), n, &c.lab) == 3 {
					at = beat
				}
			}
			if at != c.at {
				t.Errorf("%s: launched at heartbeat %d, want %d", c.name, at, c.at)
			}
			if j, skipped := w.Candidate(); j != -1 || skipped != 0 {
				t.Errorf("%s: candidate %d with %d skipped left over", c.name, j, skipped)
			}
		})
	}
}

// Equation 3 with pm = 1/4, Nm = 2, 2 pending maps and rack-local data: beta =
// 0.1 + 0.9 (1 - 1/e) = 0.668909, p = 1 - 0.8 0.395613 0.864665 = 0.726338.
func TestPeek(t *testing.T) {
	p := Peek{RackLocal: true, Pending: 2, LocalShare: 0.25, FreeNodes: 2}
	beta := 0.1 + 0.9*(1-math.Exp(-1))
	near(t, "beta", p.Beta(), beta, 1e-12)
	near(t, "p", p.Probability(), 1-0.8*math.Pow(0.25, beta)*(1-math.Exp(-2)), 1e-12)
	near(t, "p in figures", p.Probability(), 0.726338, 5e-6)
	p.RunsReduce = true
	near(t, "alpha 0.7", p.Probability(), 1-0.7*math.Pow(0.25, beta)*(1-math.Exp(-2)), 1e-12)
	p.Local = true
	near(t, "local data", p.Probability(), 1, 0)
	// The paper's extreme cases: no free nodes elsewhere give 1; many give
	// 1 - alpha pm^beta.
	near(t, "no free nodes", Peek{Pending: 3, LocalShare: 0.5}.Probability(), 1, 0)
	many := Peek{Pending: 3, LocalShare: 0.5, FreeNodes: 1e6}
	near(t, "many free nodes", many.Probability(), 1-math.Pow(0.5, 0.1), 1e-5)
	near(t, "fixed beta", Peek{LocalShare: 0.25, FreeNodes: 1e6, BetaOverwrite: 0.5}.Probability(), 0.5, 1e-12)
	// Of K = 5 nodes sampled 2 have local input and 3 a free slot, N = 20.
	share, free := Sampled(2, 3, 5, 20)
	near(t, "sampled share", share, 0.4, 0)
	near(t, "sampled free", free, 12, 1e-12)
	if a, b := Sampled(0, 0, 0, 20); a != 0 || b != 0 {
		t.Error("an empty sample must give zeros")
	}
}

// A probability stays one for any input.
func TestPeekRange(t *testing.T) {
	const seed = 32
	r := rand.New(rand.NewPCG(seed, 0))
	for range 5000 {
		p := Peek{RackLocal: r.IntN(2) == 0, RunsReduce: r.IntN(2) == 0, Pending: r.IntN(500), LocalShare: r.Float64(),
			FreeNodes: 100 * r.Float64() * r.Float64()}
		if v := p.Probability(); !(v >= 0 && v <= 1) {
			t.Fatalf("seed %d: %+v has probability %v", seed, p, v)
		}
	}
}

// A refusal of the central node in heartbeat 1 of a cluster of ten leaves the candidate
// with N + 1 = 11 heartbeats behind it: the node that may come third does at 21, ten later.
func TestWaitAfterARefusal(t *testing.T) {
	lab := waitLab{mismatch: 1, refuse: map[int]bool{0: true}}
	var w WaitScheduler
	w.Heartbeat(0, 10, &lab)
	w.Heartbeat(0, 10, &lab)
	if _, waited := w.Candidate(); waited != 11 {
		t.Fatalf("waited %d heartbeats, want 11", waited)
	}
	beats := 0
	for w.Heartbeat(4, 10, &lab) < 0 {
		if beats++; beats > 100 {
			t.Fatal("never launched")
		}
	}
	if beats+1 != 10 {
		t.Errorf("launched with the %dth heartbeat of a node of the third group, want the 10th", beats+1)
	}
}
