package yarnconf

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Queues created on first use. A managed parent (auto-create-child-queue) makes
// leaves by one template; a flexible one (auto-queue-creation-v2) makes leaves
// and parents below it, by templates whose paths may hold wildcards.

const (
	v1          = "auto-create-child-queue."
	v2          = "auto-queue-creation-v2."
	leafTmpl    = "leaf-queue-template"
	expiryKey   = Prefix + v2 + "queue-expiration-time"
	policyV1    = "org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.queuemanagement.GuaranteedOrZeroCapacityOverTimePolicy"
	maxPriority = "yarn.cluster.max-application-priority"
	appNameKey  = "yarn.scheduler.queue-placement-rules"
)

// Settings that refuse queues: how many levels below a flexible parent there may be, and that a
// managed parent makes no leaf beyond its capacity.
const (
	QueueDepth       = v2 + "maximum-queue-depth"
	FailBeyondParent = v1 + "fail-on-exceeding-parent-capacity"
)

// creation reads what a parent makes on first use.
func (l *loader) creation(q *Queue) {
	q.MaxDepth = l.Integer(Key(q.Path, QueueDepth), l.Integer(Prefix+QueueDepth, 2))
	q.AutoRemoval = l.Boolean(Key(q.Path, v2+"queue-auto-removal.enable"), true)
	if !q.AutoCreateOld || q.Leaf {
		return
	}
	t := &Template{FailOnExceeding: l.Boolean(Key(q.Path, FailBeyondParent), false)}
	path := q.Path + "." + leafTmpl
	key := Key(path, Capacity)
	v, set := l.get(key)
	l.weight(key, v)
	if set && !isAbsolute(v) && !isVector(v) && !strings.HasSuffix(v, "w") {
		t.Capacity = l.percent(key, v) / 100
	}
	t.MaxCapacity = l.maxCapacity(path)
	t.Min, t.Max = l.resource(key), l.resource(Key(path, MaximumCapacity))
	for _, name := range l.labels[path] {
		if t.labelMax == nil {
			t.labelMax = map[string]float32{}
		}
		t.labelMax[name] = l.labelCapacity(q, Key(path, "accessible-node-labels."+name+"."+MaximumCapacity), 100)
	}
	if q.Mode != Absolute && !t.Min.IsNone() {
		l.Fail(key, "must be a percentage, because the parent has no absolute resource")
	}
	policy := Key(q.Path, v1+"management-policy")
	if v := l.str(policy, policyV1); v != policyV1 {
		l.Fail(policy, "must be "+policyV1)
	}
	q.Template = t
}

// Policies that the scheduler's monitor runs.
const (
	monitorKey   = "yarn.resourcemanager.scheduler.monitor.enable"
	policiesKey  = "yarn.resourcemanager.scheduler.monitor.policies"
	preemptionIs = "org.apache.hadoop.yarn.server.resourcemanager.monitor.capacity.ProportionalCapacityPreemptionPolicy"
	capacityIs   = "org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity."
)

// monitors reports whether the monitor runs a policy.
func (r *Reader) monitors(policy string) bool {
	if !r.Boolean(monitorKey, false) {
		return false
	}
	return slices.Contains(splitNames(r.str(policiesKey, preemptionIs)), policy)
}

func (r *Reader) keeping(k *Keeping) {
	if every := r.long(expiryKey, 300); r.monitors(capacityIs + "AutoCreatedQueueDeletionPolicy") {
		k.RemoveEvery = max(every, 1) * 1000
	}
	if r.monitors(capacityIs + "QueueManagementDynamicEditPolicy") {
		k.ShareEvery = max(r.long("yarn.resourcemanager.monitor.capacity.queue-management.monitoring-interval", 1500), 1)
	}
}

// Expiry is how long a queue made by a flexible parent stays without a
// submission, in seconds.
func (c *Config) Expiry() int64 {
	r := Reader{p: c.layers()}
	return r.long(expiryKey, 300)
}

// layers are the properties with those that dynamic queues have added.
func (c *Config) layers() Props { return layered{c.made, c.props} }

// Clone copies what a scheduler changes: the queues and their order.
func (c *Config) Clone() *Config {
	d := *c
	d.Queues = slices.Clone(c.Queues)
	for i := range d.Queues {
		d.Queues[i].Children = slices.Clone(d.Queues[i].Children)
		d.Queues[i].Labels = slices.Clone(d.Queues[i].Labels)
	}
	d.made = maps.Clone(c.made)
	return &d
}

// roomBelow returns the parent of a queue to be made, and refuses it where that is not there or has
// as many as it may; kind is that of the way in which it makes them.
func (c *Config) roomBelow(parent int, name, kind string) (*Queue, error) {
	if parent < 0 || parent >= len(c.Queues) {
		return nil, fmt.Errorf("queue %s cannot be created: its parent is queue %d: must be 0 to %d", name, parent,
			len(c.Queues)-1)
	}
	up := &c.Queues[parent]
	if n, err := c.limit(Key(up.Path, kind+"max-queues"), 1000); err != nil || len(up.Children) >= n {
		return nil, tooMany(up, kind, up.Path+"."+name, n)
	}
	return up, nil
}

// AddFlexible appends a queue made below a flexible parent (or one made so
// itself) and returns its index.
func (c *Config) AddFlexible(parent int, name string, leaf bool) (int, error) {
	up, err := c.roomBelow(parent, name, v2)
	if err != nil {
		return -1, err
	}
	if k, mixed := c.kindOf(up, up.Children); c.LegacyMode && (mixed || k != kindWeight) {
		return -1, fmt.Errorf("queue %s.%s cannot be created: the queues below %s have no weights", up.Path, name, up.Path)
	}
	return c.addUnmixed(parent, name, leaf, false)
}

// ErrFails is where Hadoop's scheduler itself fails instead of refusing something:
// the ResourceManager stops, since 3.5 at the next change of the cluster.
var ErrFails = errors.New("the scheduler of Hadoop itself would fail")

// addUnmixed is add but for a queue that gives its siblings capacities of several forms:
// AbstractParentQueue.updateClusterResource throws on them, and nobody up to the dispatcher of
// events catches that.
func (c *Config) addUnmixed(parent int, name string, leaf, managed bool) (int, error) {
	i, err := c.add(parent, name, leaf, managed)
	if err != nil {
		return i, err
	}
	up := &c.Queues[parent]
	if _, mixed := c.kindOf(up, up.Children); !c.LegacyMode || !mixed {
		return i, nil
	}
	c.Drop(i)
	return -1, fmt.Errorf("queue %s.%s cannot be created: %w: the queues below %s would have capacities of several "+
		"forms; give it no capacity in file or template, or one in their form", up.Path, name, ErrFails, up.Path)
}

// AddManaged appends a leaf made below a managed parent, without capacity, and
// returns its index.
func (c *Config) AddManaged(parent int, name string) (int, error) {
	up, err := c.roomBelow(parent, name, v1)
	if err != nil {
		return -1, err
	}
	path := up.Path + "." + name
	if up.Template == nil {
		return -1, fmt.Errorf("queue %s cannot be created: %s is not a managed parent", path, up.Path)
	}
	if m := up.Template.MaxCapacity; m < 0 || m > 1 {
		return -1, fmt.Errorf("queue %s cannot be created: the template's maximum-capacity is %g %%: must be 0 to 100", path,
			m*100)
	}
	i, err := c.addUnmixed(parent, name, true, true)
	if err != nil {
		return i, err
	}
	q := &c.Queues[i]
	q.Capacity, q.MaxCapacity = 0, c.Queues[parent].Template.MaxCapacity
	p := c.layers()
	if _, set := p.Get(Key(path, Capacity)); !set {
		q.Vector = uniform(0, Percent)
	}
	if _, set := p.Get(Key(path, MaximumCapacity)); !set {
		q.MaxVector = uniform(100, Percent)
	}
	return i, nil
}

// add evaluates a dynamic queue with the settings of its templates and appends it. What the file
// says of a queue below a flexible parent goes before templates, but not before a leaf's unlimited
// user-limit-factor and share of application masters.
func (c *Config) add(parent int, name string, leaf, managed bool) (int, error) {
	up := &c.Queues[parent]
	q := Queue{Path: up.Path + "." + name, Name: name, Parent: parent, Leaf: leaf, AutoCreate: !leaf, Dynamic: !managed,
		Managed: managed}
	if c.made == nil {
		c.made = map[string]string{}
	}
	if leaf && !managed {
		c.made[Key(q.Path, UserFactor)], c.made[Key(q.Path, AMShare)] = "-1", "1.0"
	}
	for _, ch := range c.begins(up, leaf, managed) {
		if _, written := c.props.Get(Key(q.Path, ch.Key)); managed || !written {
			c.made[Key(q.Path, ch.Key)] = ch.Value
		}
	}
	p := c.layers()
	l := &loader{Reader: &Reader{p: p, rules: c.Version.Rules()}, c: c, weights: weightKeys(p),
		labels: map[string][]string{q.Path: c.labelsOfMade(&q)}}
	l.evaluate(&q)
	if len(l.errs) > 0 {
		return -1, l.errs[0]
	}
	i := len(c.Queues)
	c.Queues = append(c.Queues, q)
	c.Queues[q.Parent].Children = append(c.Queues[q.Parent].Children, i)
	return i, nil
}

// evaluate reads the settings of one queue whose place in the tree is known.
func (l *loader) evaluate(q *Queue) {
	q.Label.set = true
	l.common(q)
	if q.Dynamic {
		l.defaultWeight(q)
	}
	if q.Leaf {
		l.leaf(q)
	} else {
		l.parentOrder(q)
	}
	l.creation(q)
}

// defaultWeight gives a queue made by a flexible parent the weight 1 where its
// templates name no capacity.
func (l *loader) defaultWeight(q *Queue) {
	if !q.Vector.Set {
		q.Vector, q.MaxVector = uniform(1, Weights), uniform(100, Percent)
		q.Weight, q.Mode = 1, Weight
	}
	if l.c.LegacyMode && q.Weight == -1 {
		q.Weight = 1
	}
}

// Drop removes a dynamic queue that has no children. Indices of
// queues behind it fall by one. It panics on an index of no queue, or of root.
func (c *Config) Drop(i int) {
	up := &c.Queues[c.Queues[i].Parent]
	up.Children = slices.DeleteFunc(up.Children, func(k int) bool { return k == i })
	c.Queues = slices.Delete(c.Queues, i, i+1)
	for k := range c.Queues {
		q := &c.Queues[k]
		if q.Parent > i {
			q.Parent--
		}
		for n := range q.Children {
			if q.Children[n] > i {
				q.Children[n]--
			}
		}
	}
}

// CarryOver adds the dynamic queues that a configuration had to one
// that replaces it, and tells which queue of before each is. A queue that the
// new file lists is no longer one of them.
func (c *Config) CarryOver(before *Config) *PropError {
	index := map[string]int{}
	for i := range c.Queues {
		index[c.Queues[i].Path] = i
	}
	for i := range before.Queues { // parents come before their children
		q := &before.Queues[i]
		if _, ok := index[q.Path]; ok || !q.Dynamic && !q.Managed {
			continue
		}
		up, ok := index[before.Queues[q.Parent].Path]
		if !ok || c.Queues[up].Leaf || q.Managed && !c.Queues[up].AutoCreateOld {
			continue // its parent is gone
		}
		at, err := c.add(up, q.Name, q.Leaf, q.Managed)
		if err != nil {
			return &PropError{Key: Prefix + q.Path + "." + Capacity, Reason: err.Error()}
		}
		if q.Managed {
			c.Queues[at].Unentitled(c.Queues[up].UnentitledMaximum(c.Queues[up].Template.MaxCapacity))
		}
		index[q.Path] = at
	}
	return nil
}

// LoadedAbsolute is queue i's share of the cluster, or its maximum, as a load
// computes it from the file alone, before the cluster's resources are looked at.
func (c *Config) LoadedAbsolute(i int, maximum bool) float32 {
	q := &c.Queues[i]
	up := float32(1)
	if q.Parent >= 0 {
		up = c.LoadedAbsolute(q.Parent, maximum)
	}
	share := q.Capacity
	switch {
	case maximum:
		share = max(q.MaxCapacity, 0)
	case c.LegacyMode:
		share = max(q.Capacity, q.CarriedWeight, 0)
	}
	return share * up
}
