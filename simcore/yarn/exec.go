package yarn

import (
	"slices"

	"schedtune/simcore"
	"schedtune/simcore/internal/kernel"
)

// Task times of the resource model (simcore.Resources): attempts run on the nodes' shared
// disks, NICs and cores (kernel.Exec), with the slot as the attempt's id. Reduces are
// started at once; the kernel makes them wait for maps.

// resetExec gives the run an Exec if its model needs one.
func (s *Sim) resetExec() {
	s.execOn = s.cfg.Durations.Model == simcore.Resources
	if !s.execOn {
		return
	}
	if s.exec == nil {
		s.exec = new(kernel.Exec)
	}
	s.exec.Reset(s.cfg.Resource, &s.durs, s.cluster, s.work)
}

// startExec begins an attempt on the shared resources now.
func (s *Sim) startExec(sl int32, c *slot) {
	c.state, c.at = running, s.now
	if c.kind == reduceContainer {
		c.state = reducing
	}
	s.tree.Clear(s.slotLeaf(sl))
	s.exec.Start(sl, s.now, s.task(c), int32(c.try), simcore.NodeID(c.node), s.source(c), 1)
	s.armExec()
}

// source is the node a map reads from: its own, else a replica's in its rack,
// else the first replica's. Hosts that are lost or no nodes of this cluster hold
// none; where no other does, the input comes from the attempt's own node.
func (s *Sim) source(c *slot) simcore.NodeID {
	at := hosts(s.work, s.work.Jobs[c.job].FirstTask, c.task)
	if c.kind == reduceContainer || c.loc == simcore.NodeLocal || len(at) == 0 {
		return simcore.NodeID(c.node)
	}
	rack := s.cluster.Nodes[c.node].Rack
	holds := func(n int32) bool { return n >= 0 && int(n) < len(s.nodes) && !s.nodes[n].lost }
	i := slices.IndexFunc(at, func(n int32) bool { return holds(n) && s.cluster.Nodes[n].Rack == rack })
	if i < 0 {
		i = slices.IndexFunc(at, holds)
	}
	if i < 0 {
		return simcore.NodeID(c.node)
	}
	return simcore.NodeID(at[i])
}

// execute handles attempts whose work has ended.
func (s *Sim) execute() {
	s.over = s.exec.Advance(s.now, s.over[:0])
	for _, sl := range s.over {
		switch c := &s.slots.all[sl]; c.state {
		case running:
			s.mapFinished(sl, c)
		case reducing:
			s.reduceFinished(sl, c)
		}
	}
	s.armExec()
}

// armExec sets the leaf of the shared resources to the next end of work.
func (s *Sim) armExec() {
	if at, ok := s.exec.Next(); ok {
		s.tree.Set(execLeaf, max(at, s.now))
	} else {
		s.tree.Clear(execLeaf)
	}
}

// stopExec ends an attempt without result.
func (s *Sim) stopExec(sl int32) {
	if s.execOn {
		s.exec.Stop(sl, s.now)
		s.armExec()
	}
}
