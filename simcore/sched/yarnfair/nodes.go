package yarnfair

import (
	"fmt"

	"schedtune/internal/java"
	"schedtune/simcore/yarn"
)

// node is a registered node.
type node struct {
	id          yarn.NodeID
	place, rack yarn.Place
	total, free res
	reserved    *container   // at most one reservation
	live        []*container // running here, in no particular order
	mostLive    int          // containers at a time
	lost        bool
	quiet       uint64 // clock at which a beat was found to change nothing
	claims      []claim
	hash        uint32 // of its address in the original
}

// AddNode registers a node. Its name must not be that of a node that is there.
// Shares stay as they are until the next Update.
func (s *Scheduler) AddNode(spec yarn.NodeSpec) (yarn.NodeID, error) {
	if id, ok := s.nodeIDs[spec.Name]; ok && !s.nodes[id].lost {
		return 0, fmt.Errorf("node %s: registered already", spec.Name)
	}
	if err := spec.Validate(); err != nil {
		return 0, err
	}
	n := &node{id: yarn.NodeID(len(s.nodes)), place: s.Place(spec.Name), rack: s.Place(spec.Rack),
		total: res(spec.Resource), free: res(spec.Resource)}
	s.nodes = append(s.nodes, n)
	s.nodeIDs[spec.Name] = n.id
	s.liveNodes++
	s.mostNodes = max(s.mostNodes, s.liveNodes)
	host, port := spec.Address()
	n.hash, s.hosts[n.place] = java.HashNode(host, port), java.HashString(host)
	s.onRack[n.rack]++
	s.largest = s.largest.MaxEach(n.total)
	s.resize(s.cluster.Add(n.total))
	return n.id, nil
}

// resize takes a new size of the cluster into the limits and steady shares.
func (s *Scheduler) resize(cluster res) {
	s.cluster = cluster
	s.reshaped()
	s.root.each(s.limitQueue)
	s.root.each((*queue).unsort) // dominant shares are of the cluster
	s.root.steady = cluster
	s.shareSteady(s.root)
	s.publish()
	s.moved()
}

// LoseNode expires a node with all that ran on it.
func (s *Scheduler) LoseNode(id yarn.NodeID, dst []yarn.Container) []yarn.Container {
	if id < 0 || int(id) >= len(s.nodes) || s.nodes[id].lost {
		return dst
	}
	n := s.nodes[id]
	s.losses.Begin()
	var headless []*app
	s.order = hashOrder(append(s.order[:0], n.live...), n.mostLive)
	for _, c := range s.order {
		if c == c.app.master {
			headless = append(headless, c.app)
		}
		s.complete(c, byKill)
	}
	if n.reserved != nil {
		s.complete(n.reserved, byKill)
	}
	n.lost = true
	s.liveNodes--
	s.onRack[n.rack]--
	s.largest = res{}
	for _, m := range s.nodes {
		if !m.lost {
			s.largest = s.largest.MaxEach(m.total)
		}
	}
	s.resize(s.cluster.Sub(n.total))
	for _, a := range headless {
		s.finish(a)
	}
	return s.losses.Take(dst)
}

// Pending reports whether a beat of the node could change anything.
func (s *Scheduler) Pending(id yarn.NodeID) bool {
	if id < 0 || int(id) >= len(s.nodes) || s.nodes[id].lost {
		return false
	}
	n := s.nodes[id]
	if n.quiet == s.clock+1 {
		return false
	}
	return n.reserved != nil || len(n.claims) > 0 || s.outstanding > 0 && s.useful(n)
}

// Waiting reports whether any application has an outstanding ask, or a node
// reserved or kept for it that it may have to give up.
func (s *Scheduler) Waiting() bool {
	return s.outstanding > 0 || s.reservations > 0 || s.site.Preemption
}

// Occupancy is what a beat of the node could come to. One that is kept for
// applications that preempted for it counts as reserved.
func (s *Scheduler) Occupancy(id yarn.NodeID) yarn.Occupancy {
	if id < 0 || int(id) >= len(s.nodes) {
		return yarn.NodeFull
	}
	switch n := s.nodes[id]; {
	case n.reserved != nil || len(n.claims) > 0:
		return yarn.NodeReserved
	case !n.lost && s.useful(n):
		return yarn.NodeRoom
	}
	return yarn.NodeFull
}

// useful reports whether an offer of the node could come to anything.
func (s *Scheduler) useful(n *node) bool {
	return s.smallest.FitsIn(n.free) || s.large > 0 || len(n.claims) > 0 || s.delays()
}

// Widened reports, once, that Occupancy may be NodeRoom again for nodes on which nothing has
// ended: asks have come that are smaller than all before, or large enough to
// reserve a node.
func (s *Scheduler) Widened() bool {
	w := s.widened
	s.widened = false
	return w
}

// delays reports whether opportunities count.
func (s *Scheduler) delays() bool { return s.site.NodeThreshold >= 0 && s.site.RackThreshold >= 0 }
