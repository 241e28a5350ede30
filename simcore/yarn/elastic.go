package yarn

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"schedtune/simcore"
	"schedtune/simcore/internal/kernel"
)

// Nodes that join, leave and are lost during a run (simcore.Elastic).

// Decommissioner is a Scheduler that can decommission nodes gracefully.
type Decommissioner interface {
	// Decommission puts the node into the state DECOMMISSIONING: no container starts on
	// it, and its heartbeats remove its free resources from those of the cluster
	// (AbstractYarnScheduler.nodeUpdate of Hadoop 3.4.1). LoseNode ends it.
	Decommission(n NodeID)
}

// elastic is the state of a run's nodes. Node numbers are those of Cluster.All.
type elastic struct {
	plan  *simcore.Elastic
	base  int  // nodes at the start
	still bool // the cluster does not change

	steps []nodeStep // future steps by time; equal times in order of entry

	phase  []nodePhase    // by node
	joined []int32        // by node: how often it has registered
	asked  []simcore.Time // by node: since when it is paid for; if its machine failed, since then
	stays  []stay         // of nodes that have left
	drains []drain        // decommissioning nodes that wait for their applications
	scale  []scaling      // by rule
	dead   int            // failed machines that the ResourceManager still counts

	losses uint64 // draws of drawLosses so far
}

// nodePhase is the state of a node.
type nodePhase uint8

const (
	nodeAway    nodePhase = iota // not in the cluster
	nodeBooting                  // starting
	nodeThere                    // registered
	nodeDead                     // its machine failed, and the ResourceManager waits for its heartbeat
)

// stay is a period in which the ResourceManager had a node.
type stay struct {
	node     int32
	from, to simcore.Time
	unpaid   bool // its machine had failed
}

// drain is a decommissioning node.
type drain struct {
	node  int32
	until simcore.Time // timeout
	apps  []AppID      // applications that had containers there at the start
}

// nodeStep is a future change of a node.
type nodeStep struct {
	at    simcore.Time
	what  stepOfNode
	n     int32 // node, index into Elastic.Changes, or scaling rule
	times int32 // joins of the node when the step was entered, 0 = any
}

// stepOfNode is a kind of nodeStep.
type stepOfNode uint8

const (
	stepChange stepOfNode = iota // an entry of Elastic.Changes
	stepJoin                     // a node registers
	stepNotice                   // a spot instance gets the notice of its loss
	stepDie                      // a machine fails
	stepExpire                   // the ResourceManager misses a node's heartbeats
	stepScale                    // a scaling rule reads the metrics
)

// newElastic returns the state for runs on a cluster.
func newElastic(c *simcore.Cluster) (*elastic, error) {
	if err := c.Elastic.Validate(c.Nodes); err != nil {
		return nil, fmt.Errorf("yarn: %w", err)
	}
	return &elastic{plan: &c.Elastic, base: len(c.Nodes), still: c.Still()}, nil
}

// resetElastic prepares a run; nodes are registered afterwards.
func (s *Sim) resetElastic() error {
	e := s.elastic
	if err := e.check(s.cluster.Nodes, s.sched); err != nil {
		return err
	}
	n := len(s.cluster.Nodes)
	e.steps, e.stays, e.drains, e.dead, e.losses = e.steps[:0], e.stays[:0], e.drains[:0], 0, 0
	e.phase, e.joined, e.asked = kernel.Zeroed(e.phase, n), kernel.Zeroed(e.joined, n), kernel.Zeroed(e.asked, n)
	for i := range e.plan.Changes {
		e.push(nodeStep{at: e.plan.Changes[i].At, what: stepChange, n: int32(i)})
	}
	s.resetScaling()
	return nil
}

// check returns an error if the scheduler does not support the changes of the cluster.
func (e *elastic) check(nodes []simcore.Node, sched Scheduler) error {
	if _, ok := sched.(Loader); !ok && len(e.plan.Scaling) > 0 {
		return fmt.Errorf("yarn: scaling rules: the scheduler does not report its load")
	}
	if _, ok := sched.(Decommissioner); ok {
		return nil
	}
	if slices.ContainsFunc(e.plan.Changes, func(c simcore.NodeChange) bool {
		return c.What == simcore.Decommission && c.Timeout > 0
	}) ||
		slices.ContainsFunc(nodes, func(n simcore.Node) bool { return n.Spot > 0 && n.Notice > 0 }) {
		return errNoDrain
	}
	return nil
}

// errNoDrain is the error of a scheduler without Decommissioner.
var errNoDrain = errors.New("yarn: the scheduler cannot decommission nodes gracefully: timeouts and notices must be 0")

// push enters a step, behind those of the same time.
func (e *elastic) push(st nodeStep) {
	at, _ := slices.BinarySearchFunc(e.steps, st.at+1, func(x nodeStep, t simcore.Time) int {
		return cmp.Compare(x.at, t)
	})
	e.steps = slices.Insert(e.steps, at, st)
}

// pop removes the first step and returns it.
func (e *elastic) pop() nodeStep {
	st := e.steps[0]
	e.steps = slices.Delete(e.steps, 0, 1)
	return st
}

// armNodes sets the leaf of the nodes' steps.
func (s *Sim) armNodes() {
	if e := s.elastic; len(e.steps) > 0 {
		s.tree.Set(nodesLeaf, max(e.steps[0].at, s.now))
	} else {
		s.tree.Clear(nodesLeaf)
	}
}

// nodeSteps carries out the steps that are due.
func (s *Sim) nodeSteps() {
	e := s.elastic
	for len(e.steps) > 0 && e.steps[0].at <= s.now && s.err == nil {
		st := e.pop()
		if st.times > 0 && st.times != e.joined[st.n] {
			continue // of an earlier stay
		}
		switch st.what {
		case stepChange:
			s.change(&e.plan.Changes[st.n])
		case stepJoin:
			s.join(st.n)
		case stepNotice:
			s.decommission(st.n, s.cluster.Nodes[st.n].Notice, 0)
		case stepDie:
			s.die(st.n, 0)
		case stepExpire:
			if e.phase[st.n] != nodeAway {
				s.loseNode(st.n)
			}
		case stepScale:
			s.scaleBy(st.n)
		}
	}
	s.armNodes()
}

// change carries out an entry of Elastic.Changes. Nodes to remove may have left already.
func (s *Sim) change(c *simcore.NodeChange) {
	for range max(c.Count, 1) {
		n := s.chosen(c)
		if n < 0 {
			if c.What == simcore.Join {
				s.fail(fmt.Errorf("yarn: join of %q at %v: the cluster has no spare node left", c.Kind+c.Node, s.now.Std()))
			}
			return
		}
		switch c.What {
		case simcore.Join:
			s.join(n)
		case simcore.Decommission:
			s.decommission(n, c.Timeout, c.Gone)
		case simcore.Lose:
			s.die(n, c.Gone)
		}
	}
}

// chosen returns the node for a change: the first to join, the last to be decommissioned, a random
// one to be lost; -1 = none.
func (s *Sim) chosen(c *simcore.NodeChange) int32 {
	e := s.elastic
	all := e.those(func(n int) bool {
		at := &s.cluster.Nodes[n]
		switch {
		case c.Node != "" && at.Name != c.Node || c.Node == "" && at.Kind != c.Kind:
			return false
		case c.What == simcore.Join:
			return e.phase[n] == nodeAway
		}
		return e.phase[n] == nodeThere && (c.What == simcore.Lose || !s.nodes[n].draining)
	})
	switch {
	case len(all) == 0:
		return -1
	case c.What == simcore.Join:
		return e.first(all)
	case c.What == simcore.Decommission:
		return all[len(all)-1]
	}
	e.losses++
	return all[s.key(drawLosses).IntN(e.losses, len(all))]
}

// those lists the nodes that fit.
func (e *elastic) those(fits func(n int) bool) (all []int32) {
	for n := range e.phase {
		if fits(n) {
			all = append(all, int32(n))
		}
	}
	return all
}

// first returns the first of some nodes that has never been in the cluster, else the first.
func (e *elastic) first(all []int32) int32 {
	return all[max(slices.IndexFunc(all, func(n int32) bool { return e.joined[n] == 0 }), 0)]
}

// arrives records that a node has registered, and draws when its machine will be lost.
func (s *Sim) arrives(n int32) {
	e := s.elastic
	if e.phase[n] != nodeBooting {
		e.asked[n] = s.now
	}
	e.phase[n] = nodeThere
	e.joined[n]++
	at := &s.cluster.Nodes[n]
	if at.Spot <= 0 {
		return
	}
	life := simcore.Seconds(3600 / at.Spot * s.key(drawSpot).At(uint64(n)).Exp(uint64(e.joined[n])))
	e.push(nodeStep{at: s.now + life, what: stepDie, n: n, times: e.joined[n]})
	if at.Notice > 0 {
		e.push(nodeStep{at: s.now + max(0, life-at.Notice), what: stepNotice, n: n, times: e.joined[n]})
	}
}

// join registers a node. Its first heartbeat follows at once, or as recorded.
func (s *Sim) join(n int32) {
	if err := s.addNode(int(n), s.joinBeat(n)); err != nil {
		s.fail(err)
		return
	}
	s.alive++
	s.progress = s.now
	s.wakeNodes()
}

// leaves ends a node's stay.
func (e *elastic) leaves(n int32, now simcore.Time) {
	if e.phase[n] == nodeDead {
		e.dead--
	}
	e.stays = append(e.stays, stay{n, e.asked[n], now, e.phase[n] == nodeDead})
	e.asked[n] = now
	e.phase[n] = nodeAway
	e.drains = slices.DeleteFunc(e.drains, func(d drain) bool { return d.node == n })
}

// coming reports whether nodes may still join, or the ResourceManager has yet to notice a loss.
func (e *elastic) coming() bool {
	return e.dead > 0 || len(e.plan.Scaling) > 0 ||
		slices.ContainsFunc(e.steps, func(st nodeStep) bool {
			return st.what == stepJoin || st.what == stepChange && e.plan.Changes[st.n].What == simcore.Join
		})
}

// paid returns the time that nodes were paid for between two instants, its cost, and the memory
// that the ResourceManager had, integrated over time.
func (s *Sim) paid(from, to simcore.Time) (total, memory area, cost float64) {
	add := func(n int32, a, b simcore.Time, unpaid bool) {
		span := min(b, to) - max(a, from)
		if span <= 0 {
			return
		}
		at := &s.cluster.Nodes[n]
		memory.add(at.Capacity[simcore.Memory], span)
		if !unpaid {
			total.add(1, span)
			cost += at.Price * span.Seconds() / 3600
		}
	}
	for _, st := range s.elastic.stays {
		add(st.node, st.from, st.to, st.unpaid)
	}
	for n, p := range s.elastic.phase {
		if p != nodeAway {
			add(int32(n), s.elastic.asked[n], to, p == nodeDead)
		}
	}
	return total, memory, cost
}
