package models

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"schedtune/internal/text"
	"schedtune/lp"
	"schedtune/simcore"
)

// A bound of the load that a cluster carries under any scheduler, by a linear program over sizes
// of containers t, kinds of nodes g and resources r, memory and vcores:
//
//	maximise    lambda
//	subject to  sum over g of speed_g x_tg >= lambda W_t        for each size
//	            sum over t of size_tr x_tg <= N_g capacity_gr   for each kind and resource
//
// x_tg containers run on average; W_t is the time at reference speed that tasks take in
// containers of the size, over the span of submissions. Locality, order, queues, masters and
// whole containers are left out, all of which can only lower what is carried. Prices y_gr of
// the resources prove it, whoever found them: with p_t the least price of a second's work in
// a container of the size, lambda <= sum of y_gr N_g capacity_gr / sum of W_t p_t.

// CapacityBound is the bound with its proof.
type CapacityBound struct {
	Upper     float64      `json:"upper_bound"` // multiple of the load that no scheduler exceeds
	Reached   float64      `json:"reached"`     // by the containers of the program's solution
	Proven    bool         `json:"proven"`      // both agree to 1e-9
	Resources []string     `json:"resources"`   // that count
	Unsized   float64      `json:"unsized"`     // share of the task time, in containers of no known size: not counted
	Kinds     []KindOfNode `json:"kinds"`       // of nodes
	// Current is the multiple that the queue file carries in simulation, all jobs being submitted at once; absent
	// without one, null where the run failed.
	Current     text.Num `json:"current,omitempty"`
	Recommended text.Num `json:"recommended,omitempty"` // that the recommended file carries
}

// KindOfNode is what equal nodes bring.
type KindOfNode struct {
	Nodes  int     `json:"nodes"`
	Memory int64   `json:"memory_mib"`
	VCores int64   `json:"vcores"`
	Speed  float64 `json:"speed"` // 1 = reference
	Adds   float64 `json:"adds"`  // by one more node, as a share of the bound
}

// uses calls f with the times, in seconds, that containers of a size work for a job, of which a
// task of Spark has its part of its executor; Spark and Tez have containers of one kind.
func uses(w *simcore.Workload, j *simcore.Job, f func(k simcore.Kind, size simcore.Vec, seconds float64)) {
	tasks := func(first, n, dist int32) float64 {
		return w.StageSeconds(&simcore.Job{FirstTask: first, Maps: n, MapDist: dist}, simcore.Map)
	}
	switch {
	case j.Standing != nil:
	case j.Spark != nil:
		for _, s := range j.Spark.Stages {
			e := &j.Spark.Executors[s.Profile]
			f(simcore.Map, e.Container, tasks(s.FirstTask, s.Tasks, s.Dist)/float64(e.Slots()))
		}
	case j.Tez != nil:
		for _, v := range j.Tez.Vertices {
			f(simcore.Map, v.Size, tasks(v.FirstTask, v.Tasks, v.Dist))
		}
	default:
		f(simcore.Map, j.MapAsk, w.StageSeconds(j, simcore.Map))
		f(simcore.Reduce, j.ReduceAsk, w.StageSeconds(j, simcore.Reduce))
	}
}

// BoundCapacity bounds the load that a YARN cluster carries; resources is how many count, 1 for
// memory only, 2 with vcores. It is nil where nothing is known: no span of submissions, no
// container of a known size, or a container for which no node has room.
func BoundCapacity(w *simcore.Workload, c *simcore.Cluster, resources int) (*CapacityBound, error) {
	b := &CapacityBound{Resources: []string{"memory", "vcores"}[:resources]}
	span, total, counted := 0.0, 0.0, 0.0
	if n := len(w.Jobs); n > 0 {
		span = (w.Jobs[n-1].Submit - w.Jobs[0].Submit).Seconds()
	}
	var sizes []simcore.Vec
	var work []float64 // containers of a size that run on average
	by := map[simcore.Vec]float64{}
	for i := range w.Jobs {
		uses(w, &w.Jobs[i], func(_ simcore.Kind, size simcore.Vec, seconds float64) { by[size] += seconds })
	}
	order := func(a, b simcore.Vec) int { return slices.Compare(a[:], b[:]) }
	for _, size := range slices.SortedFunc(maps.Keys(by), order) {
		total += by[size]
		if size[simcore.Memory] > 0 && by[size] > 0 {
			sizes, work = append(sizes, size), append(work, by[size]/span)
			counted += by[size]
		}
	}
	index := map[KindOfNode]int{}
	for i := range c.Nodes {
		n := &c.Nodes[i]
		k := KindOfNode{Memory: n.Capacity[simcore.Memory], VCores: n.Capacity[simcore.VCores], Speed: cmp.Or(n.Speed, 1)}
		if _, ok := index[k]; !ok {
			index[k] = len(b.Kinds)
			b.Kinds = append(b.Kinds, k)
		}
		b.Kinds[index[k]].Nodes++
	}
	if len(sizes) == 0 || !(span > 0) {
		return nil, nil
	}
	b.Unsized = 1 - counted/total
	return b.solve(sizes, work)
}

// part is the share of a node that a container takes of a resource.
func (k *KindOfNode) part(size simcore.Vec, r int) float64 {
	return float64(size[r]) / float64([]int64{k.Memory, k.VCores}[r])
}

// solve solves the program, whose columns are the multiple and then the containers of each
// size on each kind of node, and proves the result.
func (b *CapacityBound) solve(sizes []simcore.Vec, work []float64) (*CapacityBound, error) {
	p := &lp.Problem{RowLower: make([]float64, len(sizes)), RowUpper: slices.Repeat([]float64{math.Inf(1)}, len(sizes))}
	type column struct{ size, kind int }
	var columns []column
	all := []int32{}
	for t := range sizes {
		all = append(all, int32(t))
	}
	need := make([]float64, len(work))
	for t, n := range work {
		need[t] = -n
	}
	p.AddColumn(1, 0, math.Inf(1), all, need)
	resources := len(b.Resources)
	for g := range b.Kinds {
		k := &b.Kinds[g]
		for range resources {
			p.RowLower, p.RowUpper = append(p.RowLower, math.Inf(-1)), append(p.RowUpper, float64(k.Nodes))
		}
		for t, size := range sizes {
			rows, values := []int32{int32(t)}, []float64{k.Speed}
			for r := range resources {
				rows, values = append(rows, int32(len(sizes)+g*resources+r)), append(values, k.part(size, r))
			}
			if slices.Max(values[1:]) <= 1 {
				columns = append(columns, column{t, g})
				p.AddColumn(0, 0, math.Inf(1), rows, values)
			}
		}
	}
	sol, err := lp.Simplex{}.Solve(p)
	if err != nil || sol.Value == 0 {
		return nil, err
	}
	price := sol.Dual[len(sizes):] // of a node's resource
	cheapest, served := slices.Repeat([]float64{math.Inf(1)}, len(sizes)), make([]float64, len(sizes))
	load := make([]float64, len(price))
	for i, c := range columns {
		k, sum := &b.Kinds[c.kind], 0.0
		for r := range resources {
			at := c.kind*resources + r
			sum += math.Max(price[at], 0) * k.part(sizes[c.size], r)
			load[at] += sol.X[1+i] * k.part(sizes[c.size], r) / float64(k.Nodes)
		}
		cheapest[c.size] = math.Min(cheapest[c.size], sum/k.Speed)
		served[c.size] += math.Max(sol.X[1+i], 0) * k.Speed
	}
	paid, worth, reached := 0.0, 0.0, math.Inf(1)
	for t, n := range work {
		paid += n * cheapest[t]
		reached = math.Min(reached, served[t]/n)
	}
	for g := range b.Kinds {
		for r := range resources {
			b.Kinds[g].Adds += math.Max(price[g*resources+r], 0)
		}
		worth += b.Kinds[g].Adds * float64(b.Kinds[g].Nodes)
	}
	for g := range b.Kinds {
		b.Kinds[g].Adds /= worth
	}
	b.Upper, b.Reached = worth/paid, reached/math.Max(1, slices.Max(load))
	b.Proven = b.Upper-b.Reached <= 1e-9*b.Upper
	return b, nil
}
