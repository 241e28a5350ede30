package yarnfair

import (
	"cmp"
	"slices"

	"schedtune/internal/java"
	"schedtune/simcore/sched/internal/requests"
	"schedtune/simcore/yarn"
)

// Preemption, after FSPreemptionThread of Hadoop: for each starved application
// containers of others are chosen that could make room for what it asks, no
// application below its share for it; they are killed after a time of warning.
// What that frees is kept for the application that is to have it.

// sentence is a chosen container and when it is killed.
type sentence struct {
	c   *container
	seq uint64 // of the container: its memory may be used again
	at  int64

	unknown *container // as it was, where it ended before without its AM having heard of it
}

// outlived keeps what of a chosen container that ends before its time is needed
// to ask for it again: the original does so a second time when it kills it.
func (s *Scheduler) outlived(c *container) {
	if !c.chosen || c.acquired {
		return
	}
	for i := range s.sentences {
		if x := &s.sentences[i]; x.c == c && x.seq == c.seq {
			was := *c
			x.unknown = &was
		}
	}
}

// Choose picks containers for the starved applications that wait, in their
// turn, and returns them.
func (s *Scheduler) Choose() []yarn.Container {
	var out []yarn.Container
	for s.hungry.Len() > 0 {
		a := s.hungry.Remove()
		a.hungry = false
		for _, c := range s.victimsFor(a) {
			s.clock++ // its node is kept for the application
			s.sentences = append(s.sentences, sentence{c: c, seq: c.seq, at: s.now + int64(s.site.WaitBeforeKill)})
			out = append(out, yarn.Container{App: c.app.id, Ordinal: c.ordinal})
		}
		a.starve.next = s.now + int64(s.site.WaitBeforeKill) + s.site.WaitBeforeNext
	}
	return out
}

// KillDue kills what was chosen long enough ago.
func (s *Scheduler) KillDue(now int64, killed []yarn.Container) []yarn.Container {
	s.now = now
	s.losses.Begin()
	var headless []*app
	kept := s.sentences[:0]
	for _, x := range s.sentences {
		gone := x.c.over || x.c.seq != x.seq
		switch {
		case gone && x.unknown == nil:
		case x.at > now:
			kept = append(kept, x)
		case gone:
			s.recoverAsk(x.unknown)
			s.moved()
		default:
			if x.c == x.c.app.master {
				headless = append(headless, x.c.app)
			}
			s.complete(x.c, byKill)
		}
	}
	s.sentences = kept
	for _, a := range headless {
		s.finish(a)
	}
	return s.losses.Take(killed)
}

// watching reports whether time alone may bring preemption about.
func (s *Scheduler) watching() bool { return len(s.sentences) > 0 || s.outstanding > 0 }

// unchoose forgets that a container is to be preempted.
func (s *Scheduler) unchoose(c *container) {
	if !c.chosen {
		return
	}
	c.chosen = false
	c.app.condemned = c.app.condemned.Sub(c.size)
}

// needsOf lists the asks that would fill what an application lacks. Of nodes,
// their racks and "*" only one kind is taken, the first in the order of the
// original's tables.
func (s *Scheduler) needsOf(a *app) []requests.Row {
	var out []requests.Row
	left := a.lacks()
	seen := visits{}
	for _, k := range tableOrder(a) {
		for _, r := range s.rowOrder(k) {
			if left.IsNone() {
				return out
			}
			if !s.visit(seen, k.priority, &r) {
				continue
			}
			fit := int64(float32(left.Memory) / float32(r.Size.Memory))
			if r.Size.Memory == 0 || fit <= 0 {
				continue
			}
			if fit < int64(r.Count) {
				r.Count, r.Strict = int32(fit), false
			}
			out = append(out, r)
			left = left.SubFloor(r.Size.Times(int64(r.Count)))
		}
	}
	return out
}

// visits notes, by priority and size, which places asks have been taken for.
type visits map[visitKey]*visited

type visitKey struct {
	priority int32
	size     res
}

type visited struct {
	any          bool
	racks, nodes map[yarn.Place]bool // racks themselves; racks by their nodes
}

// visit reports whether a row adds to those taken before.
func (s *Scheduler) visit(seen visits, priority int32, r *requests.Row) bool {
	key := visitKey{priority, r.Size}
	v := seen[key]
	if v == nil {
		v = &visited{racks: map[yarn.Place]bool{}, nodes: map[yarn.Place]bool{}}
		seen[key] = v
	}
	if r.Place == yarn.AnyPlace {
		v.any = v.any || len(v.racks) == 0 && len(v.nodes) == 0
		return v.any
	}
	nodes := s.nodesAt(r.Place)
	if len(nodes) == 0 || v.any {
		return false
	}
	if rack := nodes[0].rack; nodes[0].place == r.Place {
		if v.racks[rack] {
			return false
		}
		v.nodes[rack] = true
		return true
	}
	if v.nodes[r.Place] {
		return false
	}
	v.racks[r.Place] = true
	return true
}

// nodesAt returns the live nodes a place stands for: all in the order of the
// original's table, a rack's in the order of registration.
func (s *Scheduler) nodesAt(p yarn.Place) []*node {
	if p == yarn.AnyPlace {
		return s.allNodes()
	}
	var out []*node
	for _, n := range s.nodes {
		if !n.lost && (n.place == p || n.rack == p) {
			out = append(out, n)
		}
	}
	return out
}

func (s *Scheduler) allNodes() []*node {
	var out []*node
	for _, n := range s.nodes {
		if !n.lost {
			out = append(out, n)
		}
	}
	java.SortByHash(out, java.TableSize(s.mostNodes), func(n *node) uint32 { return n.hash })
	return out
}

// tableOrder lists the keys of an application in the order of the original's
// table.
func tableOrder(a *app) []*reqKey {
	var ks []*reqKey
	for i := range a.keys {
		if a.keys[i].Unique > 0 {
			ks = append(ks, &a.keys[i])
		}
	}
	slices.SortFunc(ks, func(x, y *reqKey) int {
		return cmp.Or(cmp.Compare(java.Bucket(x.hash(), 16), java.Bucket(y.hash(), 16)), cmp.Compare(x.seq, y.seq))
	})
	return ks
}

// rowOrder lists the rows of a key so.
func (s *Scheduler) rowOrder(k *reqKey) []requests.Row {
	var rs []requests.Row
	if k.Any.Present {
		rs = append(rs, k.Any)
	}
	for _, r := range k.Places {
		if r.Present {
			rs = append(rs, r)
		}
	}
	size := java.TableSize(k.mostRows + 1) // a concurrent table doubles one entry earlier
	slices.SortFunc(rs, func(x, y requests.Row) int {
		return cmp.Or(cmp.Compare(java.Bucket(s.placeHash(x.Place), size), java.Bucket(s.placeHash(y.Place), size)),
			cmp.Compare(x.Turn, y.Turn))
	})
	return rs
}

// victimsFor chooses containers for a starved application.
func (s *Scheduler) victimsFor(a *app) []*container {
	var out []*container
	for _, r := range s.needsOf(a) {
		nodes := s.nodesAt(r.Place)
		for range r.Count {
			n, cs := s.bestVictims(&r, nodes)
			if len(cs) == 0 {
				continue
			}
			out = append(out, cs...)
			n.claim(a, cs)
			s.widened = true
			for _, c := range cs {
				c.chosen = true
				c.app.condemned = c.app.condemned.Add(c.size)
			}
		}
	}
	return out
}

// bestVictims looks for the node where room for one container costs the fewest
// masters, beyond the nodes asked for where masters would have to go there.
func (s *Scheduler) bestVictims(r *requests.Row, nodes []*node) (*node, []*container) {
	n, cs, masters := s.fewestMasters(r.Size, nodes)
	if r.Strict || r.Place == yarn.AnyPlace || cs == nil || masters == 0 {
		return n, cs
	}
	rest := slices.DeleteFunc(s.allNodes(), func(n *node) bool { return slices.Contains(nodes, n) })
	if n2, cs2, fewer := s.fewestMasters(r.Size, rest); cs2 != nil && fewer < masters {
		return n2, cs2
	}
	return n, cs
}

func (s *Scheduler) fewestMasters(size res, nodes []*node) (best *node, cs []*container, masters int) {
	masters = int(^uint(0) >> 1)
	for _, n := range nodes {
		if found, m, ok := s.victimsOn(n, size, masters); ok {
			best, cs, masters = n, found, m
			if m == 0 {
				break
			}
		}
	}
	return best, cs, masters
}

// victimsOn chooses containers on a node that make room for a size: masters
// last, and fewer than most of them.
func (s *Scheduler) victimsOn(n *node, size res, most int) (cs []*container, masters int, ok bool) {
	held := n.promised()
	if n.reserved != nil {
		held = held.Add(n.reserved.size)
	}
	room := n.free.SubFloor(held)
	taken := map[*app]res{}
	for _, c := range s.killOrder(n) {
		if s.mayPreempt(c, taken[c.app]) {
			if c == c.app.master {
				if masters++; masters >= most {
					return nil, 0, false
				}
			}
			cs = append(cs, c)
			taken[c.app] = taken[c.app].Add(c.size)
			room = room.Add(c.size)
		}
		if size.FitsIn(room) {
			return cs, masters, true
		}
	}
	return nil, 0, false
}

// killOrder lists a node's containers that are not chosen yet, masters last, in
// the order of the original's tables.
func (s *Scheduler) killOrder(n *node) []*container {
	s.order = hashOrder(append(s.order[:0], n.live...), n.mostLive)
	var out, masters []*container
	for i, c := range s.order {
		if last := s.order[len(s.order)-1-i]; last != last.app.master && !last.onList {
			out = append(out, last)
		}
		if c == c.app.master && !c.onList {
			masters = append(masters, c)
		}
	}
	return append(out, masters...)
}

// mayPreempt reports whether a container may go without bringing its
// application below its fair share; more is what else would go with it.
func (s *Scheduler) mayPreempt(c *container, more res) bool {
	a := c.app
	if a.queue.conf.Fixed || c == a.master && !s.site.PreemptsMasters(a.queue.path) || c.chosen {
		return false
	}
	return !s.below(a.queue, a.used.Sub(a.condemned).Sub(c.size).Sub(more), a.fair)
}
