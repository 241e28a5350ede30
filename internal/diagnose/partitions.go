package diagnose

import (
	"fmt"
	"slices"
	"strings"

	"schedtune/internal/cli"
	"schedtune/simcore"
	"schedtune/yarnconf"
)

// unlabelled asks for the nodes without label, whatever the queue's
// default-node-label-expression is.
const unlabelled = "none"

// PartitionTerms are the limits of a queue on the nodes with one label.
type PartitionTerms struct {
	Label      string `json:"label"` // "" for nodes without one
	Nodes      int    `json:"nodes"`
	Memory     int64  `json:"memory_mib"`
	Shared     bool   `json:"shared"`
	Access     bool   `json:"access"`
	Guaranteed int64  `json:"guaranteed_mib"`
	Maximum    int64  `json:"maximum_mib"`
	LoneUser   int64  `json:"lone_user_mib"` // user limit of a single user
	Masters    int64  `json:"masters_mib"`
}

// enter looks at the partition of a label; "" is the label that applications of the queue
// ask for by default.
func (w *world) enter(label string) error {
	labels := w.s.Labels()
	switch label {
	case "":
		if own := w.leaf().LabelExpression; slices.Contains(labels, own) {
			label = own
		}
	case unlabelled:
		label = ""
	}
	i := slices.Index(labels, label)
	if i < 0 {
		labels[0] = unlabelled
		return cli.Usagef("--label %q: no node has it; must be one of %s", label, strings.Join(labels, ", "))
	}
	own := labels[i]
	if w.amLabel = own; len(labels) > 1 && w.c.MasterLabel != "" {
		w.amLabel = w.c.MasterLabel
	}
	if w.amPart = slices.Index(labels, w.amLabel); w.amPart < 0 {
		return fmt.Errorf("node label %q of application masters (node-labels.am.default-node-label-expression): no node has "+
			"it, and every submission is refused", w.amLabel)
	}
	w.look(w.amPart)
	w.amNodes, w.amTotal = w.nodes, w.total
	w.look(i)
	return nil
}

// look makes partition i the one whose figures are given.
func (w *world) look(i int) {
	w.part, w.label = i, w.s.Labels()[i]
	w.nodes, w.total = nil, yarnconf.Resource{}
	for _, n := range w.q.Cluster.Nodes {
		if r := capacityOf(&n); n.Label == w.label {
			w.nodes, w.total = append(w.nodes, n), w.total.Add(r)
		}
	}
}

func capacityOf(n *simcore.Node) yarnconf.Resource {
	return yarnconf.Resource{Memory: n.Capacity[simcore.Memory], VCores: n.Capacity[simcore.VCores]}
}

// exclusive reports whether idle nodes with the label are kept from requests without it.
func (w *world) exclusive() bool {
	ls := w.q.Cluster.Labels
	i := slices.IndexFunc(ls, func(l simcore.NodeLabel) bool { return l.Name == w.label })
	return w.label != "" && (i < 0 || ls[i].Exclusive)
}

// partitions returns the limits by node label; none where no node has one.
func (w *world) partitions() (out []PartitionTerms) {
	labels := w.s.Labels()
	if len(labels) < 2 {
		return nil
	}
	defer w.look(w.part)
	for i := range labels {
		w.look(i)
		f := w.figures(w.at)
		t := PartitionTerms{w.label, len(w.nodes), w.total.Memory, w.label != "" && !w.exclusive(), f.Accessible, f.Min.Memory,
			f.Max.Memory, 0, f.AMLimit.Memory}
		if t.Access && !f.Max.IsNone() {
			t.LoneUser = w.user().Alone.Memory
		}
		out = append(out, t)
	}
	return out
}

func (w *world) nodesText() string {
	if w.label != "" {
		return "with label " + w.label
	}
	return "without a label"
}

// foreign lists what stands between the queue and the partition.
func (w *world) foreign() (out []string) {
	if w.label == "" {
		return nil
	}
	path, f := w.leaf().Path, w.figures(w.at)
	switch {
	case !f.Accessible:
		out = append(out, fmt.Sprintf("%s may not use nodes with label %s (accessible-node-labels): requests for them are "+
			"refused", path, w.label))
	case f.Max.IsNone():
		out = append(out, fmt.Sprintf("%s has no capacity of label %s: requests for it stay pending for ever", path, w.label))
	}
	if !w.exclusive() {
		out = append(out, fmt.Sprintf("label %s is not exclusive: its idle resources go to requests without label, after "+
			"as many missed opportunities as the cluster has nodes", w.label))
	}
	return out
}
