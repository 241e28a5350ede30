package yarn

import (
	"errors"
	"fmt"
	"slices"

	"schedtune/internal/rng"
	"schedtune/simcore"
	"schedtune/simcore/internal/kernel"
)

// Nodes that join, leave and are lost while a run goes on (simcore.Elastic). A run
// on a cluster that stays as it is has none of this state.

// Decommissioner is a Scheduler that can empty a node.
type Decommissioner interface {
	// Decommission puts the node into the state DECOMMISSIONING: nothing is started on
	// it, and its heartbeats take what is free there off the cluster's resources
	// (AbstractYarnScheduler.nodeUpdate of Hadoop 3.4.1). LoseNode ends it.
	Decommission(n NodeID)
}

// elastic is the state of a run's nodes. Node numbers are those of Cluster.All.
type elastic struct {
	plan *simcore.Elastic
	base int // nodes at the start

	steps []nodeStep // what is to happen: binary heap by time, then order of entry
	seq   int        // steps entered so far

	phase  []nodePhase    // by node
	joined []int32        // by node: how often it has registered
	asked  []simcore.Time // by node: since when it is paid for; of one whose machine is gone, since then
	stays  []stay         // of nodes that are gone
	drains []drain        // nodes that are being decommissioned and wait for their applications
	scale  []scaling      // by rule
	dead   int            // machines that the ResourceManager does not miss yet

	spotKey, loseKey, lookKey rng.Key // draws, see drawSpot, drawLosses, drawLook
	losses                    uint64  // draws of loseKey so far
}

// nodePhase is what has become of a node.
type nodePhase uint8

const (
	nodeAway    nodePhase = iota // not there
	nodeBooting                  // on its way
	nodeThere                    // registered
	nodeDead                     // its machine is gone, and the ResourceManager waits for its heartbeat
)

// stay is a span of time in which the ResourceManager had a node.
type stay struct {
	node     int32
	from, to simcore.Time
	unpaid   bool // its machine was gone
}

// drain is a node that is being decommissioned.
type drain struct {
	node  int32
	until simcore.Time // when it leaves all the same
	apps  []AppID      // that had containers there when it began
}

// nodeStep is something that happens to nodes later.
type nodeStep struct {
	at    simcore.Time
	seq   int // equal times in order of entry
	what  stepOfNode
	n     int32 // node, entry of the timetable, or scaling rule
	times int32 // of the node's joins, when the step was made
}

// stepOfNode is what happens to a node, or because of nodes.
type stepOfNode uint8

const (
	stepChange stepOfNode = iota // an entry of the timetable
	stepJoin                     // a node registers
	stepNotice                   // a spot instance is told that it will be lost
	stepDie                      // a machine is gone
	stepExpire                   // the ResourceManager misses its heartbeats
	stepScale                    // a scaling rule looks
)

// newElastic is the state for runs on a cluster, nil for one that stays as it is.
func newElastic(c *simcore.Cluster) (*elastic, error) {
	if c.Still() {
		return nil, nil
	}
	if err := c.Elastic.Validate(c.Nodes); err != nil {
		return nil, fmt.Errorf("yarn: %w", err)
	}
	return &elastic{plan: &c.Elastic, base: len(c.Nodes)}, nil
}

// resetElastic prepares a run; nodes are registered afterwards.
func (s *Sim) resetElastic() error {
	e := s.elastic
	if e == nil {
		return nil
	}
	if err := e.check(s.cluster.Nodes, s.sched); err != nil {
		return err
	}
	n := len(s.cluster.Nodes)
	key := func(purpose uint64) rng.Key { return rng.NewKey(s.cfg.Seed, purpose) }
	e.spotKey, e.loseKey, e.lookKey = key(drawSpot), key(drawLosses), key(drawLook)
	e.steps, e.seq, e.stays, e.drains, e.dead, e.losses = e.steps[:0], 0, e.stays[:0], e.drains[:0], 0, 0
	e.phase, e.joined, e.asked = kernel.Zeroed(e.phase, n), kernel.Zeroed(e.joined, n), kernel.Zeroed(e.asked, n)
	for i := range e.plan.Changes {
		e.push(nodeStep{at: e.plan.Changes[i].At, what: stepChange, n: int32(i)})
	}
	s.resetScaling()
	return nil
}

// check names what the scheduler cannot do of what the cluster asks for.
func (e *elastic) check(nodes []simcore.Node, sched Scheduler) error {
	if _, ok := sched.(Loader); !ok && len(e.plan.Scaling) > 0 {
		return fmt.Errorf("yarn: the scheduler does not tell its load, which scaling rules follow; allowed: a cluster without scaling")
	}
	if _, ok := sched.(Decommissioner); ok {
		return nil
	}
	if slices.ContainsFunc(e.plan.Changes, func(c simcore.NodeChange) bool { return c.What == simcore.Decommission && c.Timeout > 0 }) ||
		slices.ContainsFunc(nodes, func(n simcore.Node) bool { return n.Spot > 0 && n.Notice > 0 }) {
		return errNoDrain
	}
	return nil
}

// errNoDrain is the error where a scheduler cannot empty nodes (Decommissioner).
var errNoDrain = errors.New("yarn: the scheduler does not empty nodes; allowed: a timeout and a notice of 0s")

// push puts a step into the heap.
func (e *elastic) push(st nodeStep) {
	e.seq++
	st.seq = e.seq
	e.steps = append(e.steps, st)
	for i := len(e.steps) - 1; i > 0; {
		up := (i - 1) / 2
		if !e.steps[i].before(&e.steps[up]) {
			break
		}
		e.steps[i], e.steps[up] = e.steps[up], e.steps[i]
		i = up
	}
}

// before orders steps by time, equal ones by entry.
func (st *nodeStep) before(o *nodeStep) bool {
	return st.at < o.at || st.at == o.at && st.seq < o.seq
}

// pop takes the first step out of the heap.
func (e *elastic) pop() nodeStep {
	st, last := e.steps[0], len(e.steps)-1
	e.steps[0] = e.steps[last]
	e.steps = e.steps[:last]
	for i := 0; ; {
		least := i
		for c := 2*i + 1; c <= 2*i+2 && c < last; c++ {
			if e.steps[c].before(&e.steps[least]) {
				least = c
			}
		}
		if least == i {
			return st
		}
		e.steps[i], e.steps[least] = e.steps[least], e.steps[i]
		i = least
	}
}

// armNodes sets the leaf of the nodes' steps.
func (s *Sim) armNodes() {
	if e := s.elastic; len(e.steps) > 0 {
		s.tree.Set(nodesLeaf, max(e.steps[0].at, s.now))
	} else {
		s.tree.Clear(nodesLeaf)
	}
}

// nodeSteps does what is due.
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

// change is an entry of the timetable.
func (s *Sim) change(c *simcore.NodeChange) {
	for range max(c.Count, 1) {
		n := s.chosen(c)
		if n < 0 {
			if c.What == simcore.Join {
				s.fail(fmt.Errorf("yarn: no further node of kind %q can join at %v; allowed: as many as the cluster has to spare", c.Kind+c.Node, s.now.Std()))
			}
			return // what is to go is gone
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

// chosen is the node that an entry of the timetable is about: the first that is
// away joins, the last that is there is decommissioned, and any is lost. -1 = none.
func (s *Sim) chosen(c *simcore.NodeChange) int32 {
	e := s.elastic
	fits := func(n int) bool {
		at := &s.cluster.Nodes[n]
		if c.Node != "" && at.Name != c.Node || c.Node == "" && at.Kind != c.Kind {
			return false
		}
		if c.What == simcore.Join {
			return e.phase[n] == nodeAway
		}
		return e.phase[n] == nodeThere && (c.What == simcore.Lose || !s.nodes[n].draining)
	}
	switch c.What {
	case simcore.Join:
		return e.first(fits)
	case simcore.Decommission:
		for n := len(e.phase) - 1; n >= 0; n-- {
			if fits(n) {
				return int32(n)
			}
		}
		return -1
	}
	var all []int32
	for n := range e.phase {
		if fits(n) {
			all = append(all, int32(n))
		}
	}
	if len(all) == 0 {
		return -1
	}
	e.losses++
	return all[e.loseKey.IntN(e.losses, len(all))]
}

// first is the first node that fits, of which one that was never there goes before
// one that comes again; -1 = none.
func (e *elastic) first(fits func(n int) bool) int32 {
	again := int32(-1)
	for n := range e.phase {
		switch {
		case !fits(n):
		case e.joined[n] == 0:
			return int32(n)
		case again < 0:
			again = int32(n)
		}
	}
	return again
}

// arrives notes that a node has registered, and draws when its machine will be lost.
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
	life := simcore.Seconds(3600 / at.Spot * e.spotKey.At(uint64(n)).Exp(uint64(e.joined[n])))
	e.push(nodeStep{at: s.now + life, what: stepDie, n: n, times: e.joined[n]})
	if at.Notice > 0 {
		e.push(nodeStep{at: s.now + max(0, life-at.Notice), what: stepNotice, n: n, times: e.joined[n]})
	}
}

// join registers a node: its first heartbeat follows at once, or as recorded.
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

// coming reports whether nodes may still come, or a loss is still to be noticed.
func (e *elastic) coming() bool {
	return e.dead > 0 || len(e.plan.Scaling) > 0 ||
		slices.ContainsFunc(e.steps, func(st nodeStep) bool {
			return st.what == stepJoin || st.what == stepChange && e.plan.Changes[st.n].What == simcore.Join
		})
}

// paid sums the time that nodes were paid for between two instants, what it cost, and
// the memory that the ResourceManager had, by time.
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
	if s.elastic == nil {
		for n := range s.cluster.Nodes {
			add(int32(n), from, to, false)
		}
		return total, memory, cost
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
