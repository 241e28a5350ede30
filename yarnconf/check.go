package yarnconf

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// CheckReport is what Check found.
type CheckReport struct {
	Problems []Problem // errors and warnings, ordered by file and line
	Restart  []Restart // settings of the file that a refresh does not bring in
}

// Restart is a setting that counts only after more than a refresh.
type Restart struct {
	File string      // that sets it
	Line int         // from 1
	Key  string      // full name
	Kind RefreshKind // what it needs
	Why  string      // one line
}

// Count returns the number of problems of a severity.
func (r CheckReport) Count(s Severity) int {
	n := 0
	for _, p := range r.Problems {
		if p.Severity == s {
			n++
		}
	}
	return n
}

// Check finds what a load or refresh of the file would reject, what it would
// accept but an administrator would regret, and which of its settings need
// more than a refresh.
func Check(d *Document) CheckReport { return check(d, nil) }

func check(d *Document, groups []NodeGroup) CheckReport {
	k := &checker{d: d, groups: groups}
	k.problems = append(k.problems, d.Warnings()...)
	k.problems = append(k.problems, d.Validate()...)
	if !IsMR1(d) {
		r := newReader(d, versionOf(d))
		c, errs := r.evaluate(versionOf(d), Resource{}), r.errs
		k.c = c
		k.names()
		k.globals()
		k.figures(errs)
		for i := range c.Queues {
			k.queue(i)
			k.managed(&c.Queues[i])
		}
		k.shortNames()
		k.placement(errs)
		k.odd(r.odd)
		k.masters()
		if len(errs) == 0 && k.measured() {
			k.onCluster()
		}
	}
	sortProblems(k.problems)
	return CheckReport{Problems: k.problems, Restart: k.restarts()}
}

type checker struct {
	d        *Document
	c        *Config
	groups   []NodeGroup     // of the cluster, nil where it is not known
	eff      []Effective     // of the nodes without label; nil where they hang on a cluster that is not known
	wrong    map[string]bool // keys that a load rejects
	sound    []bool          // by queue: its effective figures mean something
	problems []Problem

	unset  int  // leaves whose user-limit-factor is not set and keeps a single user below their maximum
	first  int  // index in problems of what is said of the first of them
	noACLs bool // it was said that permissions are not looked at
}

// warn records a warning of a rule at a property's place.
func (k *checker) warn(rule, key, fix, format string, args ...any) {
	p := k.d.locate(&PropError{Key: key, Value: k.d.Value(key)})
	p.Rule, p.Severity, p.Reason, p.Fix = rule, Warning, fmt.Sprintf(format, args...), fix
	k.problems = append(k.problems, p)
}

func (k *checker) restarts() []Restart {
	var out []Restart
	for _, key := range k.d.ownKeys() {
		kind, why := RefreshKindOf(key)
		if kind == NeedsRestart || kind == OtherCommand || kind == PerJob {
			p, _ := k.d.Lookup(key)
			out = append(out, Restart{p.File, p.Line, key, kind, why})
		}
	}
	slices.SortStableFunc(out, func(a, b Restart) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	return out
}

// globals looks at the settings of the scheduler as a whole.
func (k *checker) globals() {
	d := k.d
	if v, ok := k.number(OffSwitchLimit); ok && v < 1 {
		k.warn("out-of-range", OffSwitchLimit, "", "%g is taken as 1: must be 1 or more", v)
	}
	if v, ok := k.number(AssignLimit); ok && v == -1 {
		k.warn("endless-assignment",
			AssignLimit, "100 is the default", "-1 can hang the ResourceManager: a container that its commit refuses "+
				"is tried again without end")
	}
	k.amShare(Prefix + AMShare)
	k.userLimit(Prefix + MinimumUser)
	if d.Value(Prefix+"per-node-heartbeat.multiple-assignments-enabled") == "false" && d.Value(AssignLimit) != "" {
		k.warn("no-effect", AssignLimit, "switch multiple assignments on or remove the limit",
			"has no effect: multiple-assignments-enabled is false")
	}
	if k.c.Asynchronous {
		for _, key := range []string{AssignLimit, OffSwitchLimit} {
			if d.Value(key) != "" {
				k.warn("no-effect",
					key, "remove it or switch asynchronous scheduling off", "has no effect: schedule-asynchronously.enable "+
						"is true")
			}
		}
	}
	if v, ok := k.number(Prefix + "node-locality-delay"); ok && v < -1 {
		k.warn("out-of-range",
			LocalityDelay, "", "%g reads as no delay: must be between -1 (no delay) and the number of nodes", v)
	}
}

func (k *checker) number(key string) (float64, bool) {
	x, err := strconv.ParseFloat(k.d.Value(key), 64)
	return x, err == nil
}

// amShare: a fraction, often taken for a percentage.
func (k *checker) amShare(key string) {
	v, ok := k.number(key)
	switch {
	case !ok:
	case v > 1 || v < 0:
		fix := ""
		if v > 1 && v <= 100 {
			fix = fmt.Sprintf("%g %% is written %g", v, v/100)
		}
		k.warn("out-of-range", key, "", "%g is taken as a fraction: must be between 0 and 1", v)
		k.problems[len(k.problems)-1].Fix = fix
	case v == 0:
		k.warn("one-application", key, "0.1 is the default", "0 lets a queue run one application at a time")
	}
}

func (k *checker) userLimit(key string) {
	v, ok := k.number(key)
	switch {
	case !ok:
	case v <= 0:
		k.warn("no-applications",
			key, "", "%g allows a user no application, and every submission is refused: must be above 0, at most 100", v)
	case v > 100:
		k.warn("out-of-range", key, "", "%g: must be above 0, at most 100", v)
	case v < 1:
		k.warn("percentage",
			key, fmt.Sprintf("%g %% is written %g", v*100, v*100), "%g is taken as a percentage, a part of one percent", v)
	}
}

// queue looks at one queue's own settings.
func (k *checker) queue(i int) {
	q := &k.c.Queues[i]
	k.maximum(q)
	k.amShare(Key(q.Path, AMShare))
	k.userLimit(Key(q.Path, MinimumUser))
	k.factor(i)
	k.priority(q)
	k.zeroCapacity(i)
	k.applications(i)
	if v := Key(q.Path, "ordering-policy.fair.enable-size-based-weight"); q.Leaf && q.SizeBasedWeight &&
		q.AppOrder != Fair {
		k.warn("no-effect", v, "set ordering-policy to fair", "has no effect: the ordering policy is %s", q.AppOrder)
	}
	if v := Key(q.Path, "ordering-policy.exclusive-enforced-partitions"); q.Leaf && k.d.Value(v) != "" &&
		q.AppOrder != FIFOPartitions {
		k.warn("no-effect",
			v, "set ordering-policy to fifo-with-partitions", "has no effect: the ordering policy is %s", q.AppOrder)
	}
	if v, ok := k.number(Key(q.Path, "max-parallel-apps")); ok && v <= 0 {
		k.warn("no-applications",
			Key(q.Path, "max-parallel-apps"), "", "%g lets no application run: must be 1 or more", v)
	}
	k.sum(i)
	k.labels(q)
	k.acls(q)
}

// maximum: 3.4 does not check the range of an unlabelled maximum-capacity.
func (k *checker) maximum(q *Queue) {
	key := Key(q.Path, MaximumCapacity)
	v, ok := k.number(key)
	if !ok || q.Mode == Absolute {
		return
	}
	switch {
	case v > 100:
		k.warn("out-of-range", key, "", "%g: must be between the capacity and 100", v)
	case v < 0 && v != -1:
		k.warn("out-of-range", key, "", "%g: must be between the capacity and 100, or -1 for 100", v)
	}
}

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
	case f < 0:
		k.warn("no-resources", key, "", "%g gives users nothing: must be 0 or more, or -1 for no limit", f)
		return
	case f == 0:
		k.warn("no-resources", key, "", "0 gives users nothing: must be above 0, or -1 for no limit")
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
		k.keeps(key, "-1 lifts the limit", "%s keeps a single user at %d MiB however much of the cluster is idle, though the "+
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

func percent(f float32) string { return short(float64(f) * 100) }

func short(x float64) string {
	return strconv.FormatFloat(math.Round(x*100)/100, 'f', -1, 64)
}

// ceilTo rounds up to two decimals, so that the advice suffices.
func ceilTo(x float64) string {
	return strconv.FormatFloat(math.Ceil(x*100-1e-4)/100, 'f', -1, 64)
}

func (k *checker) priority(q *Queue) {
	if most := k.c.MaxAppPriority; q.DefaultPriority > most && k.site() {
		k.warn("out-of-range",
			Key(q.Path, DefaultPriority), fmt.Sprintf("set %s in yarn-site.xml to %d or more", maxPriority,
				q.DefaultPriority), "%d is taken as %d, the most that %s allows", q.DefaultPriority, most, maxPriority)
	}
	if q.Priority == 0 || q.Parent < 0 {
		return
	}
	up := k.c.Queues[q.Parent]
	if up.Order != PriorityUtilization {
		k.warn("no-effect", Key(q.Path, "priority"), "set "+up.Path+".ordering-policy to priority-utilization",
			"%d has no effect: the ordering policy of %s is %s", q.Priority, up.Path, up.Order)
	}
}

// site reports whether settings of yarn-site.xml are there.
func (k *checker) site() bool {
	return slices.ContainsFunc(k.d.Keys(), func(key string) bool { return !strings.HasPrefix(key, Prefix) })
}

func (k *checker) zeroCapacity(i int) {
	q := &k.c.Queues[i]
	if v := q.Vector; v.Set && (v.Memory.Value > 0 || v.VCores.Value > 0) {
		return // a capacity with a unit for each resource
	}
	if q.Leaf && q.Mode == Percentage && q.Parent >= 0 && q.Capacity == 0 && q.MaxCapacity > 0 && k.sound[i] &&
		k.c.Queues[q.Parent].Capacity > 0 {
		k.warn("no-guarantee",
			Key(q.Path, Capacity), "give it a share", "0 guarantees nothing: the queue gets what all its siblings leave")
	}
}

// applications: a small share of maximum-applications can round to none.
func (k *checker) applications(i int) {
	q := &k.c.Queues[i]
	if q.State != Running || !q.Leaf || !k.sound[i] || k.anyWrong(q, MinimumUser, UserFactor, "maximum-applications") || q.UserLimit <= 0 ||
		q.UserLimitFactor <= 0 && q.UserLimitFactor != -1 {
		return // the cause has been named
	}
	if q.Mode == Absolute && q.MaxApplications < 0 && !k.measured() {
		return // its share of a cluster that is not known
	}
	e := k.eff[i]
	key := Key(q.Path, "maximum-applications")
	switch {
	case e.MaxApplications <= 0:
		k.warn("no-applications",
			key, "", "the queue admits %d applications, and every submission is refused: must be 1 or more",
			e.MaxApplications)
	case e.MaxApplicationsPerUser <= 0:
		k.warn("no-applications",
			key, "more applications, or a larger minimum-user-limit-percent or user-limit-factor",
			"the queue admits %d applications, but a user none: every submission is refused", e.MaxApplications)
	}
}

// sum: within the tolerance, but not 100.
func (k *checker) sum(i int) {
	q := &k.c.Queues[i]
	if len(q.Children) == 0 || !k.sound[q.Children[0]] {
		return
	}
	sum := 0.0
	for _, c := range q.Children {
		ch := &k.c.Queues[c]
		if ch.Mode != Percentage {
			return
		}
		sum += k.d.number(float64(ch.Capacity)*100, Key(ch.Path, Capacity))
	}
	if off := math.Abs(sum - 100); off > 1e-6 && off < 1 {
		last := k.c.Queues[q.Children[len(q.Children)-1]].Path
		k.warn("inexact-sum",
			Key(last, Capacity), "make it exactly 100", "the children of %s sum to %s, accepted only because it is "+
				"within 0.05 of 100",
			q.Path, strconv.FormatFloat(sum, 'f', -1, 64))
	}
}

// acls: permissions add up along the path, and root's default is everybody.
func (k *checker) acls(q *Queue) {
	if q.Parent < 0 {
		return
	}
	for _, name := range []string{"acl_submit_applications", "acl_administer_queue"} {
		v, ok := k.d.Lookup(Key(q.Path, name))
		if !ok || strings.TrimSpace(v.Value) == "*" {
			continue
		}
		if r := (reader{p: k.d}); k.site() && !r.boolean("yarn.acl.enable", false) {
			if !k.noACLs {
				k.noACLs = true
				k.warn("no-effect",
					Key(q.Path, name), "set yarn.acl.enable to true in yarn-site.xml", "permissions of queues have no effect: "+
						"yarn.acl.enable is not true")
			}
			continue
		}
		for up := q.Parent; up >= 0; up = k.c.Queues[up].Parent {
			path := k.c.Queues[up].Path
			w, set := k.d.Lookup(Key(path, name))
			if set && strings.TrimSpace(w.Value) == "*" || !set && up == 0 {
				k.warn("open-acl",
					Key(q.Path, name), "set "+path+"."+name+" to one blank", "keeps nobody out: %s allows everybody, and "+
						"permissions are inherited", path)
				break
			}
		}
	}
}

// shortNames: a submission that names a leaf by its short name is refused if
// the name is ambiguous.
func (k *checker) shortNames() {
	first := map[string]string{}
	for i := range k.c.Queues {
		q := &k.c.Queues[i]
		if !q.Leaf {
			continue
		}
		if other, ok := first[q.Name]; ok {
			k.warn("ambiguous-queue", Key(k.c.Queues[max(q.Parent, 0)].Path, "queues"), "use names of their own",
				"%s and %s have the same short name: a job that asks for %q is refused", other, q.Path, q.Name)
			continue
		}
		first[q.Name] = q.Path
	}
}

// dynamicParent reports whether queues below may come into being by
// themselves.
func (k *checker) dynamicParent(path string) bool {
	for i := range k.c.Queues {
		q := &k.c.Queues[i]
		if (q.AutoCreate || q.AutoCreateOld) && (strings.HasPrefix(path, q.Path+".") || strings.HasPrefix(path, q.Name+".")) {
			return true
		}
	}
	return false
}
