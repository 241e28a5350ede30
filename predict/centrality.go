package predict

import (
	"cmp"
	"math/rand/v2"
	"slices"
)

// Centrality of intermediate data (Tan, Meng, Zhang, Coupling, INFOCOM 2013,
// section II-A.2, equation 1).
//
// The cost of fetching job i's map output to node v is
//
//	C_i(v) = sum over nodes u that hold output of w_i(u) h(u, v)         (1)
//
// with w the bytes on u and h the hops between u and v. The D nodes with the
// smallest cost among those with a free reduce slot, in ascending order, are
// the list L; its first is the centrality. L is read in three groups: the
// first node, the second and third, the rest.

// TransferCost returns what fetching a job's map output to node v costs, in byte-hops: the
// sum of sizes[u] hops(u, v) over the nodes u (Coupling, equation 1). sizes[u] bytes lie on
// node u, hops gives the distance of two nodes; without it (nil) all distances are 0.
func TransferCost(sizes []float64, hops func(u, v int) float64, v int) float64 {
	var c float64
	for u, w := range sizes {
		if w > 0 && hops != nil {
			c += w * hops(u, v)
		}
	}
	return c
}

// Centrality returns the list L of a job (Coupling, section II-A.2): of the nodes in free, the keep ones with the
// smallest transfer cost, ascending. Equal costs are in a random order drawn
// from r, or in the order of free when r is nil. keep <= 0 reads as the
// paper's 7.
func Centrality(sizes []float64, hops func(u, v int) float64, free []int, keep int, r *rand.Rand) []int {
	if keep <= 0 {
		keep = 7
	}
	type entry struct {
		cost, tie float64
		node      int
	}
	es := make([]entry, len(free))
	for i, v := range free {
		es[i] = entry{cost: TransferCost(sizes, hops, v), node: v}
		if r != nil {
			es[i].tie = r.Float64()
		}
	}
	slices.SortStableFunc(es, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.cost, b.cost), cmp.Compare(a.tie, b.tie))
	})
	list := make([]int, 0, min(keep, len(es)))
	for _, e := range es[:min(keep, len(es))] {
		list = append(list, e.node)
	}
	return list
}

// CentralityGroup returns in which group of the list L node v stands: 1 for
// the first node, 2 for the second and third, 3 for the rest, 0 if it is not
// in L.
func CentralityGroup(list []int, v int) int {
	switch i := slices.Index(list, v); {
	case i < 0:
		return 0
	case i == 0:
		return 1
	case i <= 2:
		return 2
	}
	return 3
}
