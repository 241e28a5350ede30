package yarnconf

import (
	"fmt"
	"strings"

	"schedtune/internal/text"
)

// factor: what a single user can get of an otherwise idle cluster.
func (k *checker) factor(i int) {
	q := &k.c.Queues[i]
	if !q.Leaf || !k.sound[i] || k.anyWrong(q, UserFactor) {
		return
	}
	key := Key(q.Path, UserFactor)
	if k.d.Value(key) == "" && k.d.Value(Prefix+UserFactor) != "" && !k.c.Version.Rules().NoGlobalUserLimits {
		key = Prefix + UserFactor
	}
	f := q.UserLimitFactor
	switch {
	case f == -1:
		return
	case f <= 0:
		k.warn("no-resources", key, "", "%g gives users nothing: must be above 0, or -1 for no limit", f)
		return
	}
	if q.Mode == Absolute && !k.measured() {
		k.factorOfResources(q, key)
		return
	}
	absolute, most := k.eff[i].Absolute, k.eff[i].AbsoluteMaximum
	if absolute <= 0 || most <= 0 {
		return
	}
	if reach := absolute * f; float64(reach) < float64(most)*0.995 {
		k.keeps(key, fmt.Sprintf("%s lets one user fill the queue up to its maximum%s",
			ceilTo(float64(most/absolute)), k.orUnlimited()),
			"%s keeps a single user at %s %% of an idle cluster, though the queue may grow to %s %%", short(float64(f)),
			percent(reach), percent(most))
	}
}

// factorOfResources is factor for a queue of absolute resources on a cluster of unknown size.
func (k *checker) factorOfResources(q *Queue, key string) {
	f, have, most := q.UserLimitFactor, q.ConfiguredMin.Memory, q.ConfiguredMax.Memory
	if have <= 0 {
		return
	}
	reach := int64(float64(have) * float64(f))
	switch {
	case most == 0:
		k.keeps(key, "-1 lifts the limit",
			"%s keeps a single user at %d MiB however much of the cluster is idle, though the "+
				"queue has no maximum-capacity", short(float64(f)), reach)
	case float64(reach) < float64(most)*0.995:
		k.keeps(key, fmt.Sprintf("%s lets one user fill the queue up to its maximum%s",
			ceilTo(float64(most)/float64(have)), k.orUnlimited()),
			"%s keeps a single user at %d MiB of an idle cluster, though the queue may grow to %d MiB", short(float64(f)), reach,
			most)
	}
}

// orUnlimited adds the value that lifts the limit, where the version has one.
func (k *checker) orUnlimited() string {
	if k.c.Version.Rules().NoUnlimitedFactor {
		return ""
	}
	return ", -1 lifts the limit"
}

// keeps warns of a user-limit-factor. Of all queues without one only the first is named.
func (k *checker) keeps(key, fix, format string, args ...any) {
	if k.d.Value(key) != "" {
		k.warn("single-user", key, fix, format, args...)
		return
	}
	if k.unset++; k.unset == 1 {
		k.first = len(k.problems)
		k.warn("single-user", key, fix, "not set, and "+format, args...)
		return
	}
	p := &k.problems[k.first]
	p.Reason, _, _ = strings.Cut(p.Reason, "; the same holds")
	p.Reason += fmt.Sprintf("; the same holds for %s", text.Count(k.unset-1, "more queue"))
}
