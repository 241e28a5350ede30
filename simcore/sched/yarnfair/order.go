package yarnfair

import (
	"cmp"
	"slices"
	"strings"

	"schedtune/fairconf"
	"schedtune/internal/java"
	"schedtune/simcore/internal/kernel"
)

// Who is served first, after the comparators of Hadoop's three policies. The
// original sorts anew for every container; here children and applications stay
// sorted, and only those whose figures have changed are moved.

// rank is what a policy compares; ties go by name, or by submission.
type rank struct {
	class uint8   // 0 below the minimum, 1, 2 without demand
	first float64 // use against the minimum, or the dominant share
	free  bool    // of weight 0: after all others
	then  float64 // use against weight, or the other share
}

func (a *rank) compare(b *rank) int {
	switch {
	case a.class != b.class:
		return int(a.class) - int(b.class)
	case a.first != b.first:
		return either(a.first < b.first)
	case a.free != b.free:
		return either(b.free)
	case a.then != b.then:
		return either(a.then < b.then)
	}
	return 0
}

func either(before bool) int {
	if before {
		return -1
	}
	return 1
}

// rankOf computes a rank under a policy.
func (s *Scheduler) rankOf(p fairconf.Policy, used, least, demand res, weight float32) rank {
	switch p {
	case fairconf.FIFO:
		return rank{}
	case fairconf.DRF:
		return s.dominantRank(used, least, float64(weight))
	}
	return fairRank(used.Memory, least.Memory, demand.Memory, float64(weight))
}

// fairRank: without demand last; below the minimum first, the smaller part of
// it before the larger; then the smaller use against weight.
func fairRank(used, least, demand int64, weight float64) rank {
	r := rank{class: 1, free: weight == 0, then: float64(used)}
	if weight > 0 {
		r.then /= weight
	}
	least = min(least, demand)
	switch {
	case demand == 0:
		r.class = 2
	case used < least:
		r.class, r.first = 0, float64(used)/float64(max(least, 1))
	}
	return r
}

// dominantRank: by the dominant share of the cluster against weight, then by
// the other; below the minimum of the dominant resource first, by the part of
// the minimum.
func (s *Scheduler) dominantRank(used, least res, weight float64) rank {
	r := s.dominantParts(used, least, weight)
	r.first, r.then = number(r.first), number(r.then)
	return r
}

func (s *Scheduler) dominantParts(used, least res, weight float64) rank {
	mem, cores := float64(used.Memory)/float64(s.cluster.Memory), float64(used.VCores)/float64(s.cluster.VCores)
	coresDominate := cores > mem
	r := rank{class: 1, first: mem / weight, then: cores / weight}
	if !coresDominate && used.Memory < least.Memory || coresDominate && used.VCores < least.VCores {
		r = rank{first: float64(used.Memory) / float64(least.Memory), then: float64(used.VCores) / float64(least.VCores)}
	}
	if coresDominate {
		r.first, r.then = r.then, r.first
	}
	return r
}

// compareWeightless compares queues under drf where one has no weight: shares
// that are no numbers equal any, as in the original.
func (s *Scheduler) compareWeightless(a, b *queue) int {
	x := s.dominantParts(a.used, a.conf.Min, float64(a.conf.Weight))
	y := s.dominantParts(b.used, b.conf.Min, float64(b.conf.Weight))
	return cmp.Or(cmp.Compare(x.class, y.class), sign(x.first-y.first), sign(x.then-y.then),
		strings.Compare(a.path, b.path))
}

// sign is Java's (int) Math.signum: 0 for what is no number.
func sign(f float64) int {
	switch {
	case f > 0:
		return 1
	case f < 0:
		return -1
	}
	return 0
}

// number replaces what is none, as nothing against nothing, by 0.
func number(f float64) float64 {
	if f != f {
		return 0
	}
	return f
}

func compareQueues(a, b *queue) int {
	if c := a.rank.compare(&b.rank); c != 0 {
		return c
	}
	return strings.Compare(a.path, b.path)
}

func compareApps(a, b *app) int {
	if c := a.rank.compare(&b.rank); c != 0 {
		return c
	}
	return cmp.Compare(a.id, b.id)
}

func (s *Scheduler) rankQueue(p fairconf.Policy, q *queue) {
	q.rank, q.stale = s.rankOf(p, q.used, q.conf.Min, q.demand, q.conf.Weight), false
}

func (s *Scheduler) rankApp(p fairconf.Policy, a *app) {
	a.rank, a.stale = s.rankOf(p, a.used, res{}, a.demand, s.weightOf(a)), false
}

// touch notes that a queue's figures have changed.
func (q *queue) touch() {
	if !q.stale && q.parent != nil {
		q.stale = true
		q.parent.staleQueues = append(q.parent.staleQueues, q)
	}
}

// touch notes that an application's figures have changed.
func (a *app) touch() {
	if !a.stale && a.served {
		a.stale = true
		a.queue.staleApps = append(a.queue.staleApps, a)
	}
}

// sortChildren brings the children of a queue into their order.
func (s *Scheduler) sortChildren(q *queue) []*queue {
	if q.policy == fairconf.DRF && q.weightless {
		// A weight of 0 makes shares that are no numbers and count as equal to any.
		// That is no order; what comes of it is up to the original's tree set.
		set := java.TreeSet[*queue]{Compare: s.compareWeightless}
		for _, c := range q.children {
			set.Add(c)
		}
		return set.Items()
	}
	if q.resort {
		q.sorted = append(q.sorted[:0], q.children...)
	}
	resort(q.sorted, q.staleQueues, q.resort, func(c *queue) { s.rankQueue(q.policy, c) }, compareQueues)
	q.resort, q.staleQueues = false, q.staleQueues[:0]
	return q.sorted
}

// sortApps brings the runnable applications of a leaf into their order, but for
// those that wait for a master.
func (s *Scheduler) sortApps(q *queue) []*app {
	resort(q.order, q.staleApps, q.resort, func(a *app) { s.rankApp(q.policy, a) }, compareApps)
	q.resort, q.staleApps = false, q.staleApps[:0]
	return q.order
}

// resort sorts a list in which the ranks of stale elements, or of all, are out of date.
func resort[T any](list, stale []T, all bool, rank func(T), compare func(a, b T) int) {
	if all || 8*len(stale) > len(list)+16 {
		for _, x := range list {
			rank(x)
		}
		slices.SortFunc(list, compare)
		return
	}
	for _, x := range stale {
		from, _ := slices.BinarySearchFunc(list, x, compare)
		rank(x)
		kernel.Move(list, from, compare)
	}
}

// serve enters an application into the order of its leaf.
func (s *Scheduler) serve(a *app) {
	q := a.queue
	a.served, a.stale = true, false
	if q.resort {
		q.order = append(q.order, a)
		return
	}
	s.rankApp(q.policy, a)
	q.order = kernel.Insert(q.order, a, compareApps)
}

// dismiss takes it out.
func (s *Scheduler) dismiss(a *app) {
	if !a.served {
		return
	}
	q := a.queue
	q.order = kernel.Remove(q.order, a)
	if a.stale {
		q.staleApps = kernel.Remove(q.staleApps, a)
	}
	a.served, a.stale = false, false
}
