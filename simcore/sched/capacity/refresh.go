package capacity

import (
	"slices"

	"schedtune/internal/java"
	"schedtune/yarnconf"
)

// Refresh takes a changed configuration over while running, as yarn rmadmin -refreshQueues
// does (CapacityScheduler.reinitialize, CapacitySchedulerQueueManager.reinitializeQueues).
// What cannot be changed so (the calculator, the minimum allocation, asynchronous
// scheduling, placement on several nodes) keeps its old value. Errors name properties and
// what is allowed.
//
// On errors the old configuration stays and is loaded twice more, by the scheduler itself
// and by who asked for the refresh. That is not without effect: child queues come out in
// hash order after any refresh in the original, and each load starts applications that
// AM limits hold back and that current figures allow. Where the old configuration
// itself no longer loads, nothing at all happens.
func (s *Scheduler) Refresh(p yarnconf.Props) []*yarnconf.PropError {
	s.settle()
	s.epoch++
	s.async.orderOf = -1 // which nodes are full is found anew
	next, errs := s.evaluateNext(p)
	if len(errs) == 0 {
		if at := s.exceeded(next); at != nil {
			errs = []*yarnconf.PropError{{Key: yarnconf.Prefix + at.path +
				".auto-create-child-queue.fail-on-exceeding-parent-capacity", Value: "true",
				Reason: "the dynamic leaf queues have more than the parent: must be false"}}
			before := s.conf.Clone()
			s.partly(next)
			if s.partly(before) { // the old configuration is refused as well
				return errs
			}
			s.conf = before
		}
	}
	if len(errs) > 0 {
		s.refused(next, errs)
		return errs
	}
	s.keepFixed(next)
	s.dropListed(next)
	s.reload(next)
	s.runReloaded()
	return nil
}

// evaluateNext reads the configuration of a refresh, with the dynamic queues of the current
// one, and returns what makes it invalid.
func (s *Scheduler) evaluateNext(p yarnconf.Props) (next *yarnconf.Config, errs []*yarnconf.PropError) {
	parts := make([]yarnconf.Partition, len(s.parts))
	for i := range s.parts {
		parts[i] = yarnconf.Partition{Name: s.parts[i].name, Total: s.parts[i].total}
	}
	next, err := yarnconf.EvaluateAs(p, s.conf.Version, s.cluster, parts...)
	if errs = yarnconf.Rejected(err); len(errs) > 0 {
		return next, errs
	}
	next = next.Clone()
	if err := next.CarryOver(s.conf); err != nil {
		return next, []*yarnconf.PropError{err}
	}
	return next, yarnconf.CheckRefresh(s.conf, next, func(i int) yarnconf.State { return s.queues[i].state }, p)
}

// keepFixed puts into the configuration of a refresh what is read at the start of a
// ResourceManager only.
func (s *Scheduler) keepFixed(next *yarnconf.Config) {
	next.Calculator, next.MinAllocation = s.conf.Calculator, s.conf.MinAllocation
	next.Asynchronous, next.Async, next.Autocorrect = s.conf.Asynchronous, s.conf.Async, s.conf.Autocorrect
	next.MultiNode, next.NodeSortings = s.conf.MultiNode, s.conf.NodeSortings
	next.SharedForMasters, next.MasterLabel, next.EnforcedPartitions = s.conf.SharedForMasters, s.conf.MasterLabel,
		s.conf.EnforcedPartitions
}

// refused leaves what a refused refresh leaves: the queues as they were, set up again. next is
// the configuration that was refused.
func (s *Scheduler) refused(next *yarnconf.Config, errs []*yarnconf.PropError) {
	if !s.conf.LoadsOn(s.parts[0].total) {
		return
	}
	if at, err := next.MixedByHash(); err != nil && len(errs) == 1 && err.Reason == errs[0].Reason {
		s.halfRefreshed(next, at)
	}
	if at, err := s.conf.MixedByHash(); err != nil {
		// Queues are set up again as far as a parent whose present children a refresh refuses, though
		// the load at the start took them. The original does not undo it: the number of applications
		// of those leaves is unset until the cluster changes.
		for _, i := range orderUpTo(s.conf, at) {
			s.setUpAgain(s.queues[i], s.queues[i].conf)
		}
		return
	}
	s.reload(s.conf)
	if !s.rules.KeptAfterRefusal {
		s.reload(s.conf)
	}
	s.runReloaded()
}

// dropListed leaves out queues that a refresh lists below a managed parent for
// the first time. Kept from the original: it makes them, but below no parent of
// the tree.
func (s *Scheduler) dropListed(next *yarnconf.Config) {
	for i := len(next.Queues) - 1; i > 0; i-- {
		q := &next.Queues[i]
		if !q.Managed && len(q.Children) == 0 && next.Queues[q.Parent].AutoCreateOld && s.byName[q.Path] == nil {
			next.Drop(i)
		}
	}
}

// reload applies a configuration to the queue tree: queues that are there keep their
// applications and figures, new ones are made, and those that are gone become orphans.
func (s *Scheduler) reload(conf *yarnconf.Config) {
	old := map[string]*queue{}
	for _, q := range s.queues {
		old[q.path] = q
	}
	s.conf = conf
	s.queues = s.queues[:0:0]
	for i := range conf.Queues {
		c := &conf.Queues[i]
		q, was := old[c.Path], c
		if q == nil || q.leaf != c.Leaf {
			q = s.emptyQueue(c)
		} else {
			delete(old, c.Path)
			was = q.conf
			s.takeOver(q, c)
		}
		q.unlisted = false
		s.queues = append(s.queues, q)
		s.setUp(q, was)
		s.newPolicy(q)
		if s.rules.StartsInRefresh && q.leaf {
			s.activateWaiting(q)
		}
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
	for _, q := range s.queues {
		if q.managed != nil {
			s.reloadManaged(q)
		}
	}
	s.clusterChanged()
}

// takeOver gives a queue that is there the settings of a refresh. Shares that weights came to
// stand until figures are computed; a managed leaf loses its capacity until the policy runs.
func (s *Scheduler) takeOver(q *queue, c *yarnconf.Queue) {
	c.CarriedWeight = q.eff.WeightShare
	if up := q.parent; c.Managed {
		most := up.conf.UnentitledMaximum(up.managed.maximum)
		c.Unentitled(most)
		q.eff.AbsoluteMaximum = most * up.eff.AbsoluteMaximum
	}
	s.carryWeights(q, c)
	s.newState(q, c)
	q.conf = c
}

// partly loads a configuration as far as the first managed parent that refuses
// it and reports whether there was one. The original does not undo what came
// before: those queues have the new settings, and their figures are not computed
// until something else does.
//
// What templates have set for dynamic queues is lost on the way; it
// comes back for those that are set up once more. Of the rest only the number of
// applications is ever read again.
func (s *Scheduler) partly(conf *yarnconf.Config) bool {
	again := map[*queue]bool{}
	stopped := s.partlyBelow(s.root, conf, again)
	for _, q := range s.queues {
		if (q.conf.Managed || q.conf.Dynamic) && !again[q] {
			q.conf.MaxApplications = yarnconf.Undefined
		}
	}
	return stopped
}

// partlyBelow is partly from a queue on. again collects those that are set up once more.
func (s *Scheduler) partlyBelow(q *queue, conf *yarnconf.Config, again map[*queue]bool) bool {
	i := conf.Find(q.path)
	if i < 0 {
		return false
	}
	c := &conf.Queues[i]
	if s.exceeds(q, c) {
		t := *q.conf.Template
		t.FailOnExceeding = true // is read before it is found to be too much
		q.conf.Template = &t
		return true
	}
	s.setUpAgain(q, c)
	again[q] = true
	if q.managed != nil {
		for _, leaf := range q.children {
			if k := conf.Find(leaf.path); k >= 0 {
				s.setUpAgain(leaf, &conf.Queues[k])
				leaf.conf.Unentitled(q.conf.UnentitledMaximum(q.managed.maximum))
				leaf.eff.Capacity, leaf.eff.Absolute = 0, 0
				leaf.kept = false
				s.updateShares(&leaf.queuePart) // by the template, whose share of the cluster is not known yet
				leaf.kept = true
				again[leaf] = true
			}
		}
		s.reloadManaged(q)
	}
	children := slices.DeleteFunc(slices.Clone(q.children), func(c *queue) bool {
		return c.conf.Dynamic || c.conf.Managed
	})
	java.HashSortBy(children, func(c *queue) string { return c.path })
	for _, c := range children {
		if s.partlyBelow(c, conf, again) {
			return true
		}
	}
	return false
}

// setUpAgain gives a queue settings and leaves the figures that hang
// on the cluster as they were, but for the number of applications, which is
// unset until then.
func (s *Scheduler) setUpAgain(q *queue, c *yarnconf.Queue) {
	i := s.indexOf(q)
	settings, was := *c, *q.conf
	settings.Parent, settings.Children = q.conf.Parent, q.conf.Children
	*q.conf = settings
	q.eff.Capacity, q.eff.Maximum = q.conf.Capacity, q.conf.MaxCapacity
	q.eff.Absolute, q.eff.AbsoluteMaximum = s.conf.LoadedAbsolute(i, false), s.conf.LoadedAbsolute(i, true)
	s.setUp(q, &was)
	if q.leaf {
		s.newPolicy(q)
		if q.eff.MaxApplications = q.conf.MaxApplications; q.conf.MaxApplications < 0 && s.conf.GlobalQueueMaxApps > 0 {
			q.eff.MaxApplications = s.conf.GlobalQueueMaxApps
		}
		for p := range s.parts { // the user-limit-factor counts at once
			s.figures(q, q.at(int32(p)))
		}
	}
	q.moved(&q.queuePart)
}

// refreshOrder lists the queues of a configuration from queue i on in the order in which a
// refresh of the original comes to them: parents first, children as its hash table has them.
// keep says which queues are part of it.
func refreshOrder(conf *yarnconf.Config, i int, keep func(*yarnconf.Queue) bool) []int {
	order := []int{i}
	children := slices.DeleteFunc(slices.Clone(conf.Queues[i].Children), func(k int) bool {
		return !keep(&conf.Queues[k])
	})
	java.HashSortBy(children, func(k int) string { return conf.Queues[k].Path })
	for _, k := range children {
		order = append(order, refreshOrder(conf, k, keep)...)
	}
	return order
}

func every(*yarnconf.Queue) bool { return true }

// orderUpTo is the order of a refresh up to a queue and all below it.
func orderUpTo(conf *yarnconf.Config, at int) []int {
	order := refreshOrder(conf, 0, every)
	return order[:slices.Index(order, at)+len(refreshOrder(conf, at, every))]
}

// halfRefreshed leaves of a refresh that is refused at a parent what the
// original does not undo: the states of the queues it came to before.
func (s *Scheduler) halfRefreshed(next *yarnconf.Config, at int) {
	for _, i := range orderUpTo(next, at) {
		c := &next.Queues[i]
		if q := s.byName[c.Path]; q != nil && q.leaf == c.Leaf {
			s.newState(q, c)
		}
	}
}

// newState applies a configured state to a queue that runs (AbstractCSQueue.updateQueueState).
func (s *Scheduler) newState(q *queue, c *yarnconf.Queue) {
	switch {
	case !c.StateSet:
	case q.state == yarnconf.Running && c.State == yarnconf.Stopped:
		s.stop(q)
	case q.state != yarnconf.Running && c.State == yarnconf.Running:
		q.state = yarnconf.Running
	}
}

// stop stops a queue and all below: one with applications drains first
// (AbstractCSQueue.stopQueue).
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
	slices.SortFunc(q.active, q.compareApps)
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
		if !c.AutoCreateOld {
			java.HashSortBy(c.Children, func(k int) string { return s.conf.Queues[k].Path })
		}
		children := make([]*queue, len(c.Children))
		for n, ch := range c.Children {
			children[n] = s.queues[ch]
			children[n].parent = q
		}
		q.height = 0
		q.setChildren(children)
	}
}

// runReloaded lets applications run that raised limits allow
// (CSMaxRunningAppsEnforcer.updateRunnabilityOnReload).
func (s *Scheduler) runReloaded() {
	s.users.Raised(s.root, s.conf.UserParallel, s.runNow)
}
