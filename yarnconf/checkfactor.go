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
	have, most := float64(k.eff[i].Absolute), float64(k.eff[i].AbsoluteMaximum)
	show := func(x float64) string { return short(x*100) + " %" }
	if q.Mode == Absolute && !k.measured() { // resources of a cluster of unknown size
		have, most = float64(q.ConfiguredMin.Memory), float64(q.ConfiguredMax.Memory)
		show = func(x float64) string { return fmt.Sprintf("%d MiB", int64(x)) }
		if reach := have * float64(f); most == 0 && have > 0 {
			k.keeps(key, "-1 lifts the limit", "%s keeps a single user at %s however much of the cluster is idle, though the "+
				"queue has no maximum-capacity", short(float64(f)), show(reach))
		}
	}
	if have <= 0 || most <= 0 {
		return
	}
	if reach := have * float64(f); reach < most*0.995 {
		k.keeps(key, fmt.Sprintf("%s lets one user fill the queue up to its maximum%s", ceilTo(most/have), k.orUnlimited()),
			"%s keeps a single user at %s of an idle cluster, though the queue may grow to %s", short(float64(f)), show(reach),
			show(most))
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
