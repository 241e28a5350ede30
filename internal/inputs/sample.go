package inputs

import (
	"cmp"
	"slices"

	"schedtune/simcore"
)

// Sample returns the case on a part of its nodes (0 < part <= 1): of every kind of
// node, which are those of one label, size and speed, the same part, spread evenly
// over their order and so over racks, and at least one. Blocks of nodes left out lie
// on others. A cluster whose nodes come and go stays whole. The second value is the
// part of the memory that is kept.
func (c *Case) Sample(part float64) (*Case, float64) {
	if !c.Cluster.Still() {
		return c, 1
	}
	kinds := c.kinds()
	var keep []int
	for _, nodes := range kinds {
		n := max(1, int(part*float64(len(nodes))+0.5))
		for k := range n {
			keep = append(keep, nodes[(2*k+1)*len(nodes)/(2*n)])
		}
	}
	slices.Sort(keep)
	out, cluster := *c, *c.Cluster
	out.Cluster = &cluster
	cluster.Nodes = nil
	var kept, all float64
	for _, i := range keep {
		cluster.Nodes = append(cluster.Nodes, c.Cluster.Nodes[i])
		kept += float64(c.Cluster.Nodes[i].Capacity[simcore.Memory])
	}
	for i := range c.Cluster.Nodes {
		all += float64(c.Cluster.Nodes[i].Capacity[simcore.Memory])
	}
	out.Work = moveBlocks(c.Work, keep, len(c.Cluster.Nodes))
	return &out, kept / max(1, all)
}

// kinds groups the nodes by label, size and speed, in an order of their own.
func (c *Case) kinds() [][]int {
	order := make([]int, len(c.Cluster.Nodes))
	for i := range order {
		order[i] = i
	}
	like := func(a, b int) int {
		x, y := &c.Cluster.Nodes[a], &c.Cluster.Nodes[b]
		return cmp.Or(cmp.Compare(x.Label, y.Label), slices.Compare(x.Capacity[:], y.Capacity[:]), cmp.Compare(x.Speed, y.Speed))
	}
	slices.SortStableFunc(order, like)
	var out [][]int
	for k, i := range order {
		if k == 0 || like(order[k-1], i) != 0 {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], i)
	}
	return out
}
