package models

import (
	"fmt"
	"math"
	"slices"
	"sort"
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
	parts := r.parts(w, label)
	group, names := groups(c)
	out := &Recommendation{Cluster: labelled(c, group, names)}
	target := r.targets(w, c, parts, group, len(names))
	for g, name := range names {
		shares, n := r.groupShares(w, parts, group, g)
		if n == 0 {
			continue
		}
		out.Groups = append(out.Groups, LabelGroup{Label: name, Nodes: n, Shares: shares})
		changes, err := levelChanges(levels, shares, name)
		if err != nil {
			return nil, err
		}
		out.Changes = append(out.Changes, changes...)
	}
	out.Changes = append(out.Changes, access(queues, names, target, w)...)
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

// parts are the parts of every class's work by queue of the workload.
func (r *AllocationResult) parts(w *simcore.Workload, label func(int) string) [][]float64 {
	index := map[string]int{}
	for i := range r.Classes {
		index[r.Classes[i].Name] = i
	}
	out := make([][]float64, len(r.Classes))
	for i := range out {
		out[i] = make([]float64, len(w.Queues))
	}
	for j := range w.Jobs {
		if k, ok := index[label(j)]; ok {
			out[k][w.Jobs[j].Queue] += w.StageSeconds(&w.Jobs[j], simcore.Map) + w.StageSeconds(&w.Jobs[j], simcore.Reduce)
		}
	}
	for _, row := range out {
		sum := 0.0
		for _, v := range row {
			sum += v
		}
		for q := range row {
			if sum > 0 {
				row[q] /= sum
			}
		}
	}
	return out
}

// groups numbers nodes by their kind; the largest kind comes first and has no name.
func groups(c *simcore.Cluster) (group []int, names []string) {
	type kind struct {
		capacity, slots   simcore.Vec
		speed             float64
		cores, disks      int32
		diskRate, nicRate float64
	}
	index := map[kind]int{}
	var count []int
	for n := range c.Nodes {
		v := &c.Nodes[n]
		k := kind{v.Capacity, v.Slots, v.Speed, v.Cores, v.Disks, v.DiskRate, v.NICRate}
		i, ok := index[k]
		if !ok {
			i = len(count)
			index[k], count = i, append(count, 0)
		}
		count[i]++
		group = append(group, i)
	}
	order := make([]int, len(count))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(a, b int) bool { return count[order[a]] > count[order[b]] })
	at := make([]int, len(count))
	for i, k := range order {
		at[k] = i
		name := ""
		if i > 0 {
			name = fmt.Sprintf("kind%d", i+1)
		}
		names = append(names, name)
	}
	for n := range group {
		group[n] = at[group[n]]
	}
	return group, names
}

func labelled(c *simcore.Cluster, group []int, names []string) *simcore.Cluster {
	out := *c
	out.Nodes = slices.Clone(c.Nodes)
	out.Labels = nil
	for n := range out.Nodes {
		out.Nodes[n].Label = names[group[n]]
	}
	for _, name := range names {
		if name != "" {
			out.Labels = append(out.Labels, simcore.NodeLabel{Name: name})
		}
	}
	sort.Slice(out.Labels, func(a, b int) bool { return out.Labels[a].Name < out.Labels[b].Name })
	return &out
}

// groupShares are the leaf queues' shares of a group of nodes, in percent.
func (r *AllocationResult) groupShares(w *simcore.Workload, parts [][]float64, group []int, g int) (map[string]float64,
	int) {
	shares, nodes, sum := map[string]float64{}, 0, 0.0
	for _, q := range w.Queues {
		shares[q] = 0
	}
	for n := range group {
		if group[n] != g {
			continue
		}
		nodes++
		for k, delta := range r.Nodes[n].Delta {
			for q, part := range parts[k] {
				shares[w.Queues[q]] += delta * part
			}
		}
	}
	for _, q := range w.Queues {
		sum += shares[q]
	}
	for _, q := range w.Queues {
		if sum > 0 {
			shares[q] = math.Max(100*shares[q]/sum, leastShare)
		} else {
			shares[q] = leastShare
		}
	}
	return shares, nodes
}

// targets is the group on which most of a queue's work lies, by queue.
func (r *AllocationResult) targets(w *simcore.Workload, c *simcore.Cluster, parts [][]float64, group []int,
	groups int) []int {
	out := make([]int, len(w.Queues))
	for q := range w.Queues {
		at := make([]float64, groups)
		for n := range group {
			for k, delta := range r.Nodes[n].Delta {
				at[group[n]] += delta * parts[k][q] * float64(c.Nodes[n].Capacity[simcore.Memory])
			}
		}
		for g, v := range at {
			if v > at[out[q]] {
				out[q] = g
			}
		}
	}
	return out
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
func access(queues []yarnconf.QueueInfo, names []string, target []int, w *simcore.Workload) []yarnconf.Change {
	var labels []string
	for _, n := range names {
		if n != "" {
			labels = append(labels, n)
		}
	}
	if len(labels) == 0 {
		return nil
	}
	var out []yarnconf.Change
	for _, q := range queues {
		out = append(out, yarnconf.Change{Key: yarnconf.Key(q.Path, "accessible-node-labels"),
			Value: strings.Join(labels, ",")})
		if q.Path == "root" {
			for _, l := range labels {
				out = append(out, yarnconf.Change{Key: yarnconf.LabelKey(q.Path, l, yarnconf.Capacity), Value: "100"})
			}
		}
		if i := slices.Index(w.Queues, q.Path); i >= 0 && names[target[i]] != "" {
			out = append(out, yarnconf.Change{Key: yarnconf.Key(q.Path, "default-node-label-expression"),
				Value: names[target[i]]})
		}
	}
	return out
}

// NodesYAML writes the cluster with its labels as a cluster file.
func (r *Recommendation) NodesYAML() []byte {
	var b strings.Builder
	b.WriteString("labels: {")
	for i, l := range r.Cluster.Labels {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s: {exclusive: %v}", l.Name, l.Exclusive)
	}
	b.WriteString("}\nnodes:\n")
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
