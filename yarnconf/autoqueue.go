package yarnconf

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Queues made on first use. A managed parent (auto-create-child-queue) makes
// leaves by one template; a flexible one (auto-queue-creation-v2) makes leaves
// and parents below it, by templates whose paths may hold wildcards.

const (
	v1          = "auto-create-child-queue."
	v2          = "auto-queue-creation-v2."
	leafTmpl    = "leaf-queue-template"
	expiryKey   = Prefix + v2 + "queue-expiration-time"
	depthKey    = v2 + "maximum-queue-depth"
	policyV1    = "org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.queuemanagement.GuaranteedOrZeroCapacityOverTimePolicy"
	maxPriority = "yarn.cluster.max-application-priority"
	appNameKey  = "yarn.scheduler.queue-placement-rules"
)

// creation reads what a parent makes on first use.
func (l *loader) creation(q *Queue) {
	q.maxDepth = l.Integer(l.key(q.Path, depthKey), l.Integer(Prefix+depthKey, 2))
	q.AutoRemoval = l.Boolean(l.key(q.Path, v2+"queue-auto-removal.enable"), true)
	if !q.AutoCreateOld || q.Leaf {
		return
	}
	t := &Template{FailOnExceeding: l.Boolean(l.key(q.Path, v1+"fail-on-exceeding-parent-capacity"), false)}
	path := q.Path + "." + leafTmpl
	key := l.key(path, Capacity)
	v, set := l.get(key)
	l.weight(key, v)
	if set && !isAbsolute(v) && !isVector(v) && !strings.HasSuffix(v, "w") {
		t.Capacity = l.percent(key, v) / 100
	}
	t.MaxCapacity = l.maxCapacity(path)
	t.Min, t.Max = l.resource(key), l.resource(l.key(path, MaximumCapacity))
	for _, name := range l.labels[path] {
		if t.labelMax == nil {
			t.labelMax = map[string]float32{}
		}
		t.labelMax[name] = l.labelCapacity(q, l.key(path, "accessible-node-labels."+name+"."+MaximumCapacity), 100)
	}
	if q.Mode != Absolute && !t.Min.IsNone() {
		l.Fail(key, "must be a percentage, because the parent has no absolute resource")
	}
	policy := l.key(q.Path, v1+"management-policy")
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

// parentOf refuses a parent that is not there for the queue of a name.
func (c *Config) parentOf(name string, parent int) error {
	if parent < 0 || parent >= len(c.Queues) {
		return fmt.Errorf("queue %s cannot be made: its parent is queue %d: must be 0 to %d", name, parent, len(c.Queues)-1)
	}
	return nil
}

// AddFlexible appends a queue made below a flexible parent (or one made so
// itself) and returns its index.
func (c *Config) AddFlexible(parent int, name string, leaf bool) (int, error) {
	if err := c.parentOf(name, parent); err != nil {
		return -1, err
	}
	up := &c.Queues[parent]
	path := up.Path + "." + name
	if n, err := c.limit(Prefix+up.Path+"."+v2+"max-queues", 1000); err != nil || len(up.Children) >= n {
		return -1, tooMany(up, v2, path, n)
	}
	if k, mixed := c.kindOf(up, up.Children); c.LegacyMode && (mixed || k != kindWeight) {
		return -1, fmt.Errorf("queue %s cannot be made: the queues below %s have no weights", path, up.Path)
	}
	c.fromTemplates(up, path, leaf)
	i, err := c.add(Queue{Path: path, Name: name, Parent: parent, Leaf: leaf, AutoCreate: !leaf, Dynamic: true})
	if err != nil {
		return i, err
	}
	if err := c.dropMixed(i); err != nil {
		return -1, err
	}
	return i, nil
}

// ErrFails is where Hadoop's scheduler itself fails instead of refusing something:
// the ResourceManager stops, since 3.5 at the next change of the cluster.
var ErrFails = errors.New("the scheduler of Hadoop itself would fail")

// dropMixed takes back the queue just made, the last one, where it and its siblings
// have capacities of several forms: AbstractParentQueue.updateClusterResource throws
// on them, and nobody up to the dispatcher of events catches that.
func (c *Config) dropMixed(i int) error {
	path, up := c.Queues[i].Path, &c.Queues[c.Queues[i].Parent]
	if _, mixed := c.kindOf(up, up.Children); !c.LegacyMode || !mixed {
		return nil
	}
	c.Drop(i)
	return fmt.Errorf("queue %s cannot be made: %w: the queues below %s would have capacities of several forms; give "+
		"no capacity for it in file or template, or one in the form of the others",
		path, ErrFails, up.Path)
}

// AddManaged appends a leaf made below a managed parent, without capacity, and
// returns its index.
func (c *Config) AddManaged(parent int, name string) (int, error) {
	if err := c.parentOf(name, parent); err != nil {
		return -1, err
	}
	up := &c.Queues[parent]
	path := up.Path + "." + name
	if up.Template == nil {
		return -1, fmt.Errorf("queue %s cannot be made: %s is no managed parent", path, up.Path)
	}
	if n, err := c.limit(Prefix+up.Path+"."+v1+"max-queues", 1000); err != nil || len(up.Children) >= n {
		return -1, tooMany(up, v1, path, n)
	}
	if m := up.Template.MaxCapacity; m < 0 || m > 1 {
		return -1, fmt.Errorf("queue %s cannot be made: the template's maximum-capacity is %g %%: must be 0 to 100", path,
			m*100)
	}
	c.fromLeafTemplate(up, name)
	i, err := c.add(Queue{Path: path, Name: name, Parent: parent, Leaf: true, Managed: true})
	if err != nil {
		return i, err
	}
	if err := c.dropMixed(i); err != nil {
		return -1, err
	}
	q := &c.Queues[i]
	q.Capacity, q.MaxCapacity = 0, c.Queues[parent].Template.MaxCapacity
	p := c.layers()
	if _, set := p.Get(Prefix + path + "." + Capacity); !set {
		q.Vector = uniform(0, Percent)
	}
	if _, set := p.Get(Prefix + path + "." + MaximumCapacity); !set {
		q.MaxVector = uniform(100, Percent)
	}
	return i, nil
}

func (c *Config) set(key, value string) {
	if c.made == nil {
		c.made = map[string]string{}
	}
	c.made[key] = value
}

// add evaluates a dynamic queue and appends it.
func (c *Config) add(q Queue) (int, error) {
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
		n := Queue{Path: q.Path, Name: q.Name, Parent: up, Leaf: q.Leaf, AutoCreate: q.AutoCreate, Dynamic: q.Dynamic,
			Managed: q.Managed}
		if q.Managed {
			c.fromLeafTemplate(&c.Queues[up], q.Name)
		} else {
			c.fromTemplates(&c.Queues[up], q.Path, q.Leaf)
		}
		at, err := c.add(n)
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

// MaxDepth is how many levels below the queue others may be made on first use.
func (q *Queue) MaxDepth() int { return q.maxDepth }

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
