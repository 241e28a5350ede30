package yarnconf

import (
	"fmt"
	"strings"
)

// What a load of Hadoop 3.3 refuses that one of 3.4 takes, and the other way
// round: no weights, no vectors, no flexible parents; maxima not below capacities;
// sums of 0 only below parents of 0.

// oldForms refuses capacities in forms that 3.3 does not know.
func (l *loader) oldForms(q *Queue, key, v string) {
	if q.Parent < 0 || !l.rules.NoWeights {
		return
	}
	if strings.HasSuffix(v, "w") {
		l.fail(key, "Hadoop 3.3 knows no weights", "a percentage, or [memory=1024,vcores=1]")
	} else if isVector(v) && !isAbsolute(v) {
		l.fail(key, "Hadoop 3.3 knows no capacity vectors", "a percentage, or [memory=1024,vcores=1]")
	}
}

// oldMaximum refuses a maximum whose share of the cluster is below that of the
// capacity.
func (l *loader) oldMaximum(q *Queue) {
	if !l.rules.MaximumNotBelowMinimum || q.Parent < 0 {
		return
	}
	absolute, most := l.share33(q)
	if absolute > most {
		l.fail(l.key(q.Path, MaximumCapacity), fmt.Sprintf("Hadoop 3.3 takes no maximum share of the cluster (%g) below the capacity's (%g)", most, absolute), "at least the capacity")
	}
}

// share33 is a queue's share of the cluster and its maximum as a load of 3.3
// computes them.
func (l *loader) share33(q *Queue) (absolute, most float32) {
	if q.Parent < 0 {
		return 1, max(q.MaxCapacity, 0)
	}
	up, upMost := l.share33(&l.c.Queues[q.Parent])
	if q.Capacity > 0 {
		absolute = q.Capacity * up
	}
	if q.MaxCapacity > 0 {
		most = q.MaxCapacity * upMost
	}
	return absolute, most
}

// children33 applies the rules that bind the children of one parent in 3.3.
func (l *loader) children33(i int) {
	q := &l.c.Queues[i]
	if l.unreadable(q.Children) {
		return
	}
	key := l.key(l.c.Queues[q.Children[0]].Path, Capacity)
	var sum float32
	var least Resource
	for _, k := range q.Children {
		ch := &l.c.Queues[k]
		sum += ch.Capacity
		least = least.Add(ch.ConfiguredMin)
		if q.Parent >= 0 && (q.Mode != ch.Mode || q.Capacity != 0 && !ch.ConfiguredMin.IsNone()) {
			l.fail(key, "parent "+q.Path+" and its children must both use absolute resources or percentages", "one form for all")
			return
		}
	}
	if least.IsNone() && q.Capacity > 0 && abs32(1-sum) > sumPrecision || q.Capacity == 0 && sum > 0 {
		l.fail(key, fmt.Sprintf("capacities below %s sum to %g %%", q.Path, sum*100), "a sum of 100, or of 0 below a parent of 0")
	}
	if !q.ConfiguredMin.IsNone() && l.c.Calculator.Compare(l.cluster, q.ConfiguredMin, least) < 0 {
		l.fail(l.key(q.Path, Capacity), "less than the sum of its children", fmt.Sprintf("at least [memory=%d,vcores=%d]", least.Memory, least.VCores))
	}
}

// userLimits reads minimum-user-limit-percent and user-limit-factor: in 3.3 the
// former is a whole number and neither has a value for all queues (YARN-10928).
func (l *loader) userLimits(q *Queue) {
	limit, factor := float32(100), float32(1)
	if !l.rules.NoGlobalUserLimits {
		limit, factor = l.float(Prefix+MinimumUser, limit), l.float(Prefix+UserFactor, factor)
	}
	if l.rules.WholeUserLimit {
		q.UserLimit = float32(l.integer(l.key(q.Path, MinimumUser), int(limit)))
	} else {
		q.UserLimit = l.float(l.key(q.Path, MinimumUser), limit)
	}
	q.UserLimitFactor = l.float(l.key(q.Path, UserFactor), factor)
}
