package yarnconf

import (
	"slices"
	"strconv"
	"strings"
)

// NodeGroup is what a cluster has of one partition; the label "" stands for the
// nodes without one.
type NodeGroup struct {
	Label  string   // "" for none
	Nodes  int      // how many
	Total  Resource // of all its nodes
	Shared bool     // not exclusive: asks without label get what is idle
}

// PartitionTable is what a file says of one node label.
type PartitionTable struct {
	Label  string           // of the nodes
	Queues []PartitionShare // in the order of Config.Queues, root left out
	Sums   []PartitionSum   // of parents whose children have a capacity of the label
}

// PartitionShare is one queue's part in a node label.
type PartitionShare struct {
	Queue    string  `json:"queue"`                      // path
	Access   bool    `json:"access"`                     // accessible-node-labels, or a parent's, names it or is *
	Capacity string  `json:"capacity,omitempty"`         // as written; "" is not set, which is nothing at all
	Maximum  string  `json:"maximum_capacity,omitempty"` // likewise
	AMShare  float32 `json:"maximum_am_share,omitempty"` // fraction for masters
	Line     int     `json:"line,omitempty"`             // of the capacity, 0 where it is not set
}

// PartitionSum is what the capacities below one parent add up to.
type PartitionSum struct {
	Parent string `json:"parent"` // path
	Sum    string `json:"sum"`    // "100 %", "5 in weights", "65536 MiB", "mixed"
}

// LabelKey is a queue's property for a node label, and Key for none.
func LabelKey(queue, label, name string) string {
	if label == "" {
		return Key(queue, name)
	}
	return Key(queue, "accessible-node-labels."+label+"."+name)
}

// LabelNames lists the node labels that a configuration speaks of, sorted.
func (c *Config) LabelNames() []string {
	var names []string
	add := func(s string) {
		if s = strings.TrimSpace(s); s != "" && s != "*" && !slices.Contains(names, s) {
			names = append(names, s)
		}
	}
	for i := range c.Queues {
		q := &c.Queues[i]
		for _, s := range q.AccessibleLabels {
			add(s)
		}
		for _, l := range q.Labels {
			add(l.Name)
		}
		for _, s := range strings.Split(q.LabelExpression, "&&") {
			add(s)
		}
	}
	add(c.MasterLabel)
	slices.Sort(names)
	return names
}

// Partitions says for each label what every queue has of it.
func (d *Document) Partitions(c *Config, labels []string) []PartitionTable {
	var out []PartitionTable
	for _, label := range labels {
		t := PartitionTable{Label: label, Queues: []PartitionShare{}, Sums: []PartitionSum{}}
		for i := range c.Queues {
			q := &c.Queues[i]
			if q.Parent >= 0 {
				key := LabelKey(q.Path, label, Capacity)
				s := PartitionShare{Queue: q.Path, Access: q.Accessible(label), Capacity: d.Value(key),
					Maximum: d.Value(LabelKey(q.Path, label, MaximumCapacity)), Line: d.Line(key)}
				if l := q.LabelOf(label); l != nil {
					s.AMShare = l.AMPercent
				}
				t.Queues = append(t.Queues, s)
			}
			if sum, ok := d.labelSum(c, q, label); ok {
				t.Sums = append(t.Sums, PartitionSum{Parent: q.Path, Sum: sum})
			}
		}
		out = append(out, t)
	}
	return out
}

// labelSum adds up what the children of a queue have of a label.
func (d *Document) labelSum(c *Config, q *Queue, label string) (string, bool) {
	form, sum, any := "", 0.0, false
	for _, i := range q.Children {
		text := d.Value(LabelKey(c.Queues[i].Path, label, Capacity))
		if text == "" {
			continue
		}
		f, n := " %", 0.0
		switch {
		case strings.HasPrefix(text, "["):
			f = " MiB"
			if l := c.Queues[i].LabelOf(label); l != nil {
				n = float64(l.ConfiguredMin.Memory)
			}
		case strings.HasSuffix(text, "w"):
			f = " in weights"
			n, _ = strconv.ParseFloat(strings.TrimSuffix(text, "w"), 64)
		default:
			n, _ = strconv.ParseFloat(text, 64)
		}
		if any && f != form {
			return "mixed", true
		}
		form, any, sum = f, true, sum+n
	}
	return short(sum) + form, any
}
