package capacity

import (
	"cmp"
	"slices"

	"schedtune/internal/java"
	"schedtune/yarnconf"
)

// Preemption within a queue (IntraQueueCandidatesSelector, FifoIntraQueuePreemptionPlugin):
// applications of higher priority, or of users below their limit, take from those of lower
// priority or of users above theirs (intra-queue-preemption.preemption-order-policy).

// tempApp is an application's figures in a partition during a round (TempAppPerPartition).
type tempApp struct {
	a                 *app
	user              *tempUser
	used, am, pending res

	ideal      res // what it should have without its master (idealAssigned)
	toPreempt  res // what may be taken of it (toBePreempted)
	actual     res // what is taken of it (actuallyToBePreempted)
	fromOthers res // what it lacks and others have (toBePreemptFromOther)
	selected   res // what other selectors have chosen of it
}

// lessAM is what the application uses without its master.
func (t *tempApp) lessAM() res { return t.used.Sub(t.am) }

// tempUser is a user's figures in a leaf and partition during a round
// (TempUserPerPartition).
type tempUser struct {
	used, am  res
	limit     res  // user limit less am
	ideal     res  // sum over the user's applications
	selected  res  // likewise
	quotaDone bool // as much as lies above the limit has been taken (donePreemptionQuotaForULDelta)
}

// lessAM is what the user uses without masters.
func (t *tempUser) lessAM() res { return t.used.Sub(t.am) }

// deductSelected takes what other selectors chose out of what is still wanted
// (CapacitySchedulerPreemptionUtils.deductPreemptableResourcesBasedSelectedCandidates).
func (p *preemptPass) deductSelected() {
	calc := p.s.calc
	for _, c := range byTables(slices.Clone(p.order)) {
		t := p.tempIn(c.app.queue, c.node.part)
		if t == nil {
			continue
		}
		cluster := t.total
		if calc.Compare(cluster, t.actual, c.size) > 0 {
			t.actual = t.actual.Sub(c.size)
		}
		t.actual = calc.Max(cluster, t.actual, res{})
		for _, a := range t.apps {
			if calc.Compare(cluster, a.actual, c.size) > 0 {
				a.actual = a.actual.Sub(c.size)
			}
		}
	}
}

// tempIn is a queue in a partition.
func (p *preemptPass) tempIn(q *queue, part int32) *tempQueue {
	for _, t := range p.queues[part] {
		if t.q == q {
			return t
		}
	}
	return nil
}

// selectWithinQueues chooses from under-served leaves that use at least
// intra-queue-preemption.minimum-threshold of their guarantee
// (IntraQueueCandidatesSelector.selectCandidates).
func (p *preemptPass) selectWithinQueues() {
	for _, part := range p.parts {
		for _, t := range p.under[part] {
			if !t.q.leaf {
				continue
			}
			at := t.q.at(part)
			if p.s.updateShares(at); at.usedShare >= p.s.conf.Preemption.IntraMinThreshold {
				p.idealWithin(t)
			}
		}
	}
	p.deductSelected()
	for _, part := range p.parts {
		for _, t := range p.under[part] {
			if t.q.leaf && !t.q.conf.IntraPreemptionDisabled {
				p.selectWithin(t)
			}
		}
	}
}

// selectWithin chooses from the applications of a leaf in a partition.
func (p *preemptPass) selectWithin(t *tempQueue) {
	g := &goal{want: make([]res, len(p.queues)), left: 1 << t.part}
	for _, a := range t.apps {
		g.want[t.part] = g.want[t.part].Add(a.actual)
	}
	rolling := map[*slot]res{}
	for _, sl := range t.q.users.order {
		rolling[sl] = sl.u.at(t.part).used
	}
	for _, a := range t.apps {
		if !a.actual.IsNone() {
			p.takeFrom(t, a.a, g, rolling)
		}
	}
}

// takeFrom selects containers of one application, newest first, never its master, and with
// users' limits first never below its user's limit (preemptFromLeastStarvedApp,
// skipContainerBasedOnIntraQueuePolicy). rolling is what users use, by user, less what has
// been chosen.
func (p *preemptPass) takeFrom(t *tempQueue, a *app, g *goal, rolling map[*slot]res) {
	byLimit := !p.s.conf.Preemption.IntraPriorityFirst
	for _, c := range p.s.newestFirst(a) {
		if g.left == 0 {
			return
		}
		if p.selected[c] || c.listedKillable() || c.am {
			continue
		}
		// The limit is that of the container's partition, as in the original.
		if u := p.tempIn(t.q, c.node.part).users[a.user]; u != nil && byLimit &&
			p.s.calc.Compare(p.s.cluster, rolling[a.slot].Sub(c.size), u.limit.Add(u.am)) <= 0 {
			return
		}
		if p.try(c, g, p.s.conf.Preemption.IntraConservativeDRF) && byLimit {
			rolling[a.slot] = rolling[a.slot].Sub(c.size)
		}
	}
}

// idealWithin computes what each application of a leaf should have and what may be taken from
// whom (FifoIntraQueuePreemptionPlugin.computeAppsIdealAllocation).
func (p *preemptPass) idealWithin(t *tempQueue) {
	s, q := p.s, t.q
	perUser := map[*slot]res{}
	var am res
	for _, a := range q.active {
		master := a.at(t.part).am
		perUser[a.slot] = perUser[a.slot].Add(master)
		am = am.Add(master)
	}
	free := t.used.Sub(t.actual).Sub(am)
	if len(q.active)+len(q.waiting) == 1 {
		return
	}
	entitled, apps := p.tempApps(t, perUser)
	p.assignIdeal(entitled, t.part, free)
	budget := t.guaranteed.Scale(float64(s.conf.Preemption.IntraMaxLimit))
	if s.calc.Compare(s.cluster, budget, t.actual) > 0 {
		budget = budget.Sub(t.actual)
	} else {
		budget = res{}
	}
	p.markPreemptable(apps, s.calc.Min(s.cluster, budget, p.allowed))
	t.apps = apps
	p.matchDemand(apps)
}

// tempApps lists the leaf's applications, most entitled first and, for what is taken from
// them, least entitled first (createTempAppForResCalculation,
// calculateIdealAssignedResourcePerApp). The one is not always the reverse of the other,
// since the comparison can go round in circles. perUser is what masters use, by user.
func (p *preemptPass) tempApps(t *tempQueue, perUser map[*slot]res) (entitled, lowest []*tempApp) {
	s, q := p.s, t.q
	t.users = map[string]*tempUser{}
	var list []*tempApp
	for _, group := range [2][]*app{q.waiting, q.active} {
		for _, a := range group {
			u := t.users[a.user]
			if u == nil {
				o := s.getUser(q, a.slot)
				u = &tempUser{used: o.at(t.part).used, am: perUser[a.slot]}
				u.limit = s.userLimit(q, o, t.part, forAll).Sub(u.am)
				t.users[a.user] = u
			}
			at := a.at(t.part)
			ta := &tempApp{a: a, user: u, used: at.used, pending: at.pending}
			if a.master != nil || a.unmanaged {
				ta.am = at.am
			}
			list = append(list, ta)
		}
	}
	java.SortByHash(list, setSize(len(q.waiting), len(list)), func(t *tempApp) uint32 { return t.a.hash })
	// The comparison can go round in circles, so the original's collections are
	// followed step by step.
	compare := p.compareApps(q)
	heap := java.PriorityQueue[*tempApp]{Compare: compare}
	set := java.TreeSet[*tempApp]{Compare: func(x, y *tempApp) int { return compare(y, x) }}
	for _, a := range list {
		heap.Add(a)
	}
	for heap.Len() > 0 {
		a := heap.Remove()
		entitled = append(entitled, a)
		set.Add(a)
	}
	return entitled, set.Items()
}

// setSize is the table size of a HashSet made from first entries and then
// filled up to all.
func setSize(first, all int) int {
	size := 16
	for size < first*4/3+1 {
		size *= 2
	}
	for 4*all > 3*size {
		size *= 2
	}
	return size
}

// compareApps tells which of two applications is more entitled.
func (p *preemptPass) compareApps(q *queue) func(x, y *tempApp) int {
	if q.conf.AppOrder == yarnconf.Fair && !p.s.conf.Preemption.IntraPriorityFirst {
		return func(x, y *tempApp) int { return p.compareFair(q, x, y) }
	}
	return func(x, y *tempApp) int {
		return cmp.Or(cmp.Compare(y.a.priority, x.a.priority), x.a.earlier(y.a))
	}
}

// compareFair orders applications of one user by the leaf's policy, others by
// what their users use.
func (p *preemptPass) compareFair(q *queue, x, y *tempApp) int {
	if x == y {
		return 0
	}
	if x.a.user == y.a.user {
		return q.compareApps(x.a, y.a)
	}
	ux, uy := x.user.lessAM(), y.user.lessAM()
	if ux == uy {
		return x.a.earlier(y.a)
	}
	return first(p.s.calc.Compare(p.s.cluster, ux, uy) < 0)
}

// assignIdeal hands the queue's reassignable resources out, most entitled
// first, within users' limits.
func (p *preemptPass) assignIdeal(apps []*tempApp, part int32, free res) {
	calc, cluster := p.s.calc, p.s.cluster
	for _, a := range apps {
		if calc.Compare(cluster, free, res{}) <= 0 ||
			p.zeroOrNegative(free) && p.s.conf.Preemption.IntraConservativeDRF {
			continue
		}
		p.alreadySelected(a, part)
		want := a.lessAM().Add(a.pending).Sub(a.selected)
		if calc.Compare(cluster, a.user.ideal, a.user.limit) >= 0 {
			continue
		}
		ideal := calc.Min(cluster, want, a.user.limit.Sub(a.user.ideal))
		a.ideal = calc.Min(cluster, free, ideal)
		a.user.ideal = a.user.ideal.Add(a.ideal)
		has := a.lessAM().Sub(a.selected)
		if calc.Compare(cluster, a.ideal, has) > 0 {
			a.fromOthers = a.ideal.Sub(has)
		}
		free = free.SubFloor(a.ideal)
	}
}

// alreadySelected sums what was selected of an application's containers that
// were asked for in a partition, wherever they run, as in the original.
func (p *preemptPass) alreadySelected(a *tempApp, part int32) {
	for _, c := range p.order {
		if c.app == a.a && int32(c.label) == part {
			a.selected = a.selected.Add(c.size)
			a.user.selected = a.user.selected.Add(c.size)
		}
	}
}

// markPreemptable sets what may be taken from each application, least entitled first, within
// the budget (calculateToBePreemptedResourcePerApp).
func (p *preemptPass) markPreemptable(apps []*tempApp, budget res) {
	calc, cluster := p.s.calc, p.s.cluster
	for _, a := range apps {
		if calc.Compare(cluster, budget, res{}) <= 0 || calc.Compare(cluster, a.used, res{}) <= 0 {
			continue
		}
		can := a.used.Sub(a.ideal).SubFloor(a.selected).SubFloor(a.am)
		if !p.s.conf.Preemption.IntraPriorityFirst {
			can = can.SubFloor(p.s.minAlloc)
		}
		a.toPreempt = calc.Min(cluster, calc.Max(cluster, can, res{}), budget)
		budget = budget.SubFloor(a.toPreempt)
	}
}

// matchDemand takes from less entitled applications only what more entitled ones lack
// (validateOutSameAppPriorityFromDemand).
func (p *preemptPass) matchDemand(apps []*tempApp) {
	calc, cluster := p.s.calc, p.s.cluster
	for h := len(apps) - 1; h >= 0; h-- {
		high := apps[h]
		if calc.Compare(cluster, high.fromOthers, res{}) <= 0 {
			continue
		}
		for _, low := range apps {
			if calc.Compare(cluster, low.toPreempt, res{}) > 0 {
				p.match(high, low)
			}
		}
	}
}

// match takes for one application from another. Between applications of one user only a
// lower priority gives; another user gives where it is over its limit, or whenever priority
// decides first; and equal priorities bring a user down to its limit and no further.
func (p *preemptPass) match(high, low *tempApp) {
	calc, cluster := p.s.calc, p.s.cluster
	sameUser := high.a.user == low.a.user
	if sameUser && low.a.priority >= high.a.priority {
		return
	}
	if calc.Compare(cluster, low.toPreempt, low.actual) <= 0 || high.fromOthers.IsNone() {
		return
	}
	over := calc.Compare(cluster, low.user.lessAM(), low.user.limit) > 0
	if !sameUser && !over && !p.s.conf.Preemption.IntraPriorityFirst {
		return
	}
	can := low.toPreempt.Sub(low.actual)
	if !sameUser && low.a.priority == high.a.priority && over {
		delta := low.user.lessAM().Sub(low.user.selected).Sub(low.user.limit)
		if low.user.quotaDone {
			delta = res{}
		}
		if calc.Compare(cluster, delta, can) < 0 {
			low.user.quotaDone = true
			can = delta
		}
	}
	if calc.Compare(cluster, can, res{}) > 0 {
		take := calc.Min(cluster, high.fromOthers, can)
		high.fromOthers = high.fromOthers.Sub(take)
		low.actual = low.actual.Add(take)
	}
}
