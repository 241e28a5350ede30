package requests

import (
	"cmp"
	"math"
	"slices"

	"schedtune/simcore/yarn"
)

// Limits on how many applications run at a time, by user and queue (MaxRunningAppsEnforcer,
// CSMaxRunningAppsEnforcer). One beyond them is admitted and held back.

// Runs are the applications of a user or of a queue with all below it.
type Runs[A any] struct {
	Running int
	Held    []A // back by a limit, in the order of submission; of users and leaves only
}

// Apps returns the receiver, for queues that embed it.
func (r *Runs[A]) Apps() *Runs[A] { return r }

// limited is a queue of one of the schedulers.
type limited[Q, A any] interface {
	comparable
	Up() Q // its parent, nil of root
	Down() (children []Q, leaf bool)
	MostApps() int // that may run
	Apps() *Runs[A]
}

// submitted is an application of one of the schedulers.
type submitted[Q any] interface {
	comparable
	Of() (leaf Q, user string)
	ID() yarn.AppID
}

// Parallel is the applications of all users. Its methods are given how many a user may run.
type Parallel[Q limited[Q, A], A submitted[Q]] map[string]*Runs[A]

// User finds or makes the applications of a user.
func (p Parallel[Q, A]) User(name string) *Runs[A] {
	r := p[name]
	if r == nil {
		r = &Runs[A]{}
		p[name] = r
	}
	return r
}

// Stop returns the first queue whose limit, or the leaf where its user's, keeps an application from
// running; nil for none (checkRunnabilityWithUpdate).
func (p Parallel[Q, A]) Stop(a A, most func(user string) int) (at Q, ofUser bool) {
	leaf, user := a.Of()
	if p.User(user).Running >= most(user) {
		return leaf, true
	}
	var none Q
	for at = leaf; at != none && at.Apps().Running < at.MostApps(); at = at.Up() {
	}
	return at, false
}

// Count counts an application in (n is 1) or out (-1).
func (p Parallel[Q, A]) Count(a A, n int) {
	q, user := a.Of()
	p.User(user).Running += n
	var none Q
	for ; q != none; q = q.Up() {
		q.Apps().Running += n
	}
}

// Hold notes that an application is held back.
func (p Parallel[Q, A]) Hold(a A) {
	q, user := a.Of()
	for _, r := range [2]*Runs[A]{q.Apps(), p.User(user)} {
		r.Held = append(r.Held, a)
	}
}

// Drop notes that it is no longer.
func (p Parallel[Q, A]) Drop(a A) {
	q, user := a.Of()
	for _, r := range [2]*Runs[A]{q.Apps(), p.User(user)} {
		r.Held = slices.DeleteFunc(r.Held, func(b A) bool { return a == b })
	}
}

// Freed starts applications for which the end of one made room: those below the highest queue that
// was at its limit, and those of its user; at most as many as lists are looked through
// (updateRunnabilityOnAppRemoval).
func (p Parallel[Q, A]) Freed(a A, most func(user string) int, start func(A)) {
	q, user := a.Of()
	var highest, none Q
	for ; q != none; q = q.Up() {
		if q.Apps().Running == q.MostApps()-1 {
			highest = q
		}
	}
	var all []A
	lists := 0
	if highest != none {
		all, lists = heldBelow(highest, all)
	}
	if r := p.User(user); r.Running == most(user)-1 {
		all, lists = append(all, r.Held...), lists+1
	}
	p.start(all, lists, most, start)
}

// Raised starts applications that raised limits allow (updateRunnabilityOnReload).
func (p Parallel[Q, A]) Raised(root Q, most func(user string) int, start func(A)) {
	all, _ := heldBelow(root, nil)
	p.start(all, math.MaxInt, most, start)
}

// heldBelow appends the applications held back in leaves to which a queue leads by queues that are
// not at their limits, and counts these leaves (gatherPossiblyRunnableAppLists).
func heldBelow[Q limited[Q, A], A any](q Q, dst []A) (all []A, leaves int) {
	if q.Apps().Running >= q.MostApps() {
		return dst, 0
	}
	children, leaf := q.Down()
	if leaf {
		return append(dst, q.Apps().Held...), 1
	}
	for _, c := range children {
		var n int
		dst, n = heldBelow(c, dst)
		leaves += n
	}
	return dst, leaves
}

// start starts at most so many applications, oldest first (updateAppsRunnability).
func (p Parallel[Q, A]) start(all []A, limit int, most func(user string) int, start func(A)) {
	slices.SortFunc(all, func(a, b A) int { return cmp.Compare(a.ID(), b.ID()) })
	var none Q
	for _, a := range slices.Compact(all) { // one may be in two lists
		if at, _ := p.Stop(a, most); at != none {
			continue
		}
		p.Drop(a)
		start(a)
		if limit--; limit <= 0 {
			return
		}
	}
}
