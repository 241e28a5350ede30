package yarnfair

import (
	"slices"
)

// claim is what of a node preemption frees for an application.
type claim struct {
	app *app
	due res
}

// claim books chosen containers of a node for an application.
func (n *node) claim(a *app, cs []*container) {
	var sum res
	for _, c := range cs {
		if !c.onList {
			c.onList = true
			sum = sum.Add(c.size)
		}
	}
	if sum.IsNone() {
		return
	}
	for i := range n.claims {
		if n.claims[i].app == a {
			n.claims[i].due = n.claims[i].due.Add(sum)
			return
		}
	}
	n.claims = append(n.claims, claim{a, sum})
}

// promised is the sum of a node's claims.
func (n *node) promised() res {
	var sum res
	for i := range n.claims {
		sum = sum.Add(n.claims[i].due)
	}
	return sum
}

func (n *node) claimedBy(a *app) bool {
	return slices.ContainsFunc(n.claims, func(c claim) bool { return c.app == a })
}

// claimed takes an allocation off an application's claim.
func (s *Scheduler) claimed(n *node, a *app, size res) {
	for i := range n.claims {
		if n.claims[i].app != a {
			continue
		}
		due := &n.claims[i].due
		if *due = due.Sub(due.MinEach(size)); due.IsNone() {
			n.claims = slices.Delete(n.claims, i, i+1)
		}
		return
	}
}

// fillClaims offers a node first to those it was freed for, as long as they are
// starved.
func (s *Scheduler) fillClaims(n *node) {
	if len(n.claims) == 0 {
		return
	}
	before := len(n.claims)
	n.claims = slices.DeleteFunc(n.claims, func(c claim) bool {
		return c.app.ended || !s.starved(c.app) || c.app.lacks().IsNone()
	})
	s.changed = s.changed || len(n.claims) < before
	for _, c := range slices.Clone(n.claims) {
		for left := c.due; !c.app.ended && !left.IsNone(); {
			got := s.offerApp(c.app, n)
			if got == (res{}) || got == reservedMark {
				break
			}
			left = left.SubFloor(got)
		}
	}
}
