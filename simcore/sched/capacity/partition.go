package capacity

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

// Partitions: nodes with the same label. Number 0 is that of nodes without one; queues,
// users and applications hold its figures themselves, so that a cluster without labels pays
// nothing for the others. Use is booked in the partition of the node, what is asked for in
// that of the ask; where idle resources are shared the two differ.

// partition is the nodes with one label.
type partition struct {
	name      string
	exclusive bool // its idle resources are not shared with asks without label
	total     res
}

// partitionTable is the partitions of the cluster.
type partitionTable struct {
	parts   []partition      // by number; the first is of nodes without label
	partIDs map[string]int32 // numbers by label, "" for the first

	labelEff     [][]yarnconf.Effective // by partition and queue: figures computed last; the first is queueTree.eff
	userAMLimits []res                  // by partition: scratch of activateWaiting
}

// mostPartitions is how many labels a cluster may have.
const mostPartitions = 63

var _ yarn.Labeller = (*Scheduler)(nil)

// DeclareLabels tells the labels of the cluster, before its nodes. It replaces
// what was declared before.
func (s *Scheduler) DeclareLabels(labels []yarn.Label) error {
	if len(s.nodes) > 0 || len(s.apps) > 0 {
		return fmt.Errorf("node labels must be declared before nodes and applications")
	}
	if len(labels) > mostPartitions {
		return fmt.Errorf("%d node labels: must be at most %d", len(labels), mostPartitions)
	}
	parts, ids := make([]partition, 1, len(labels)+1), map[string]int32{"": 0}
	for _, l := range labels {
		if _, twice := ids[l.Name]; twice || l.Name == yarn.DefaultPartition {
			return fmt.Errorf("node label %q: must be a name that is declared once", l.Name)
		}
		ids[l.Name] = int32(len(parts))
		parts = append(parts, partition{name: l.Name, exclusive: l.Exclusive})
	}
	s.partitionTable = partitionTable{parts: parts, partIDs: ids, userAMLimits: make([]res, len(parts))}
	s.build()
	return nil
}

// partOf returns what belongs to a partition: own for the one without label, else one of
// labels.
func partOf[T any](own *T, labels []T, p int32) *T {
	if p == 0 {
		return own
	}
	return &labels[p-1]
}

// labelled reports whether the cluster has labels.
func (s *Scheduler) labelled() bool { return len(s.parts) > 1 }

// labelNumber finds the number of a label.
func (s *Scheduler) labelNumber(label string) (int32, error) {
	if label == yarn.DefaultPartition {
		return 0, nil
	}
	if p, ok := s.partIDs[label]; ok {
		return p, nil
	}
	return 0, fmt.Errorf("node label %q: must be one of %s", label, strings.Join(s.Labels()[1:], ", "))
}

// Labels lists the declared labels by number; the first is "", nodes without.
func (s *Scheduler) Labels() []string {
	names := make([]string, len(s.parts))
	for p := range s.parts {
		names[p] = s.parts[p].name
	}
	return names
}

// sizeParts gives a new queue room for each partition.
func (s *Scheduler) sizeParts(q *queue) {
	n := len(s.parts) - 1
	q.labels, q.users.labels = make([]queuePart, n), make([]tablePart, n)
	for i := range q.labels {
		q.labels[i].part = int32(i + 1)
	}
}

// labelsOf reads what a queue is configured to have of each partition
// (AbstractCSQueue.setupConfigurableCapacities, ConfiguredNodeLabels).
func (s *Scheduler) labelsOf(q *queue) {
	c := q.conf
	q.accessible, q.label = true, yarnconf.Label{AMPercent: c.AMPercent, ConfiguredMin: c.ConfiguredMin}
	q.exclusiveParts = 0
	for i := range q.labels {
		at := &q.labels[i]
		name := s.parts[at.part].name
		at.accessible, at.label = c.Accessible(name), yarnconf.Label{Weight: -1}
		if slices.Contains(c.ExclusivePartitions, name) {
			q.exclusiveParts |= 1 << at.part
		}
		if l := c.LabelOf(name); l != nil {
			at.label = *l
		}
	}
}

// carryWeights keeps the shares that weights came to in the settings c of a refresh, where
// they stand until figures are computed anew.
func (s *Scheduler) carryWeights(q *queue, c *yarnconf.Queue) {
	for i := range c.Labels {
		if p, ok := s.partIDs[c.Labels[i].Name]; ok {
			c.Labels[i].CarriedWeight = q.at(p).eff.WeightShare
		}
	}
}

// effectiveOfAll computes the effective figures of every queue in every
// partition.
func (s *Scheduler) effectiveOfAll() {
	// labels were declared, or queues came or went
	if len(s.labelEff) != len(s.parts) || len(s.labelEff[0]) != len(s.eff) {
		s.labelEff = make([][]yarnconf.Effective, len(s.parts))
		for p := range s.parts[1:] {
			s.labelEff[p+1] = make([]yarnconf.Effective, len(s.eff))
		}
	}
	s.labelEff[0] = s.eff
	parts := make([]yarnconf.Partition, len(s.parts))
	for p := range s.parts {
		parts[p] = yarnconf.Partition{Name: s.parts[p].name, Total: s.parts[p].total}
		for i, q := range s.queues {
			s.labelEff[p][i] = q.at(int32(p)).eff // of labels no longer configured the resources stay
		}
	}
	s.conf.EffectivePartitions(s.cluster, parts, s.labelEff)
	for p := range parts[1:] {
		for i, q := range s.queues {
			q.labels[p].eff = s.labelEff[p+1][i]
			s.figures(q, &q.labels[p])
		}
	}
}

// labelApp finds what the asks of a new application mean that name no label (its own label;
// -1 for the queue's), and where its master is asked for
// (RMAppManager.validateAndCreateResourceRequest). It goes before all else that looks at the
// application.
func (s *Scheduler) labelApp(spec *yarn.AppSpec) (label, amPart int32, err error) {
	label = -1
	q := s.byName[spec.Queue]
	if spec.Label != "" { // whether the queue may use it is asked at its first use
		if label, err = s.labelNumber(spec.Label); err != nil {
			return 0, 0, fmt.Errorf("application %s: %w", spec.Name, err)
		}
	}
	am := spec.AMLabel
	if am == yarn.DefaultPartition && !s.rules.PlainMasters {
		am = "" // as if left out, in the original too
	}
	if am = s.enforced(label, am); am == "" && s.labelled() {
		am = s.conf.MasterLabel
	}
	switch {
	case q != nil:
		amPart, err = s.askLabel(q, label, am)
	case am != "": // made below: the original neither knows a default of it nor asks what it may use
		amPart, err = s.labelNumber(am)
	case label > 0:
		amPart = label
	}
	if err != nil {
		err = fmt.Errorf("application %s: application master: %w", spec.Name, err)
	}
	return label, amPart, err
}

// enforced is the label that an ask with this one comes to, of an application with
// a label of its own or -1 (yarn.node-labels.exclusive-enforced-partitions).
func (s *Scheduler) enforced(own int32, label string) string {
	if len(s.conf.EnforcedPartitions) == 0 {
		return label
	}
	app := ""
	if own > 0 {
		app = s.parts[own].name
	}
	return s.conf.EnforcedLabel(app, label)
}

// group tells apart whom a partition of a leaf serves (fifo-with-partitions,
// FifoOrderingPolicyWithExclusivePartitions): itself where it serves only applications
// submitted with its label, else 0. Applications belong to the group of their label.
func (q *queue) group(p int32) int32 {
	if p > 0 && q.exclusiveParts>>p&1 != 0 {
		return p
	}
	return 0
}

// askLabel is the partition that an ask with this label is for, of an application with a
// label of its own or -1. Errors: there is no such label, or the queue may not use it
// (SchedulerUtils.checkQueueLabelExpression).
func (s *Scheduler) askLabel(q *queue, own int32, label string) (p int32, err error) {
	switch {
	case label != "":
		p, err = s.labelNumber(label)
	case own >= 0:
		p = own
	case s.labelled():
		p, err = s.labelNumber(q.conf.LabelExpression)
	}
	if err == nil && !q.at(p).accessible {
		err = fmt.Errorf("node label %s: queue %s may not use it; accessible-node-labels is %v", s.parts[p].name, q.path,
			q.conf.AccessibleLabels)
	}
	return p, err
}

// checkLabels finds a row for a label that there is not or that the queue may not use.
func (s *Scheduler) checkLabels(a *app, asks []yarn.Ask) error {
	for i := range asks {
		r := &asks[i]
		if r.Where != yarn.AnyPlace {
			if r.Label != "" && r.Label != yarn.DefaultPartition {
				return fmt.Errorf("application %s: request with node label %s for a node or rack: only requests for any place "+
					"may have a label", a.name, r.Label)
			}
			continue
		}
		if _, err := s.askLabel(a.queue, a.label, s.enforced(a.label, r.Label)); err != nil {
			return fmt.Errorf("application %s: request: %w", a.name, err)
		}
	}
	return nil
}

// labelVerdict is what the leaf cached of a user in the labelled partition at hand, for the
// partition's own asks and for those that share it each.
func (s *Scheduler) labelVerdict(sl *slot) *userVerdict {
	if n := 2 * (len(s.parts) - 1); len(sl.labels) != n {
		sl.labels = make([]userVerdict, n)
	}
	i := 2 * (s.part - 1)
	if s.shared {
		i++
	}
	return &sl.labels[i]
}

// headroomOfAll sums the headroom of all partitions asked for.
func (s *Scheduler) headroomOfAll(a *app) (h res) {
	for left := a.asked; left != 0; left &= left - 1 {
		p := int32(bits.TrailingZeros64(left))
		limit := a.queue.shownLimit
		if p != 0 {
			limit = a.queue.at(p).eff.Max
		}
		h = h.Add(s.headroomIn(a, p, limit))
	}
	return h
}

// SetLabel gives a node another label, "" for none (CapacityScheduler.updateLabelsOnNode).
// What runs on it goes on and counts for the new partition; its reservation is given up.
// Containers lost to that are appended to dst. Error: a label that was not declared.
func (s *Scheduler) SetLabel(id yarn.NodeID, label string, dst []yarn.Container) ([]yarn.Container, error) {
	p, err := s.labelNumber(label)
	if err != nil {
		return dst, err
	}
	if int(id) >= len(s.nodes) || s.nodes[id].lost || s.nodes[id].part == p {
		return dst, nil
	}
	s.settle()
	n := s.nodes[id]
	from := n.part
	s.parts[from].total = s.parts[from].total.Sub(n.total)
	s.parts[p].total = s.parts[p].total.Add(n.total)
	for _, c := range s.appendOn(nil, n) {
		s.moveUse(c, from, p)
	}
	s.losses.Begin()
	if n.reserved != nil {
		s.complete(n.reserved, byKill)
	}
	n.part = p
	s.relistNode(n, from, p)
	s.clusterChanged()
	return s.losses.Take(dst), nil
}

// moveUse counts a running container for another partition
// (FiCaSchedulerApp.nodePartitionUpdated). A master's limit is moved with it, from the
// partition of the node even where it was asked for in another, as in the original.
func (s *Scheduler) moveUse(c *container, from, to int32) {
	a, q := c.app, c.app.queue
	at := a.at(from)
	at.used = at.used.Sub(c.size)
	at = a.at(to)
	at.used = at.used.Add(c.size)
	for _, m := range [2]struct {
		p    int32
		sign int64
	}{{from, -1}, {to, 1}} {
		s.addUserUsed(a, m.p, c.size, m.sign)
		q.addUsed(m.p, c.size, m.sign)
		if c.am {
			a.at(m.p).am = a.at(m.p).am.Add(c.size.Times(m.sign))
			if u := a.slot.u; u != nil {
				s.bookMaster(q, u, m.p, c.size.Times(m.sign))
			}
		}
	}
	if c.am {
		a.amPart = to
	}
}
