package yarnconf

import (
	"maps"
	"slices"
	"strings"
)

// Template is what the leaves of a managed parent begin with.
type Template struct {
	Capacity, MaxCapacity float32 // fractions of the parent's
	Min, Max              Resource
	FailOnExceeding       bool               // no leaf beyond the parent's capacity
	labelMax              map[string]float32 // maximum by label that it has settings for
}

// TemplateOfPercent reports whether a managed parent has absolute resources and its template none: from 3.4 on
// its leaves come to no capacity.
func (q *Queue) TemplateOfPercent() bool {
	return q.Template != nil && q.Mode == Absolute && q.Template.Min.IsNone()
}

// UnentitledMaximum is the maximum that a refresh leaves a managed leaf of this parent until
// the policy gives it capacity. Kept from the original: that of each of the parent's labels is
// written over the one without label, so that the last in the order of its hash table stands;
// it is 0 where the template says nothing of that label (AbstractCSQueue.setMaxCapacity).
func (q *Queue) UnentitledMaximum(without float32) float32 {
	names := q.labelsByHash()
	if len(names) == 0 {
		return without
	}
	return q.Template.labelMax[names[len(names)-1]]
}

// begins are the settings that a queue made below a parent has from templates, by name: of a managed
// parent those of its template for leaves; of a flexible one those of its own templates, then those
// of paths with the last parts replaced by wildcards, templates for leaves or parents before those
// for all queues.
func (c *Config) begins(up *Queue, leaf, managed bool) (out []Change) {
	paths, kinds := templatePaths(up), []string{v2 + "parent-template.", v2 + "template."}
	switch {
	case managed:
		paths, kinds = []string{up.Path}, []string{leafTmpl + "."}
	case leaf:
		kinds[0] = v2 + "leaf-template."
	}
	values := map[string]string{}
	keys := c.props.Keys()
	for _, kind := range kinds {
		for _, above := range paths {
			for _, k := range keys {
				if name, ok := strings.CutPrefix(k, Key(above, kind)); ok {
					v, _ := c.props.Get(k)
					putNew(values, name, v)
				}
			}
		}
	}
	if leaf && !managed {
		putNew(values, UserFactor, "-1")
		putNew(values, AMShare, "1.0")
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		out = append(out, Change{Key: name, Value: values[name]})
	}
	return out
}

func putNew(m map[string]string, k, v string) {
	if _, ok := m[k]; !ok {
		m[k] = v
	}
}

// Unentitled takes the capacity of a managed leaf away, as a refresh does before
// the policy of its parent hands capacities out. Kept from the original: the
// policy gives none of the vector back.
func (q *Queue) Unentitled(most float32) {
	q.Capacity, q.MaxCapacity = 0, most
	q.Vector, q.MaxVector = uniform(0, Percent), uniform(float64(most*100), Percent)
}

// labelsOfMade lists the labels of which a dynamic queue has settings: those that its
// parent's template for all queues, or a managed parent's for its leaves, speaks of, whichever
// template their values come from; else those that the file sets for the queue itself
// (AbstractCSQueue.parseAndSetDynamicTemplates).
func (c *Config) labelsOfMade(q *Queue) []string {
	template := c.Queues[q.Parent].Path + "." + v2 + "template"
	if q.Managed {
		template = c.Queues[q.Parent].Path + "." + leafTmpl
	}
	all := labelKeys(c.props)
	if labels := all[template]; len(labels) > 0 {
		return labels
	}
	return all[q.Path]
}
