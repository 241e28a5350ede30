package yarnconf

import (
	"slices"
	"strings"
)

// labels looks at what a queue says of node labels.
func (k *checker) labels(q *Queue) {
	if q.Parent < 0 {
		key := Key(q.Path, "accessible-node-labels")
		if v, set := k.d.Get(key); set && strings.TrimSpace(v) != "*" {
			k.warn("no-effect",
				key, "remove it, or set accessible-node-labels of the queues below", "has no effect: root may use the "+
					"nodes of every label whatever is set (Hadoop 3.4.1 and 3.5.0 log this and go on)")
		}
		return
	}
	for i := range q.Labels {
		l := &q.Labels[i]
		key := LabelKey(q.Path, l.Name, Capacity)
		if l.set && k.d.Value(key) != "" && !q.Accessible(l.Name) {
			k.warn("no-effect", key, "add "+l.Name+" to "+q.Path+".accessible-node-labels or remove it",
				"has no effect but in the sum: %s may not use nodes with label %s", q.Path, l.Name)
		}
	}
	// The list of the queue itself: an inherited one is its parent's.
	if own := Key(q.Path, "accessible-node-labels"); q.Leaf && k.d.Value(own) != "" {
		for _, name := range q.AccessibleLabels {
			if name != "*" && k.d.Value(LabelKey(q.Path, name, Capacity)) == "" {
				k.warn("label-without-capacity", own, setCapacity(q, name),
					"%s may use nodes with label %s and gets none of them: it has no capacity there", q.Path, name)
			}
		}
	}
	for _, name := range strings.Split(q.LabelExpression, "&&") {
		key := Key(q.Path, "default-node-label-expression")
		if name = strings.TrimSpace(name); name != "" && q.Leaf && k.d.Value(key) != "" &&
			k.d.Value(LabelKey(q.Path, name, Capacity)) == "" {
			k.warn("label-without-capacity", key, setCapacity(q, name),
				"applications ask for nodes with label %s and get none: %s has no capacity there", name, q.Path)
		}
	}
}

// setCapacity is the advice to give a queue capacity of a label.
func setCapacity(q *Queue, label string) string {
	return "set " + strings.TrimPrefix(LabelKey(q.Path, label, Capacity), Prefix)
}

// emptyLists: lists that are meant to name no label.
func (k *checker) emptyLists() {
	seen := map[string]bool{}
	for _, p := range k.d.props {
		path, is := strings.CutSuffix(strings.TrimPrefix(p.Name, Prefix), ".accessible-node-labels")
		if _, set := k.d.Get(p.Name); set || !is || seen[p.Name] {
			continue
		}
		seen[p.Name] = true
		i := slices.IndexFunc(k.c.Queues, func(q Queue) bool { return q.Path == path })
		if i > 0 && len(k.c.Queues[i].AccessibleLabels) > 0 { // root has its own rule
			w := Problem{Rule: "empty-value", Severity: Warning, File: p.File, Line: p.Line, Key: p.Name}
			w.Reason, w.Fix = "an empty value is not set: "+path+" may use the labels of its parent",
				"one blank as value for none of them"
			k.problems = append(k.problems, w)
		}
	}
}

// unknownLabels names labels of the file that no node has.
func (k *checker) unknownLabels() {
	for _, name := range k.c.LabelNames() {
		if slices.ContainsFunc(k.groups, func(g NodeGroup) bool { return g.Label == name && g.Nodes > 0 }) {
			continue
		}
		k.warn("unknown-label",
			k.firstOf(name), "", "no node of the cluster has label %s: what asks for it waits for ever", name)
	}
}

// firstOf is the first property of the file that speaks of a label.
func (k *checker) firstOf(label string) string {
	for _, key := range k.d.Keys() {
		if strings.Contains(key, ".accessible-node-labels."+label+".") {
			return key
		}
	}
	for _, key := range k.d.Keys() {
		if (strings.HasSuffix(key, ".accessible-node-labels") || strings.HasSuffix(key, "default-node-label-expression")) &&
			slices.Contains(splitLabels(k.d.Value(key)), label) {
			return key
		}
	}
	return Prefix + "root.accessible-node-labels"
}

// unusedNodes names partitions of the cluster of which no leaf gets anything.
func (k *checker) unusedNodes() {
	eff := k.effectiveOn()
	for _, g := range k.groups {
		if g.Label == "" || g.Nodes == 0 {
			continue
		}
		used, may := false, "may use"
		for i := range k.c.Queues {
			if q := &k.c.Queues[i]; (q.Leaf || q.AutoCreate || q.AutoCreateOld) && q.Accessible(g.Label) {
				used, may = used || !eff[g.Label][i].Max.IsNone(), "has capacity of"
			}
		}
		if used {
			continue
		}
		who := "they stand idle"
		if g.Shared {
			who = "they serve requests without a label only"
		}
		k.warn("unused-nodes",
			Prefix+"root.accessible-node-labels."+g.Label+".capacity", "give a queue accessible-node-labels and a "+
				"capacity of it",
			"no queue %s the nodes with label %s (%d of %d MiB): %s", may, g.Label, g.Nodes, g.Total.Memory, who)
	}
}

// AddVersion adds what a load of another version would refuse, as warnings.
func (r *CheckReport) AddVersion(d *Document, v Version) {
	if IsMR1(d) {
		return
	}
	_, here := evaluate(d, versionOf(d), Resource{})
	_, there := evaluate(d, v, Resource{})
	said := map[string]bool{}
	for _, e := range here {
		said[e.Key] = true
	}
	for _, e := range there {
		if said[e.Key] {
			continue
		}
		p := d.locate(e)
		p.Severity, p.Reason = Warning, "Hadoop "+v.String()+" refuses it: "+p.Reason
		r.Problems = append(r.Problems, p)
	}
	if len(there) == 0 && len(here) > 0 {
		p := d.locate(here[0])
		p.Severity, p.Reason = Warning, "Hadoop "+v.String()+" accepts it"
		r.Problems = append(r.Problems, p)
	}
	sortProblems(r.Problems)
}
