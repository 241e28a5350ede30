package yarnconf

import "strings"

// NodeSorting is a policy that orders the nodes of a partition.
type NodeSorting struct {
	Class    string // of Java
	Interval int64  // ms between two sortings; 0: sorted anew at each look
}

// lookUp begins the class names of policies that order nodes.
const lookUp = "org.apache.hadoop.yarn.server.resourcemanager.scheduler.placement."

// ByUsage is the policy that has the least allocated node first.
const ByUsage = lookUp + "ResourceUsageMultiNodeLookupPolicy"

const nodeSorting = Prefix + "multi-node-sorting.policy"

// multiNode reads the settings of placement on several nodes.
func (r *Reader) multiNode(c *Config) {
	for _, name := range splitNames(r.str(nodeSorting+".names", "")) {
		def := ""
		if name == "default" {
			def = ByUsage
		}
		s := NodeSorting{Class: r.sortingClass(name, def), Interval: r.long(nodeSorting+"."+name+".sorting-interval.ms",
			1000)}
		if s.Interval < 0 {
			r.Fail(nodeSorting+"."+name+".sorting-interval.ms", "must be 0 or more")
		}
		c.NodeSortings = append(c.NodeSortings, s)
	}
}

func (r *Reader) sortingClass(name, def string) string {
	key := nodeSorting + "." + name + ".class"
	class := strings.TrimSpace(r.str(key, def))
	if class != ByUsage {
		r.Fail(key, "must be "+ByUsage)
	}
	return class
}

// sortingOf reads the policy by which a queue's applications see the nodes.
func (l *loader) sortingOf(q *Queue) {
	name, ok := l.get(Key(q.Path, "multi-node-sorting.policy"))
	if !ok {
		name = l.str(nodeSorting, "")
	}
	if name != "" {
		q.NodeSorting = l.sortingClass(strings.TrimSpace(name), "")
	}
}
