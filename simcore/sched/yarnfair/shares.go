package yarnfair

import (
	"math"

	"schedtune/fairconf"
	"schedtune/yarnconf"
)

// Fair shares, after ComputeFairShares of Hadoop: the ratio of resources to
// weight at which the shares, each held between its minimum and maximum, add
// up to the total is found by doubling and then halving 25 times.

const shareHalvings = 25

// party takes part in a division: one, or several that differ in nothing.
type party struct {
	weight   float64
	min, max int64
	several  int64 // how many they are
	share    *int64
}

func (p *party) at(ratio float64) int64 {
	share := max(p.weight*ratio, float64(p.min))
	return yarnconf.Truncate(min(share, float64(p.max)))
}

// saturating is a sum that stops at the largest figure.
func saturating(a, b int64) int64 {
	if s := a + b; b < 0 || s >= a {
		return s
	}
	return math.MaxInt64
}

// divide sets every party's share of a total. Parties with a fixed share have
// had theirs: taken is the sum.
func divide(ps []party, total, taken int64) {
	if len(ps) == 0 {
		return
	}
	most := int64(0)
	for i := range ps {
		if most = saturating(ps[i].max, most); most == math.MaxInt64 {
			break
		}
	}
	total = min(most, max(total-taken, 0))
	right := 1.0
	for usedAt(ps, right) < total {
		right *= 2
	}
	left := 0.0
	for range shareHalvings {
		mid := (left + right) / 2
		used := usedAt(ps, mid)
		if used < total {
			left = mid
			continue
		}
		right = mid
		if used == total {
			break
		}
	}
	for i := range ps {
		*ps[i].share = ps[i].at(right)
	}
}

// usedAt is what all shares are together at a ratio.
func usedAt(ps []party, ratio float64) int64 {
	used := int64(0)
	for i := range ps {
		p := &ps[i]
		share := p.at(ratio)
		if p.several > 1 {
			if share > math.MaxInt64/p.several {
				return math.MaxInt64
			}
			share *= p.several
		}
		if used = saturating(used, share); used == math.MaxInt64 {
			break
		}
	}
	return used
}

// part is a component of a resource.
type part uint8

const (
	memory part = iota
	vcores
)

func (p part) of(r *res) *int64 {
	if p == memory {
		return &r.Memory
	}
	return &r.VCores
}

// parts is the last of the components a policy divides.
func parts(p fairconf.Policy) part {
	if p == fairconf.DRF {
		return vcores
	}
	return memory
}

// shareQueues divides a parent's share among its children. Steady shares go to
// all of them, others to those with runnable applications only.
func (s *Scheduler) shareQueues(q *queue, steady bool) {
	total := q.fair
	if steady {
		total = q.steady
	}
	for p := memory; p <= parts(q.policy); p++ {
		s.parties = s.parties[:0]
		taken := int64(0)
		for _, c := range q.children {
			share := p.of(&c.fair)
			if steady {
				share = p.of(&c.steady)
			}
			with := party{weight: float64(c.conf.Weight), min: *p.of(&c.conf.Min), max: *p.of(&c.max), several: 1, share: share}
			fixed := int64(0)
			switch {
			case with.max <= 0 || !steady && c.Running == 0:
			case c.conf.Weight <= 0:
				fixed = max(with.min, 0)
			default:
				s.parties = append(s.parties, with)
				continue
			}
			*share = fixed
			taken = saturating(taken, fixed)
		}
		divide(s.parties, *p.of(&total), taken)
	}
}

// shareSteady recomputes the shares all queues would have if all were busy.
func (s *Scheduler) shareSteady(q *queue) {
	s.shareQueues(q, true)
	for _, c := range q.children {
		if !c.leaf {
			s.shareSteady(c)
		}
	}
}

// shareFair recomputes the shares of a queue and all below it; its own is set.
func (s *Scheduler) shareFair(q *queue) {
	if q.leaf {
		s.shareApps(q)
		return
	}
	s.shareQueues(q, false)
	for _, c := range q.children {
		s.shareFair(c)
	}
}

// shareApps divides a leaf's share among its runnable applications. Under fifo
// the first has all of it, and the others keep what they had.
func (s *Scheduler) shareApps(q *queue) {
	if q.policy == fairconf.FIFO {
		if len(q.runnable) > 0 {
			q.runnable[0].fair = q.fair
		}
		return
	}
	for p := memory; p <= parts(q.policy); p++ {
		if !s.site.SizeBasedWeight {
			var equal int64
			if n := len(q.runnable); n > 0 {
				divide([]party{{weight: 1, max: math.MaxInt64, several: int64(n), share: &equal}}, *p.of(&q.fair), 0)
			}
			for _, a := range q.runnable {
				*p.of(&a.fair) = equal
			}
			continue
		}
		s.parties = s.parties[:0]
		for i := range q.crowds {
			if c := &q.crowds[i]; len(c.apps) > 0 {
				s.enlist(s.weightOf(c.apps[0]), len(c.apps), p.of(&c.fair))
			}
		}
		others := q.order
		if len(q.order)+q.crowded < len(q.runnable) {
			others = q.runnable
		}
		for _, a := range others {
			if !a.crowded {
				s.enlist(s.weightOf(a), 1, p.of(&a.fair))
			}
		}
		divide(s.parties, *p.of(&q.fair), 0)
		for i := range q.crowds {
			c := &q.crowds[i]
			for _, a := range c.apps {
				*p.of(&a.fair) = *p.of(&c.fair)
			}
		}
	}
}

// enlist enters so many applications of a weight into a division; without any
// their share is nothing.
func (s *Scheduler) enlist(weight float32, several int, share *int64) {
	if weight <= 0 {
		*share = 0
		return
	}
	s.parties = append(s.parties, party{weight: float64(weight), max: math.MaxInt64, several: int64(several),
		share: share})
}

// weightOf is an application's weight: 1, or the logarithm of its demand.
func (s *Scheduler) weightOf(a *app) float32 {
	if !s.site.SizeBasedWeight {
		return 1
	}
	return float32(math.Log1p(float64(a.demand.Memory)) / math.Ln2)
}
