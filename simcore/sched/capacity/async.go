package capacity

import (
	"slices"

	"schedtune/simcore/yarn"
)

// Asynchronous scheduling (schedule-asynchronously.enable). A thread walks over the nodes in
// rounds and makes proposals (CapacityScheduler.AsyncScheduleThread); another commits them,
// oldest first (ResourceCommitterService). Between a proposal and its commit only the
// counters of missed opportunities and the application's unconfirmed resources have changed,
// so that a commit may find its proposal outdated.
//
// One thread of either kind is simulated. How far commits lag behind proposals is for the
// caller to say (Round, Commit), as is how rounds and heartbeats follow each other.
//
// async_visits.go has the visits of a round. Most rounds of a busy cluster come to nothing
// but counters: async_counting.go leaves these out.

// asynchronous is the state of asynchronous scheduling.
type asynchronous struct {
	on bool // see ByRounds

	// Proposals.
	waiting []waitingProposal // from first on; committed ones before are kept until the list is compacted
	first   int
	made    uint32 // proposals made so far: the last one's number

	// The round at hand.
	lag    int  // proposals that may wait while it goes on; below 0: all
	atOnce bool // none of its proposals waits
	passed bool // it has passed nodes over, or may come to late ones

	idle         uint64 // epoch in which a round changed nothing
	countOnly    uint64 // of the epochs, those that only renewals, refusals and counters began
	counting     countingRounds
	reservations int // in all

	// The nodes in the order of a round, see roundOrder.
	order   []*node
	orderOf int      // how many nodes there had ever been when it was made; -1: due
	live    int      // how many there were
	open    []uint64 // positions of nodes that may have room or a reservation, one bit each

	rows []yarn.Ask // scratch of corrected

	gone [2]container // stand for reservations that are over, see revive
}

// waitingProposal is a proposal that waits for its commit. Reservations and the key are
// named, not pointed to: by the time of the commit they may be gone and their memory used
// for others.
type waitingProposal struct {
	proposal // without key, from and giveBack
	priority int32
	alloc    int64
	release  bool  // the node's reservation is given up; nothing is allocated
	fromID   int32 // of the reservation that is filled or renewed; 0: none
	backID   int32 // of the reservation given back, on backNode; 0: none
	backNode *node
	kill     []yarn.Container
}

// ByRounds makes an asynchronous scheduler schedule in Round and Commit only. A
// scheduler that is not told so fills nodes at their heartbeats, without the
// limits of a heartbeat.
func (s *Scheduler) ByRounds() { s.async.on = true }

// Rounds returns the settings of asynchronous scheduling, and whether it is on.
func (s *Scheduler) Rounds() (yarn.Rounds, bool) {
	a := s.conf.Async
	return yarn.Rounds{Interval: a.Interval, Threads: a.Threads, SkipAfter: a.SkipAfter}, s.conf.Asynchronous
}

// Idle reports whether a round would change nothing, wherever it starts: nothing
// waits and nothing is reserved, or nothing has changed since a round that
// changed nothing.
func (s *Scheduler) Idle() bool {
	s.settle()
	return s.async.idle == s.epoch || s.async.reservations == 0 && !s.Waiting()
}

// rounds reports whether nodes are scheduled by Round, not at heartbeats.
func (s *Scheduler) rounds() bool { return s.conf.Asynchronous && s.async.on }

// Backlog is the number of proposals that wait for their commit.
func (s *Scheduler) Backlog() int { return len(s.async.waiting) - s.async.first }

// Held reports whether so many proposals wait that no round is made
// (schedule-asynchronously.maximum-pending-backlogs).
func (s *Scheduler) Held() bool { return s.Backlog() > s.conf.Async.MaxBacklog }

// Round is one pass of the scheduling thread (CapacityScheduler.schedule): nodes are visited
// in the order of RoundOrder from start on to the end, and then from the first to start,
// which is visited again. Nodes that late reports are passed over; late may be nil. After
// each proposal the oldest are committed until lag wait; a negative lag commits none.
// Committed proposals, refused ones too, are appended to dst.
func (s *Scheduler) Round(start, lag int, late func(yarn.NodeID) bool, dst []yarn.Event) []yarn.Event {
	s.settle()
	s.beginEvents(dst)
	s.async.lag, s.async.passed, s.async.atOnce = lag, false, lag == 0
	s.beginRecord(lag)
	before := s.epoch
	if s.conf.MultiNode {
		s.roundTogether(start, late)
		s.endRecord()
	} else {
		s.roundOfNodes(start, lag, late)
	}
	out := s.roundOver()
	if s.epoch == before && !s.async.passed {
		s.async.idle = s.epoch
	}
	return out
}

// beginEvents begins to collect what comes about behind dst.
func (s *Scheduler) beginEvents(dst []yarn.Event) {
	s.out, s.unreserved, s.named = dst, s.unreserved[:0], s.named[:0]
	s.refusals = 0
}

// Commit commits the oldest proposals until left wait and appends what came of
// them to dst.
func (s *Scheduler) Commit(left int, dst []yarn.Event) []yarn.Event {
	s.settle()
	s.beginEvents(dst)
	s.commitDown(left)
	return s.roundOver()
}

// Proposed appends the proposals that wait for their commit to dst, oldest
// first, as events that have not come about.
func (s *Scheduler) Proposed(dst []yarn.Event) []yarn.Event {
	s.out, s.unreserved, s.named = dst, s.unreserved[:0], s.named[:0]
	for i := s.async.first; i < len(s.async.waiting); i++ {
		p := &s.async.waiting[i]
		if p.release {
			s.reportRelease(p.app, p.node, p.priority, p.alloc).Proposal = p.number
			continue
		}
		q := s.revive(p)
		s.report(&q, false)
	}
	dst, s.out = s.out, nil
	return dst
}

// RoundOrder appends the nodes in the order in which a round visits them.
func (s *Scheduler) RoundOrder(dst []yarn.NodeID) []yarn.NodeID {
	for _, n := range s.roundOrder() {
		dst = append(dst, n.id)
	}
	return dst
}

// roundOrder is the order in which rounds visit the nodes, that of the original's table of
// them (ClusterNodeTracker.getAllNodes). It is made anew when nodes have come or gone.
func (s *Scheduler) roundOrder() []*node {
	if a := &s.async; a.orderOf != len(s.nodes) || a.live != s.liveNodes {
		a.order, a.orderOf, a.live = s.nodesByHash(), len(s.nodes), s.liveNodes
		a.open = append(a.open[:0], make([]uint64, (len(a.order)+63)/64)...)
		for i, n := range a.order {
			n.at = int32(i)
			a.opened(n)
		}
	}
	return s.async.order
}

// roundOver hands new application masters over and takes the events.
func (s *Scheduler) roundOver() []yarn.Event {
	for _, c := range s.mastersMade {
		if !c.over && !c.acquired {
			s.fetchMaster(c)
		}
	}
	s.mastersMade = s.mastersMade[:0]
	s.endHeadless()
	out := s.out
	s.out = nil
	return out
}

// propose puts an allocation or reservation in line for its commit
// (CapacityScheduler.submitResourceCommitRequest), or commits it at once where none may wait.
// Only an allocation counts as unconfirmed (SchedulerApplicationAttempt.incUnconfirmedRes).
func (s *Scheduler) propose(p *proposal) {
	if s.async.atOnce && s.Backlog() == 0 {
		s.async.made++
		p.number = s.async.made
		s.commit(p)
		return
	}
	w := s.wait(*p, p.key.priority, p.key.alloc)
	if p.from != nil {
		w.fromID = p.from.id
	}
	if p.giveBack != nil {
		w.backID, w.backNode = p.giveBack.id, p.giveBack.node
	}
	if p.kills {
		w.kill = slices.Clone(s.kill)
	}
	if !p.reserve {
		p.app.unconfirmed = p.app.unconfirmed.Add(p.size)
	}
	s.commitAtOnce()
}

// commitAtOnce commits while a visit goes on: one of several nodes makes more
// than one proposal.
func (s *Scheduler) commitAtOnce() {
	if s.conf.MultiNode && s.async.lag >= 0 {
		s.commitDown(s.async.lag)
	}
}

// wait puts a proposal of a key at the end of the line.
func (s *Scheduler) wait(p proposal, priority int32, alloc int64) *waitingProposal {
	s.changed = true
	q := &s.async
	if q.first == len(q.waiting) {
		q.waiting, q.first = q.waiting[:0], 0
	} else if q.first > 1024 && q.first > len(q.waiting)/2 {
		q.waiting, q.first = append(q.waiting[:0], q.waiting[q.first:]...), 0
	}
	q.made++
	p.number, p.key, p.from, p.giveBack = q.made, nil, nil, nil
	q.waiting = append(q.waiting, waitingProposal{proposal: p, priority: priority, alloc: alloc})
	return &q.waiting[len(q.waiting)-1]
}

// commitDown commits the oldest proposals until left wait.
func (s *Scheduler) commitDown(left int) {
	for s.Backlog() > left {
		w := &s.async.waiting[s.async.first]
		s.async.first++
		s.commitWaiting(w)
	}
}

// commitWaiting commits a proposal that has waited. Refused or not, it is unconfirmed no
// longer.
func (s *Scheduler) commitWaiting(w *waitingProposal) {
	if w.release {
		s.commitRelease(w)
		return
	}
	app, size, reserve := w.app, w.size, w.reserve
	s.prop = s.revive(w)
	s.commit(&s.prop)
	if !reserve {
		app.unconfirmed = app.unconfirmed.Sub(size)
	}
}

// revive finds what a proposal names. For a reservation that is no longer on its
// node a stand-in comes, which upToDate knows by that.
func (s *Scheduler) revive(w *waitingProposal) proposal {
	p := w.proposal
	p.key = w.app.key(w.priority, w.alloc)
	if p.kills {
		s.kill = append(s.kill[:0], w.kill...)
	}
	if w.fromID != 0 {
		if p.from = w.node.reservation(w.app, w.fromID); p.from == nil {
			p.from = &s.async.gone[0]
		}
	}
	if w.backID != 0 {
		if p.giveBack = w.backNode.reservation(w.app, w.backID); p.giveBack == nil {
			p.giveBack = &s.async.gone[1]
			p.giveBack.node = w.backNode
		}
	}
	return p
}

// upToDate reports whether what a proposal that has waited rests on still holds
// (FiCaSchedulerApp.accept, commonCheckContainerAllocation): its application and node are
// there, an allocation is still asked for at its locality, the node is reserved or free as
// thought, and so is what is to be given back.
func (s *Scheduler) upToDate(p *proposal) bool {
	if p.app.ended || p.node.lost || !p.reserve && !p.key.asksAt(p.node, p.loc) || p.node.reserved != p.from {
		return false
	}
	return p.giveBack == nil || p.giveBack.node.reserved == p.giveBack
}

// asksAt reports whether a key has outstanding asks at a locality of a node and at all wider
// ones (LocalityAppPlacementAllocator.canAllocate).
func (k *reqKey) asksAt(n *node, loc uint8) bool {
	return k.Outstanding() > 0 && (loc == offSwitch || k.At(n.rack).Asks() > 0) &&
		(loc != nodeLocal || k.At(n.place).Asks() > 0)
}

// wantsMore reports whether an application's pending resources of a partition are more than
// its unconfirmed ones (SchedulerApplicationAttempt.hasPendingResourceRequest). It goes by
// size, not by count, and in labelled partitions by nothing unconfirmed, as in the original.
func (a *app) wantsMore(p int32) bool {
	if p != 0 {
		return !a.at(p).pending.IsNone()
	}
	return a.pending.Memory > a.unconfirmed.Memory || a.pending.VCores > a.unconfirmed.VCores
}
