package predict

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func near(t *testing.T, name string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol) {
		t.Errorf("%s: %v, want %v", name, got, want)
	}
}

// With beta = 1/4 the values 8, 4 give F = 8/4 = 2, then 4/4 + 3/4 2 = 2.5 by
// the paper's recursion from 0; the weights are 1/4 and 7/16, so that the
// corrected averages are 8 and 2.5 / (7/16) = 40/7.
func TestEMA(t *testing.T) {
	e, err := NewEMA(0.25)
	if err != nil {
		t.Fatal(err)
	}
	if e.Ready() || !math.IsNaN(e.Value()) {
		t.Error("an empty average must not be ready")
	}
	e.Add(8)
	near(t, "first", e.Value(), 8, 0)
	e.Add(4)
	near(t, "raw", e.Raw(), 2.5, 1e-15)
	near(t, "corrected", e.Value(), 40.0/7, 1e-14)
}

// A value's weight must halve in HalfLife steps: after h further values of 0 a
// value 1 counts (1-beta)^h = 1/2 of what it did.
func TestEMAHalfLife(t *testing.T) {
	for h := 1.0; h <= 1<<20; h *= 4 {
		e, err := EMAFromHalfLife(h)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "half-life", e.HalfLife()/h, 1, 1e-9)
		e.Add(1)
		before := e.Raw()
		e.AddAfter(0, h)
		near(t, "weight after a half-life", e.Raw()/before, 0.5, 1e-9)
	}
}

// Half-lives beyond the resolution of 1 - beta: the average is that of its
// values, as all weigh practically the same, and not NaN.
func TestEMALongHalfLife(t *testing.T) {
	for _, steps := range []float64{1e15, 1e17, 1e200, math.MaxFloat64} {
		e, err := EMAFromHalfLife(steps)
		if err != nil {
			t.Fatal(err)
		}
		e.Add(2)
		e.AddAfter(4, 1)
		if v := e.Value(); math.Abs(v-3) > 1e-9 || !e.Ready() {
			t.Errorf("half-life %g: average of 2 and 4 is %v", steps, v)
		}
	}
}

// One step of length 3 equals three steps of length 1 for the older weights,
// and a constant stays itself whatever the steps.
func TestEMAIrregular(t *testing.T) {
	a, b := EMA{Beta: 0.2}, EMA{Beta: 0.2}
	a.Add(5)
	b.Add(5)
	a.AddAfter(0, 3)
	b.Add(0)
	b.Add(0)
	b.Add(0)
	near(t, "three steps", a.Raw(), b.Raw(), 1e-15)
	c := EMA{Beta: 0.3}
	for i := 1; i < 50; i++ {
		c.AddAfter(7, float64(i%5)+0.1)
		near(t, "constant", c.Value(), 7, 1e-12)
	}
	d := c
	c.Add(math.NaN())
	c.Add(math.Inf(1))
	c.AddAfter(1, 0)
	if c != d {
		t.Error("NaN, infinite values and steps of no length must be ignored")
	}
}

func TestEMAErrorsAndJSON(t *testing.T) {
	for _, b := range []float64{0, -1, 1.5, math.NaN()} {
		if _, err := NewEMA(b); err == nil {
			t.Errorf("beta %v: no error", b)
		}
	}
	for _, h := range []float64{0, -1, math.Inf(1), math.NaN()} {
		if _, err := EMAFromHalfLife(h); err == nil {
			t.Errorf("half-life %v: no error", h)
		}
	}
	e := EMA{Beta: 0.4}
	e.Add(3)
	raw, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	var f EMA
	if err := json.Unmarshal(raw, &f); err != nil || f != e {
		t.Errorf("after JSON %+v, want %+v (%v)", f, e, err)
	}
}

// Windows of 10 s with 20 and 40 releases and 8 and 8 available containers,
// beta 1/2: f = 2 and 4, F_o = (4 + 2/2)/(1 + 1/2) = 10/3 after correction and
// A_o = 8, so equation 1 gives F_e = (10/3) 6/8 = 2.5 for 6 available.
func TestRelease(t *testing.T) {
	r, err := NewRelease(0.5)
	if err != nil {
		t.Fatal(err)
	}
	if r.Estimate() != (ReleaseEstimate{}) {
		t.Error("nothing observed must estimate nothing")
	}
	for _, n := range []float64{20, 40} {
		if err := r.Observe(n, 8, 10); err != nil {
			t.Fatal(err)
		}
	}
	e := r.Estimate()
	near(t, "F_o", e.Frequency, 10.0/3, 1e-12)
	near(t, "A_o", e.Available, 8, 1e-12)
	near(t, "F_e", e.At(6), 2.5, 1e-12)
	near(t, "F_e of nothing", e.At(0), 0, 0)
	for name, call := range map[string]error{
		"window":    r.Observe(1, 1, 0),
		"released":  r.Observe(-1, 1, 1),
		"available": r.Observe(1, math.NaN(), 1),
	} {
		if call == nil {
			t.Errorf("bad %s: no error", name)
		}
	}
	if _, err := NewRelease(0); err == nil {
		t.Error("beta 0: no error")
	}
}

// Two nodes with (5 GiB, 3 cores) and (2 GiB, 8 cores) free and a request of
// (2 GiB, 1 core): min(floor(5/2), 3) + min(floor(2/2), 8) = 2 + 1.
func TestFreeContainers(t *testing.T) {
	n, err := FreeContainers([][]int64{{5, 3}, {2, 8}, {-1, 9}}, []int64{2, 1})
	if err != nil || n != 3 {
		t.Errorf("%d, %v; want 3", n, err)
	}
	if n, err := FreeContainers([][]int64{{5, 0}}, []int64{2, 0}); err != nil || n != 2 {
		t.Errorf("resource not asked for: %d, %v; want 2", n, err)
	}
	for name, c := range map[string]struct {
		free [][]int64
		req  []int64
	}{
		"nothing asked": {[][]int64{{1}}, []int64{0}},
		"negative":      {[][]int64{{1}}, []int64{-1}},
		"other length":  {[][]int64{{1}}, []int64{1, 1}},
	} {
		if _, err := FreeContainers(c.free, c.req); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// Equation 2: S = 10 containers of which r = 2 go to reduces, F_o = 1/s, so
// that 8/10 containers a second remain: x = 4 maps take 5 s, and with T_m = 3 s
// and T_s = 20 s the gap is 20 - (5 + 3) = 12 s. Equation 3 with D = 2 jobs:
// 20 - (10 + 3) = 7 s.
func TestLazyGap(t *testing.T) {
	j := MapStage{Reduces: 2, MapTime: 3, ShuffleTime: 20}
	e := ReleaseEstimate{Frequency: 1, Available: 10}
	near(t, "equation 2", j.Gap(4, e, 1), 12, 1e-12)
	near(t, "equation 3", j.Gap(4, e, 2), 7, 1e-12)
	near(t, "no map pending", j.Gap(0, e, 2), 17, 1e-12)
	if g := (MapStage{Reduces: 10}).Gap(1, e, 1); !math.IsInf(g, -1) {
		t.Errorf("reduces that take all containers: gap %v, want -Inf", g)
	}
	// d m / (B r): 64 maps of 1 GB to 4 reduces at 2 GB/s: 8 s.
	near(t, "shuffle time", ShuffleTime(1e9, 64, 4, 2e9), 8, 1e-12)
	near(t, "no reduces", ShuffleTime(1e9, 64, 0, 2e9), 0, 0)
}

// With gap(x) = 20 - (2.5 x + 3) seconds (equation 3, D = 2 of the numbers
// above) the gap is zero at x = 6.8: at 7 pending maps |gap| is 0.5, at 6 it
// would be 2, at 8 it is 3, so the reduces start at 7.
func TestLazyStartIsDue(t *testing.T) {
	e := ReleaseEstimate{Frequency: 1, Available: 10}
	for pending := 0; pending <= 40; pending++ {
		j := MapStage{Running: true, Maps: 40, Pending: pending, Reduces: 2, MapTime: 3, ShuffleTime: 20}
		other := MapStage{Running: true, ReducesStarted: true}
		want := -1
		if pending <= 7 {
			want = 1
		}
		if got := (LazyStart{}).Pick([]MapStage{other, j}, e); got != want {
			t.Errorf("%d maps pending: picked %d, want %d", pending, got, want)
		}
	}
}

// The rule must equal its definition, |beta(m')| <= |beta(x)| for all x < m',
// and the printed one arg min over [m', m], by slow search.
func TestLazyStartAgainstSearch(t *testing.T) {
	const seed = 31
	r := rand.New(rand.NewPCG(seed, 0))
	for range 3000 {
		j := MapStage{Running: true, Maps: 1 + r.IntN(30), Reduces: 1 + r.IntN(6), MapTime: 10 * r.Float64(),
			ShuffleTime: 40 * r.Float64()}
		j.Pending = r.IntN(j.Maps + 1)
		e := ReleaseEstimate{Frequency: 0.1 + r.Float64(), Available: 8 + 8*r.Float64()}
		d := 1 + r.IntN(3)
		due, printed := true, true
		for x := 0; x < j.Pending; x++ {
			due = due && math.Abs(j.Gap(j.Pending, e, d)) <= math.Abs(j.Gap(x, e, d))
		}
		for x := j.Pending + 1; x <= j.Maps; x++ {
			printed = printed && j.Gap(j.Pending, e, d) <= j.Gap(x, e, d)
		}
		if got := (LazyStart{}).Due(j, e, d); got != due {
			t.Fatalf("seed %d, %+v: due %v, want %v", seed, j, got, due)
		}
		if got := (LazyStart{AsPrinted: true}).Due(j, e, d); got != printed {
			t.Fatalf("seed %d, %+v: as printed %v, want %v", seed, j, got, printed)
		}
	}
}

// Of several due jobs the one with the fewest containers wins; jobs without
// reduces, not running, or already reducing never.
func TestLazyStartPick(t *testing.T) {
	e := ReleaseEstimate{Frequency: 1, Available: 10}
	jobs := []MapStage{
		{Running: true, Reduces: 1, Held: 5},
		{Running: true, Reduces: 1, Held: 3},
		{Running: true, Reduces: 1, Held: 3},
		{Running: false, Reduces: 1, Held: 0},
		{Running: true, Reduces: 0, Held: 0},
		{Running: true, Reduces: 1, Held: 0, ReducesStarted: true},
	}
	if got := (LazyStart{}).Pick(jobs, e); got != 1 {
		t.Errorf("picked %d, want 1", got)
	}
	if got := (LazyStart{}).Pick(nil, e); got != -1 {
		t.Errorf("no jobs: %d", got)
	}
}

// Equations 4 and 5 with K = 2, F_o = 1/s, A_o = 8, m' = 3, T_m = 4, r = 8:
// t_fair = 2 3 / 1 + 4 = 10 s; s = 1 1/2 10 = 5 (and (K-1) m' + F_o (K-1) T_m / K
// = 3 + 2); t_batch = 5 8 / (1 16) = 2.5 s.
func TestBatchTimes(t *testing.T) {
	j := MapStage{Running: true, ReducesStarted: true, Pending: 3, Reduces: 8, MapTime: 4}
	fair, batch := j.BatchTimes(ReleaseEstimate{Frequency: 1, Available: 8}, 2)
	near(t, "t_fair", fair, 10, 1e-12)
	near(t, "t_batch", batch, 2.5, 1e-12)
	if fair, _ := j.BatchTimes(ReleaseEstimate{}, 2); !math.IsInf(fair, 1) {
		t.Errorf("no releases: t_fair %v, want +Inf", fair)
	}
}

// Algorithm 2 takes the largest t_fair - t_batch. With K = 3 (F_o = 1, A_o = 8):
// job 0: fair 3 2 + 4 = 10, s = 20/3, batch (20/3) 8/16 = 10/3, gain 20/3;
// job 1: fair 3 5 + 4 = 19, s = 38/3, batch (38/3) 8/9 = 304/27, gain 7.74.
// Job 2 has not begun its reduces.
func TestBatchFinish(t *testing.T) {
	e := ReleaseEstimate{Frequency: 1, Available: 8}
	jobs := []MapStage{
		{Running: true, ReducesStarted: true, Pending: 2, Reduces: 8, MapTime: 4},
		{Running: true, ReducesStarted: true, Pending: 5, Reduces: 1, MapTime: 4},
		{Running: true, Pending: 50, Reduces: 50, MapTime: 4},
	}
	if got := BatchFinish(jobs, e); got != 1 {
		t.Errorf("picked %d, want 1", got)
	}
	jobs[1].Pending = 0
	if got := BatchFinish(jobs, e); got != 0 {
		t.Errorf("picked %d, want 0", got)
	}
	if got := BatchFinish(jobs[2:], e); got != -1 {
		t.Errorf("picked %d, want none", got)
	}
}

// Figure 4 of the OMO paper: 12 maps of one time unit on 3 slots end after 4
// units and the reduce after 5; one map more makes 6, 20 % more.
func TestFigure4(t *testing.T) {
	with12, with13 := Waves(12, 3)+1, Waves(13, 3)+1
	if with12 != 5 || with13 != 6 || float64(with13-with12)/float64(with12) != 0.2 {
		t.Errorf("execution times %d and %d, want 5 and 6", with12, with13)
	}
	if Waves(0, 3) != 0 || Waves(3, 0) != -1 {
		t.Error("no tasks take no wave, no slots are an error value")
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
func (w *waitLab) Group(_, v int) int          { return CentralityGroup([]int{0, 1, 2, 3, 4}, v) }
func (w *waitLab) RunsReduceOf(_, v int) bool  { return w.runs[v] }
func (w *waitLab) Launch(_, v int) bool        { return !w.refuse[v] }

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

// A series that jumps back and forth is best predicted by its mean, so a small
// beta; one that jumps once and stays is best predicted by the last value; the
// running mean of the former has error about 1/2, the last value error 1.
func TestFitBeta(t *testing.T) {
	var flip, step []float64
	for i := range 200 {
		flip = append(flip, float64(i%2))
		step = append(step, float64(i/100))
	}
	f, err := FitBeta(flip)
	if err != nil {
		t.Fatal(err)
	}
	if f.Beta > 0.05 || f.LastValue != 1 || math.Abs(f.Mean-0.5) > 0.02 || f.EMA > 0.52 {
		t.Errorf("alternating series: %+v", f)
	}
	s, err := FitBeta(step)
	if err != nil {
		t.Fatal(err)
	}
	// The jump costs 1 whatever the weight; the last value pays nothing more.
	if s.Beta != 1 || math.Abs(s.EMA-1.0/199) > 1e-12 || s.N != 199 {
		t.Errorf("step: %+v, want beta 1 and error 1/199", s)
	}
	near(t, "one weight", OneStepError(step, s.Beta), s.EMA, 0)
	for name, series := range map[string][]float64{"empty": nil, "one": {1}, "NaN": {1, math.NaN(), 2}} {
		if _, err := FitBeta(series); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// Releases that are exactly a tenth of the available containers per second are
// predicted exactly by equation 1 whatever the weight, while neither the last
// value nor the mean can follow the jumps of the availability.
func TestFitRelease(t *testing.T) {
	var released, available []float64
	for i := range 60 {
		a := float64(10 + 40*(i/10%2))
		available, released = append(available, a), append(released, a) // 10 s windows: a/10 per second
	}
	r, err := FitRelease(released, available, 10)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "error of equation 1", r.Error, 0, 1e-12)
	near(t, "last value", r.LastValue, 5*4.0/59, 1e-12) // five jumps of 4 containers/s
	if !math.IsNaN(r.Forecast[0]) || math.Abs(r.Forecast[10]-5) > 1e-9 || r.Mean <= r.LastValue {
		t.Errorf("forecast %v, mean error %v", r.Forecast[:11], r.Mean)
	}
	if _, err := FitRelease([]float64{1}, nil, 1); err == nil {
		t.Error("series of different length: no error")
	}
	if _, err := FitRelease([]float64{1, 1}, []float64{1, 1}, 0); err == nil {
		t.Error("no window: no error")
	}
}

// The same job with batch finish: algorithm 2 would choose it, so that it gets all
// releases, the gap is 20 - (1.25 x + 3) seconds and zero at x = 13.6: at 14
// pending maps |gap| is 0.5, at 13 it would be 0.75. Where another job is served
// first it keeps its share.
func TestLazyStartBeforeBatchFinish(t *testing.T) {
	e := ReleaseEstimate{Frequency: 1, Available: 10}
	l := LazyStart{BatchFollows: true}
	for pending := 0; pending <= 40; pending++ {
		j := MapStage{Running: true, Maps: 40, Pending: pending, Reduces: 2, MapTime: 3, ShuffleTime: 20}
		for first, most := range map[int]int{0: 14, 100: 7} {
			other := MapStage{Running: true, ReducesStarted: true, Maps: 100, Pending: first, Reduces: 2, MapTime: 3}
			want := -1
			if pending <= most {
				want = 1
			}
			if got := l.Pick([]MapStage{other, j}, e); got != want {
				t.Errorf("%d maps pending, %d of the other: picked %d, want %d", pending, first, got, want)
			}
		}
	}
}

// Where nothing was available or nothing is asked, equation 1 gives nothing; parts of a
// container count as they are: (2/s)(1/(1/2)) = 4 and 1 (1/2)/1 = 1/2.
func TestReleaseEstimateEdges(t *testing.T) {
	for _, c := range []struct {
		e               ReleaseEstimate
		available, want float64
	}{
		{ReleaseEstimate{Frequency: 1}, 5, 0},
		{ReleaseEstimate{Frequency: 2, Available: 0.5}, 1, 4},
		{ReleaseEstimate{Frequency: 1, Available: 1}, 0.5, 0.5},
		{ReleaseEstimate{Frequency: 1, Available: 1}, -1, 0},
		{ReleaseEstimate{Frequency: 1, Available: math.NaN()}, 1, 0},
	} {
		if got := c.e.At(c.available); got != c.want {
			t.Errorf("%+v with %v available: %v containers/s, want %v", c.e, c.available, got, c.want)
		}
	}
	// A request of one unit of a resource limits, of none does not: 5 of the first.
	if n, err := FreeContainers([][]int64{{5, 0}}, []int64{1, 0}); n != 5 || err != nil {
		t.Errorf("%d containers (%v), want 5", n, err)
	}
}

// Where reduces would take all containers that can come free, no number of pending maps
// is due, as the maps would never end; without pending maps the gap is T_s - T_m and the
// reduces are due.
func TestLazyStartWithoutRoomForMaps(t *testing.T) {
	e := ReleaseEstimate{Frequency: 1, Available: 4}
	j := MapStage{Running: true, Maps: 9, Reduces: 4, MapTime: 3, ShuffleTime: 20}
	near(t, "gap without pending maps", j.Gap(0, e, 1), 17, 0)
	for j.Pending = 0; j.Pending < 9; j.Pending++ {
		if got := (LazyStart{}).Due(j, e, 1); got != (j.Pending == 0) {
			t.Errorf("%d maps pending: due %v", j.Pending, got)
		}
	}
	// The first job holds least.
	jobs := []MapStage{{Running: true, Reduces: 1, Held: 1}, {Running: true, Reduces: 1, Held: 2}}
	if got := (LazyStart{}).Pick(jobs, e); got != 0 {
		t.Errorf("picked job %d, want 0", got)
	}
}

// Whether batch finish would serve another job first asks only running jobs that have
// begun their reduces and have maps left. The job's t_fair - t_batch by equations 4 and 5
// with K = 2: t_fair = 2 10 + 3 = 23, t_batch = 23/2 10/12 = 9.58; the other's is larger
// with 100 maps pending.
func TestBatchServesOnlyJobsThatReduce(t *testing.T) {
	e := ReleaseEstimate{Frequency: 1, Available: 10}
	j := MapStage{Running: true, Maps: 40, Pending: 14, Reduces: 2, MapTime: 3, ShuffleTime: 20}
	idle := MapStage{Running: true} // so that K is 2 whatever the other does
	for name, c := range map[string]struct {
		other MapStage
		want  int
	}{
		"reduces": {MapStage{Running: true, ReducesStarted: true, Maps: 100, Pending: 100, Reduces: 2, MapTime: 3},
			-1},
		"not begun":        {MapStage{Running: true, Maps: 100, Pending: 100, MapTime: 3}, 1},
		"no maps left":     {MapStage{Running: true, ReducesStarted: true, Maps: 100, Reduces: 50, MapTime: 300}, 1},
		"no longer active": {MapStage{ReducesStarted: true, Maps: 100, Pending: 100, Reduces: 2, MapTime: 3}, 1},
	} {
		jobs := []MapStage{c.other, j}
		if !c.other.Running {
			jobs = append(jobs, idle)
		}
		if got := (LazyStart{BatchFollows: true}).Pick(jobs, e); got != c.want {
			t.Errorf("the other job: %s: picked %d, want %d", name, got, c.want)
		}
	}
}

// Three windows of 1 s with releases 1, 2, 4 of 1, 1, 1 available: equation 1 with beta = 1
// predicts the last value, so that the errors are 1 and 2, their mean 3/2; the running
// mean predicts 1 and 3/2, errors 1 and 5/2, mean 7/4.
func TestFitReleaseByHand(t *testing.T) {
	r, err := FitRelease([]float64{1, 2, 4}, []float64{1, 1, 1}, 1)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "weight", r.Beta, 1, 0)
	near(t, "error of equation 1", r.Error, 1.5, 1e-12)
	near(t, "last value", r.LastValue, 1.5, 1e-12)
	near(t, "running mean", r.Mean, 1.75, 1e-12)
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

// The largest gain is served wherever it stands: with K = 2 (F_o = 1, A_o = 8) five maps and
// eight reduces gain more than two maps and eight reduces.
func TestBatchFinishOrder(t *testing.T) {
	large := MapStage{Running: true, ReducesStarted: true, Pending: 5, Reduces: 8, MapTime: 4}
	small := large
	small.Pending = 2
	e := ReleaseEstimate{Frequency: 1, Available: 8}
	for want, jobs := range [][]MapStage{{large, small}, {small, large}} {
		if got := BatchFinish(jobs, e); got != want {
			t.Errorf("picked %d of %+v, want %d", got, jobs, want)
		}
	}
}

// Reduces launched count as progress, and the one that would be next: as in TestMismatch with
// one of three reduces finished and one running, redProgress = 1 + 1 + 1.
func TestMismatchCountsRunningReduces(t *testing.T) {
	p := Progress{Maps: 100, FinishedMaps: 50, PendingMaps: 50, Reduces: 3, PendingReduces: 1, FinishedReduces: 1,
		RunningReduces: 1}
	near(t, "mismatch", p.Mismatch(3), (1.5/(1-math.Exp(-1))-3)/3, 1e-12)
}

// Equations 4 and 5 where containers come by more than one a second: K = 2, F_o = 2/s, A_o = 8,
// m' = 3, T_m = 4, r = 8: t_fair = 2 3 / 2 + 4 = 7 s; s = 2 1/2 7 = 7; t_batch = 7 8 / (2 16).
func TestBatchTimesOfFrequentReleases(t *testing.T) {
	j, e := MapStage{Pending: 3, Reduces: 8, MapTime: 4}, ReleaseEstimate{Frequency: 2, Available: 8}
	fair, batch := j.BatchTimes(e, 2)
	near(t, "t_fair", fair, 7, 1e-12)
	near(t, "t_batch", batch, 1.75, 1e-12)
	if fair, batch := j.BatchTimes(e, 0); !math.IsInf(fair, 1) || !math.IsInf(batch, 1) {
		t.Errorf("no job shares the releases: %v, %v; want +Inf", fair, batch)
	}
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

// Where every error overflows no weight is the best, which is an error and not weight 0.
func TestFitsOfHugeValues(t *testing.T) {
	if o, err := FitBeta([]float64{1e308, -1e308, 1e308}); err == nil {
		t.Errorf("%+v", o)
	}
	if r, err := FitRelease([]float64{1e308, 1e308, 3}, []float64{1e-308, 1e308, 1}, 10); err == nil {
		t.Errorf("%+v", r)
	}
	if o, err := FitBeta([]float64{1e300, -1e300, 1e300}); err != nil || !(o.Beta > 0) {
		t.Errorf("%+v, %v", o, err)
	}
}
