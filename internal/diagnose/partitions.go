package diagnose

import (
	"fmt"
	"slices"
	"strings"

	"schedtune/simcore"
	"schedtune/yarnconf"
)

// unlabelled asks for the nodes without a label, whatever the queue's own
// default-node-label-expression says.
const unlabelled = "none"

// PartitionTerms is what one partition of the cluster, the nodes with one label,
// gives a queue.
type PartitionTerms struct {
	Label      string // "" for nodes without one
	Nodes      int
	Total      yarnconf.Resource
	Exclusive  bool
	Access     bool // the queue may use it
	Guaranteed yarnconf.Resource
	Most       yarnconf.Resource
	LoneUser   yarnconf.Resource // what a user alone in the queue may hold there
	Masters    yarnconf.Resource // what all application masters of the queue may hold there
}

// partition is the nodes with one label and what the queues have of them.
type explainPartition struct {
	label     string
	exclusive bool
	nodes     []simcore.Node
	total     yarnconf.Resource
	eff       []yarnconf.Effective // by queue
}

// partitionsOf sorts the nodes of a cluster by label, those without one first.
func partitionsOf(c *simcore.Cluster, conf *yarnconf.Config) []explainPartition {
	parts := []explainPartition{{}}
	for _, l := range c.Labels {
		parts = append(parts, explainPartition{label: l.Name, exclusive: l.Exclusive})
	}
	var all yarnconf.Resource
	for _, n := range c.Nodes {
		i := slices.IndexFunc(parts, func(p explainPartition) bool { return p.label == n.Label })
		if i < 0 {
			i, parts = len(parts), append(parts, explainPartition{label: n.Label, exclusive: true})
		}
		r := yarnconf.Resource{Memory: n.Capacity[simcore.Memory], VCores: n.Capacity[simcore.VCores]}
		parts[i].nodes, parts[i].total = append(parts[i].nodes, n), parts[i].total.Add(r)
		all = all.Add(r)
	}
	var names []yarnconf.Partition
	var out [][]yarnconf.Effective
	for i := range parts {
		parts[i].eff = make([]yarnconf.Effective, len(conf.Queues))
		names, out = append(names, yarnconf.Partition{Name: parts[i].label, Total: parts[i].total}), append(out, parts[i].eff)
	}
	conf.EffectivePartitions(all, names, out)
	return parts
}

// enter looks at one partition: that of a label, of no label, or, with "", the one
// that applications of the queue ask for where they say nothing.
func (w *world) enter(label string) error {
	switch label {
	case "":
		if own := w.leaf().LabelExpression; own != "" && w.partition(own) >= 0 {
			label = own
		}
	case unlabelled:
		label = ""
	}
	i := w.partition(label)
	if i < 0 {
		return fmt.Errorf("node label %q: no node has it; allowed: %s", label, w.labels())
	}
	w.look(i)
	return nil
}

// look makes partition i the one whose figures are given.
func (w *world) look(i int) {
	w.part, w.largest = i, yarnconf.Resource{}
	p := &w.parts[i]
	w.nodes, w.total, w.eff = p.nodes, p.total, p.eff
	for _, n := range p.nodes {
		w.largest = w.largest.MaxEach(yarnconf.Resource{Memory: n.Capacity[simcore.Memory], VCores: n.Capacity[simcore.VCores]})
	}
}

func (w *world) label() string { return w.parts[w.part].label }

func (w *world) partition(label string) int {
	return slices.IndexFunc(w.parts, func(p explainPartition) bool { return p.label == label })
}

func (w *world) labels() string {
	names := []string{unlabelled}
	for _, p := range w.parts[1:] {
		names = append(names, p.label)
	}
	return strings.Join(names, ", ")
}

// amPercent is the share of application masters in the partition looked at.
func (w *world) amPercent() float32 {
	if l := w.leaf().LabelOf(w.label()); l != nil {
		return l.AMPercent
	}
	return w.leaf().AMPercent
}

// terms of every partition; none where the cluster has no labels.
func (w *world) partitions() []PartitionTerms {
	if len(w.parts) < 2 {
		return nil
	}
	here := w.part
	defer w.look(here)
	var out []PartitionTerms
	for i := range w.parts {
		w.look(i)
		p, e := &w.parts[i], &w.eff[w.at]
		t := PartitionTerms{Label: p.label, Nodes: len(p.nodes), Total: p.total, Exclusive: p.exclusive, Access: w.leaf().Accessible(p.label),
			Guaranteed: e.Min, Most: e.Max, Masters: e.AMLimit}
		if t.Access && !e.Max.IsNone() {
			t.LoneUser = w.userLimit(1)
		}
		out = append(out, t)
	}
	return out
}

func (w *world) nodesText() string {
	if l := w.label(); l != "" {
		return "with label " + l
	}
	return "without a label"
}

// foreign says what stands between the queue and the partition looked at.
func (w *world) foreign() (out []string) {
	p, q := &w.parts[w.part], w.leaf()
	switch {
	case p.label == "":
		return nil
	case !q.Accessible(p.label):
		out = append(out, fmt.Sprintf("%s may not use nodes with label %s (accessible-node-labels): what asks for them is refused", q.Path, p.label))
	case w.eff[w.at].Max.IsNone():
		out = append(out, fmt.Sprintf("%s has no capacity of label %s: what asks for it waits for ever", q.Path, p.label))
	}
	if !p.exclusive {
		out = append(out, fmt.Sprintf("label %s is not exclusive: what it leaves idle goes to asks without label, after as many passed-over heartbeats as the cluster has nodes", p.label))
	}
	return out
}
