package capacity

import (
	"cmp"
	"slices"

	"schedtune/internal/java"
	"schedtune/simcore/yarn"
)

// reservationOrder lists reservations as the original's nested hash tables do.
func reservationOrder(a *app) []*container {
	rs := slices.Clone(a.resv)
	slices.SortFunc(rs, func(x, y *container) int {
		kx, ky := a.key(x.priority, x.alloc), a.key(y.priority, y.alloc)
		return cmp.Or(
			cmp.Compare(java.Bucket(kx.hash(), 16), java.Bucket(ky.hash(), 16)), cmp.Compare(kx.firstResv, ky.firstResv),
			cmp.Compare(java.Bucket(x.node.hash, kx.resvTable), java.Bucket(y.node.hash, ky.resvTable)),
			cmp.Compare(x.id, y.id))
	})
	return rs
}

// hash is SchedulerRequestKey.hashCode.
func (k *reqKey) hash() uint32 { return java.HashRequestKey(k.priority, k.alloc) }

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

// try selects a container if that brings the goal nearer and the round's budget
// holds it.
func (p *preemptPass) try(c *container, g *goal, conservative bool) bool {
	calc, cluster := p.s.calc, p.s.cluster
	part := c.node.part
	if p.selected[c] || g.left&(1<<part) == 0 {
		return false
	}
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
	p.selected[c], p.selected[c.running()] = true, true
	p.order = append(p.order, c)
	last := &p.picked[len(p.picked)-1]
	last.containers = append(last.containers, c)
}

// zeroOrNegative reports whether a component that counts is not positive.
func (p *preemptPass) zeroOrNegative(r res) bool {
	return r.Memory <= 0 || p.s.calc.Dominant && r.VCores <= 0
}

// markOrKill marks what was selected for the first time and picks for killing
// what has waited long enough.
func (p *preemptPass) markOrKill() {
	s := p.s
	if s.policy.marks == nil {
		s.policy.marks = map[markKey]mark{}
	}
	s.policy.kill = s.policy.kill[:0]
	for _, set := range p.picked {
		for _, c := range byTables(set.containers) {
			k := markKey{c.app.id, int64(c.id)}
			m, ok := s.policy.marks[k]
			switch {
			case ok && m.since+set.wait <= s.now:
				s.policy.kill = append(s.policy.kill, k)
				s.policy.drop = append(s.policy.drop, c)
				delete(s.policy.marks, k)
			case !ok:
				s.policy.marks[k] = mark{since: s.now, ordinal: c.running().ordinal, node: c.madeOn().id}
			}
		}
	}
}

// byTables sorts containers, given in the order of their choice, as the
// original's tables of applications and of their containers list them.
func byTables(cs []*container) []*container {
	perApp, entered := map[*app]int{}, map[*app]int{}
	for _, c := range cs {
		if perApp[c.app]++; perApp[c.app] == 1 {
			entered[c.app] = len(entered)
		}
	}
	apps := java.TableSize(len(perApp), 12)
	slices.SortStableFunc(cs, func(x, y *container) int {
		if x.app != y.app {
			return cmp.Or(cmp.Compare(java.Bucket(x.app.hash, apps), java.Bucket(y.app.hash, apps)), cmp.Compare(entered[x.app], entered[y.app]))
		}
		size := java.TableSize(perApp[x.app], 12)
		return cmp.Compare(java.Bucket(x.hash(), size), java.Bucket(y.hash(), size))
	})
	return cs
}

// carryOut drops reservations and kills what is due. An application whose
// master goes ends.
func (p *preemptPass) carryOut(killed []yarn.Container) []yarn.Container {
	s := p.s
	s.startLosses()
	for _, c := range p.drops {
		s.complete(c, byKill)
	}
	if s.conf.LazyPreemption {
		for _, c := range s.policy.drop {
			s.markKillable(c.running())
		}
		s.policy.drop = s.policy.drop[:0]
	}
	var headless []*app
	for _, c := range s.policy.drop {
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
	return s.takeLosses(killed)
}
