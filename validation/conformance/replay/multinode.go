package replay

import (
	"fmt"
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

// roundOfPartitions plays one pass of the asynchronous thread over partitions.
func (r *run) roundOfPartitions(st *Step, late func(yarn.NodeID) bool, got *Out) string {
	r.orders(late, got)
	if r.s.Held() {
		got.Held = true
		return ""
	}
	if n := len(r.partitions); st.Start < 0 || n > 0 && st.Start >= n {
		return fmt.Sprintf("a round from partition %d of %d", st.Start, n)
	}
	r.told(r.s.Round(st.Start, st.Lag, late, r.evs[:0]), got)
	r.told(r.s.Commit(max(0, st.Left), r.evs[:0]), got)
	return ""
}
