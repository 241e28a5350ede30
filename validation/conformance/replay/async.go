package replay

import (
	"fmt"
	"slices"

	"schedtune/simcore/yarn"
)

// round plays one pass of the asynchronous scheduling thread.
func (r *run) round(st *Step, got *Out) string {
	var late []yarn.NodeID
	for _, name := range st.Late {
		id, known := r.byID[name]
		if !known {
			return fmt.Sprintf("a round with node %s late, which is not there", name)
		}
		late = append(late, id)
	}
	isLate := func(n yarn.NodeID) bool { return slices.Contains(late, n) }
	what, n := "partition", 0
	if r.s.Partitions() != nil { // placement on several nodes
		r.orders(isLate, got)
		n = len(r.partitions)
	} else {
		if walk := r.walk(); !slices.Equal(walk, r.lastOrder) {
			r.lastOrder, got.Order = walk, walk
		}
		what, n = "node", len(r.lastOrder)
	}
	if r.s.Held() {
		got.Held = true
		return ""
	}
	if st.Start < 0 || n > 0 && st.Start >= n {
		return fmt.Sprintf("a round from %s %d of %d", what, st.Start, n)
	}
	r.told(r.s.Round(st.Start, st.Lag, isLate, r.evs[:0]), got)
	r.told(r.s.Commit(max(0, st.Left), r.evs[:0]), got)
	return ""
}

// commit plays the thread that commits proposals.
func (r *run) commit(st *Step, got *Out) {
	left := 0
	if st.Count != nil {
		left = max(0, r.s.Backlog()-max(0, *st.Count))
	}
	r.told(r.s.Commit(left, r.evs[:0]), got)
}

func (r *run) told(evs []yarn.Event, got *Out) {
	r.endless = r.endless || r.s.Endless()
	r.named = r.s.Named()
	for i := range evs {
		got.Events = append(got.Events, r.event(&evs[i]))
	}
	r.evs = evs
}

// walk is the order in which a round visits the nodes.
func (r *run) walk() []string {
	var names []string
	for _, id := range r.s.RoundOrder(nil) {
		names = append(names, r.nodes[id])
	}
	return names
}

// waiting fills in the proposals that were made in this step and wait, and how
// many wait in all.
func (r *run) waiting(got *Out) {
	if got.Backlog = r.s.Backlog(); got.Backlog == 0 {
		return
	}
	evs := r.s.Proposed(nil)
	r.named = r.s.Named()
	for i := range evs {
		if evs[i].Proposal > r.seen {
			v := r.event(&evs[i])
			v.Container = nil
			got.Made = append(got.Made, v)
		}
	}
	r.seen = max(r.seen, evs[len(evs)-1].Proposal)
}
