package yarnconf

import (
	"fmt"
	"strings"
)

// What a load of Hadoop 3.3 refuses that one of 3.4 takes, and the other way
// round: no weights, no vectors, no flexible parents; maxima not below capacities;
// sums of 0 only below parents of 0.

// oldForms refuses capacities in forms that 3.3 does not know. It never reads the
// root's own, nor those that the root has of labels.
func (l *loader) oldForms(q *Queue) {
	if !l.rules.NoWeights {
		return
	}
	keys := []string{Key(q.Path, MaximumCapacity)}
	if q.Parent >= 0 {
		keys = append(keys, Key(q.Path, Capacity))
		for _, name := range l.labels[q.Path] {
			keys = append(keys, LabelKey(q.Path, name, Capacity), LabelKey(q.Path, name, MaximumCapacity))
		}
	}
	for _, key := range keys {
		switch v, _ := l.get(key); {
		case strings.HasSuffix(v, "w") && key != keys[0]: // that one is no number either
			l.Fail(key, "Hadoop 3.3 knows no weights: must be a percentage, or like [memory=1024,vcores=1]")
		case isVector(v) && !isAbsolute(v):
			l.Fail(key, "Hadoop 3.3 knows no capacity vectors: must be a percentage, or like [memory=1024,vcores=1]")
		}
	}
}

// oldMaximum refuses maxima whose shares of the cluster are below those of the
// capacities (CSQueueUtils.capacitiesSanityCheck).
func (l *loader) oldMaximum(q *Queue) {
	if !l.rules.MaximumNotBelowMinimum || q.Parent < 0 {
		return
	}
	for _, label := range append([]string{""}, q.labelsByHash()...) {
		if absolute, most := l.share33(q, label); absolute > most {
			l.Fail(LabelKey(q.Path, label, MaximumCapacity),
				fmt.Sprintf("Hadoop 3.3 takes no maximum share of the cluster (%g) below the capacity's (%g)", most, absolute))
		}
	}
}

// share33 is a queue's share of the nodes with a label and its maximum as a load of
// 3.3 computes them.
func (l *loader) share33(q *Queue, label string) (absolute, most float32) {
	s := q.share(label)
	if q.Parent < 0 {
		return 1, max(s.MaxCapacity, 0)
	}
	up, upMost := l.share33(&l.c.Queues[q.Parent], label)
	if s.Capacity > 0 {
		absolute = s.Capacity * up
	}
	if s.MaxCapacity > 0 {
		most = s.MaxCapacity * upMost
	}
	return absolute, most
}

// children33 applies the rules that bind the children of one parent in 3.3
// (ParentQueue.setChildQueues).
func (l *loader) children33(i int) {
	q := &l.c.Queues[i]
	if l.unreadable(q.Children) {
		return
	}
	first := Key(l.c.Queues[q.Children[0]].Path, Capacity)
	var least Resource // without label, of all children
	for _, k := range q.Children {
		ch := &l.c.Queues[k]
		least = least.Add(ch.ConfiguredMin)
		if q.Parent >= 0 && (q.Mode != ch.Mode || q.Capacity != 0 && !ch.ConfiguredMin.IsNone()) {
			l.Fail(first, "parent "+q.Path+" and its children must all use absolute resources, or all percentages")
			return
		}
	}
	for _, label := range append([]string{""}, q.labelsByHash()...) {
		l.childrenOfLabel33(q, label, least.IsNone())
	}
}

func (l *loader) childrenOfLabel33(q *Queue, label string, percentages bool) {
	own, of := q.share(label), ""
	if label != "" {
		of = " for label " + label
	}
	sum := l.c.fractions(q, label)
	if percentages && own.Capacity > 0 && abs32(1-sum) > sumPrecision || own.Capacity == 0 && sum > 0 {
		l.Fail(LabelKey(l.c.Queues[q.Children[0]].Path, label, Capacity),
			fmt.Sprintf("capacities below %s%s sum to %g %%: must be 100, or 0 below a parent of 0", q.Path, of, sum*100))
	}
	l.leastOfChildren(q, label)
}

// userLimits reads minimum-user-limit-percent and user-limit-factor: in 3.3 the
// former is a whole number and neither has a value for all queues (YARN-10928).
func (l *loader) userLimits(q *Queue) {
	limit, factor := float32(100), float32(1)
	if !l.rules.NoGlobalUserLimits {
		limit, factor = l.float(Prefix+MinimumUser, limit), l.float(Prefix+UserFactor, factor)
	}
	if l.rules.WholeUserLimit {
		q.UserLimit = float32(l.Integer(Key(q.Path, MinimumUser), int(limit)))
	} else {
		q.UserLimit = l.float(Key(q.Path, MinimumUser), limit)
	}
	q.UserLimitFactor = l.float(Key(q.Path, UserFactor), factor)
}
