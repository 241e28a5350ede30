package predict

import (
	"math"
	"math/rand/v2"
	"testing"
)

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
		j := MapStage{Running: true, Pending: pending, Reduces: 2, MapTime: 3, ShuffleTime: 20}
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

// The rule must equal its definition, |beta(m')| <= |beta(x)| for all x < m', by slow search.
func TestLazyStartAgainstSearch(t *testing.T) {
	const seed = 31
	r := rand.New(rand.NewPCG(seed, 0))
	for range 3000 {
		j := MapStage{Running: true, Reduces: 1 + r.IntN(6), MapTime: 10 * r.Float64(),
			ShuffleTime: 40 * r.Float64()}
		j.Pending = r.IntN(31)
		e := ReleaseEstimate{Frequency: 0.1 + r.Float64(), Available: 8 + 8*r.Float64()}
		d := 1 + r.IntN(3)
		due := true
		for x := 0; x < j.Pending; x++ {
			due = due && math.Abs(j.Gap(j.Pending, e, d)) <= math.Abs(j.Gap(x, e, d))
		}
		if got := (LazyStart{}).Due(j, e, d); got != due {
			t.Fatalf("seed %d, %+v: due %v, want %v", seed, j, got, due)
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

// The same job with batch finish: algorithm 2 would choose it, so that it gets all
// releases, the gap is 20 - (1.25 x + 3) seconds and zero at x = 13.6: at 14
// pending maps |gap| is 0.5, at 13 it would be 0.75. Where another job is served
// first it keeps its share.
func TestLazyStartBeforeBatchFinish(t *testing.T) {
	e := ReleaseEstimate{Frequency: 1, Available: 10}
	l := LazyStart{BatchFollows: true}
	for pending := 0; pending <= 40; pending++ {
		j := MapStage{Running: true, Pending: pending, Reduces: 2, MapTime: 3, ShuffleTime: 20}
		for first, most := range map[int]int{0: 14, 100: 7} {
			other := MapStage{Running: true, ReducesStarted: true, Pending: first, Reduces: 2, MapTime: 3}
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

// Where reduces would take all containers that can come free, no number of pending maps
// is due, as the maps would never end; without pending maps the gap is T_s - T_m and the
// reduces are due.
func TestLazyStartWithoutRoomForMaps(t *testing.T) {
	e := ReleaseEstimate{Frequency: 1, Available: 4}
	j := MapStage{Running: true, Reduces: 4, MapTime: 3, ShuffleTime: 20}
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
