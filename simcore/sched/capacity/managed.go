package capacity

import (
	"fmt"
	"math"
	"slices"

	"schedtune/yarnconf"
)

// Leaves below a managed parent (auto-create-child-queue.enabled; ManagedParentQueue) share
// its capacity: as many as fit have that of the template, the others none, until the policy
// (GuaranteedOrZeroCapacityOverTimePolicy) finds an application in them and the room.
// All arithmetic is in 32-bit floats, as in the original.

// managed is the state of a managed parent.
type managed struct {
	capacity, maximum     float32 // of the template, of the parent's
	absolute, absoluteMax float32 // of the cluster, as last computed
	activated             float32 // absolute capacity given to leaves
}

// manage gives a managed parent the template of its configuration. Kept from the original: a
// refresh looks at the parent's capacity as it was before (was).
func (s *Scheduler) manage(q *queue, was *yarnconf.Queue) {
	t := q.conf.Template
	q.managed = nil
	if t == nil {
		return
	}
	q.managed = &managed{capacity: t.Capacity, maximum: t.MaxCapacity}
	s.absoluteTemplate(q, was)
}

// absoluteTemplate computes the template's shares of a parent with the settings
// c where it names resources.
func (s *Scheduler) absoluteTemplate(q *queue, c *yarnconf.Queue) {
	t, m := q.conf.Template, q.managed
	if c.Mode != yarnconf.Absolute {
		return
	}
	most := t.Max
	if most.IsNone() {
		most = c.ConfiguredMax
	}
	most = s.calc.Min(s.cluster, most, c.ConfiguredMax)
	m.capacity = s.calc.Divide(s.cluster, t.Min, c.ConfiguredMin)
	m.maximum = s.calc.Divide(s.cluster, most, c.ConfiguredMax)
	m.absolute, m.absoluteMax = m.capacity*q.eff.Absolute, m.maximum*q.eff.AbsoluteMaximum
}

// absolutes computes the template's shares of the cluster.
func (m *managed) absolutes(absolute, most float32, legacy bool) {
	if m.capacity > 0 || !legacy {
		m.absolute = m.capacity * absolute
	}
	if m.maximum > 0 {
		m.absoluteMax = m.maximum * most
	}
}

// addManaged makes a leaf below a managed parent (ManagedParentQueue.addChildQueue).
func (s *Scheduler) addManaged(up *queue, name string) (*queue, error) {
	s.settle()
	m := up.managed
	if up.conf.Template.FailOnExceeding {
		var sum float32
		for _, c := range up.children {
			sum += c.eff.Absolute
		}
		if m.absolute+sum > up.eff.Absolute {
			return nil, yarnconf.NotMade(up.path, yarnconf.FailBeyondParent, 0, 0, fmt.Sprintf("the leaves of %s have all of its capacity", up.path))
		}
	}
	i, err := s.conf.AddManaged(s.indexOf(up), name)
	if err != nil {
		return nil, err
	}
	// Percentages first; a template with resources computes its shares anew below.
	m.absolutes(up.eff.Absolute, up.eff.AbsoluteMaximum, s.conf.LegacyMode)
	q := s.attach(i)
	s.absoluteTemplate(up, up.conf)
	// The template's capacity at once, if the parent still has as much to give.
	if up.eff.Absolute-m.activated+epsilon >= m.absolute {
		s.entitle(q, true)
		s.activateLeaf(q)
	} else {
		s.entitle(q, false)
		q.conf.ConfiguredMin = res{}
	}
	s.branchChanged(up)
	return q, nil
}

// entitle gives a managed leaf the template's capacity, or none
// (AutoCreatedLeafQueue.setEntitlement). Kept from the original: with none it has no maximum
// either until figures are next computed.
func (s *Scheduler) entitle(q *queue, full bool) {
	m, c, e := q.parent.managed, q.conf, &q.eff
	c.MaxCapacity, e.Maximum = m.maximum, m.maximum
	c.Capacity, e.Capacity, e.Absolute, e.AbsoluteMaximum = 0, 0, 0, 0
	if full {
		c.Capacity, e.Capacity, e.Absolute, e.AbsoluteMaximum = m.capacity, m.capacity, m.absolute, m.absoluteMax
	}
	e.Min = s.cluster.Scale(float64(e.Absolute))
	if c.Mode == yarnconf.Absolute && e.Absolute > 0 {
		e.Min = q.parent.conf.Template.Min
	}
	e.Max = s.cluster.Scale(float64(e.AbsoluteMaximum))
	s.figures(q, &q.queuePart)
	q.misplaced(&q.queuePart)
}

// activateLeaf counts a leaf that has the template's capacity.
func (s *Scheduler) activateLeaf(q *queue) {
	q.entitled = true
	q.parent.managed.activated += q.parent.managed.absolute
}

// change is what the policy does with a leaf.
type change struct {
	q    *queue
	full bool
}

// changes computes what the policy would do below a parent whose own shares of the cluster
// are these (GuaranteedOrZeroCapacityOverTimePolicy.computeQueueManagementChanges): leaves
// without applications give their capacity back, and those whose applications came first get
// it, as many as there is room for.
func (s *Scheduler) changes(up *queue, absolute, most float32) []change {
	m := up.managed
	m.absolutes(absolute, most, s.conf.LegacyMode)
	// First who gives back.
	var out []change
	var freed float32
	for _, q := range up.children {
		if q.entitled && q.applications() == 0 {
			q.conf.ConfiguredMin = res{}
			out = append(out, change{q, false})
			freed += m.absolute
		}
	}
	// Then who receives, by the order of submission of the applications they hold. The
	// number of applications looked at is not limited, that of leaves activated is.
	available := absolute - m.activated + freed + epsilon
	if available < m.absolute || m.absolute <= 0 {
		return out
	}
	apps := allApps(up)
	n := min(int(math.Floor(float64(available/m.absolute))), len(apps))
	for _, a := range apps {
		if n <= 0 {
			break
		}
		q := a.queue
		if q.entitled || slices.ContainsFunc(out, func(c change) bool { return c.q == q }) {
			continue
		}
		out = append(out, change{q, true})
		n--
	}
	return out
}

// allApps lists the applications of a parent's leaves by their submission.
func allApps(up *queue) []*app {
	var apps []*app
	for _, q := range up.children {
		apps = append(append(append(apps, q.waiting...), q.active...), q.Held...)
	}
	slices.SortFunc(apps, func(a, b *app) int { return int(a.id) - int(b.id) })
	return apps
}

// entitleAll carries changes out; none of them where a capacity is out of range
// (ManagedParentQueue.validateAndApplyQueueManagementChanges).
func (s *Scheduler) entitleAll(changes []change) {
	for _, c := range changes {
		if f := c.q.parent.managed.capacity; c.full && !(f >= 0 && f <= 1) {
			return
		}
	}
	for _, c := range changes {
		s.entitle(c.q, c.full)
	}
	for _, c := range changes {
		switch {
		case c.full && c.q.parent.managed.capacity > 0:
			s.activateLeaf(c.q)
		case !c.full:
			c.q.entitled = false
			c.q.parent.managed.activated -= c.q.parent.managed.absolute
		}
	}
	s.epoch++
}

// Manage runs the policy of managed parents once (QueueManagementDynamicEditPolicy).
func (s *Scheduler) Manage() {
	s.settle()
	for _, q := range s.queues {
		if q.managed != nil && !q.conf.Template.FailOnExceeding {
			s.entitleAll(s.changes(q, q.eff.Absolute, q.eff.AbsoluteMaximum))
		}
	}
}

// reloadManaged begins anew with the leaves of managed parents after a refresh.
func (s *Scheduler) reloadManaged(q *queue) {
	for _, c := range q.children {
		c.entitled = false
	}
	at := s.indexOf(q)
	s.entitleAll(s.changes(q, s.conf.LoadedAbsolute(at, false), s.conf.LoadedAbsolute(at, true)))
}

// exceeds reports whether the leaves of a managed parent have more than a
// refresh with these settings allows. Kept from the original: their fractions of
// the parent are compared with the parent's fraction of its own parent.
func (s *Scheduler) exceeds(q *queue, c *yarnconf.Queue) bool {
	if c.Template == nil || !c.Template.FailOnExceeding || q.managed == nil {
		return false
	}
	var sum float32
	for _, leaf := range q.children {
		sum += leaf.eff.Capacity
	}
	return q.eff.Capacity < sum
}

// exceeded finds the first managed parent, in the order of a refresh, that
// refuses a configuration.
func (s *Scheduler) exceeded(conf *yarnconf.Config) *queue {
	for _, i := range refreshOrder(conf, 0, func(c *yarnconf.Queue) bool { return !c.Dynamic && !c.Managed }) {
		if q := s.byName[conf.Queues[i].Path]; q != nil && s.exceeds(q, &conf.Queues[i]) {
			return q
		}
	}
	return nil
}
