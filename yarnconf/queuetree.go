package yarnconf

import (
	"strings"

	"schedtune/yarnconf/placement"
)

// mappings reads the placement rules and checks where they lead.
func (l *loader) mappings() {
	seen := map[string]bool{}
	for _, s := range strings.Split(l.str(appNameKey, ""), ",") {
		if s != "" && seen[s] {
			l.Fail(appNameKey, s+" is listed twice")
		}
		seen[s] = true
	}
	rules, err := placement.Read(l.get, l.readFile)
	var faults []*placement.Fault
	if f, ok := err.(*placement.Fault); ok {
		faults = append(faults, f)
	} else if len(l.errs) == 0 {
		faults = rules.Validate(l.c.Tree())
	}
	l.c.Placement = rules
	for _, f := range faults {
		l.Fail(f.Key, f.Reason)
	}
}

// Tree returns the queues as placement rules look them up.
func (c *Config) Tree() placement.Tree {
	t := tree{c: c, byPath: map[string]int{}, byName: map[string][]int{}}
	for i := range c.Queues {
		q := &c.Queues[i]
		t.byPath[q.Path] = i
		if q.Parent >= 0 {
			t.byName[q.Name] = append(t.byName[q.Name], i)
		}
	}
	return t
}

type tree struct {
	c      *Config
	byPath map[string]int
	byName map[string][]int
}

func (t tree) Queue(name string) (placement.Queue, bool) {
	i, ok := t.byPath[name]
	if !ok {
		if len(t.byName[name]) != 1 {
			return placement.Queue{}, false
		}
		i = t.byName[name][0]
	}
	return t.c.Queues[i].Placed(), true
}

func (t tree) Ambiguous(name string) bool { return len(t.byName[name]) > 1 }

// Placed is what placement rules need to know of the queue.
func (q *Queue) Placed() placement.Queue {
	return placement.Queue{Path: q.Path, Leaf: q.Leaf, Managed: q.AutoCreateOld && !q.Leaf, Flexible: q.AutoCreate &&
		!q.Leaf}
}
