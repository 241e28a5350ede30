package yarnfair

import (
	"slices"
	"strings"

	"schedtune/fairconf"
	"schedtune/simcore/sched/internal/requests"
)

// queue is a leaf or a parent.
type queue struct {
	path     string
	parent   *queue
	leaf     bool
	dynamic  bool // created on first use, not by the file
	children []*queue

	conf   fairconf.Queue  // what the file says, what it leaves open as it stands for the queue
	policy fairconf.Policy // in force, see setPolicies
	max    res             // conf.Max on the present cluster, at least conf.Min
	starve starvation

	used, demand, fair, steady res
	requests.Runs[*app]             // applications in it and below that run, and a leaf's that wait
	wanted                     res  // demand of its applications, as last counted
	reweighed                  bool // weights of its applications may have changed

	asking int // request keys with outstanding asks, in it and below
	large  int // of these, those whose asks could reserve a node

	rank        rank
	stale       bool // figures have changed since rank was computed
	resort      bool // the list below is out of date as a whole
	weightless  bool // a child has weight 0, or had since the last load
	sorted      []*queue
	staleQueues []*queue

	amUsed    res
	runnable  []*app  // in the order of submission
	crowds    []crowd // of the runnable, those that wait for a master
	crowded   int     // how many these are
	order     []*app  // the others, in the order in which they are served
	staleApps []*app
	short     []*app // those that lack some of the minimum
}

// newQueue makes a queue under the allocations in force; the caller enters it.
func (s *Scheduler) newQueue(path string, parent *queue, leaf bool) *queue {
	q := &queue{path: path, parent: parent, leaf: leaf, dynamic: true}
	q.policy = s.alloc.Of(path).Policy
	q.starve.since = s.began()
	s.setUp(q)
	return q
}

// setUp copies the file's settings of a queue.
func (s *Scheduler) setUp(q *queue) {
	q.conf = s.alloc.Of(q.path)
	s.limitQueue(q)
	q.unsort()
	if q.parent != nil {
		inherit(&q.conf, &q.parent.conf)
		q.parent.unsort()
		q.parent.weightless = q.parent.weightless || q.conf.Weight == 0
	}
}

// limitQueue recomputes a maximum for the present cluster. It is never below
// the minimum.
func (s *Scheduler) limitQueue(q *queue) { q.max = q.conf.Max.Of(s.cluster).MaxEach(q.conf.Min) }

// unsort has the order of what a queue holds computed anew.
func (q *queue) unsort() { q.resort = true }

// each calls f for a queue and all below it.
func (q *queue) each(f func(*queue)) {
	f(q)
	for _, c := range q.children {
		c.each(f)
	}
}

// largestContainer is the nearest maxContainerAllocation at or above a queue.
func (q *queue) largestContainer() res {
	for ; q.parent != nil; q = q.parent {
		if q.conf.MaxContainer != fairconf.Unbounded() {
			break
		}
	}
	return q.conf.MaxContainer
}

// empty reports whether no application is in the queue or below.
func (q *queue) empty() bool {
	for _, c := range q.children {
		if !c.empty() {
			return false
		}
	}
	return len(q.runnable) == 0 && len(q.Held) == 0
}

// leafQueue finds a leaf, or makes it with the parents it lacks; nil where that
// is not allowed.
func (s *Scheduler) leafQueue(path string) *queue {
	q := s.byPath[path]
	if q == nil {
		if q = s.makeQueue(path, true); q != nil {
			s.shareSteady(s.root)
		}
	}
	if q == nil || !q.leaf {
		return nil
	}
	return q
}

// makeQueue makes a queue and the parents it lacks. It stops, with what it has
// made by then, where a policy does not allow the next; nil then.
func (s *Scheduler) makeQueue(path string, leaf bool) *queue {
	names := []string{path}
	var top *queue
	for p := path; ; {
		i := strings.LastIndexByte(p, '.')
		if node := p[i+1:]; node == "" || node != fairconf.TrimName(node) || i < 0 {
			return nil
		}
		p = p[:i]
		if top = s.byPath[p]; top != nil {
			break
		}
		names = append(names, p)
	}
	if top.leaf {
		return nil
	}
	slices.Reverse(names)
	for i, name := range names {
		isLeaf := leaf && i == len(names)-1
		policy := s.alloc.Of(name).Policy
		if !top.policy.AllowsChild(policy) || !isLeaf && policy == fairconf.FIFO {
			return nil
		}
		top = s.enter(s.newQueue(name, top, isLeaf))
	}
	return top
}

// enter hangs a new queue below its parent. What the file does not name is
// limited by what the parent says of such children.
func (s *Scheduler) enter(q *queue) *queue {
	q.parent.children = append(q.parent.children, q)
	q.parent.unsort()
	s.reshaped()
	if q.parent.conf.MaxChild != nil && !s.alloc.Configured(q.path) {
		q.conf.Max = *q.parent.conf.MaxChild
		s.limitQueue(q)
	}
	if q.leaf {
		s.leaves = append(s.leaves, q)
	}
	s.byPath[q.path] = q
	return q
}

// drop takes a queue and all below it out of the tree.
func (s *Scheduler) drop(q *queue) {
	for _, c := range slices.Clone(q.children) {
		s.drop(c)
	}
	delete(s.byPath, q.path)
	s.leaves = slices.DeleteFunc(s.leaves, func(x *queue) bool { return x == q })
	q.parent.children = slices.DeleteFunc(q.parent.children, func(x *queue) bool { return x == q })
	q.parent.unsort()
	s.reshaped()
	s.moved()
}

// Tidy removes dynamic queues without applications, and replaces queues that
// the file wants of the other kind once they are empty. The original does it
// every ten seconds; no decision depends on it but where names clash.
//
// Root stays. The original (3.4.1) tries to remove it, too, where a reload no longer names
// it and no application is left: it has then lost every other queue, and its thread for
// reloading ends with a NullPointerException.
func (s *Scheduler) Tidy() {
	var parents []*queue
	for _, q := range s.sortedQueues() {
		if q.dynamic && len(q.children) == 0 && q.parent != nil && q.empty() {
			s.drop(q)
			if q.parent.dynamic {
				parents = append(parents, q.parent)
			}
		}
	}
	for len(parents) > 0 {
		q := parents[0]
		parents = parents[1:]
		if q.parent != nil && s.byPath[q.path] == q && q.empty() {
			s.drop(q)
			if q.parent.dynamic {
				parents = append(parents, q.parent)
			}
		}
	}
	s.replaceClashing()
}

func (s *Scheduler) sortedQueues() []*queue {
	qs := make([]*queue, 0, len(s.byPath))
	s.root.each(func(q *queue) { qs = append(qs, q) })
	slices.SortFunc(qs, func(a, b *queue) int { return strings.Compare(a.path, b.path) })
	return qs
}
