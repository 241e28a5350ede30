package rm

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"schedtune/yarnconf"
)

// QueueDiff is one figure of a queue that our evaluation and the running
// scheduler do not agree on.
type QueueDiff struct {
	Queue  string `json:"queue"`
	What   string `json:"figure"`
	Ours   string `json:"ours"`
	Theirs string `json:"theirs"`
}

// Comparison is our evaluation of a configuration against what a running
// scheduler says of itself.
type Comparison struct {
	Queues  int         `json:"queues"`
	Figures int         `json:"figures"` // compared
	Diffs   []QueueDiff `json:"differences"`
}

const figureAMLimit = "application master limit"

// percentTolerance is in percentage points: the answers print 32-bit floats.
const percentTolerance = 1e-3

// Compare evaluates a configuration for a cluster of a size and holds it
// against the queues of a running scheduler, figure by figure.
func Compare(doc *yarnconf.Document, total yarnconf.Resource, live []LiveQueue) (*Comparison, error) {
	if ps := doc.Validate(); len(ps) > 0 && !onlyOurRule(ps) {
		return nil, ps[0]
	}
	c, _ := yarnconf.Evaluate(doc)
	eff := c.Effective(total)
	k := &comparer{cmp: &Comparison{Diffs: []QueueDiff{}}, c: c}
	byPath := map[string]*LiveQueue{}
	for i := range live {
		byPath[live[i].Path] = &live[i]
	}
	for i := range c.Queues {
		q := &c.Queues[i]
		l, ok := byPath[q.Path]
		if !ok {
			k.diff(q.Path, "queue", "configured", "not there")
			continue
		}
		delete(byPath, q.Path)
		k.queue(q, &eff[i], l)
	}
	for i := range live {
		l := &live[i]
		if byPath[l.Path] != nil && !strings.HasPrefix(l.CreationMethod, "dynamic") {
			k.diff(l.Path, "queue", "not configured", "there")
		}
	}
	return k.cmp, nil
}

// onlyOurRule: maximum-capacity below capacity is refused here and loaded
// there; such a file can still be compared.
func onlyOurRule(ps []yarnconf.Problem) bool {
	return !slices.ContainsFunc(ps, func(p yarnconf.Problem) bool { return !strings.Contains(p.Reason, "is below capacity") })
}

type comparer struct {
	cmp *Comparison
	c   *yarnconf.Config
}

func (k *comparer) diff(queue, what, ours, theirs string) {
	k.cmp.Diffs = append(k.cmp.Diffs, QueueDiff{queue, what, ours, theirs})
}

// figure compares one figure.
func (k *comparer) figure(same bool, queue, what, ours, theirs string) {
	k.cmp.Figures++
	if !same {
		k.diff(queue, what, ours, theirs)
	}
}

func (k *comparer) percent(queue, what string, fraction float32, theirs float64) {
	ours := float64(fraction * 100)
	k.figure(math.Abs(ours-theirs) <= percentTolerance, queue, what, num(ours), num(theirs))
}

func (k *comparer) number(queue, what string, ours, theirs float64) {
	k.figure(math.Abs(ours-theirs) <= 1e-4*max(1, math.Abs(ours)), queue, what, num(ours), num(theirs))
}

func (k *comparer) size(queue, what string, ours yarnconf.Resource, theirs Resource) {
	k.figure(ours.Memory == theirs.Memory && ours.VCores == theirs.VCores, queue, what,
		fmt.Sprintf("%d MiB, %d vcores", ours.Memory, ours.VCores),
		fmt.Sprintf("%d MiB, %d vcores", theirs.Memory, theirs.VCores))
}

func (k *comparer) text(queue, what, ours, theirs string) {
	if theirs != "" { // older versions do not tell
		k.figure(strings.EqualFold(ours, theirs), queue, what, ours, theirs)
	}
}

func num(x float64) string { return strconv.FormatFloat(x, 'g', 7, 64) }

func (k *comparer) queue(q *yarnconf.Queue, e *yarnconf.Effective, l *LiveQueue) {
	k.cmp.Queues++
	if q.Mode == yarnconf.Percentage {
		k.percent(q.Path, "capacity", e.Capacity, l.Capacity)
		k.percent(q.Path, "maximum-capacity", e.Maximum, l.MaxCapacity)
	}
	if q.Parent >= 0 { // root's answer leaves these out
		k.percent(q.Path, "absolute capacity", e.Absolute, l.Absolute)
		k.percent(q.Path, "absolute maximum", e.AbsoluteMaximum, l.AbsoluteMax)
	}
	if l.hasEffectiveSizes {
		k.size(q.Path, "effective minimum", e.Min, l.EffectiveMin)
		k.size(q.Path, "effective maximum", e.Max, l.EffectiveMax)
	}
	if q.Parent >= 0 {
		k.text(q.Path, "state", q.State.String(), l.State)
	}
	if q.Leaf && l.Leaf {
		k.leaf(q, e, l)
	}
}

func (k *comparer) leaf(q *yarnconf.Queue, e *yarnconf.Effective, l *LiveQueue) {
	k.number(q.Path, "minimum-user-limit-percent", float64(q.UserLimit), l.UserLimit)
	k.number(q.Path, "user-limit-factor", float64(q.UserLimitFactor), l.UserLimitFactor)
	k.number(q.Path, "maximum applications", float64(e.MaxApplications), float64(l.MaxApplications))
	k.number(q.Path, "applications per user", float64(e.MaxApplicationsPerUser), float64(l.MaxPerUser))
	k.text(q.Path, "ordering-policy", q.AppOrder.String(), l.Ordering)
	if l.MaxParallel > 0 {
		k.number(q.Path, "max-parallel-apps", float64(q.MaxParallelApps), float64(l.MaxParallel))
	}
	k.amLimit(q, e, l)
}

// amLimit: the limit on masters follows what the queue could take when it was
// last asked, which is no less than its guarantee and no more than its maximum.
func (k *comparer) amLimit(q *yarnconf.Queue, e *yarnconf.Effective, l *LiveQueue) {
	if l.AMResourceLimit == (Resource{}) {
		return
	}
	least := yarnconf.AMLimit(k.c.Calculator, e.Min, e.Min, q.AMPercent, k.c.MinAllocation)
	m := l.AMResourceLimit.Memory
	k.figure(least.Memory <= m && m <= e.AMLimit.Memory, q.Path, figureAMLimit,
		fmt.Sprintf("%d to %d MiB", least.Memory, e.AMLimit.Memory), fmt.Sprintf("%d MiB", m))
}
