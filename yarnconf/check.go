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
	File string      `json:"file"`     // that sets it
	Line int         `json:"line"`     // from 1
	Key  string      `json:"property"` // full name
	Kind RefreshKind `json:"needs"`    // restart, other command, or next job
	Why  string      `json:"why"`      // one line
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
func Check(d *Document) CheckReport { return CheckOn(d, nil) }

// CheckOn is Check with what is to be said of the file on a cluster with these
// partitions.
func CheckOn(d *Document, groups []NodeGroup) CheckReport {
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
		k.emptyLists()
		k.shortNames()
		k.placement(errs)
		k.odd(r.odd)
		k.masters()
		if len(errs) == 0 && len(groups) > 0 {
			k.onCluster()
			k.unknownLabels()
			k.unusedNodes()
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
	k.ranges("", true)
	if root := &k.c.Queues[0]; root.State != Running {
		k.warn("no-applications", Key(root.Path, "state"), "set it to RUNNING", "root is %s, and every queue with it: all "+
			"submissions are refused", root.State)
	}
	k.unread(AssignLimit, k.d.Value(Prefix+"per-node-heartbeat.multiple-assignments-enabled") == "false",
		"enable multiple assignments or remove the limit", "multiple-assignments-enabled is false")
	for _, key := range []string{AssignLimit, OffSwitchLimit} {
		k.unread(key, k.c.Asynchronous, "remove it or disable asynchronous scheduling",
			"schedule-asynchronously.enable is true")
	}
	// Choices of preemption are forgotten after twice max_wait_before_kill: recorded with 3.4.1's own policy.
	if p := &k.c.Preemption; p.Enabled && p.BalanceAfterSatisfied && p.BalanceWaitBeforeKill > 2*p.MaxWaitBeforeKill {
		const key = preemptKey + "preemption-to-balance-queue-after-satisfied."
		k.warn("no-preemption", key+"enabled", fmt.Sprintf("set %smax-wait-before-kill to at most %d", key,
			2*p.MaxWaitBeforeKill), "never preempts: a container is chosen anew after twice max_wait_before_kill (%d ms), and killed "+
			"after a max-wait-before-kill of %d ms", p.MaxWaitBeforeKill, p.BalanceWaitBeforeKill)
	}
}

// unread warns of a setting that has no effect because of another.
func (k *checker) unread(key string, when bool, fix, because string) {
	if when && k.d.Value(key) != "" {
		k.warn("no-effect", key, fix, "has no effect: %s", because)
	}
}

func (k *checker) number(key string) (float64, bool) {
	x, err := strconv.ParseFloat(k.d.Value(key), 64)
	return x, err == nil
}

// queue looks at one queue's own settings.
func (k *checker) queue(i int) {
	q := &k.c.Queues[i]
	k.ranges(q.Path+".", q.Mode != Absolute)
	k.factor(i)
	k.priority(q)
	k.zeroCapacity(i)
	k.applications(i)
	policy := fmt.Sprintf("the ordering policy is %s", q.AppOrder)
	k.unread(Key(q.Path, "ordering-policy.fair.enable-size-based-weight"), q.Leaf && q.SizeBasedWeight &&
		q.AppOrder != Fair, "set ordering-policy to fair", policy)
	k.unread(Key(q.Path, "ordering-policy.exclusive-enforced-partitions"), q.Leaf && q.AppOrder != FIFOPartitions,
		"set ordering-policy to fifo-with-partitions", policy)
	k.sums(i)
	k.labels(q)
	k.acls(q)
	k.absolutes(q)
}

// plain is a number as %g writes it.
func plain(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

func short(x float64) string {
	return strconv.FormatFloat(math.Round(x*100)/100, 'f', -1, 64)
}

// ceilTo rounds up to two decimals, so that the advice suffices.
func ceilTo(x float64) string {
	return strconv.FormatFloat(math.Ceil(x*100-1e-4)/100, 'f', -1, 64)
}

func (k *checker) priority(q *Queue) {
	if most := k.c.MaxAppPriority; q.DefaultPriority > most && k.d.HasSite() {
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
			"the queue admits %d applications, but none of any single user: every submission is refused", e.MaxApplications)
	}
}

// sums: within the tolerance, but not 100, of each label.
func (k *checker) sums(i int) {
	q := &k.c.Queues[i]
	for _, s := range append([]Label{q.Label}, q.Labels...) {
		sum, last, of := 0.0, "", " of label "+s.Name
		if s.Name == "" {
			of = ""
		}
		for _, c := range q.Children {
			ch := &k.c.Queues[c]
			key := LabelKey(ch.Path, s.Name, Capacity)
			v, ok := k.number(key)
			if !ok && k.d.Value(key) != "" || s.Name == "" && (!k.sound[c] || ch.Mode != Percentage) || k.wrong[key] {
				last = ""
				break
			}
			if sum += v; ok {
				last = key
			}
		}
		if off := math.Abs(sum - 100); last != "" && off > 1e-6 && off < 1 {
			k.warn("inexact-sum", last, "make it exactly 100", "the capacities%s below %s sum to %s, accepted only because it "+
				"is within 0.05 of 100", of, q.Path, strconv.FormatFloat(sum, 'f', -1, 64))
		}
	}
}

// acls: permissions add up along the path, and root's default is everybody.
func (k *checker) acls(q *Queue) {
	if q.Parent < 0 {
		return
	}
	for n, name := range permissions {
		v, ok := k.d.Lookup(Key(q.Path, name))
		if !ok || strings.TrimSpace(v.Value) == "*" {
			continue
		}
		if r := (Reader{p: k.d}); k.d.HasSite() && !r.Boolean("yarn.acl.enable", false) {
			if !k.noACLs {
				k.noACLs = true
				k.warn("no-effect",
					Key(q.Path, name), "set yarn.acl.enable to true in yarn-site.xml", "permissions of queues have no effect: "+
						"yarn.acl.enable is not true")
			}
			continue
		}
		open := "" // permission by which everybody may; who may administer a queue may submit too
		for up := q.Parent; up >= 0 && open == ""; up = k.c.Queues[up].Parent {
			path := k.c.Queues[up].Path
			for _, by := range permissions[n:] {
				if w, set := k.d.Lookup(Key(path, by)); open == "" && (strings.TrimSpace(w.Value) == "*" || !set && up == 0) {
					open = path + "." + by
					k.warn("open-acl", Key(q.Path, name), "set "+open+" to one blank", "keeps nobody out: %s allows everybody, and "+
						"permissions are inherited", path)
				}
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
	return slices.ContainsFunc(k.c.Queues, func(q Queue) bool {
		return (q.AutoCreate || q.AutoCreateOld) && (strings.HasPrefix(path, q.Path+".") || strings.HasPrefix(path, q.Name+"."))
	})
}
