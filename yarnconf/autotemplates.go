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

// fromTemplates sets the properties of a queue below a flexible parent. What the
// file says of the queue itself goes before templates, but not before a leaf's
// unlimited user-limit-factor and share of application masters.
func (c *Config) fromTemplates(up *Queue, path string, leaf bool) {
	all, special := c.templates(up, leaf)
	own := Prefix + path + "."
	if leaf {
		c.set(own+UserFactor, "-1")
		c.set(own+AMShare, "1.0")
	}
	for _, from := range []map[string]string{special, all} {
		for _, k := range slices.Sorted(maps.Keys(from)) {
			_, written := c.props.Get(own + k)
			if _, before := special[k]; !written && (!before || from[k] == special[k]) {
				c.set(own+k, from[k])
			}
		}
	}
}

// templates collects the templates that count below a parent: its own first,
// then those of paths with the last parts replaced by wildcards.
func (c *Config) templates(up *Queue, leaf bool) (all, special map[string]string) {
	all, special = map[string]string{}, map[string]string{}
	kind := v2 + "parent-template."
	if leaf {
		kind = v2 + "leaf-template."
	}
	for _, above := range templatePaths(up) {
		prefix := Key(above, "")
		for _, k := range c.props.Keys() {
			rest, ok := strings.CutPrefix(k, prefix)
			if !ok {
				continue
			}
			v, _ := c.props.Get(k)
			if name, ok := strings.CutPrefix(rest, v2+"template."); ok {
				putNew(all, name, v)
			} else if name, ok := strings.CutPrefix(rest, kind); ok {
				putNew(special, name, v)
			}
		}
	}
	return all, special
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

// fromLeafTemplate sets a managed leaf's properties to those of the template.
func (c *Config) fromLeafTemplate(up *Queue, name string) {
	prefix := Prefix + up.Path + "." + leafTmpl + "."
	for _, k := range c.props.Keys() {
		if rest, ok := strings.CutPrefix(k, prefix); ok {
			v, _ := c.props.Get(k)
			c.set(Prefix+up.Path+"."+name+"."+rest, v)
		}
	}
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
