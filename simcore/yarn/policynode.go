package yarn

import "schedtune/simcore"

// Policies of far containers and of nodes; see policy.go.

// refuses reports whether a job's master gives a container for maps back that lies
// far from their input.
func (s *Sim) refuses(j int32, m *master, sl int32) bool {
	if m.waitMaps == 0 {
		return false
	}
	at := s.slots.all[sl].node
	o := MapOffer{Job: simcore.JobID(j), Number: s.policy.offers, Waiting: m.waitMaps, Nodes: int32(len(s.nodes)),
		FreeNodes: s.freeNodes()}
	s.policy.offers++
	// Which nodes and racks hold input of maps that wait.
	rack := -2 - s.cluster.Nodes[at].Rack
	for r := s.plan.rowBase[j]; r < s.plan.rowBase[j+1]; r++ {
		switch row := s.plan.rowAt[r]; {
		case s.rowLeft[r] <= 0 || row == anyRow:
		case row >= 0:
			o.InputNodes++
		default:
			o.RackLocal = o.RackLocal || row == rack
		}
	}
	if o.InputNodes == 0 {
		return false // nothing is nearer
	}
	for _, other := range m.ords {
		if other >= 0 && s.slots.all[other].kind == reduceContainer && s.slots.all[other].node == at {
			o.RunsReduce = true
			break
		}
	}
	return !s.cfg.Policies.Maps.Accepts(&o)
}

// freeNodes is how many nodes have room for another container.
func (s *Sim) freeNodes() int32 {
	if s.choosesIdle {
		return int32(s.idle.count)
	}
	n := int32(0)
	for i := range s.nodes {
		if !s.nodes[i].lost && (s.hinter == nil || s.hinter.Occupancy(s.nodes[i].id) == NodeRoom) {
			n++
		}
	}
	return n
}

// refuseFar gives those of the containers at hand back that a job refuses.
func (s *Sim) refuseFar(j int32, m *master) {
	rest := s.spare[:0]
	for _, sl := range s.spare {
		if s.refuses(j, m, sl) {
			s.giveFarBack(j, m, sl)
		} else {
			rest = append(rest, sl)
		}
	}
	s.spare = rest
}

// giveFarBack gives a container back and asks for another in its place.
func (s *Sim) giveFarBack(j int32, m *master, sl int32) {
	rack := s.plan.findRow(j, -2-s.cluster.Nodes[s.slots.all[sl].node].Rack)
	s.giveBack(m, sl)
	s.touchRow(m, s.plan.rowBase[j])
	if rack >= 0 {
		s.touchRow(m, rack)
	}
}

// guarded is a heartbeat of a node at the scheduler, which gives it nothing where
// the guard refuses.
func (s *Sim) guarded(n int32, nd *nodeState) []Event {
	g := s.cfg.Policies.Guard
	l := s.nodeLoad(n)
	if s.holder == nil || g.Admits(s.now, n, l) {
		events := s.sched.Beat(nd.id, s.done, s.events[:0])
		for i := range events {
			if events[i].Kind == Allocate && !events[i].Refused && events[i].Ordinal > 0 {
				g.Took(s.now, n, l)
				break
			}
		}
		return events
	}
	// Refused: the node's heartbeat is heard while all of its space is held, so that nothing
	// fits.
	s.policy.refused++
	all := s.policy.nodes[n]
	s.holder.Hold(nd.id, all)
	events := s.sched.Beat(nd.id, s.done, s.events[:0])
	s.holder.Unhold(nd.id, all)
	return events
}
