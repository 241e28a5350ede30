package diagnose

import (
	"fmt"
	"slices"
	"strings"

	"schedtune/internal/cli"
	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
	"schedtune/yarnconf/placement"
)

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
		return cli.Usagef("--queue %q: not in %s; must be one of %s", w.q.Queue, w.doc.Name(), leaves(w.c))
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
