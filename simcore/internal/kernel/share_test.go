package kernel

import (
	"math"
	"testing"

	"schedtune/internal/rng"
	"schedtune/simcore"
)

// serve runs the resource until it is empty and returns when each flow ended.
func serve(r *shared, arrive map[simcore.Time][]flow) map[int32]simcore.Time {
	ends, left := map[int32]simcore.Time{}, 0
	var times []simcore.Time
	for at, fs := range arrive {
		times, left = append(times, at), left+len(fs)
	}
	for left > 0 {
		at := r.next()
		due := simcore.Never
		for _, t := range times {
			if _, ok := arrive[t]; ok && t < due {
				due = t
			}
		}
		if due <= at {
			for _, f := range arrive[due] {
				r.add(due, f.id, int64(f.size))
			}
			delete(arrive, due)
			continue
		}
		r.advance(at)
		for id := r.ended(); id != simcore.None; id = r.ended() {
			ends[id], left = at, left-1
		}
	}
	return ends
}

func wantEnds(t *testing.T, what string, got map[int32]simcore.Time, want map[int32]float64) {
	t.Helper()
	for id, s := range want {
		if d := got[id].Seconds() - s; math.Abs(d) > 1e-4 {
			t.Errorf("%s: flow %d ends at %v s, want %v", what, id, got[id].Seconds(), s)
		}
	}
}

// Hand-derived: n equal flows of size s on capacity C all end at n·s/C; of two
// sizes s1 <= s2 the first ends at 2·s1/C and the second at (s1+s2)/C; a flow
// that comes at half time of another shares from then on.
func TestEqualShares(t *testing.T) {
	const c = 1e6 // bytes/s
	var r shared
	r.reset(c, 1)
	var five []flow
	for i := range int32(5) {
		five = append(five, flow{id: i, size: 2e6})
	}
	wantEnds(t, "five equal", serve(&r, map[simcore.Time][]flow{0: five}), map[int32]float64{0: 10, 1: 10, 2: 10, 3: 10,
		4: 10})
	r.reset(c, 1)
	wantEnds(t, "two sizes", serve(&r, map[simcore.Time][]flow{0: {{id: 0, size: 1e6}, {id: 1, size: 3e6}}}),
		map[int32]float64{0: 2, 1: 4})
	// Alone until 1 s (1 MB of 2 MB left), then half each: flow 0 ends at 3 s,
	// flow 1 (3 MB) has 2 MB left then, alone: 5 s.
	r.reset(c, 1)
	wantEnds(t, "late arrival", serve(&r, map[simcore.Time][]flow{0: {{id: 0, size: 2e6}},
		simcore.Second: {{id: 1, size: 3e6}}}), map[int32]float64{0: 3, 1: 5})
}

// Two disks serve one flow at one disk's rate, two at full rate each, three at
// two thirds: sizes 1, 1, 1 MB on 2 × 1 MB/s end at 1.5 s; a single one at 1 s.
func TestUnitsLimitOneFlow(t *testing.T) {
	var r shared
	r.reset(1e6, 2)
	wantEnds(t, "one", serve(&r, map[simcore.Time][]flow{0: {{id: 0, size: 1e6}}}), map[int32]float64{0: 1})
	r.reset(1e6, 2)
	wantEnds(t, "three", serve(&r, map[simcore.Time][]flow{0: {{id: 0, size: 1e6}, {id: 1, size: 1e6},
		{id: 2, size: 1e6}}}),
		map[int32]float64{0: 1.5, 1: 1.5, 2: 1.5})
}

// The reference integrates the rates step by step in floating point.
func TestSharedEqualsStepwiseReference(t *testing.T) {
	for seed := range uint64(50) {
		k := rng.NewKey(seed, 30)
		n, units := 1+k.IntN(0, 12), 1+k.IntN(1, 3)
		arrive, at, size := map[simcore.Time][]flow{}, make([]float64, n), make([]float64, n)
		for i := range n {
			when := simcore.Time(k.IntN(uint64(10+i), 5000000))
			s := 1 + k.IntN(uint64(100+i), 4000000)
			arrive[when] = append(arrive[when], flow{id: int32(i), size: uint64(s)})
			at[i], size[i] = when.Seconds(), float64(s)
		}
		var r shared
		r.reset(1e6, int32(units))
		got := serve(&r, arrive)
		wantEnds(t, "reference", got, stepwise(1e6, float64(units), at, size))
		total := uint64(0)
		for _, s := range size {
			total += uint64(s)
		}
		if r.served != total {
			t.Errorf("seed %d: served %d bytes of %d", seed, r.served, total)
		}
	}
}

func stepwise(unit, units float64, at, size []float64) map[int32]float64 {
	ends, now := map[int32]float64{}, 0.0
	left := append([]float64(nil), size...)
	for len(ends) < len(at) {
		active, next := 0.0, math.Inf(1)
		for i := range at {
			if _, done := ends[int32(i)]; done {
				continue
			}
			if at[i] <= now {
				active++
			} else {
				next = min(next, at[i])
			}
		}
		rate := min(unit, units*unit/max(active, 1))
		for i := range at {
			if _, done := ends[int32(i)]; !done && at[i] <= now {
				next = min(next, now+left[i]/rate)
			}
		}
		for i := range at {
			if _, done := ends[int32(i)]; !done && at[i] <= now {
				if left[i] -= rate * (next - now); left[i] < 1e-6 {
					ends[int32(i)] = next
				}
			}
		}
		now = next
	}
	return ends
}

// Parking lot: one transfer over m links and a local one on each, capacity C:
// every link is shared by two, so all end at 2·s/C (max-min gives C/2 to all).
func TestParkingLot(t *testing.T) {
	c := &simcore.Cluster{Racks: []string{"a", "b"}, UplinkRate: 1e6, Nodes: []simcore.Node{
		{Rack: 0, NICRate: 1e6}, {Rack: 1, NICRate: 1e6}, {Rack: 0, NICRate: 1e6}, {Rack: 1, NICRate: 1e6}}}
	w := &simcore.Workload{Jobs: []simcore.Job{{Maps: 3, FirstTask: -1, InputBytes: 3e6, MapDist: -1, ReduceDist: -1}}}
	var d Durations
	d.Reset(simcore.DurationConfig{Model: simcore.Resources}, c, w)
	x := new(Exec)
	x.Reset(simcore.ResourceConfig{}, &d, c, w)
	// 0 -> 1 crosses out(0), up(a), down(b), in(1); 0 -> 2 shares out(0);
	// 3 -> 1 shares in(1).
	x.Start(0, 0, simcore.Task{Job: 0, Kind: simcore.Map, Index: 0}, 0, 1, 0, 1)
	x.Start(1, 0, simcore.Task{Job: 0, Kind: simcore.Map, Index: 1}, 0, 2, 0, 1)
	x.Start(2, 0, simcore.Task{Job: 0, Kind: simcore.Map, Index: 2}, 0, 1, 3, 1)
	for n := 0; n < 3; {
		at, ok := x.Next()
		if !ok {
			t.Fatal("transfers do not end")
		}
		for range x.Advance(at, nil) {
			n++
			if math.Abs(at.Seconds()-2) > 1e-4 {
				t.Errorf("a transfer ends at %v s, want 2", at.Seconds())
			}
		}
	}
}

// The ziggurat's exponential has mean 1, second moment 2 and the right tail.
func TestZiggurat(t *testing.T) {
	const n = 1000000
	k := rng.NewKey(1, 31)
	var sum, square float64
	tail := [3]int{}
	for i := range uint64(n) {
		x := expDraw(k.At(i))
		sum, square = sum+x, square+x*x
		for j, edge := range []float64{1, 5, 8} {
			if x > edge {
				tail[j]++
			}
		}
	}
	if m := sum / n; math.Abs(m-1) > 0.005 {
		t.Errorf("mean %v, want 1", m)
	}
	if m := square / n; math.Abs(m-2) > 0.03 {
		t.Errorf("second moment %v, want 2", m)
	}
	for j, edge := range []float64{1, 5, 8} {
		want := n * math.Exp(-edge)
		if math.Abs(float64(tail[j])-want) > 5*math.Sqrt(want) {
			t.Errorf("beyond %v: %d draws, want %.0f", edge, tail[j], want)
		}
	}
}
