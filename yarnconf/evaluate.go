// Evaluation of the configuration of Hadoop's Capacity Scheduler.
//
// This file: from flat properties to the queue tree, with every error that
// Hadoop 3.4.1 raises on loading it in legacy queue mode (its default) and, for
// numbers, with its 32-bit arithmetic. Where this differs from Hadoop: all
// errors are collected instead of stopping at the first.

package yarnconf

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
)

// Prefix begins every property of the Capacity Scheduler.
const Prefix = "yarn.scheduler.capacity."

const (
	minMB         = "yarn.scheduler.minimum-allocation-mb"
	maxMB         = "yarn.scheduler.maximum-allocation-mb"
	minVC         = "yarn.scheduler.minimum-allocation-vcores"
	maxVC         = "yarn.scheduler.maximum-allocation-vcores"
	resourceTypes = "yarn.resource-types"
	preemptKey    = "yarn.resourcemanager.monitor.capacity.preemption."
	calculators   = "org.apache.hadoop.yarn.util.resource."
	policyClass   = "org.apache.hadoop.yarn.server.resourcemanager.scheduler.policy."
	sumPrecision  = 0.0005 // of a fraction: percentages may miss 100 by 0.05
)

// Evaluate reads a configuration. The error is Errors: all that would make the
// ResourceManager refuse it at start; the Config is complete only without any.
// The rules are those of the version the properties are for: see
// Document.ForHadoop. No properties at all (nil) are refused as an empty file is.
func Evaluate(p Props) (*Config, error) { return EvaluateOn(p, Resource{}) }

// EvaluateOn is Evaluate on a cluster that is there already, as at a refresh:
// absolute resources are then compared by their share of it.
func EvaluateOn(p Props, cluster Resource) (*Config, error) {
	return EvaluateAs(p, versionOf(p), cluster)
}

// EvaluateAs is EvaluateOn by the rules of a version. parts is what the nodes of each label
// offer, those without one under ""; without any of these the cluster has no labels.
func EvaluateAs(p Props, v Version, cluster Resource, parts ...Partition) (*Config, error) {
	c, errs := evaluate(p, v, cluster, parts...)
	return c, Errors(errs).orNil()
}

func evaluate(p Props, v Version, cluster Resource, parts ...Partition) (*Config, []*PropError) {
	r := newReader(p, v)
	return r.evaluate(v, cluster, parts...), r.errs
}

// newReader returns a reader by the rules of a version.
func newReader(p Props, v Version) *reader { return &reader{p: given(p), rules: v.Rules()} }

func (r *reader) evaluate(v Version, cluster Resource, parts ...Partition) *Config {
	p, c := r.p, &Config{Version: v}
	r.globals(c)
	r.preemption(&c.Preemption)
	r.keeping(&c.Keeping)
	l := &loader{reader: r, c: c, cluster: cluster, parts: parts, weights: weightKeys(p), labels: labelKeys(p)}
	c.props = p
	if d, ok := p.(*Document); ok && d.include != nil {
		r.readFile = func(path string) ([]byte, error) { // the ResourceManager's path; here it stands beside the queue file
			_, b, err := d.include(filepath.Base(path))
			return b, err
		}
	}
	l.queue("root", -1)
	l.parallelUsers()
	l.mappings()
	return c
}

func (r *reader) globals(c *Config) {
	c.MinAllocation = Resource{int64(r.integer(minMB, 1024)), int64(r.integer(minVC, 1))}
	c.MaxAllocation = Resource{int64(r.integer(maxMB, 8192)), int64(r.integer(maxVC, 4))}
	r.checkRange(minMB, maxMB, c.MinAllocation.Memory, c.MaxAllocation.Memory)
	r.checkRange(minVC, maxVC, c.MinAllocation.VCores, c.MaxAllocation.VCores)
	c.MaxAppPriority = r.integer(maxPriority, 0)
	c.Calculator = r.calculator()
	c.MaxSystemApps = r.integer(Prefix+"maximum-applications", 10000)
	c.GlobalQueueMaxApps = r.integer(Prefix+"global-queue-max-application", Undefined)
	c.NodeLocalityDelay = r.integer(Prefix+"node-locality-delay", 40)
	c.RackExtraDelay = r.integer(Prefix+"rack-locality-additional-delay", -1)
	c.RackFullReset = r.boolean(Prefix+"rack-locality-full-reset", true)
	c.MultipleAssign = r.boolean(Prefix+"per-node-heartbeat.multiple-assignments-enabled", true)
	c.MaxAssign = r.integer(Prefix+"per-node-heartbeat.maximum-container-assignments", 100)
	c.MaxOffSwitch = max(1, r.integer(Prefix+"per-node-heartbeat.maximum-offswitch-assignments", 1))
	c.ContinueLooking = r.boolean(Prefix+"reservations-continue-look-all-nodes", true)
	c.LazyPreemption = r.boolean(Prefix+"lazy-preemption-enabled", false)
	r.masterLabels(c)
	r.multiNode(c)
	r.asynchronous(c)
	c.LegacyMode = r.rules.NoVectors || r.boolean(Prefix+"legacy-queue-mode.enabled", true)
	c.UserMaxParallel = r.integer(Prefix+"user.max-parallel-apps", MaxInt)
}

func (r *reader) checkRange(lowKey, highKey string, low, high int64) {
	if low <= 0 || low > high {
		r.fail(lowKey, fmt.Sprintf("must be above 0 and at most %s=%d", highKey, high))
	}
}

func (r *reader) calculator() Calculator {
	key := Prefix + "resource-calculator"
	switch v := strings.TrimSpace(r.str(key, calculators+"DefaultResourceCalculator")); v {
	case calculators + "DefaultResourceCalculator":
		return Calculator{}
	case calculators + "DominantResourceCalculator":
		return Calculator{Dominant: true}
	default:
		r.fail(key, "must be "+calculators+"DefaultResourceCalculator or "+calculators+"DominantResourceCalculator")
		return Calculator{}
	}
}

func (r *reader) preemption(p *Preemption) {
	p.Enabled = r.monitors(preemptionIs)
	p.ObserveOnly = r.boolean(preemptKey+"observe_only", false)
	p.MaxWaitBeforeKill = r.long(preemptKey+"max_wait_before_kill", 15000)
	p.MonitoringInterval = r.long(preemptKey+"monitoring_interval", 3000)
	p.TotalPerRound = r.float(preemptKey+"total_preemption_per_round", 0.1)
	p.MaxIgnoredOver = r.double(preemptKey+"max_ignored_over_capacity", 0.1)
	p.NaturalTermination = r.double(preemptKey+"natural_termination_factor", 0.2)
	p.ConservativeDRF = r.boolean(preemptKey+"conservative-drf", false)
	p.ByReserved = r.boolean(preemptKey+"select_based_on_reserved_containers", false)
	p.AdditionalByReserved = r.boolean(preemptKey+"additional_res_balance_based_on_reserved_containers", false)
	p.ByPriority = r.boolean(Prefix+"ordering-policy.priority-utilization.underutilized-preemption.enabled", false)
	p.ByPriorityDelay = r.long(
		Prefix+"ordering-policy.priority-utilization.underutilized-preemption.reserved-container-delay-ms", 60000)
	p.ByPriorityMove = r.boolean(
		Prefix+"ordering-policy.priority-utilization.underutilized-preemption.allow-move-reservation", false)
	p.BalanceAfterSatisfied = r.boolean(preemptKey+"preemption-to-balance-queue-after-satisfied.enabled", false)
	p.BalanceWaitBeforeKill = r.long(preemptKey+"preemption-to-balance-queue-after-satisfied.max-wait-before-kill", 300000)
	intra := preemptKey + "intra-queue-preemption."
	p.Intra = r.boolean(intra+"enabled", false)
	p.IntraMinThreshold = r.float(intra+"minimum-threshold", 0.5)
	p.IntraMaxLimit = r.float(intra+"max-allowable-limit", 0.2)
	p.IntraPriorityFirst = strings.EqualFold(r.str(intra+"preemption-order-policy", "userlimit_first"), "priority_first")
	p.IntraConservativeDRF = r.boolean(intra+"conservative-drf", true)
}

// loader builds the queue tree depth first, as Hadoop does, so that a child
// finds its parent's settings complete.
type loader struct {
	*reader
	c       *Config
	cluster Resource
	parts   []Partition             // of the cluster; none: no labels
	weights map[string][]userWeight // queue path -> user weights of its own
	labels  map[string][]string     // queue path -> labels with settings of its own
}

// partition is what the nodes with a label offer.
func (l *loader) partition(label string) Resource {
	for _, p := range l.parts {
		if p.Name == label {
			return p.Total
		}
	}
	if len(l.parts) > 0 {
		return Resource{}
	}
	return l.cluster
}

func (l *loader) key(path, name string) string { return Prefix + path + "." + name }

// childNames splits the list of a queue's children; blanks are trimmed, empty
// items dropped.
func (l *loader) childNames(path string) []string {
	return splitNames(l.str(l.key(path, "queues"), ""))
}

func (l *loader) queue(path string, parent int) int {
	i := len(l.c.Queues)
	q := Queue{Path: path, Name: path[strings.LastIndexByte(path, '.')+1:], Parent: parent}
	names := l.childNames(path)
	q.AutoCreate = !l.rules.NoWeights && l.boolean(l.key(path, "auto-queue-creation-v2.enabled"), false)
	q.AutoCreateOld = l.boolean(l.key(path, "auto-create-child-queue.enabled"), false)
	q.Leaf = len(names) == 0 && !q.AutoCreate && !q.AutoCreateOld
	if q.Leaf && parent < 0 {
		l.fail(l.key(path, "queues"), "must list at least one queue")
	}
	if !q.Leaf && l.boolean(l.key(path, "reservable"), false) {
		l.fail(l.key(path, "reservable"), "only leaf queues can be reservable")
	}
	l.evaluate(&q)
	l.c.Queues = append(l.c.Queues, q)
	seen := map[string]bool{}
	for _, n := range names {
		if seen[n] {
			l.fail(l.key(path, "queues"), "queue "+n+" is listed twice")
			continue
		}
		seen[n] = true
		child := l.queue(path+"."+n, i)
		l.c.Queues[i].Children = append(l.c.Queues[i].Children, child)
	}
	switch {
	case len(names) == 0:
	case l.rules.NoWeights:
		l.children33(i)
	case l.c.LegacyMode:
		l.checkChildren(i)
	case q.Vector.undeclared != "":
		l.fail(l.key(path, Capacity), "a parent's capacity names "+q.Vector.undeclared+", a resource that the cluster "+
			"does not have: must be memory, vcores, or one of "+resourceTypes+" in yarn-site.xml")
	}
	return i
}

// up returns the parent, nil for root.
func (l *loader) up(q *Queue) *Queue {
	if q.Parent < 0 {
		return nil
	}
	return &l.c.Queues[q.Parent]
}

// common reads what every queue has.
func (l *loader) common(q *Queue) {
	up := l.up(q)
	l.accessible(q, up)
	l.capacities(q)
	l.limits(q, &q.Label)
	l.state(q, up)
	q.AllowZeroSum = l.boolean(l.key(q.Path, "allow-zero-capacity-sum"), false)
	q.Priority = l.integer(l.key(q.Path, "priority"), 0)
	q.MaxParallelApps = l.integer(l.key(q.Path, "max-parallel-apps"), l.integer(Prefix+"max-parallel-apps", MaxInt))
	l.maxAllocation(q, up)
	l.preemptable(q, up)
	l.lifetimes(q, up)
	q.UserWeights = l.userWeights(q, up)
	l.sortingOf(q)
}

func (l *loader) preemptable(q, up *Queue) {
	q.PreemptionDisabled = l.boolean(l.key(q.Path, "disable_preemption"), up != nil && up.PreemptionDisabled) ||
		!l.c.Preemption.Enabled
	q.intraDisabledInHierarchy = l.boolean(l.key(q.Path, "intra-queue-preemption.disable_preemption"), up != nil &&
		up.intraDisabledInHierarchy) || !l.c.Preemption.Intra
	q.IntraPreemptionDisabled = q.PreemptionDisabled || q.intraDisabledInHierarchy
}

// state reads the configured state. Left out, it is the parent's.
func (l *loader) state(q, up *Queue) {
	key := l.key(q.Path, "state")
	v, ok := l.get(key)
	if !ok {
		if up != nil {
			q.State = up.State
		}
		return
	}
	q.StateSet = true
	switch strings.ToUpper(v) {
	case "RUNNING":
		if up != nil && up.State != Running {
			l.fail(key, "the parent "+up.Path+" is not running: must be STOPPED, or start the parent")
		}
	case "STOPPED":
		q.State = Stopped
	default:
		l.fail(key, "must be RUNNING or STOPPED")
	}
}

func (l *loader) lifetimes(q, up *Queue) {
	key := l.key(q.Path, "default-application-lifetime")
	q.MaxLifetime = l.long(l.key(q.Path, "maximum-application-lifetime"), -1)
	q.DefaultLifetime = l.long(key, -1)
	q.defaultLifetimeSet = q.DefaultLifetime >= 0 || up != nil && up.defaultLifetimeSet
	if up == nil {
		return
	}
	if q.MaxLifetime < 0 {
		q.MaxLifetime = up.MaxLifetime
	}
	if q.DefaultLifetime < 0 {
		q.DefaultLifetime = q.MaxLifetime
		if q.defaultLifetimeSet {
			q.DefaultLifetime = min(up.DefaultLifetime, q.MaxLifetime)
		}
	}
	if q.MaxLifetime > 0 && q.DefaultLifetime > q.MaxLifetime {
		l.fail(key, fmt.Sprintf("default lifetime %d exceeds the maximum %d", q.DefaultLifetime, q.MaxLifetime))
	}
	if q.DefaultLifetime <= 0 {
		q.DefaultLifetime = q.MaxLifetime
	}
}

// leaf reads what only leaves have.
func (l *loader) leaf(q *Queue) {
	l.userLimits(q)
	q.AMPercent = l.float(l.key(q.Path, "maximum-am-resource-percent"), l.float(Prefix+"maximum-am-resource-percent", 0.1))
	q.MaxApplications = l.integer(l.key(q.Path, "maximum-applications"), Undefined)
	q.DefaultPriority = l.integer(l.key(q.Path, DefaultPriority), 0)
	q.SizeBasedWeight = strings.EqualFold(l.str(l.key(q.Path, "ordering-policy.fair.enable-size-based-weight"), ""),
		"true")
	l.appOrder(q)
	l.checkLabelExpression(q)
	l.checkUserWeights(q)
}

func (l *loader) appOrder(q *Queue) {
	key := l.key(q.Path, "ordering-policy")
	v := l.str(key, "fifo")
	for o := FIFO; o <= FIFOPending; o++ {
		class := [...]string{"FifoOrderingPolicy", "FairOrderingPolicy", "FifoOrderingPolicyWithExclusivePartitions",
			"FifoOrderingPolicyForPendingApps"}[o]
		if strings.TrimSpace(v) == o.String() || v == policyClass+class {
			q.AppOrder = o
			if o == FIFOPartitions {
				q.ExclusivePartitions = splitNames(l.str(key+".exclusive-enforced-partitions", ""))
			}
			return
		}
	}
	l.fail(key, "must be one of fifo, fair, fifo-with-partitions, fifo-for-pending-apps")
}

// parentOrder reads a parent's order; left out, it is that of its parent.
func (l *loader) parentOrder(q *Queue) {
	if up := l.up(q); up != nil {
		q.Order = up.Order
	}
	key := l.key(q.Path, "ordering-policy")
	v, ok := l.get(key)
	switch strings.TrimSpace(v) {
	case "utilization":
		q.Order = Utilization
	case "priority-utilization":
		q.Order = PriorityUtilization
	default:
		if ok {
			l.fail(key, "must be utilization or priority-utilization")
		}
	}
}

func abs32(f float32) float32 { return float32(math.Abs(float64(f))) }
