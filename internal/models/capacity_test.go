package models

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize/convex/lp"

	"schedtune/internal/scenario"
	"schedtune/internal/simulate"
	"schedtune/simcore"
)

// boundedLoad is a workload of two jobs a second apart whose maps take seconds in containers
// of the sizes.
func boundedLoad(sizes []simcore.Vec, seconds []float64) *simcore.Workload {
	w := &simcore.Workload{Jobs: []simcore.Job{{FirstTask: -1, MapDist: -1, ReduceDist: -1}}}
	for i, s := range sizes {
		w.Dists = append(w.Dists, simcore.Dist{Kind: simcore.Constant, A: seconds[i]})
		w.Jobs = append(w.Jobs, simcore.Job{Submit: simcore.Second, Maps: 1, FirstTask: -1, MapDist: int32(i), ReduceDist: -1,
			MapAsk: s})
	}
	return w
}

// By hand: two nodes of 8 GiB and 8 cores. Containers of 4 GiB and 1 core, and as many of 1 GiB
// and 4 cores: of each at most 1.6 fit a node (4 a + b <= 8, a + 4 b <= 8), 3.2 the cluster;
// by memory alone 8 / (4 + 1) on a node as well.
func TestBoundCapacity(t *testing.T) {
	nodes := &simcore.Cluster{Nodes: []simcore.Node{{Capacity: simcore.Vec{8192, 8}}, {Capacity: simcore.Vec{8192, 8}}}}
	wide := []simcore.Vec{{4096, 1}, {1024, 4}}
	for _, c := range []struct {
		name      string
		resources int
		sizes     []simcore.Vec
		seconds   []float64
		want      float64
	}{
		{"both count", 2, wide, []float64{1, 1}, 3.2},
		{"memory only", 1, wide, []float64{1, 1}, 3.2},
		{"cores decide", 2, []simcore.Vec{{1024, 4}}, []float64{2}, 2},
		{"memory decides", 1, []simcore.Vec{{1024, 4}}, []float64{2}, 8},
		{"no known size", 2, []simcore.Vec{{}}, []float64{1}, math.NaN()},
		{"no room", 2, []simcore.Vec{{9000, 1}}, []float64{1}, math.NaN()},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, err := BoundCapacity(boundedLoad(c.sizes, c.seconds), nodes, c.resources)
			if err != nil || (b == nil) != math.IsNaN(c.want) {
				t.Fatalf("got %+v, %v, want %v", b, err, c.want)
			}
			if b == nil {
				return
			}
			if math.Abs(b.Upper-c.want) > 1e-9 || !b.Proven || len(b.Kinds) != 1 || math.Abs(b.Kinds[0].Adds-0.5) > 1e-9 {
				t.Errorf("got %+v, want %v of one kind, a node adding half", b, c.want)
			}
		})
	}
}

// On random clusters the bound is that of gonum's simplex method.
func TestBoundAgainstGonum(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 6))
	for trial := range 60 {
		c := &simcore.Cluster{}
		for k := range 1 + r.IntN(3) {
			n := simcore.Node{Capacity: simcore.Vec{int64(8192 * (1 + k + r.IntN(4))), int64(2 + r.IntN(14))}, Speed: 0.5 + r.Float64()}
			for range 1 + r.IntN(5) {
				c.Nodes = append(c.Nodes, n)
			}
		}
		var sizes []simcore.Vec
		var seconds []float64
		for i := range 1 + r.IntN(4) {
			sizes = append(sizes, simcore.Vec{int64(512*(1+r.IntN(8)) + i), int64(1 + r.IntN(2))})
			seconds = append(seconds, 1+10*r.Float64())
		}
		b, err := BoundCapacity(boundedLoad(sizes, seconds), c, 2)
		if err != nil || b == nil || !b.Proven {
			t.Fatalf("trial %d: %+v, %v", trial, b, err)
		}
		// Rows: sizes, then resources of each kind; columns: the multiple, containers.
		rows, cols := len(sizes)+2*len(b.Kinds), 1+len(sizes)*len(b.Kinds)
		g, h, cost := mat.NewDense(rows+cols, cols, nil), make([]float64, rows+cols), make([]float64, cols)
		cost[0] = -1
		for s := range sizes {
			g.Set(s, 0, seconds[s])
			for k, kind := range b.Kinds {
				at := 1 + s*len(b.Kinds) + k
				g.Set(s, at, -kind.Speed)
				for i, capacity := range []int64{kind.Memory, kind.VCores} {
					g.Set(len(sizes)+2*k+i, at, float64(sizes[s][i])/float64(capacity))
					h[len(sizes)+2*k+i] = float64(kind.Nodes)
				}
			}
		}
		for i := range cols {
			g.Set(rows+i, i, -1)
		}
		cn, an, bn := lp.Convert(cost, g, h, nil, nil)
		value, _, err := lp.Simplex(cn, an, bn, 1e-12, nil)
		if err != nil || math.Abs(-value-b.Upper) > 1e-7*b.Upper {
			t.Errorf("trial %d: got %v, want %v (%v)", trial, b.Upper, -value, err)
		}
	}
}

// No simulated run ends before the work could be done at the bound.
func TestBoundHoldsInSimulation(t *testing.T) {
	c, err := (&scenario.Files{Embedded: true}).Load()
	if err != nil {
		t.Fatal(err)
	}
	b, err := BoundCapacity(c.Work, c.Cluster, 1)
	if err != nil || b == nil || !b.Proven {
		t.Fatalf("got %+v, %v, want a bound", b, err)
	}
	r, err := simulate.New(c, simulate.Options{})
	if err != nil {
		t.Fatal(err)
	}
	res, err := r.Run(context.Background(), simulate.Item{Slowstart: -1, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	jobs := c.Work.Jobs
	span := (jobs[len(jobs)-1].Submit - jobs[0].Submit).Seconds()
	if got, least := simulate.Value(res, "makespan"), span/b.Upper; got < least {
		t.Errorf("makespan %v s, want at least %v s of work at the bound", got, least)
	} else {
		t.Logf("makespan %v s, least %v s, bound %+v", got, least, b)
	}
}
