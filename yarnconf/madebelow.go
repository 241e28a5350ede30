package yarnconf

import (
	"errors"
	"maps"
	"slices"
	"strings"
)

// MadeBelow is what a parent makes on first use.
type MadeBelow struct {
	Parent         string   // path
	Managed        bool     // auto-create-child-queue: leaves by one template; else auto-queue-creation-v2
	Depth          int      // levels of queues that may be made below it; 1 for a managed parent
	MaxQueues      int      // children that it may have, those of the file included
	Leaf, Up       []Change // settings that leaves, and parents between, begin with: names without a path
	Fails          bool     // Managed: no leaf beyond the parent's capacity; else such a leaf waits without
	Removed        int64    // seconds without use after which a queue goes; 0: never
	Reason         string   // why it can make none as things stand; "" if it can
	SchedulerFails bool     // instead of making one; see ErrFails
}

// MakesQueues lists the parents that make queues on first use, in the order of the
// file.
func (c *Config) MakesQueues() []MadeBelow {
	var out []MadeBelow
	for i := range c.Queues {
		q := &c.Queues[i]
		switch {
		case q.Leaf:
		case q.AutoCreateOld:
			out = append(out, c.managedBelow(i))
		case q.AutoCreate:
			out = append(out, c.flexibleBelow(i))
		}
	}
	return out
}

func (c *Config) managedBelow(i int) MadeBelow {
	q := &c.Queues[i]
	m := MadeBelow{Parent: q.Path, Managed: true, Depth: 1, Fails: q.Template != nil && q.Template.FailOnExceeding}
	m.MaxQueues, m.Reason = c.most(q.Path + "." + v1 + "max-queues")
	for _, k := range c.props.Keys() {
		if name, ok := strings.CutPrefix(k, Prefix+q.Path+"."+leafTmpl+"."); ok {
			v, _ := c.props.Get(k)
			m.Leaf = append(m.Leaf, Change{Key: name, Value: strings.TrimSpace(v)})
		}
	}
	slices.SortFunc(m.Leaf, func(a, b Change) int { return strings.Compare(a.Key, b.Key) })
	if t := q.Template; t != nil && m.Reason == "" && (t.MaxCapacity < 0 || t.MaxCapacity > 1) {
		m.Reason = "the template's maximum-capacity is not from 0 to 100"
	}
	if m.Reason == "" && len(q.Children) > 0 {
		if _, err := c.Clone().AddManaged(i, "leaf"); errors.Is(err, ErrFails) {
			m.Reason, m.SchedulerFails = "its leaves and the queues listed below it have capacities of several forms", true
		}
	}
	return m
}

func (c *Config) flexibleBelow(i int) MadeBelow {
	q := &c.Queues[i]
	m := MadeBelow{Parent: q.Path, Depth: q.maxDepth}
	m.MaxQueues, m.Reason = c.most(q.Path + "." + v2 + "max-queues")
	if k, mixed := c.kindOf(q, q.Children); m.Reason == "" && c.LegacyMode && (mixed || k != kindWeight) {
		m.Reason = "the queues below it have no weights"
	}
	if m.Reason == "" && m.Depth < 1 {
		m.Reason = "maximum-queue-depth is below 1"
	}
	if _, err := c.Clone().AddFlexible(i, "leaf", true); m.Reason == "" && errors.Is(err, ErrFails) {
		m.Reason, m.SchedulerFails = "its template's capacity is no weight", true
	}
	m.Leaf = c.begins(q, true)
	if m.Depth > 1 {
		m.Up = c.begins(q, false)
	}
	if q.AutoRemoval && c.Keeping.RemoveEvery > 0 {
		m.Removed = c.Expiry()
	}
	return m
}

// begins are the settings that a queue made below a flexible parent has from
// templates.
func (c *Config) begins(q *Queue, leaf bool) []Change {
	all, special := c.templates(q, leaf)
	both := maps.Clone(all)
	maps.Copy(both, special)
	if leaf {
		putNew(both, UserFactor, "-1")
		putNew(both, AMShare, "1.0")
	}
	var out []Change
	for _, name := range slices.Sorted(maps.Keys(both)) {
		out = append(out, Change{Key: name, Value: strings.TrimSpace(both[name])})
	}
	return out
}

func (c *Config) most(name string) (n int, bad string) {
	n, err := c.limit(Prefix+name, 1000)
	if err != nil {
		return 0, err.Error()
	}
	return n, ""
}
