package capacity

import (
	"slices"

	"schedtune/internal/javahash"
	"schedtune/yarnconf"
)

// Refresh takes a changed configuration over while running, as the refresh of
// the queues does. What cannot be changed so (the calculator, minimum
// allocation) keeps its old value. On errors the old configuration stays and is
// loaded twice more, by the scheduler itself and by who asked for the refresh.
// That is not without effect: child queues come out in hash order after any
// refresh in the original, and each load starts applications that AM limits hold
// back and that present figures allow. Where the old configuration itself no
// longer loads, nothing at all happens.
func (s *Scheduler) Refresh(p yarnconf.Props) []*yarnconf.PropError {
	s.settle()
	s.clock++
	next, errs := yarnconf.EvaluateAs(p, s.conf.Version, s.cluster)
	if len(errs) == 0 {
		errs = yarnconf.CheckRefresh(s.conf, next, s.State, p)
	}
	if len(errs) > 0 {
		if !s.conf.LoadsOn(s.cluster) {
			return errs
		}
		if at, err := next.MixedByHash(); err != nil && len(errs) == 1 && err.Reason == errs[0].Reason {
			s.halfRefreshed(next, 0, at)
		}
		for range 2 {
			s.reload(s.conf)
		}
		s.runReloaded()
		return errs
	}
	next = cloneConfig(next)
	next.Calculator, next.MinAllocation = s.conf.Calculator, s.conf.MinAllocation
	next.Asynchronous, next.Async, next.Autocorrect = s.conf.Asynchronous, s.conf.Async, s.conf.Autocorrect
	next.SharedForMasters, next.MasterLabel = s.conf.SharedForMasters, s.conf.MasterLabel
	s.reload(next)
	s.runReloaded()
	return nil
}

// reload applies a configuration to the queue tree.
func (s *Scheduler) reload(conf *yarnconf.Config) {
	old := map[string]*queue{}
	for _, q := range s.queues {
		old[q.path] = q
	}
	s.conf, s.reloaded = conf, true
	s.queues = s.queues[:0:0]
	for i := range conf.Queues {
		c := &conf.Queues[i]
		q := old[c.Path]
		if q == nil || q.leaf != c.Leaf {
			q = &queue{path: c.Path, conf: c, leaf: c.Leaf, state: c.State}
			s.sizeParts(q)
			q.users.init()
			if c.Parent >= 0 {
				q.parent = s.queues[c.Parent]
			}
		} else {
			delete(old, c.Path)
			c.CarriedWeight = q.eff.WeightShare
			s.carryWeights(q, c)
			s.newState(q, c)
			q.conf = c
		}
		s.queues = append(s.queues, q)
		s.setUp(q)
		s.newPolicy(q)
	}
	for _, q := range old {
		q.orphan = true
	}
	s.reorderChildren()
	s.limits = make([]limits, s.queues[0].height+1)
	s.eff, s.labelEff = make([]yarnconf.Effective, len(s.queues)), nil
	for i, q := range s.queues { // a capacity that says nothing keeps what was
		s.eff[i] = q.eff
	}
	s.nameQueues()
	s.root = s.queues[0]
	s.clusterChanged()
}

// halfRefreshed leaves of a refresh that is refused at a parent what the
// original does not undo: the states of the queues it came to before. It reports
// whether that parent was reached.
func (s *Scheduler) halfRefreshed(next *yarnconf.Config, i, at int) bool {
	c := &next.Queues[i]
	for _, q := range s.queues {
		if q.path == c.Path && q.leaf == c.Leaf {
			s.newState(q, c)
		}
	}
	children := slices.Clone(c.Children)
	javahash.SortBy(children, func(k int) string { return next.Queues[k].Path })
	for _, k := range children {
		if s.halfRefreshed(next, k, at) {
			return true
		}
	}
	return i == at
}

// newState applies a configured state to a queue that runs.
func (s *Scheduler) newState(q *queue, c *yarnconf.Queue) {
	switch {
	case !c.StateSet:
	case q.state == yarnconf.Running && c.State == yarnconf.Stopped:
		s.stop(q)
	case q.state != yarnconf.Running && c.State == yarnconf.Running:
		q.state = yarnconf.Running
	}
}

func (s *Scheduler) stop(q *queue) {
	n := q.apps
	if q.leaf {
		n = q.applications()
	}
	q.state = yarnconf.Stopped
	if n > 0 {
		q.state = yarnconf.Draining
	}
	for _, c := range q.children {
		s.stop(c)
	}
}

// newPolicy sorts a leaf's applications by its present ordering policy. Changes
// that waited to be looked at are forgotten, as in the original.
func (s *Scheduler) newPolicy(q *queue) {
	if !q.leaf {
		return
	}
	for _, a := range q.reorder {
		a.reorder = false
	}
	q.reorder, q.idle = q.reorder[:0], 0
	slices.SortStableFunc(q.active, func(a, b *app) int {
		if q.appBefore(a, b) {
			return -1
		}
		return 1
	})
}

// reorderChildren lists the children of each parent as the original's hash
// table does.
func (s *Scheduler) reorderChildren() {
	for i := range s.conf.Queues {
		c := &s.conf.Queues[i]
		q := s.queues[i]
		if q.leaf {
			continue
		}
		javahash.SortBy(c.Children, func(k int) string { return s.conf.Queues[k].Path })
		q.children, q.height = q.children[:0], 0
		for p := range s.parts {
			at := q.at(int32(p))
			at.sorted, at.stales = at.sorted[:0], at.stales[:0]
		}
		for n, ch := range c.Children {
			k := s.queues[ch]
			k.parent = q
			k.hang(int32(n))
		}
	}
}

// runReloaded lets applications run that raised limits allow.
func (s *Scheduler) runReloaded() {
	s.runNow(gatherNonRunnable(s.root, nil), int(^uint32(0)>>1))
}
