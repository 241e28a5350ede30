package capacity

import (
	"cmp"
	"maps"
	"slices"

	"schedtune/internal/java"
	"schedtune/simcore/yarn"
)

// Preemption (ProportionalCapacityPreemptionPolicy). A round copies the queues' figures
// (tempQueue), lets one selector after the other choose containers, marks what was chosen for
// the first time and kills what was chosen again after the waiting time:
//
//	preempt_ideal.go      what each queue should have, and what is to be taken from whom
//	preempt_take.go       choosing one container towards a goal; marking and killing
//	preempt_priority.go   reservations of queues of higher priority (underutilized-preemption)
//	preempt_reserved.go   room for reservations (select_based_on_reserved_containers)
//	preempt_intra.go      within a queue, between users or priorities
//	preempt_shared.go     containers on idle resources of shared partitions
//	preempt_lazy.go       containers that are killed only for a proposal (lazy-preemption-enabled)

// roundLength is the time between two rounds of the policy, in milliseconds.
const roundLength = 3000

// preemptionState is the preemption policy's, and that of lazy preemption.
type preemptionState struct {
	policy   preemption
	now      int64 // milliseconds of the policy's clock
	clocked  bool  // by SetClock; otherwise a round is roundLength after the one before
	accepted int64 // proposals accepted since the last round, see age

	killables []*container // that proposals may kill (lazy preemption)
	widened   bool         // containers have become killable since Widened was last asked

	stillListed []yarn.Container // that have ended and are listed as killable for ever, see unmarkKillable
	overcounted bool             // queues count some as killable for ever
}

// preemption is what the policy remembers from round to round: containers it
// has marked and since when. They are kept by id, since a marked reservation
// may be filled or be over by the time the mark is looked at.
type preemption struct {
	marks map[markKey]mark // (preemptionCandidates)
	drop  []*container     // due in this round, until carryOut
	moved []Move           // reservations, in the last round
}

// markKey names a container or reservation.
type markKey struct {
	app yarn.AppID
	id  int32 // ContainerId within the application
}

// markKey names the container.
func (c *container) markKey() markKey { return markKey{c.app.id, c.id} }

// mark is a container that has been chosen.
type mark struct {
	since   int64       // when first, in milliseconds of the policy's clock
	ordinal int32       // -1 while a reservation
	node    yarn.NodeID // on which it was made
}

// Candidate is a container that preemption has marked. It stays listed for
// twice the waiting time, whatever becomes of it.
type Candidate struct {
	App     yarn.AppID
	Ordinal int32 // -1 for a reservation
	Node    yarn.NodeID
}

// Candidates returns what is marked, by application, then container id.
func (s *Scheduler) Candidates() []Candidate {
	keys := slices.SortedFunc(maps.Keys(s.policy.marks), func(a, b markKey) int {
		return cmp.Or(cmp.Compare(a.app, b.app), cmp.Compare(a.id, b.id))
	})
	out := make([]Candidate, len(keys))
	for i, k := range keys {
		m := s.policy.marks[k]
		out[i] = Candidate{App: k.app, Ordinal: m.ordinal, Node: m.node}
	}
	return out
}

// SetClock tells the preemption policy the time, in milliseconds. A scheduler
// that is never told counts 3 s for each round.
func (s *Scheduler) SetClock(ms int64) { s.now, s.clocked = ms, true }

// age is what stands for the time at which a container is made: the clock or,
// where there is none, that of the last round and a little more for each proposal
// accepted since, so that the oldest goes first. One that fills a reservation is
// then younger than all others, as in the recordings, whose recorder leaves it
// the wall clock's time.
func (s *Scheduler) age(fills bool) int64 {
	switch {
	case s.clocked:
		return s.now
	case fills:
		return youngest + int64(s.sequence)
	}
	return s.now - 1000 + s.accepted
}

// youngest is beyond every time.
const youngest = 1 << 60

// Preempt is one round of the policy (ProportionalCapacityPreemptionPolicy.editSchedule,
// containerBasedPreemptOrKill), 3 s after the one before unless a clock is set: containers
// now marked are appended to marked, those killed to killed. A container is killed when it
// is chosen again after the waiting time (max_wait_before_kill); reservations in the way go
// at once.
func (s *Scheduler) Preempt(marked, killed []yarn.Container) (m, k []yarn.Container) {
	s.settle()
	if !s.clocked {
		s.now += roundLength
		s.accepted = 0
	}
	s.epoch++
	s.policy.moved = nil
	p := s.newPreemptPass()
	p.selectAll()
	if !s.conf.Preemption.ObserveOnly && !p.broken {
		p.markOrKill()
		// Chosen again or not (cleanupStaledPreemptionCandidates).
		maps.DeleteFunc(s.policy.marks, func(_ markKey, m mark) bool {
			return m.since+2*s.conf.Preemption.MaxWaitBeforeKill < s.now
		})
	}
	for _, c := range s.Candidates() {
		if c.Ordinal >= 0 {
			marked = append(marked, yarn.Container{App: c.App, Ordinal: c.Ordinal})
		}
	}
	return marked, p.carryOut(killed)
}

// filled moves a mark from a reservation to the container that fills it.
func (s *Scheduler) filled(c *container) {
	if m, ok := s.policy.marks[c.markKey()]; ok {
		m.ordinal = c.ordinal
		s.policy.marks[c.markKey()] = m
	}
}

// preemptPass is one round in the making.
type preemptPass struct {
	s        *Scheduler
	parts    []int32        // partitions in the original's order
	queues   [][]*tempQueue // by partition; by queue, in the order of the tree
	leaves   []*tempQueue   // without label, in the original's order of names
	under    [][]*tempQueue // by partition: under-served queues in the order they were noticed
	broken   bool           // the original's round ends here with an exception
	allowed  res            // left of the round's budget (total_preemption_per_round)
	selected map[*container]bool
	order    []*container // selected, in order, of all selectors so far
	picked   []pickedSet  // per selector
	drops    []*container // reservations to give up
}

// pickedSet is what one selector chose, and how long its choice waits.
type pickedSet struct {
	wait       int64
	containers []*container
}

// sharing says how the ideal distribution is computed (PreemptableResourceCalculator).
type sharing struct {
	reserve bool // reserved space counts as wanted, and all is taken at once
	balance bool // serve queues beyond their guarantee
}

// newPreemptPass copies the figures of all queues (cloneQueues).
func (s *Scheduler) newPreemptPass() *preemptPass {
	p := &preemptPass{s: s, selected: map[*container]bool{}}
	p.queues, p.under = make([][]*tempQueue, len(s.parts)), make([][]*tempQueue, len(s.parts))
	p.parts = s.partsByHash()
	for _, part := range p.parts {
		p.clone(s.root, part)
	}
	p.leaves = p.leafOrder(p.queues[0][0])
	p.allowed = s.cluster.Scale(float64(s.conf.Preemption.TotalPerRound))
	return p
}

// selectAll lets the selectors that the configuration asks for choose, one after the other
// (ProportionalCapacityPreemptionPolicy.updateConfigIfNeeded).
func (p *preemptPass) selectAll() {
	c := &p.s.conf.Preemption
	wait := c.MaxWaitBeforeKill
	run := func(on bool, choose func()) {
		if on && !p.broken {
			p.picked = append(p.picked, pickedSet{wait: wait})
			choose()
		}
	}
	run(c.ByPriority, p.selectByQueuePriority)
	run(c.ByReserved, p.selectForReservations)
	run(true, func() { p.selectBetweenQueues(sharing{reserve: c.AdditionalByReserved}) })
	if c.BalanceWaitBeforeKill > 0 {
		wait = c.BalanceWaitBeforeKill
	}
	run(c.BalanceAfterSatisfied, func() { p.selectBetweenQueues(sharing{balance: true}) })
	wait = c.MaxWaitBeforeKill
	run(c.Intra, p.selectWithinQueues)
}

// leafOrder lists the leaves as the original's hash set of their paths does.
func (p *preemptPass) leafOrder(t *tempQueue) []*tempQueue {
	if len(t.children) == 0 {
		return []*tempQueue{t}
	}
	var all []*tempQueue
	for _, c := range t.children {
		all = append(all, p.leafOrder(c)...)
	}
	java.HashSortBy(all, func(t *tempQueue) string { return t.q.path })
	return all
}

// selectBetweenQueues chooses from queues that use more than their share
// (FifoCandidatesSelector.selectCandidates).
func (p *preemptPass) selectBetweenQueues(how sharing) {
	p.computeIdeal(how)
	p.deductSelected()
	for _, t := range p.leaves {
		if t.preemptionDisabled {
			continue
		}
		t.q.policyOrder() // looked at even where nothing is to be taken
		if g := p.goalOf(t); g.left != 0 {
			p.preemptShared(t.q, g)
			p.preemptQueue(t.q, g)
		}
	}
}

// goalOf is what is to be taken from a leaf in each partition.
func (p *preemptPass) goalOf(t *tempQueue) *goal {
	g := &goal{want: make([]res, len(p.queues))}
	for part := range p.queues {
		if t := p.tempIn(t.q, int32(part)); p.s.calc.Compare(p.s.cluster, t.actual, res{}) > 0 {
			g.want[part] = t.actual
			g.left |= 1 << part
		}
	}
	return g
}

// preemptQueue takes from the applications in reverse order of the policy
// (FifoCandidatesSelector.preemptFrom); masters last, and only as far as they use more than
// the queue's share for masters (preemptAMContainers).
func (p *preemptPass) preemptQueue(q *queue, g *goal) {
	var masters []*container
	var mastersSize res
	apps := q.policyOrder()
	for i := len(apps) - 1; i >= 0 && g.left != 0; i-- {
		p.dropReservations(apps[i], g)
		for _, c := range p.s.newestFirst(apps[i]) {
			if g.left == 0 {
				break
			}
			switch {
			case p.selected[c] || c.listedKillable():
			case c.am:
				masters = append(masters, c)
				mastersSize = mastersSize.Add(c.size)
			default:
				p.try(c, g, p.s.conf.Preemption.ConservativeDRF)
			}
		}
	}
	share := q.eff.Min.Scale(float64(q.conf.AMPercent))
	for _, c := range masters {
		if g.left == 0 || p.s.calc.Compare(p.s.cluster, mastersSize, share) <= 0 {
			break
		}
		if p.try(c, g, p.s.conf.Preemption.ConservativeDRF) {
			mastersSize = mastersSize.Sub(c.size)
		}
	}
}

// dropReservations gives up an application's reservations whether or not they
// count towards the goal.
func (p *preemptPass) dropReservations(a *app, g *goal) {
	for _, c := range reservationOrder(a) {
		if p.selected[c] {
			continue
		}
		if g.left == 0 {
			return
		}
		p.try(c, g, p.s.conf.Preemption.ConservativeDRF)
		if !p.s.conf.Preemption.ObserveOnly {
			p.drops = append(p.drops, c)
		}
	}
}
