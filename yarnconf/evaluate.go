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
func Evaluate(p Props) (*Config, error) { return EvaluateAs(p, versionOf(p), Resource{}) }

// EvaluateAs is Evaluate by the rules of a version on a cluster that is there already, as at a
// refresh: absolute resources are then compared by their share of it. parts is what the nodes of each label
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
func newReader(p Props, v Version) *Reader { return &Reader{p: given(p), rules: v.Rules()} }

func (r *Reader) evaluate(v Version, cluster Resource, parts ...Partition) *Config {
	p, c := r.p, &Config{Version: v}
	r.globals(c)
	r.preemption(&c.Preemption)
	r.keeping(&c.Keeping)
	l := &loader{Reader: r, c: c, cluster: cluster, parts: parts, weights: weightKeys(p), labels: labelKeys(p)}
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

func (r *Reader) globals(c *Config) {
	c.MinAllocation = Resource{int64(r.Integer(minMB, 1024)), int64(r.Integer(minVC, 1))}
	c.MaxAllocation = Resource{int64(r.Integer(maxMB, 8192)), int64(r.Integer(maxVC, 4))}
	r.checkRange(minMB, maxMB, c.MinAllocation.Memory, c.MaxAllocation.Memory)
	r.checkRange(minVC, maxVC, c.MinAllocation.VCores, c.MaxAllocation.VCores)
	c.Calculator = r.calculator()
	r.Fill(Prefix, c)
	c.MaxOffSwitch = max(1, r.Integer(OffSwitchLimit, 1))
	r.masterLabels(c)
	r.multiNode(c)
	r.asynchronous(c)
	c.LegacyMode = r.rules.NoVectors || r.Boolean(Prefix+"legacy-queue-mode.enabled", true)
}

func (r *Reader) checkRange(lowKey, highKey string, low, high int64) {
	if low <= 0 || low > high {
		r.Fail(lowKey, fmt.Sprintf("must be above 0 and at most %s=%d", highKey, high))
	}
}

func (r *Reader) calculator() Calculator {
	key := Prefix + "resource-calculator"
	switch v := strings.TrimSpace(r.str(key, calculators+"DefaultResourceCalculator")); v {
	case calculators + "DefaultResourceCalculator":
		return Calculator{}
	case calculators + "DominantResourceCalculator":
		return Calculator{Dominant: true}
	default:
		r.Fail(key, "must be "+calculators+"DefaultResourceCalculator or "+calculators+"DominantResourceCalculator")
		return Calculator{}
	}
}

func (r *Reader) preemption(p *Preemption) {
	r.Fill(preemptKey, p)
	r.Fill(Prefix+"ordering-policy.priority-utilization.underutilized-preemption.", &p.Underutilized)
	p.Enabled = r.monitors(preemptionIs)
	p.IntraPriorityFirst = strings.EqualFold(r.str(preemptKey+"intra-queue-preemption.preemption-order-policy", ""),
		"priority_first")
}

// loader builds the queue tree depth first, as Hadoop does, so that a child
// finds its parent's settings complete.
type loader struct {
	*Reader
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

// childNames splits the list of a queue's children; blanks are trimmed, empty
// items dropped.
func (l *loader) childNames(path string) []string {
	return splitNames(l.str(Key(path, "queues"), ""))
}

func (l *loader) queue(path string, parent int) int {
	i := len(l.c.Queues)
	q := Queue{Path: path, Name: path[strings.LastIndexByte(path, '.')+1:], Parent: parent}
	names := l.childNames(path)
	q.AutoCreate = !l.rules.NoWeights && l.Boolean(Key(path, "auto-queue-creation-v2.enabled"), false)
	q.AutoCreateOld = l.Boolean(Key(path, "auto-create-child-queue.enabled"), false)
	q.Leaf = len(names) == 0 && !q.AutoCreate && !q.AutoCreateOld
	if q.Leaf && parent < 0 {
		l.Fail(Key(path, "queues"), "must list at least one queue")
	}
	if !q.Leaf && l.Boolean(Key(path, "reservable"), false) {
		l.Fail(Key(path, "reservable"), "only leaf queues can be reservable")
	}
	l.evaluate(&q)
	l.c.Queues = append(l.c.Queues, q)
	seen := map[string]bool{}
	for _, n := range names {
		if seen[n] {
			l.Fail(Key(path, "queues"), "queue "+n+" is listed twice")
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
		l.Fail(Key(path, Capacity), "a parent's capacity names "+q.Vector.undeclared+", a resource that the cluster "+
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
	q.AllowZeroSum = l.Boolean(Key(q.Path, "allow-zero-capacity-sum"), false)
	q.Priority = l.Integer(Key(q.Path, "priority"), 0)
	q.MaxParallelApps = l.Integer(Key(q.Path, "max-parallel-apps"), l.Integer(Prefix+"max-parallel-apps", MaxInt))
	l.maxAllocation(q, up)
	l.preemptable(q, up)
	l.lifetimes(q, up)
	q.UserWeights = l.userWeights(q, up)
	l.sortingOf(q)
}

func (l *loader) preemptable(q, up *Queue) {
	q.PreemptionDisabled = l.Boolean(Key(q.Path, "disable_preemption"), up != nil && up.PreemptionDisabled) ||
		!l.c.Preemption.Enabled
	q.intraDisabledInHierarchy = l.Boolean(Key(q.Path, "intra-queue-preemption.disable_preemption"), up != nil &&
		up.intraDisabledInHierarchy) || !l.c.Preemption.Intra
	q.IntraPreemptionDisabled = q.PreemptionDisabled || q.intraDisabledInHierarchy
}

// state reads the configured state. Left out, it is the parent's.
func (l *loader) state(q, up *Queue) {
	key := Key(q.Path, "state")
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
			l.Fail(key, "the parent "+up.Path+" is not running: must be STOPPED, or start the parent")
		}
	case "STOPPED":
		q.State = Stopped
	default:
		l.Fail(key, "must be RUNNING or STOPPED")
	}
}

func (l *loader) lifetimes(q, up *Queue) {
	key := Key(q.Path, "default-application-lifetime")
	q.MaxLifetime = l.long(Key(q.Path, "maximum-application-lifetime"), -1)
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
		l.Fail(key, fmt.Sprintf("default lifetime %d exceeds the maximum %d", q.DefaultLifetime, q.MaxLifetime))
	}
	if q.DefaultLifetime <= 0 {
		q.DefaultLifetime = q.MaxLifetime
	}
}

// leaf reads what only leaves have.
func (l *loader) leaf(q *Queue) {
	l.userLimits(q)
	q.AMPercent = l.float(Key(q.Path, "maximum-am-resource-percent"), l.float(Prefix+"maximum-am-resource-percent", 0.1))
	q.MaxApplications = l.Integer(Key(q.Path, "maximum-applications"), Undefined)
	q.DefaultPriority = l.Integer(Key(q.Path, DefaultPriority), 0)
	q.SizeBasedWeight = strings.EqualFold(l.str(Key(q.Path, "ordering-policy.fair.enable-size-based-weight"), ""),
		"true")
	l.appOrder(q)
	l.checkLabelExpression(q)
	l.checkUserWeights(q)
}

func (l *loader) appOrder(q *Queue) {
	key := Key(q.Path, "ordering-policy")
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
	l.Fail(key, "must be one of fifo, fair, fifo-with-partitions, fifo-for-pending-apps")
}

// parentOrder reads a parent's order; left out, it is that of its parent.
func (l *loader) parentOrder(q *Queue) {
	if up := l.up(q); up != nil {
		q.Order = up.Order
	}
	key := Key(q.Path, "ordering-policy")
	v, ok := l.get(key)
	switch strings.TrimSpace(v) {
	case "utilization":
		q.Order = Utilization
	case "priority-utilization":
		q.Order = PriorityUtilization
	default:
		if ok {
			l.Fail(key, "must be utilization or priority-utilization")
		}
	}
}

func abs32(f float32) float32 { return float32(math.Abs(float64(f))) }
