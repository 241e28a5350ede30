package yarnconf

import (
	"slices"
	"strings"

	"schedtune/internal/java"
)

// labelKeys finds the labels for which a queue has settings of its own:
// <queue>.accessible-node-labels.<label>.….
// The root has those of all queues.
func labelKeys(p Props) map[string][]string {
	m := map[string][]string{}
	for _, k := range p.Keys() {
		s, ok := strings.CutPrefix(k, Prefix)
		if !ok {
			continue
		}
		path, rest, ok := strings.Cut(s, ".accessible-node-labels.")
		if !ok {
			continue
		}
		if label, _, ok := strings.Cut(rest, "."); ok && label != "" {
			for _, path := range []string{path, "root"} {
				if !slices.Contains(m[path], label) {
					m[path] = append(m[path], label)
				}
			}
		}
	}
	for _, ls := range m {
		slices.Sort(ls)
	}
	return m
}

// accessible reads which labels a queue may use; left out, its parent's. A
// child's labels must be a subset of its parent's.
func (l *loader) accessible(q, up *Queue) {
	key := Key(q.Path, "accessible-node-labels")
	v, ok := l.get(key)
	switch {
	case up == nil:
		q.AccessibleLabels = []string{"*"}
	case !ok:
		q.AccessibleLabels = up.AccessibleLabels
	default:
		q.AccessibleLabels = splitLabels(v)
		l.checkLabels(key, q, up)
	}
	v, ok = l.get(Key(q.Path, "default-node-label-expression"))
	q.LabelExpression = strings.TrimSpace(v)
	if !ok && up != nil && containsAll(q.AccessibleLabels, up.AccessibleLabels) {
		q.LabelExpression = up.LabelExpression
	}
}

func splitLabels(v string) []string {
	ls := splitNames(v)
	slices.Sort(ls)
	ls = slices.Compact(ls)
	if slices.Contains(ls, "*") {
		return []string{"*"}
	}
	return ls
}

func (l *loader) checkLabels(key string, q, up *Queue) {
	if slices.Contains(up.AccessibleLabels, "*") || containsAll(up.AccessibleLabels, q.AccessibleLabels) {
		return
	}
	l.Fail(key, "labels of "+q.Path+" must be a subset of its parent's: "+strings.Join(up.AccessibleLabels, ", "))
}

func containsAll(set, of []string) bool {
	for _, s := range of {
		if !slices.Contains(set, s) {
			return false
		}
	}
	return true
}

func (l *loader) checkLabelExpression(q *Queue) {
	if q.LabelExpression == "" || slices.Contains(q.AccessibleLabels, "*") {
		return
	}
	for _, s := range strings.Split(q.LabelExpression, "&&") {
		if s = strings.TrimSpace(s); s != "" && !slices.Contains(q.AccessibleLabels, s) {
			l.Fail(Key(q.Path, "default-node-label-expression"),
				"label "+s+" is not accessible to "+q.Path+": must be one of "+strings.Join(q.AccessibleLabels, ", "))
		}
	}
}

// labelled reads the capacities of each label.
func (l *loader) labelled(q *Queue) {
	for _, name := range l.labels[q.Path] {
		lb := Label{Name: name, set: true}
		key := LabelKey(q.Path, name, Capacity)
		l.amounts(q, &lb)
		lb.Capacity = l.labelCapacity(q, key, 0)
		lb.MaxCapacity = l.labelCapacity(q, LabelKey(q.Path, name, MaximumCapacity), 100)
		lb.AMPercent = l.float(LabelKey(q.Path, name, AMShare), l.float(Key(q.Path, AMShare),
			l.float(Prefix+AMShare, 0.1)))
		l.limits(q, &lb)
		if l.c.LegacyMode && q.Parent >= 0 && (q.Mode == Absolute) != lb.absoluteAsWritten {
			l.Fail(key, "mixes percentage and absolute resource: the capacities of a queue must have one form for all labels")
		}
		q.Labels = append(q.Labels, lb)
	}
}

func (l *loader) labelCapacity(q *Queue, key string, def float32) float32 {
	v, ok := l.get(key)
	switch {
	case q.Parent < 0:
		return 1
	case !ok || isAbsolute(v) || isVector(v) || strings.HasSuffix(v, "w"):
		return def / 100
	}
	return l.percent(key, v) / 100
}

// labelsByHash lists the labels with settings in the order of the original's
// hash table; "", which comes first there, is left out.
func (q *Queue) labelsByHash() []string {
	if len(q.Labels) == 0 {
		return nil
	}
	names := make([]string, 1, len(q.Labels)+1)
	for _, l := range q.Labels {
		names = append(names, l.Name)
	}
	java.HashSortBy(names, func(s string) string { return s })
	return names[1:]
}

// masterLabels reads where application masters may run: settings of
// yarn-site.xml. EMR has the default under a name of its own.
func (r *Reader) masterLabels(c *Config) {
	const key = "yarn.resourcemanager.node-labels.am."
	c.MasterLabel = strings.TrimSpace(r.str("yarn.node-labels.am.default-node-label-expression", ""))
	if !r.rules.PlainMasters {
		c.SharedForMasters = r.Boolean(key+"allow-non-exclusive-allocation", false)
		c.MasterLabel = strings.TrimSpace(r.str(key+"default-node-label-expression", c.MasterLabel))
	}
	if r.Boolean("yarn.node-labels.enabled", false) {
		// Blanks count here: the original does not trim them.
		c.EnforcedPartitions = strings.FieldsFunc(r.str("yarn.node-labels.exclusive-enforced-partitions", ""),
			func(c rune) bool { return c == ',' })
	}
}

// EnforcedLabel is the label that an ask with this one comes to, of an application
// submitted with a label or with "" (SchedulerUtils.enforcePartitionExclusivity, YARN-9730).
func (c *Config) EnforcedLabel(app, ask string) string {
	if slices.Contains(c.EnforcedPartitions, app) || slices.Contains(c.EnforcedPartitions, ask) {
		return app
	}
	return ask
}

// splitNames splits a list at its commas; blanks are trimmed, empty items dropped.
func splitNames(v string) []string {
	var names []string
	for _, s := range strings.Split(v, ",") {
		if s = strings.TrimSpace(s); s != "" {
			names = append(names, s)
		}
	}
	return names
}
