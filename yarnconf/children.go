package yarnconf

import (
	"fmt"
	"slices"
	"strings"
)

// kind of the capacities of several queues, as the original derives it.
type kind uint8

const (
	kindPercent kind = iota
	kindWeight
	kindAbsolute
)

// kindOf tells how the capacities of queues are written, without label and with
// those set for parent, and whether they mix forms. Its quirk is kept: an
// absolute queue makes percentages seen before it forgotten, so a percentage
// followed by an absolute sibling is not noticed as a mixture.
func (c *Config) kindOf(parent *Queue, qs []int) (k kind, mixed bool) {
	var percent, weight, absolute bool
	note := func(s *Label) {
		percent = percent || s.Capacity > 0
		weight = weight || s.Weight >= 0
		if s.countsAsAbsolute(c.Version) {
			absolute, percent = true, false
		}
	}
	labels := parent.labelsByHash()
	for _, i := range qs {
		q := &c.Queues[i]
		note(q.share(""))
		for _, name := range labels {
			note(q.share(name))
		}
	}
	mixed = percent && weight || percent && absolute || weight && absolute
	switch {
	case weight || len(qs) == 0:
		return kindWeight, mixed
	case absolute:
		return kindAbsolute, mixed
	}
	return kindPercent, mixed
}

// countsAsAbsolute: until 3.4 an absolute capacity of nothing is none
// (YARN-11641).
func (s *Label) countsAsAbsolute(v Version) bool {
	if v.Rules().AbsoluteAsWritten {
		return s.absoluteAsWritten
	}
	return !s.ConfiguredMin.IsNone()
}

// checkChildren applies the rules that bind the children of one parent.
func (l *loader) checkChildren(i int) {
	q := &l.c.Queues[i]
	if l.unreadable(q.Children) {
		return // nobody knows what they sum to
	}
	children, mixed := l.c.kindOf(q, q.Children)
	own, _ := l.c.kindOf(q, []int{i})
	key := Key(l.c.Queues[q.Children[0]].Path, "capacity")
	if mixed {
		l.Fail(key, "the children of "+q.Path+" mix percentages, weights and absolute resources: must be one form for all"+
			l.orUnits())
		return
	}
	if children == kindAbsolute || own == kindAbsolute {
		l.checkAbsoluteChildren(q, key, children == own)
	}
	if children == kindPercent {
		l.checkSums(q, own)
	}
}

// orUnits is the switch that lets capacities have units of their own; empty where the version has none.
func (l *loader) orUnits() string {
	if l.rules.NoVectors {
		return ""
	}
	return ", or set " + Prefix + "legacy-queue-mode.enabled to false, which allows that"
}

// unreadable reports whether a capacity of the queues has been rejected.
func (l *loader) unreadable(qs []int) bool {
	return slices.ContainsFunc(l.errs, func(e *PropError) bool {
		return slices.ContainsFunc(qs, func(i int) bool { return e.Key == Key(l.c.Queues[i].Path, Capacity) })
	})
}

func (l *loader) checkAbsoluteChildren(q *Queue, key string, same bool) {
	if !same && q.Parent >= 0 {
		l.Fail(key, "parent "+q.Path+" and its children must both use absolute resources, or neither")
		return
	}
	for _, label := range append([]string{""}, q.labelsByHash()...) {
		l.leastOfChildren(q, label)
	}
}

// minima adds up the absolute minima of a queue's children.
func (c *Config) minima(q *Queue, label string) (sum Resource) {
	for _, k := range q.Children {
		sum = sum.Add(c.Queues[k].share(label).ConfiguredMin)
	}
	return sum
}

// fractions adds up the fractions of a queue's children.
func (c *Config) fractions(q *Queue, label string) (sum float32) {
	for _, k := range q.Children {
		sum += c.Queues[k].share(label).Capacity
	}
	return sum
}

// leastOfChildren refuses an absolute minimum below what those of the children add up to.
func (l *loader) leastOfChildren(q *Queue, label string) {
	sum := l.c.minima(q, label)
	if own := q.share(label).ConfiguredMin; !own.IsNone() && l.c.Calculator.Compare(l.partition(label), own, sum) < 0 {
		l.Fail(LabelKey(q.Path, label, Capacity), fmt.Sprintf("less than the sum of its children: must be at least "+
			"[memory=%d,vcores=%d]", sum.Memory, sum.VCores))
	}
}

// checkSums wants percentages to sum to 100, or to 0 where that is allowed, of each label.
func (l *loader) checkSums(q *Queue, own kind) {
	for _, s := range append([]Label{q.Label}, q.Labels...) {
		of := ""
		if s.Name != "" {
			of = " for label " + s.Name
		}
		l.sum(q, own, LabelKey(l.c.Queues[q.Children[0]].Path, s.Name, Capacity), l.c.fractions(q, s.Name), s.Capacity,
			of)
	}
}

func (l *loader) sum(q *Queue, own kind, key string, sum, capacity float32, label string) {
	names := make([]string, len(q.Children))
	for i, c := range q.Children {
		names[i] = l.c.Queues[c].Name
	}
	of := fmt.Sprintf("capacities of %s below %s%s sum to %g %%", strings.Join(names, ", "), q.Path, label, sum*100)
	switch {
	case abs32(1-sum) > sumPrecision && abs32(sum) > sumPrecision:
		l.Fail(key, of+": must be 100 or 0, within 0.05")
	case abs32(1-sum) > sumPrecision:
		if own == kindPercent && abs32(capacity) > sumPrecision && !q.AllowZeroSum {
			or := ", or set allow-zero-capacity-sum"
			if at, v, _ := strings.Cut(key, ".accessible-node-labels."); v != "" {
				v = strings.TrimSuffix(v, Capacity) + "*"
				or += ", or remove accessible-node-labels." + v + " of " + q.Path + " if no node has that label"
			} else if v, _ := l.get(at); isVector(v) {
				or = l.orUnits()
			}
			l.Fail(key, of+" although "+q.Path+" has a capacity: must be 100"+or)
		}
	case own == kindPercent && abs32(capacity) <= 0 && !q.AllowZeroSum:
		l.Fail(key, of+" although "+q.Path+" has capacity 0: must be 0, or set allow-zero-capacity-sum")
	}
}
