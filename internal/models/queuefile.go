package models

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"schedtune/simcore"
	"schedtune/yarnconf"
)

// An allocation as a recommendation for YARN: each kind of node is a label, the largest
// kind none, so that applications without labels run on; among equal nodes the
// linear program has no preference. A queue's share of a group is what the allocation gives its classes there, by
// the queue's part of their work; its applications go to the label on which most of
// their work lies (default-node-label-expression). Labels are not exclusive, and maxima
// and users' limits are lifted: suggested classes come first on a node, others may use what they leave
// idle (COSHH, section 3.2).

// Recommendation is a queue file with the cluster's labels.
type Recommendation struct {
	Changes []yarnconf.Change
	Cluster *simcore.Cluster
	Groups  []LabelGroup
}

// LabelGroup are the nodes of a label, "" for those without one.
type LabelGroup struct {
	Label  string             `json:"label"`
	Nodes  int                `json:"nodes"`
	Shares map[string]float64 `json:"shares"` // of leaf queues, in percent
}

// leastShare of a group is given to every leaf queue with jobs, in percent, so that none is
// locked out of the nodes without label.
const leastShare = 1.0

// Recommend turns an allocation of classes into labels and shares of the queue file's
// leaves. label names a job's class, as for RatesOf. Errors: capacities that are not
// percentages, labels that the file has already.
func (r *AllocationResult) Recommend(d *yarnconf.Document, w *simcore.Workload, c *simcore.Cluster,
	label func(job int) string) (*Recommendation, error) {
	levels, err := d.Levels()
	if err != nil {
		return nil, err
	}
	queues, err := d.Queues()
	if err != nil {
		return nil, err
	}
	if err := movable(queues, levels); err != nil {
		return nil, err
	}
	kinds := groups(c)
	out := &Recommendation{Cluster: labelled(c, kinds)}
	work := r.work(w, kinds, label)
	target, most := make([]string, len(w.Queues)), make([]float64, len(w.Queues)) // kind with most of a queue's work
	for g, nodes := range kinds {
		name := kindLabel(g)
		shares, sum := map[string]float64{}, 0.0
		for q, v := range work[g] {
			sum += v
			if v *= float64(c.Nodes[nodes[0]].Capacity[simcore.Memory]); v > most[q] {
				target[q], most[q] = name, v
			}
		}
		for q, v := range work[g] {
			shares[w.Queues[q]] = math.Max(100*v/math.Max(sum, math.SmallestNonzeroFloat64), leastShare)
		}
		out.Groups = append(out.Groups, LabelGroup{Label: name, Nodes: len(nodes), Shares: shares})
		changes, err := levelChanges(levels, shares, name)
		if err != nil {
			return nil, err
		}
		out.Changes = append(out.Changes, changes...)
	}
	out.Changes = append(out.Changes, access(queues, out.Cluster.Labels, target, w)...)
	out.Changes = append(out.Changes, out.userFactors(queues)...)
	return out, nil
}

// movable tells why the shares of a file can't be moved to labels; nil if they can.
func movable(queues []yarnconf.QueueInfo, levels []yarnconf.Level) error {
	for _, q := range queues {
		if q.Labelled {
			return fmt.Errorf("queue %s has capacities of node labels; use a file without labels", q.Path)
		}
	}
	for _, lv := range levels {
		if lv.Fixed != "" || lv.Mode != yarnconf.Percentage {
			return fmt.Errorf("queues below %s: capacities are not percentages that may move %s: must be percentages",
				lv.Parent, lv.Fixed)
		}
	}
	return nil
}

// userFactors raises user-limit factors so that a single user can have all of every
// group in which the queue has a share.
func (rec *Recommendation) userFactors(queues []yarnconf.QueueInfo) (changes []yarnconf.Change) {
	for _, q := range queues {
		if !q.Leaf || q.UserFactor < 0 {
			continue
		}
		least := 100.0
		for _, g := range rec.Groups {
			if v, ok := g.Shares[q.Path]; ok {
				least = min(least, v)
			}
		}
		if factor := math.Ceil(100 / least); factor > q.UserFactor {
			changes = append(changes, yarnconf.Change{Key: yarnconf.Key(q.Path, yarnconf.UserFactor), Value: fmt.Sprint(factor)})
		}
	}
	return changes
}

// work is the allocation's share of the nodes of each kind, by queue: a queue has its part of the
// share of each class, by its part of the class's task time.
func (r *AllocationResult) work(w *simcore.Workload, kinds [][]int, label func(int) string) [][]float64 {
	index, sums := map[string]int{}, make([]float64, len(r.Classes))
	for i := range r.Classes {
		index[r.Classes[i].Name] = i
	}
	parts := make([][]float64, len(r.Classes))
	for i := range parts {
		parts[i] = make([]float64, len(w.Queues))
	}
	for j := range w.Jobs {
		if k, ok := index[label(j)]; ok {
			t := w.StageSeconds(&w.Jobs[j], simcore.Map) + w.StageSeconds(&w.Jobs[j], simcore.Reduce)
			parts[k][w.Jobs[j].Queue] += t
			sums[k] += t
		}
	}
	out := make([][]float64, len(kinds))
	for g, nodes := range kinds {
		out[g] = make([]float64, len(w.Queues))
		for _, n := range nodes {
			for k, delta := range r.Nodes[n].Delta {
				for q, part := range parts[k] {
					if sums[k] > 0 {
						out[g][q] += delta * part / sums[k]
					}
				}
			}
		}
	}
	return out
}

// groups returns the nodes of each kind, the kind with most nodes first.
func groups(c *simcore.Cluster) (kinds [][]int) {
	index := map[simcore.Node]int{}
	for n, kind := range c.Nodes {
		kind.Name, kind.Rack, kind.Label, kind.Kind = "", 0, "", ""
		kind.Price, kind.Spot, kind.Notice = 0, 0, 0
		i, ok := index[kind]
		if !ok {
			i = len(kinds)
			index[kind], kinds = i, append(kinds, nil)
		}
		kinds[i] = append(kinds[i], n)
	}
	slices.SortStableFunc(kinds, func(a, b []int) int { return len(b) - len(a) })
	return kinds
}

// kindLabel is the label of a kind; the largest has none.
func kindLabel(kind int) string {
	if kind == 0 {
		return ""
	}
	return fmt.Sprintf("kind%d", kind+1)
}

func labelled(c *simcore.Cluster, kinds [][]int) *simcore.Cluster {
	out := *c
	out.Nodes, out.Labels = slices.Clone(c.Nodes), nil
	for g, nodes := range kinds {
		for _, n := range nodes {
			out.Nodes[n].Label = kindLabel(g)
		}
		if g > 0 {
			out.Labels = append(out.Labels, simcore.NodeLabel{Name: kindLabel(g)})
		}
	}
	slices.SortFunc(out.Labels, func(a, b simcore.NodeLabel) int { return strings.Compare(a.Name, b.Name) })
	return &out
}

// levelChanges writes the shares of one group, level by level.
func levelChanges(levels []yarnconf.Level, shares map[string]float64, label string) ([]yarnconf.Change, error) {
	below := func(path string) float64 {
		sum := 0.0
		for q, v := range shares {
			if q == path || strings.HasPrefix(q, path+".") {
				sum += v
			}
		}
		return math.Round(1e6*sum) / 1e6 // the order of a map's entries must not show
	}
	var out []yarnconf.Change
	for _, lv := range levels {
		list := make([]float64, len(lv.Queues))
		sum := 0.0
		for i, q := range lv.Queues {
			list[i] = below(q)
			sum += list[i]
		}
		if sum == 0 { // no jobs below: equal parts
			for i := range list {
				list[i] = 1
			}
		}
		rounded, err := yarnconf.RoundShares(list, 100, 1)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", lv.Parent, err)
		}
		for i, q := range lv.Queues {
			out = append(out, yarnconf.Change{Key: yarnconf.LabelKey(q, label, yarnconf.Capacity),
				Value: fmt.Sprint(rounded[i])},
				yarnconf.Change{Key: yarnconf.LabelKey(q, label, yarnconf.MaximumCapacity), Value: "100"})
		}
	}
	return out, nil
}

// access lets all queues use all labels, and names each queue's own.
func access(queues []yarnconf.QueueInfo, labels []simcore.NodeLabel, target []string, w *simcore.Workload) (
	out []yarnconf.Change) {
	if len(labels) == 0 {
		return nil
	}
	names := ""
	for _, l := range labels {
		names += "," + l.Name
		out = append(out, yarnconf.Change{Key: yarnconf.LabelKey("root", l.Name, yarnconf.Capacity), Value: "100"})
	}
	for _, q := range queues {
		out = append(out, yarnconf.Change{Key: yarnconf.Key(q.Path, "accessible-node-labels"), Value: names[1:]})
		if i := slices.Index(w.Queues, q.Path); i >= 0 && target[i] != "" {
			out = append(out, yarnconf.Change{Key: yarnconf.Key(q.Path, "default-node-label-expression"), Value: target[i]})
		}
	}
	return out
}

// NodesYAML writes the cluster with its labels as a cluster file.
func (r *Recommendation) NodesYAML() []byte {
	var labels []string
	for _, l := range r.Cluster.Labels {
		labels = append(labels, fmt.Sprintf("%s: {exclusive: %v}", l.Name, l.Exclusive))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "labels: {%s}\nnodes:\n", strings.Join(labels, ", "))
	for i := range r.Cluster.Nodes {
		n := &r.Cluster.Nodes[i]
		fmt.Fprintf(&b, "  - {name: %q, memory: %d, vcores: %d", n.Name, n.Capacity[simcore.Memory],
			n.Capacity[simcore.VCores])
		if int(n.Rack) < len(r.Cluster.Racks) {
			fmt.Fprintf(&b, ", rack: %q", r.Cluster.Racks[n.Rack])
		}
		for _, f := range []struct {
			key string
			v   float64
		}{{"speed", n.Speed}, {"cores", float64(n.Cores)}, {"disks", float64(n.Disks)}, {"diskRate", n.DiskRate},
			{"nicRate", n.NICRate}} {
			if f.v > 0 {
				fmt.Fprintf(&b, ", %s: %v", f.key, f.v)
			}
		}
		if n.Label != "" {
			fmt.Fprintf(&b, ", label: %s", n.Label)
		}
		b.WriteString("}\n")
	}
	if r.Cluster.UplinkRate > 0 {
		fmt.Fprintf(&b, "uplink: %v\n", r.Cluster.UplinkRate)
	}
	return []byte(b.String())
}
