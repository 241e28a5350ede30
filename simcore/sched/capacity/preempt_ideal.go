package capacity

import (
	"math"
	"slices"

	"schedtune/internal/java"
	"schedtune/yarnconf"
)

// The ideal distribution between queues (PreemptableResourceCalculator): every queue keeps
// what it uses up to its guarantee; what is left is offered, again and again, to the queues
// that have least of theirs, in proportion to their guarantees, until nobody wants more.
// What a queue uses beyond its ideal is to be preempted, within the round's budget.

// tempQueue is a queue's figures in a partition during a round (TempQueuePerPartition).
type tempQueue struct {
	q        *queue
	part     int32
	total    res // of the partition
	children []*tempQueue

	used, reserved     res
	pending            res // asked for, as far as user limits allow
	pendingLessReserve res // the same without what is reserved (pendingDeductReserved)
	guaranteed, most   res
	preemptionDisabled bool
	priority           int // relative to siblings; 0 unless the parent minds

	ideal       res        // what it should have (idealAssigned)
	toPreempt   res        // what it uses beyond that, within the budget (toBePreempted)
	actual      res        // what is taken of it in this round (actuallyToBePreempted)
	untouchable res        // of its use beyond the guarantee: what must not be taken (untouchableExtra)
	extra       res        // and what may (preemptableExtra)
	share       [2]float64 // of what is offered: memory, cores (normalizedGuarantee)

	apps  []*tempApp // in-queue preemption only, least entitled first
	users map[string]*tempUser
}

// clone copies the figures of a queue and all below it in a partition.
func (p *preemptPass) clone(q *queue, part int32) *tempQueue {
	at, total := q.at(part), p.s.parts[part].total
	t := &tempQueue{q: q, part: part, total: total, used: at.used, reserved: at.reserved,
		preemptionDisabled: q.conf.PreemptionDisabled}
	p.queues[part] = append(p.queues[part], t)
	// Percentages replace resources that were not computed, of either limit.
	t.guaranteed, t.most = at.eff.Min, at.eff.Max
	if t.guaranteed.IsNone() {
		t.guaranteed = total.Scale(float64(at.eff.Absolute))
	}
	if t.most.IsNone() {
		share := at.eff.AbsoluteMaximum
		if part != 0 && !p.s.parts[part].exclusive {
			share = 1 // idle resources of a shared partition are anybody's
		}
		t.most = total.Scale(float64(share))
	}
	if q.leaf {
		t.pending = p.s.pendingWithinLimits(q, part, false)
		t.pendingLessReserve = p.s.pendingWithinLimits(q, part, true)
		return t
	}
	for _, c := range q.children {
		ct := p.clone(c, part)
		if q.conf.Order == yarnconf.PriorityUtilization { // else siblings are equal
			ct.priority = c.conf.Priority
		}
		t.children = append(t.children, ct)
		t.pending = t.pending.Add(ct.pending)
		t.pendingLessReserve = t.pendingLessReserve.Add(ct.pendingLessReserve)
	}
	return t
}

// computeIdeal fills in ideal, toPreempt and actual of all queues
// (PreemptableResourceCalculator.computeIdealAllocation).
func (p *preemptPass) computeIdeal(how sharing) {
	for _, part := range p.parts {
		root := p.queues[part][0]
		p.extras(root)
		root.ideal = root.guaranteed
		p.distributeBelow(root, how)
	}
	for _, t := range p.leaves {
		if t.preemptionDisabled {
			continue
		}
		for part := range p.queues {
			p.computeActual(p.tempIn(t.q, int32(part)), how)
		}
	}
}

// computeActual fills in what is to be taken from a leaf in this round: nothing within
// max_ignored_over_capacity of the guarantee, else a natural_termination_factor of what it
// uses too much (calculateResToObtainByPartitionForLeafQueues).
func (p *preemptPass) computeActual(t *tempQueue, how sharing) {
	calc, cluster, c := p.s.calc, p.s.cluster, &p.s.conf.Preemption
	t.actual = res{}
	if calc.Compare(cluster, t.used, t.guaranteed.Scale(1+c.MaxIgnoredOver)) > 0 {
		t.actual = t.toPreempt
		if !how.reserve && calc.Compare(cluster, t.actual, res{}) > 0 {
			t.actual = calc.ScaleUp(t.toPreempt, c.NaturalTermination, res{Memory: 1, VCores: 1})
		}
	}
}

// extras computes what of a queue's use beyond its guarantee may be taken
// (TempQueuePerPartition.updatePreemptableExtras): nothing where preemption is disabled.
func (p *preemptPass) extras(t *tempQueue) {
	calc, cluster := p.s.calc, t.total
	over := t.used.Sub(t.guaranteed)
	if calc.Compare(cluster, over, res{}) < 0 {
		over = res{}
	}
	t.untouchable, t.extra = res{}, res{}
	if len(t.children) == 0 {
		if t.preemptionDisabled {
			t.untouchable = over
		} else {
			t.extra = over
		}
		return
	}
	// A parent gives what its children may give, but no more than it is over itself.
	var below res
	for _, c := range t.children {
		p.extras(c)
		below = below.Add(c.extra)
	}
	if calc.Compare(cluster, below, over) < 0 {
		t.untouchable = over.Sub(below)
	}
	t.extra = calc.Min(cluster, below, over)
}

// distributeBelow distributes what a queue should have among its children, and so on down
// (recursivelyComputeIdealAssignment).
func (p *preemptPass) distributeBelow(t *tempQueue, how sharing) {
	if len(t.children) == 0 {
		return
	}
	p.distribute(t.children, t.ideal, how)
	for _, c := range t.children {
		p.distributeBelow(c, how)
	}
}

// distribute shares total among siblings, those with a guarantee first, and scales what is to
// be preempted down to the round's budget (computeIdealResourceDistribution).
func (p *preemptPass) distribute(qs []*tempQueue, total res, how sharing) {
	calc := p.s.calc
	var some, none []*tempQueue
	for _, t := range qs {
		if calc.Compare(total, t.guaranteed, res{}) > 0 {
			some = append(some, t)
		} else {
			none = append(none, t)
		}
	}
	// Who has a guarantee is served first; the rest share what nobody of those wants.
	left := p.fixpoint(total, some, total, false, how)
	if len(none) > 0 && calc.Compare(total, left, res{}) > 0 {
		p.fixpoint(total, none, left, true, how)
	}
	var needed res
	for _, t := range qs {
		if calc.Compare(total, t.used, t.ideal) > 0 {
			needed = needed.Add(t.used.Sub(t.ideal))
		}
	}
	// The round's budget (total_preemption_per_round) holds for siblings together.
	scale := float32(1)
	if calc.Compare(total, needed, p.allowed) > 0 {
		scale = calc.Divide(total, p.allowed, needed)
	}
	// Nothing is taken of what a queue has and is entitled to, even where its ideal is less.
	for _, t := range qs {
		least := calc.Max(total, calc.Min(total, t.used.Add(t.pending), t.guaranteed), t.ideal)
		t.toPreempt = res{}
		if used := t.used.Sub(t.q.at(t.part).killable); calc.Compare(total, used, least) > 0 {
			t.toPreempt = used.Sub(least).Scale(float64(scale))
		}
	}
}

// fixpoint offers what is unassigned until it is gone or nobody wants more
// (AbstractPreemptableResourceCalculator.computeFixpointAllocation), in proportion to
// guarantees or evenly. It returns what was left after the first offer: the original goes on
// with a copy, so that its caller learns no more.
func (p *preemptPass) fixpoint(total res, qs []*tempQueue, unassigned res, even bool, how sharing) res {
	calc := p.s.calc
	need := java.PriorityQueue[*tempQueue]{Compare: func(a, b *tempQueue) int { return p.needier(a, b, total) }}
	for _, t := range qs {
		// It keeps what it uses of its guarantee, and what must not be taken beyond it.
		t.ideal = t.used
		if calc.Compare(total, t.used, t.guaranteed) > 0 {
			t.ideal = t.guaranteed.MinEach(t.used).Add(t.untouchable)
		}
		unassigned = unassigned.Sub(t.ideal)
		if calc.Compare(total, t.ideal, t.used.Add(t.pending)) < 0 {
			need.Add(t)
		}
	}
	left, first := unassigned, true
	for need.Len() > 0 && calc.Compare(total, unassigned, res{}) > 0 {
		normalize(need.Items(), even, !even && p.s.rules.ShareOfGuarantee)
		poorest := p.poorest(&need)
		offered := unassigned // shares of one round are of the same amount
		for _, t := range poorest {
			if !calc.AboveZero(unassigned) {
				break
			}
			give := p.scaleEach(offered, t.share).MinEach(unassigned)
			done := p.offer(t, give, total, how)
			if calc.Compare(total, done, res{}) > 0 {
				need.Add(t)
			}
			if first {
				left, first = unassigned.Sub(done), false
			}
			unassigned = unassigned.Sub(done).Floor()
		}
	}
	// Who still wants something is under-served, and is looked at for preemption within it.
	for need.Len() > 0 {
		p.notice(need.Remove())
	}
	return left
}

// scaleEach multiplies each component by its own factor: halves round up under
// the default calculator, everything rounds up under the dominant one.
func (p *preemptPass) scaleEach(r res, by [2]float64) res {
	if !p.s.calc.Dominant {
		return p.s.calc.ScaleUp(r, by[0], res{Memory: 1, VCores: 1})
	}
	return res{Memory: int64(math.Ceil(float64(r.Memory) * by[0])), VCores: int64(math.Ceil(float64(r.VCores) * by[1]))}
}

// offer gives a queue as much as it can take and returns how much that was
// (TempQueuePerPartition.offer).
func (p *preemptPass) offer(t *tempQueue, give, total res, how sharing) res {
	calc := p.s.calc
	// The selector for reservations counts what is reserved as wanted.
	want := t.pendingLessReserve
	if how.reserve {
		want = t.pending
	}
	take := t.most.Sub(t.ideal).Floor().MinEach(calc.Min(total, give, t.used.Add(want).Sub(t.ideal)))
	// Unless satisfied queues are to be balanced too, a leaf's ideal does not grow beyond
	// the larger of its use and its guarantee.
	if !how.balance && len(t.children) == 0 {
		cap := calc.Max(total, calc.Max(total, t.used, t.guaranteed).Sub(t.ideal), res{})
		take = calc.Min(total, take, cap)
	}
	take = take.Floor().MinEach(give)
	t.ideal = t.ideal.Add(take)
	return take
}

// normalize sets each queue's share of the next offer, per resource: by guarantee, by
// capacity where a guarantee rounds to nothing, or evenly
// (AbstractPreemptableResourceCalculator.resetCapacity). Before YARN-11073 (byGuarantee) it was by
// guarantee alone, and where no queue has one the shares stay as they were.
func normalize(qs []*tempQueue, even, byGuarantee bool) {
	var sum res
	var capacity float32
	for _, t := range qs {
		sum = sum.Add(t.guaranteed)
		capacity += t.q.at(t.part).eff.Absolute
	}
	for i := range 2 { // memory and cores by themselves
		all := part(sum, i)
		// One queue whose guarantee rounds to nothing of a resource makes all siblings
		// share by capacity.
		byCapacity := !even && all != 0 && slices.ContainsFunc(qs, func(t *tempQueue) bool {
			return part(t.guaranteed, i) == 0 && t.q.at(t.part).eff.Absolute != 0
		})
		for _, t := range qs {
			switch {
			case byGuarantee && all == 0:
			case !byGuarantee && byCapacity:
				if capacity != 0 {
					t.share[i] = float64(t.q.at(t.part).eff.Absolute / capacity)
				}
			case !byGuarantee && (even || capacity == 0 || all == 0):
				t.share[i] = float64(1 / float32(len(qs)))
			default:
				t.share[i] = float64(float32(part(t.guaranteed, i)) / float32(all))
			}
		}
	}
}

// part is a component of a resource: 0 memory, 1 cores.
func part(r res, i int) int64 {
	if i == 0 {
		return r.Memory
	}
	return r.VCores
}

// poorest takes the queues that have least of their guarantee, equal ones together
// (getMostUnderservedQueues).
func (p *preemptPass) poorest(need *java.PriorityQueue[*tempQueue]) []*tempQueue {
	var out []*tempQueue
	for need.Len() > 0 {
		t := need.Remove()
		out = append(out, t)
		p.notice(t)
		if need.Len() == 0 {
			break
		}
		if next := need.Items()[0]; need.Compare(t, next) < 0 {
			p.notice(next)
			break
		}
	}
	return out
}

// needier orders queues of a partition of so much by how much of their guarantee they have been
// assigned (AbstractPreemptableResourceCalculator.TQComparator): on the same side of it the higher
// priority comes first, else the smaller part. Queues of equal need come out in an order that
// follows from Java's heap.
func (p *preemptPass) needier(a, b *tempQueue, total res) int {
	part := func(t *tempQueue) float64 { // getIdealPctOfGuaranteed
		if p.s.calc.Compare(total, t.guaranteed, res{}) > 0 {
			return float64(p.s.calc.Divide(total, t.ideal, t.guaranteed))
		}
		return math.MaxInt32
	}
	ra, rb := part(a), part(b)
	switch {
	case a.priority != b.priority && (ra < 1) == (rb < 1):
		return first(a.priority > b.priority)
	case ra < rb:
		return -1
	case ra > rb:
		return 1
	}
	return 0 // where one is no number too
}

// notice remembers an under-served queue for preemption within it
// (addPartitionToUnderServedQueues).
func (p *preemptPass) notice(t *tempQueue) {
	if !slices.Contains(p.under[t.part], t) {
		p.under[t.part] = append(p.under[t.part], t)
	}
}
