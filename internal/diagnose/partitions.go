package diagnose

import (
	"fmt"
	"slices"
	"strings"

	"schedtune/internal/scenario"
	"schedtune/simcore"
	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
	"schedtune/yarnconf/placement"
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
		return &scenario.FlagError{Flag: "--label",
			Err: fmt.Errorf("node label %q: no node has it; must be one of %s", label, strings.Join(labels, ", "))}
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
		if r := resourceOf(n.Capacity); n.Label == w.label {
			w.nodes, w.total = append(w.nodes, n), w.total.Add(r)
		}
	}
}

func resourceOf(v simcore.Vec) yarnconf.Resource {
	return yarnconf.Resource{Memory: v[simcore.Memory], VCores: v[simcore.VCores]}
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
		if len(w.nodes) == 0 {
			out = append(out, fmt.Sprintf("every node has a label: requests without one stay pending for ever "+
				"(%s.default-node-label-expression gives them one)", w.leaf().Path))
		}
		return out
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

// find finds the queue: the one asked for, or the one that the placement rules of the file
// choose for the user. A dynamic queue is made as by a submission.
func (w *world) find() error {
	if w.at = w.c.Find(w.q.Queue); w.at >= 0 {
		return nil
	}
	rules := w.q.Queue == ""
	if rules && w.c.Placement.Len() == 0 { // YARN's client asks for this queue where none is named
		if w.at = w.c.Find("default"); w.at >= 0 {
			return nil
		}
		return fmt.Errorf("an application that names no queue is refused: %s has no queue default and no placement rules; "+
			"name one with --queue (%s)", w.doc.Name(), leaves(w.c))
	}
	if !rules && len(w.c.MakesQueues()) == 0 {
		return &scenario.FlagError{Flag: "--queue", Err: fmt.Errorf("queue %q: not in %s; must be one of %s", w.q.Queue,
			w.doc.Name(), leaves(w.c))}
	}
	groups := w.q.Groups
	if len(groups) == 0 {
		groups = []string{w.q.User}
	}
	if rules {
		w.placed = w.c.Placement.Trace(w.c.Tree(), placement.App{Name: w.q.App, User: w.q.User, Groups: groups})
	}
	// A queue that is named is treated as if a rule had chosen it.
	path, err := w.s.Destination(yarn.AppSpec{Name: w.q.App, User: w.q.User, Queue: w.q.Queue, ByRules: rules,
		Groups: groups})
	if err != nil {
		return fmt.Errorf("user %s: %w%s", w.q.User, err, w.trail())
	}
	w.at = w.c.Find(path)
	return nil
}

// trail is what each rule said, for an error.
func (w *world) trail() string {
	var parts []string
	for _, p := range w.placed {
		parts = append(parts, stepText(p))
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, "; ") + ")"
}

// stepText says what a rule came to.
func stepText(p placement.Step) string {
	s := fmt.Sprintf("rule %d, %s: %s", p.Rule, p.Text, p.Effect)
	if p.Path != "" {
		s += " " + p.Path
	}
	if p.Reason != "" {
		s += ": " + p.Reason
	}
	return s
}

// made reports whether the queue is dynamic.
func (w *world) made() bool { return w.leaf().Dynamic || w.leaf().Managed }

// template returns the settings of a new dynamic queue.
func (w *world) template() []yarnconf.Change {
	if !w.made() {
		return nil
	}
	parent := w.c.Queues[w.leaf().Parent].Path
	all := w.c.MakesQueues()
	if i := slices.IndexFunc(all, func(m yarnconf.MadeBelow) bool { return m.Parent == parent }); i >= 0 {
		return all[i].Leaf
	}
	return nil
}

// otherwise returns the default of a setting: dynamic queues below flexible parents have
// their own.
func (w *world) otherwise(all, flexible string) string {
	if w.leaf().Dynamic {
		return flexible
	}
	return all
}

// key returns the property that sets something for a queue in the partition: for a dynamic queue
// that of its template, unless the file names the queue itself.
func (w *world) key(q *yarnconf.Queue, name string) string { return w.labelled(q, w.label, name) }

// labelled is key where a capacity is that of a label.
func (w *world) labelled(q *yarnconf.Queue, label, name string) string {
	if name == yarnconf.MaximumCapacity || name == yarnconf.Capacity {
		name = inPartition(label, name)
	}
	if q.Dynamic && q.Leaf && (name == yarnconf.UserFactor || name == yarnconf.AMShare) { // set before the file is asked
		return w.c.TemplateSetting(q, name)
	}
	return w.c.Setting(q.Path, name)
}

// global returns the property that sets something for all queues; none for a dynamic queue,
// which does not read it, and where the version does not.
func (w *world) global(name string) []string {
	if w.leaf().Dynamic || w.c.Version.Rules().NoGlobalUserLimits && (name == yarnconf.UserFactor ||
		name == yarnconf.MinimumUser) {
		return nil
	}
	return []string{yarnconf.Prefix + name}
}
