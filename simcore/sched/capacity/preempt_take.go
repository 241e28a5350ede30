package capacity

import (
	"cmp"
	"slices"

	"schedtune/simcore/yarn"
)

// Choosing containers, and what becomes of the choice.

// newestFirst lists live containers by descending request priority, then key,
// newest first: the last to be needed goes first.
func (s *Scheduler) newestFirst(a *app) []*container {
	cs := s.appendLive(nil, a)
	slices.SortFunc(cs, func(x, y *container) int {
		return cmp.Or(cmp.Compare(y.priority, x.priority), cmp.Compare(y.alloc, x.alloc), cmp.Compare(y.id, x.id))
	})
	return cs
}

// goal is how much is still to be taken, by partition.
type goal struct {
	want []res
	left uint64 // partitions of which something is
}

// try selects a container if that brings the goal nearer and the round's budget holds it, and
// reports whether it did
// (CapacitySchedulerPreemptionUtils.tryPreemptContainerAndDeductResToObtain). With
// conservative it takes nothing once one of the components that count is reached
// (conservative-drf); otherwise what is wanted must become less by taking, as compared by
// dominant share.
func (p *preemptPass) try(c *container, g *goal, conservative bool) bool {
	calc, cluster := p.s.calc, p.s.cluster
	part := c.node.part
	if p.selected[c] || g.left&(1<<part) == 0 {
		return false
	}
	// A component of which nothing more is wanted counts as overshot.
	want := &g.want[part]
	if want.Memory == 0 {
		want.Memory = -1
	}
	if want.VCores == 0 {
		want.VCores = -1
	}
	if !calc.AboveZero(*want) || !calc.Fits(c.size, p.allowed) {
		return false
	}
	after := want.Sub(c.size)
	if conservative {
		if p.zeroOrNegative(*want) {
			return false
		}
	} else if calc.Compare(cluster, after.Floor(), want.Floor()) >= 0 {
		return false
	}
	*want = after
	p.allowed = p.allowed.Sub(c.size)
	if calc.Compare(cluster, *want, res{}) <= 0 {
		g.left &^= 1 << part
	}
	p.choose(c)
	return true
}

// choose makes a container a candidate of the selector at work.
func (p *preemptPass) choose(c *container) {
	// A reservation that is still listed and the container it has become are one choice.
	p.selected[c], p.selected[c.running()] = true, true
	p.order = append(p.order, c)
	last := &p.picked[len(p.picked)-1]
	last.containers = append(last.containers, c)
}

// zeroOrNegative reports whether a component that counts is not positive.
func (p *preemptPass) zeroOrNegative(r res) bool {
	return r.Memory <= 0 || p.s.calc.Dominant && r.VCores <= 0
}

// markOrKill marks what was selected for the first time and picks for killing what has waited
// long enough (preemptOrkillSelectedContainerAfterWait).
func (p *preemptPass) markOrKill() {
	s := p.s
	if s.policy.marks == nil {
		s.policy.marks = map[markKey]mark{}
	}
	for _, set := range p.picked { // by selector: each has its own wait
		for _, c := range byTables(set.containers) {
			k := c.markKey()
			m, ok := s.policy.marks[k]
			switch {
			case ok && m.since+set.wait <= s.now:
				s.policy.drop = append(s.policy.drop, c)
				delete(s.policy.marks, k)
			case !ok:
				s.policy.marks[k] = mark{since: s.now, ordinal: c.running().ordinal, node: c.madeOn().id}
			}
		}
	}
}

// carryOut drops reservations and kills what is due. An application whose
// master goes ends.
func (p *preemptPass) carryOut(killed []yarn.Container) []yarn.Container {
	s := p.s
	s.losses.Begin()
	for _, c := range p.drops {
		s.complete(c, byKill)
	}
	if s.conf.LazyPreemption { // who needs the room kills, see preempt_lazy.go
		for _, c := range s.policy.drop {
			s.markKillable(c.running())
		}
		s.policy.drop = s.policy.drop[:0]
	}
	var headless []*app
	for _, c := range s.policy.drop {
		// A leftover in the list of containers that share a partition: what it stands for
		// has ended already.
		if c.over && c.sharedIn != 0 {
			s.killListed(c)
			continue
		}
		if c.am && c.acquired {
			headless = append(headless, c.app)
		}
		s.complete(c, byKill)
	}
	s.finish(headless...)
	s.policy.drop = s.policy.drop[:0]
	return s.losses.Take(killed)
}
