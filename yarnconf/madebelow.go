package yarnconf

import (
	"errors"
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
		if q := &c.Queues[i]; !q.Leaf && (q.AutoCreateOld || q.AutoCreate) {
			out = append(out, c.madeBelow(i))
		}
	}
	return out
}

func (c *Config) madeBelow(i int) MadeBelow {
	q := &c.Queues[i]
	m := MadeBelow{Parent: q.Path, Managed: q.AutoCreateOld, Depth: 1, Leaf: c.trimmed(q, true)}
	because := func(bad bool, why string) {
		if bad && m.Reason == "" {
			m.Reason = why
		}
	}
	kind, t := v2, q.Template
	if m.Managed {
		kind = v1
	}
	var err error
	if m.MaxQueues, err = c.limit(Key(q.Path, kind+"max-queues"), 1000); err != nil {
		m.Reason = err.Error()
	}
	mixed := "its template's capacity is no weight"
	if m.Managed {
		m.Fails = t != nil && t.FailOnExceeding
		because(t != nil && (t.MaxCapacity < 0 || t.MaxCapacity > 1), "the template's maximum-capacity is not from 0 to 100")
		mixed = "its leaves and the queues listed below it have capacities of several forms"
		_, err = c.Clone().AddManaged(i, "leaf")
	} else {
		m.Depth = q.MaxDepth
		k, several := c.kindOf(q, q.Children)
		because(c.LegacyMode && (several || k != kindWeight), "the queues below it have no weights")
		because(m.Depth < 1, "maximum-queue-depth is below 1")
		_, err = c.Clone().AddFlexible(i, "leaf", true)
		if m.Depth > 1 {
			m.Up = c.trimmed(q, false)
		}
		if q.AutoRemoval && c.Keeping.RemoveEvery > 0 {
			m.Removed = c.Expiry()
		}
	}
	m.SchedulerFails = m.Reason == "" && errors.Is(err, ErrFails) && (!m.Managed || len(q.Children) > 0)
	because(m.SchedulerFails, mixed)
	return m
}

// trimmed is begins with blanks around values left out.
func (c *Config) trimmed(up *Queue, leaf bool) []Change {
	list := c.begins(up, leaf, up.AutoCreateOld)
	for i := range list {
		list[i].Value = strings.TrimSpace(list[i].Value)
	}
	return list
}
