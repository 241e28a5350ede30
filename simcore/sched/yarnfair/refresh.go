package yarnfair

import (
	"fmt"
	"slices"
	"strings"

	"schedtune/fairconf"
)

// removal is a queue of the wrong kind that still has applications: it is to
// make way for the one the file wants.
type removal struct {
	path string
	leaf bool
}

// Refresh puts new allocations in force, as the original does when the file has
// changed. Applications stay where they are.
func (s *Scheduler) Refresh(a *fairconf.Allocations) error {
	err := s.load(a)
	s.moved()
	return err
}

func (s *Scheduler) load(a *fairconf.Allocations) error {
	old := s.alloc
	s.alloc, s.rules = a, a.Rules(s.site)
	s.reshaped()
	s.setPolicies(s.root)
	s.ensure(nameOrder(slices.Clone(a.Leaves)), true)
	s.ensure(nameOrder(slices.Clone(a.Parents)), false)
	s.root.each(func(q *queue) { q.weightless = false })
	s.root.each(s.setUp)
	s.shareSteady(s.root)
	if err := s.freeQueues(old); err != nil {
		return err
	}
	s.root.each(func(q *queue) {
		if q.parent != nil && q.parent.conf.MaxChild != nil && !a.Configured(q.path) {
			q.conf.Max = *q.parent.conf.MaxChild
			s.limitQueue(q)
		}
	})
	s.users.Raised(s.root, s.alloc.UserApps, s.run)
	return nil
}

// freeQueues makes queues dynamic that the file no longer names. Where such a
// queue is gone already, replaced by one of another kind above it, the original
// fails halfway: what follows of the load is not done.
func (s *Scheduler) freeQueues(old *fairconf.Allocations) error {
	names := nameOrder(append(nameOrder(slices.Clone(old.Leaves)), nameOrder(slices.Clone(old.Parents))...))
	for _, p := range names {
		if s.alloc.Configured(p) {
			continue
		}
		q := s.byPath[p]
		if q == nil {
			return fmt.Errorf("%s: queue %s was removed with its parent, so that the rest of the file is not loaded: remove "+
				"children before their parents, in a reload of their own", s.alloc.File, p)
		}
		q.dynamic = true
	}
	return nil
}

// setPolicies gives every queue its policy, children first. Where a parent's
// does not allow a child's, it leaves off; what was set stays, as in the
// original.
func (s *Scheduler) setPolicies(q *queue) bool {
	p := s.alloc.Of(q.path).Policy
	for _, c := range q.children {
		if !p.AllowsChild(s.alloc.Of(c.path).Policy) || !s.setPolicies(c) {
			return false
		}
	}
	q.policy = p
	q.unsort()
	return true
}

// ensure makes the configured queues of one kind. The order is the original's:
// it decides which policies setPolicies reaches later.
func (s *Scheduler) ensure(paths []string, leaf bool) {
	for _, p := range paths {
		p = fairconf.FullPath(p)
		switch s.clear(p, leaf) {
		case clashes:
			if r := (removal{p, leaf}); !slices.Contains(s.tasks, r) {
				s.tasks = append(s.tasks, r)
			}
		default:
			if q := s.queueOf(p, leaf); q != nil {
				q.dynamic = false
			}
		}
	}
}

// queueOf finds or makes a queue.
func (s *Scheduler) queueOf(path string, leaf bool) *queue {
	if q := s.byPath[path]; q != nil {
		return q
	}
	return s.makeQueue(path, leaf)
}

// outcome of looking for a queue of the wrong kind in the way.
type outcome uint8

const (
	free    outcome = iota // none is in the way
	removed                // one was, and was empty
	clashes                // one is, with applications
)

// clear removes an empty queue that stands where one of another kind is to be.
func (s *Scheduler) clear(path string, leaf bool) outcome {
	if path == "root" || strings.HasPrefix(path, "root.default.") {
		return free
	}
	if q := s.byPath[path]; q != nil {
		if q.leaf == leaf {
			return free
		}
		return s.dropIfEmpty(q)
	}
	for i := strings.LastIndexByte(path, '.'); i >= 0; i = strings.LastIndexByte(path[:i], '.') {
		if q := s.byPath[path[:i]]; q != nil && q.leaf {
			return s.dropIfEmpty(q)
		}
	}
	return free
}

func (s *Scheduler) dropIfEmpty(q *queue) outcome {
	if !q.empty() {
		return clashes
	}
	s.drop(q)
	return removed
}

// replaceClashing tries again what ensure had to put off, in that order; the
// original's order is that of a set of objects without a hash of their own.
func (s *Scheduler) replaceClashing() {
	kept := s.tasks[:0]
	for _, t := range s.tasks {
		r := s.clear(t.path, t.leaf)
		if r == removed {
			if q := s.queueOf(t.path, t.leaf); q != nil && s.alloc.Configured(t.path) {
				q.dynamic = false
			}
		}
		if r == clashes {
			kept = append(kept, t)
		}
	}
	s.tasks = kept
}
