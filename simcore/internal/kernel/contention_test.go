package kernel

import (
	"math"
	"testing"

	"schedtune/simcore"
)

// Hand-derived: with e(k) = 1/(1 + a(k-1)) n equal flows of size s on capacity C end at
// n s (1 + a(n-1)) / C; of two sizes s1 <= s2 the first ends at 2 s1 (1 + a) / C, and the second
// needs (s2-s1)/C more, alone. A knee moves the loss to more streams, and two units halve
// their number.
func TestContentionOfStreams(t *testing.T) {
	flows := func(sizes ...uint64) (out []flow) {
		for i, s := range sizes {
			out = append(out, flow{id: int32(i), size: s})
		}
		return out
	}
	for name, c := range map[string]struct {
		loss  simcore.Loss
		units int32
		flows []flow
		want  map[int32]float64
	}{
		"one alone":             {simcore.Loss{Rate: 0.5}, 1, flows(2e6), map[int32]float64{0: 2}},
		"four equal":            {simcore.Loss{Rate: 0.5}, 1, flows(1e6, 1e6, 1e6, 1e6), map[int32]float64{0: 10, 3: 10}},
		"two sizes":             {simcore.Loss{Rate: 0.5}, 1, flows(1e6, 3e6), map[int32]float64{0: 3, 1: 5}},
		"four below a knee":     {simcore.Loss{Knee: 4, Rate: 0.5}, 1, flows(1e6, 1e6, 1e6, 1e6), map[int32]float64{0: 4}},
		"four beyond a knee":    {simcore.Loss{Knee: 3, Rate: 0.5}, 1, flows(1e6, 1e6, 1e6, 1e6), map[int32]float64{0: 6}},
		"four on two units":     {simcore.Loss{Rate: 0.5}, 2, flows(1e6, 1e6, 1e6, 1e6), map[int32]float64{0: 3}},
		"a loss of nearly all":  {simcore.Loss{Rate: 100}, 1, flows(1e3, 1e3), map[int32]float64{0: 0.202}},
		"one on each of units":  {simcore.Loss{Rate: 1000}, 2, flows(1e6, 1e6), map[int32]float64{0: 1, 1: 1}},
		"a knee below a stream": {simcore.Loss{Knee: 0.1, Rate: 1}, 1, flows(1e6), map[int32]float64{0: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			var r shared
			r.reset(1e6, c.units)
			r.lose(c.loss)
			wantEnds(t, name, serve(&r, map[simcore.Time][]flow{0: c.flows}), c.want)
			sum := uint64(0)
			for _, f := range c.flows {
				sum += f.size
			}
			if r.served != sum {
				t.Errorf("served %d bytes, want %d", r.served, sum)
			}
		})
	}
}

// With any loss less concurrency is never slower in all: n equal flows one after another end
// no later than side by side, and without loss at the same time.
func TestContentionMakesConcurrencyCostly(t *testing.T) {
	last := 0.0
	for _, rate := range []float64{0, 0.01, 0.1, 1, 10} {
		var r shared
		r.reset(1e6, 1)
		r.lose(simcore.Loss{Rate: rate})
		var flows []flow
		for i := range int32(8) {
			flows = append(flows, flow{id: i, size: 1e6})
		}
		end := serve(&r, map[simcore.Time][]flow{0: flows})[7].Seconds()
		if rate == 0 && math.Abs(end-8) > 1e-4 || end < 8-1e-4 || end < last {
			t.Errorf("rate %g: 8 flows of 1 s end after %v s, want at least 8 and %v", rate, end, last)
		}
		last = end
	}
}

// Two maps that ask for 2 GiB each on a node of 2 GiB compute at half their rate with a memory
// loss of 1, and the second at the full one once the first has ended; with memory enough, or
// not known, nothing changes.
func TestContentionOfMemory(t *testing.T) {
	for name, c := range map[string]struct {
		physical int64
		first    float64
	}{"not known": {0, 2}, "enough": {4096, 2}, "half": {2048, 3}} {
		t.Run(name, func(t *testing.T) {
			node := simcore.Node{Speed: 1, Cores: 2, Physical: c.physical}
			cl := &simcore.Cluster{Racks: []string{"a"}, Nodes: []simcore.Node{node}}
			w := &simcore.Workload{Jobs: []simcore.Job{{Maps: 2, FirstTask: -1, MapDist: -1, ReduceDist: -1, InputBytes: 20e6,
				MapCPU: 2e-7, MapAsk: simcore.Vec{2048, 1}}}}
			x := new(Exec)
			x.Reset(simcore.ResourceConfig{Contention: simcore.Contention{Memory: 1}},
				newDurations(simcore.DurationConfig{Model: simcore.Resources}, cl, w), cl, w)
			x.Start(0, 0, simcore.Task{}, 0, 0, 0, 1)
			at := simcore.Second
			x.Advance(at, nil)
			x.Start(1, at, simcore.Task{Index: 1}, 0, 0, 0, 1)
			ends := until(x, 100)
			near(t, "the first", ends[0], c.first)
			near(t, "the second", ends[1], c.first+1)
		})
	}
}

// What is out of range is an error that names it.
func TestContentionIsChecked(t *testing.T) {
	for name, c := range map[string]simcore.Contention{"Disk.Rate": {Disk: simcore.Loss{Rate: -1}},
		"CPU.Knee": {CPU: simcore.Loss{Knee: 2000}}, "Memory": {Memory: math.NaN()}} {
		t.Run(name, func(t *testing.T) {
			if err := c.Check(""); err == nil {
				t.Errorf("%s: no error for %+v", name, c)
			}
		})
	}
	if err := new(simcore.Contention).Check(""); err != nil {
		t.Errorf("no contention: %v, want no error", err)
	}
}
