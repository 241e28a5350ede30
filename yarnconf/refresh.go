package yarnconf

import (
	"fmt"
	"slices"

	"schedtune/internal/java"
)

// CheckRefresh returns what a refresh of the queues from old to next would be
// refused for, beyond what Evaluate finds in next alone. state tells the present
// state of each of old's queues; nil means as configured. p holds next's
// properties. Neither configuration may be nil.
func CheckRefresh(old, next *Config, state func(i int) State, p Props) []*PropError {
	if state == nil {
		state = func(i int) State { return old.Queues[i].State }
	}
	r := &refreshCheck{Reader: &Reader{p: given(p)}, next: next, index: map[string]int{},
		states: make([]State, len(next.Queues))}
	for i := range next.Queues {
		r.index[next.Queues[i].Path] = i
		r.states[i] = next.Queues[i].State
	}
	for i := range old.Queues {
		q := &old.Queues[i]
		if q.Managed {
			continue
		}
		j, stays := r.index[q.Path]
		if !stays && q.Dynamic {
			continue
		}
		if !stays {
			r.removed(q, state(i))
			continue
		}
		n := &next.Queues[j]
		r.converted(q, n, state(i))
		r.shrunk(q, n)
		r.restated(n, j, state(i))
	}
	if _, err := next.MixedByHash(); err != nil && len(r.errs) == 0 {
		r.Fail(err.Key, err.Reason)
	}
	return r.errs
}

// MixedByHash finds the parent whose children a refresh refuses for mixing
// percentages and absolute resources although a load does not: the load
// overlooks a percentage before an absolute sibling, and a refresh meets the
// siblings in the order of a hash table. Parents come after their children, all
// in that order; -1 and nil when there is none.
func (c *Config) MixedByHash() (parent int, err *PropError) {
	if len(c.Queues) == 0 {
		return -1, nil
	}
	return c.mixedBelow(0)
}

func (c *Config) mixedBelow(i int) (int, *PropError) {
	q := &c.Queues[i]
	children := slices.Clone(q.Children)
	java.HashSortBy(children, func(k int) string { return c.Queues[k].Path })
	for _, k := range children {
		if at, err := c.mixedBelow(k); err != nil {
			return at, err
		}
	}
	if len(children) > 0 && c.LegacyMode && !c.Version.Rules().NoWeights {
		if _, mixed := c.kindOf(q, children); mixed {
			first := &c.Queues[q.Children[0]]
			return i, &PropError{Key: Prefix + first.Path + "." + Capacity, Reason: "a refresh refuses it: the children of " +
				q.Path +
				" mix percentages and absolute resources: must be one form for all"}
		}
	}
	return -1, nil
}

// LoadsOn reports whether a configuration that has loaded once would load again
// on a cluster whose nodes without label offer this: sums of absolute resources are compared by their
// shares of it, and before there are nodes by their components.
func (c *Config) LoadsOn(cluster Resource) bool {
	for i := range c.Queues {
		q := &c.Queues[i]
		if len(q.Children) == 0 || q.ConfiguredMin.IsNone() || !c.LegacyMode {
			continue
		}
		if c.Calculator.Compare(cluster, q.ConfiguredMin, c.minima(q, "")) < 0 {
			return false
		}
	}
	return true
}

type refreshCheck struct {
	*Reader
	next   *Config
	index  map[string]int
	states []State // of next's queues once refreshed
}

// removed: only a stopped queue can go, stopped before or by the new file.
func (r *refreshCheck) removed(q *Queue, s State) {
	key := Prefix + q.Path + ".state"
	if v, _ := r.get(key); s != Stopped && v != Stopped.String() {
		r.Fail(key, "queue "+q.Path+" is removed while "+s.String()+": must be STOPPED")
	}
}

// converted: a leaf becomes a parent only when stopped; auto-creation of the
// first kind can be neither switched on nor off.
func (r *refreshCheck) converted(q, n *Queue, s State) {
	key := Prefix + q.Path + ".queues"
	if q.Leaf && !n.Leaf && s != Stopped && n.State != Stopped {
		r.Fail(key, "leaf "+q.Path+" becomes a parent while "+s.String()+": must be STOPPED")
	}
	if !q.Leaf && q.AutoCreateOld != n.AutoCreateOld {
		r.Fail(Prefix+q.Path+".auto-create-child-queue.enabled", fmt.Sprintf("cannot be changed by a refresh: must stay %t",
			q.AutoCreateOld))
	}
}

// shrunk: a leaf's largest container may not get smaller.
func (r *refreshCheck) shrunk(q, n *Queue) {
	if !q.Leaf || !n.Leaf || q.MaxAllocation.FitsIn(n.MaxAllocation) {
		return
	}
	key := Prefix + q.Path + ".maximum-allocation-mb"
	if q.MaxAllocation.Memory <= n.MaxAllocation.Memory {
		key = Prefix + q.Path + ".maximum-allocation-vcores"
	}
	r.Fail(key, fmt.Sprintf("maximum allocation of %s shrinks from [memory=%d,vcores=%d] to [memory=%d,vcores=%d]: "+
		"must not decrease without a restart", q.Path,
		q.MaxAllocation.Memory, q.MaxAllocation.VCores, n.MaxAllocation.Memory, n.MaxAllocation.VCores))
}

// restated: a stopped queue can be started only below a running parent. A state
// that is no longer written stays as it is.
func (r *refreshCheck) restated(n *Queue, j int, s State) {
	switch {
	case !n.StateSet:
		r.states[j] = s
	case n.State == Running && s != Running && n.Parent >= 0 && r.states[n.Parent] != Running:
		r.Fail(Prefix+n.Path+".state", "the parent "+r.next.Queues[n.Parent].Path+" is not running: must be STOPPED, or "+
			"start the parent")
	}
}
