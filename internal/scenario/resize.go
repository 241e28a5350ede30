package scenario

import (
	"cmp"
	"slices"
	"strconv"

	"schedtune/internal/rng"
	"schedtune/simcore"
)

// purposeMoved keys the draw of the nodes that take over blocks of nodes that are gone.
const purposeMoved = 0x6d76

// Resize returns the case on a cluster of n nodes, at least one. A smaller one
// lacks the dearest nodes by price per MiB, of equal ones the last; a larger one
// has more of the kind that is cheapest per MiB, of equal ones that of the last
// node. Blocks of nodes that are gone lie on others, as HDFS copies them.
func (c *Case) Resize(n int) *Case {
	out := *c
	cluster := *c.Cluster
	out.Cluster = &cluster
	had := len(cluster.Nodes)
	keep := c.byPrice()
	if n < had {
		keep = keep[:n]
		slices.Sort(keep)
		cluster.Nodes = nil
		for _, i := range keep {
			cluster.Nodes = append(cluster.Nodes, c.Cluster.Nodes[i])
		}
		cluster.Elastic.Changes = slices.DeleteFunc(slices.Clone(cluster.Elastic.Changes), func(ch simcore.NodeChange) bool {
			return ch.Node != "" && !slices.ContainsFunc(cluster.All(), func(n simcore.Node) bool { return n.Name == ch.Node })
		})
		out.Work = moveBlocks(c.Work, keep, had)
		return &out
	}
	cluster.Nodes = slices.Clone(cluster.Nodes)
	like := keep[0]
	if !c.Priced() {
		like = had - 1
	}
	names := map[string]bool{}
	for _, n := range cluster.All() {
		names[n.Name] = true
	}
	for k := 1; len(cluster.Nodes) < n; k++ {
		node := c.Cluster.Nodes[like]
		if node.Name = "added" + strconv.Itoa(k); names[node.Name] {
			continue
		}
		cluster.Nodes = append(cluster.Nodes, node)
	}
	return &out
}

// Priced reports whether any node of the cluster has a price.
func (c *Case) Priced() bool {
	return slices.ContainsFunc(c.Cluster.All(), func(n simcore.Node) bool { return n.Price > 0 })
}

// PricePerHour is the sum of the prices of the nodes there are at the start.
func (c *Case) PricePerHour() float64 {
	sum := 0.0
	for i := range c.Cluster.Nodes {
		sum += c.Cluster.Nodes[i].Price
	}
	return sum
}

// byPrice are the nodes from the one to keep longest to the first to go.
func (c *Case) byPrice() []int {
	order := make([]int, len(c.Cluster.Nodes))
	for i := range order {
		order[i] = i
	}
	if c.Priced() {
		per := func(i int) float64 {
			return c.Cluster.Nodes[i].Price / float64(max(1, c.Cluster.Nodes[i].Capacity[simcore.Memory]))
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(per(a), per(b)) })
	}
	return order
}

// moveBlocks gives the input of tasks new numbers of nodes: those kept are
// numbered anew, those gone are drawn by block.
func moveBlocks(w *simcore.Workload, keep []int, had int) *simcore.Workload {
	out := *w
	if len(w.Tasks.Hosts) == 0 {
		return &out
	}
	at := make([]int32, had)
	for i := range at {
		at[i] = -1
	}
	for k, i := range keep {
		at[i] = int32(k)
	}
	key := rng.NewKey(0, purposeMoved)
	hosts := make([]int32, len(w.Tasks.Hosts))
	for i, h := range w.Tasks.Hosts {
		if int(h) >= had { // on no node of the cluster, and so it stays
			hosts[i] = h
		} else if hosts[i] = at[h]; hosts[i] < 0 {
			hosts[i] = int32(key.IntN(uint64(i), len(keep)))
		}
	}
	out.Tasks.Hosts = hosts
	return &out
}
