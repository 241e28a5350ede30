package replay

import (
	"slices"

	"schedtune/simcore/yarn"
)

// Placement on several nodes: the nodes of a partition are offered together.

// orders tells in which order nodes are offered, by partition, and partitions
// are gone through, where that is new.
func (r *run) orders(late func(yarn.NodeID) bool, got *Out) {
	parts := r.s.Partitions()
	if parts == nil {
		return
	}
	labels := r.s.Labels()
	var names []string
	for _, p := range parts {
		names = append(names, labels[p])
		var ids []string
		for _, id := range r.s.Offered(p, late) {
			ids = append(ids, r.nodes[id])
		}
		if last, seen := r.offered[p]; !seen || !slices.Equal(last, ids) {
			if got.Orders == nil {
				got.Orders = map[string][]string{}
			}
			r.offered[p], got.Orders[labels[p]] = ids, append([]string{}, ids...)
		}
	}
	if !slices.Equal(names, r.partitions) {
		r.partitions, got.Partitions = names, names
	}
}
