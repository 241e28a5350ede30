package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"schedtune/internal/diagnose"
	"schedtune/internal/scenario"
	"schedtune/internal/text"
	"schedtune/simcore"
	"schedtune/yarnconf"
)

type partitionJSON struct {
	Label  string             `json:"label"`
	Nodes  *int               `json:"nodes"` // with --cluster
	Memory int64              `json:"memory_mib,omitempty"`
	Shared *bool              `json:"shared"` // not exclusive
	Queues []partitionedJSON  `json:"queues"`
	Sums   []partitionSumJSON `json:"sums"`
}

type partitionedJSON struct {
	Queue    string  `json:"queue"`
	Leaf     bool    `json:"-"`
	Access   bool    `json:"access"`
	Capacity string  `json:"capacity,omitempty"` // as written
	Maximum  string  `json:"maximum_capacity,omitempty"`
	AMShare  float32 `json:"maximum_am_share,omitempty"`
	Line     int     `json:"line,omitempty"`
}

type partitionSumJSON struct {
	Parent string `json:"parent"`
	Sum    string `json:"sum"`
}

type ruleJSON struct {
	Rule   string `json:"rule"` // as it is written
	Who    string `json:"who"`
	Target string `json:"target,omitempty"` // absent: rejects
	Makes  bool   `json:"makes"`            // the queue, where it is not there
	Sets   bool   `json:"sets_default"`
	Else   string `json:"else,omitempty"`       // the action if the target is not possible
	After  int    `json:"decided_by,omitempty"` // the rule before that decides for all whom this one is for
	Always bool   `json:"also_where_a_queue_is_named"`
}

type firstUseJSON struct {
	Parent    string            `json:"parent"`
	Kind      string            `json:"kind"` // flexible (auto-queue-creation-v2) or managed (auto-create-child-queue)
	Depth     int               `json:"levels"`
	MaxQueues int               `json:"max_queues"`
	Leaf      map[string]string `json:"leaf_template"`
	Up        map[string]string `json:"parent_template"`
	Removed   int64             `json:"removed_after_s,omitempty"`
	Reason    string            `json:"reason_for_none,omitempty"`
}

// loadCluster reads a cluster file and prints its notes.
func loadCluster(e *env, path string) (*simcore.Cluster, error) {
	f, err := scenario.LoadCluster(path)
	if err != nil {
		return nil, err
	}
	for _, n := range f.Notes {
		e.Notef("%s: %s", path, n)
	}
	return f.Cluster, nil
}

// nodeGroups counts the nodes of a cluster file by label.
func nodeGroups(e *env, path string) ([]yarnconf.NodeGroup, error) {
	if path == "" {
		return nil, nil
	}
	c, err := loadCluster(e, path)
	if err != nil {
		return nil, err
	}
	groups := []yarnconf.NodeGroup{{}}
	at := map[string]int{"": 0}
	for _, l := range c.Labels {
		at[l.Name] = len(groups)
		groups = append(groups, yarnconf.NodeGroup{Label: l.Name, Shared: !l.Exclusive})
	}
	for _, n := range c.Nodes {
		g := &groups[at[n.Label]]
		g.Nodes++
		g.Total = g.Total.Add(yarnconf.Resource{Memory: n.Capacity[simcore.Memory], VCores: n.Capacity[simcore.VCores]})
	}
	return groups, nil
}

// listQueues fills in node labels, placement rules and parents of dynamic queues.
func listQueues(out *checkedFile, d *yarnconf.Document, groups []yarnconf.NodeGroup) {
	if yarnconf.IsMR1(d) {
		return
	}
	c, err := yarnconf.Evaluate(d)
	if err != nil {
		return
	}
	of := map[string]yarnconf.NodeGroup{}
	labels := c.LabelNames()
	for _, g := range groups {
		if of[g.Label] = g; g.Label != "" && !slices.Contains(labels, g.Label) {
			labels = append(labels, g.Label)
		}
	}
	for _, t := range d.Partitions(c, labels) {
		p := partitionJSON{Label: t.Label, Queues: []partitionedJSON{}, Sums: []partitionSumJSON{}}
		if g, ok := of[t.Label]; len(groups) > 0 {
			p.Nodes, p.Memory = &g.Nodes, g.Total.Memory
			if ok {
				p.Shared = &g.Shared
			}
		}
		for _, q := range t.Queues {
			p.Queues = append(p.Queues, partitionedJSON(q))
		}
		for _, s := range t.Sums {
			p.Sums = append(p.Sums, partitionSumJSON(s))
		}
		out.Groups = append(out.Groups, p)
	}
	made := c.MakesQueues()
	for _, o := range c.Placement.Outlines() {
		r := ruleJSON{o.Text, o.Who, o.Target, o.Makes && len(made) > 0, o.Sets, o.Else, o.After, c.Placement.Override}
		if !strings.Contains(o.Target, "%") && c.Find(o.Target) >= 0 { // the queue exists for every user
			r.Makes, r.Else = false, ""
		}
		out.Rules = append(out.Rules, r)
	}
	for _, m := range made {
		j := firstUseJSON{Parent: m.Parent, Kind: "flexible", Depth: m.Depth, MaxQueues: m.MaxQueues,
			Leaf: diagnose.ChangeMap(m.Leaf), Up: diagnose.ChangeMap(m.Up), Removed: m.Removed, Reason: m.Reason}
		if m.Managed {
			j.Kind = "managed"
		}
		out.FirstUse = append(out.FirstUse, j)
	}
}

// printQueues writes node labels, placement rules and parents of dynamic queues.
func printQueues(e *env, out *checkedFile) {
	for i := range out.Groups {
		printPartition(e, &out.Groups[i])
	}
	if len(out.Rules) > 0 {
		whom := "applications without a queue name"
		if out.Rules[0].Always {
			whom = "all applications"
		}
		fmt.Fprintf(e.Stdout, "\nplacement of %s, first matching rule:\n", whom)
		for i, r := range out.Rules {
			fmt.Fprintf(e.Stdout, "  %d. %s: %s\n", i+1, r.Rule, r.sentence())
		}
	}
	for i := range out.FirstUse {
		out.FirstUse[i].print(e)
	}
}

// printPartition writes the capacities of the queues for one node label.
func printPartition(e *env, p *partitionJSON) {
	fmt.Fprintf(e.Stdout, "\nnode label %s", p.Label)
	if p.Nodes != nil {
		fmt.Fprintf(e.Stdout, ": %s, %d MiB", text.Count(*p.Nodes, "node"), p.Memory)
	}
	if p.Shared != nil {
		fmt.Fprintf(e.Stdout, ", %s", map[bool]string{true: "idle resources shared with requests without a label",
			false: "exclusive"}[*p.Shared])
	}
	fmt.Fprintln(e.Stdout)
	tw := text.New(e.Stdout)
	var none []string
	for _, q := range p.Queues {
		switch {
		case q.Capacity == "" && !q.Access:
			none = append(none, q.Queue)
			continue
		case q.Capacity == "":
			fmt.Fprintf(tw, "  %s\tno capacity\n", q.Queue)
			continue
		}
		access := ""
		if !q.Access {
			access = ", no access"
		}
		fmt.Fprintf(tw, "  %s\tcapacity %s, maximum %s, AM limit %g%s\n", q.Queue, q.Capacity, cmp.Or(q.Maximum, "100"),
			q.AMShare, access)
	}
	tw.Flush()
	for _, s := range p.Sums {
		fmt.Fprintf(e.Stdout, "  below %s: %s\n", s.Parent, s.Sum)
	}
	if len(none) > 0 {
		if n := len(none) - 12; n > 0 {
			none = append(none[:11], fmt.Sprintf("%s and %d more", none[11], n))
		}
		fmt.Fprintf(e.Stdout, "  no access: %s\n", strings.Join(none, ", "))
	}
}

// sentence describes a rule.
func (r *ruleJSON) sentence() string {
	var s string
	switch {
	case r.Sets:
		s = fmt.Sprintf("for %s, set the default queue to %s", r.Who, r.Target)
	case r.Target == "":
		s = r.Who + " is rejected"
		if r.Who != "everybody" {
			s = r.Who + ": rejected"
		}
	default:
		s = r.Who + " to " + r.Target
		if r.Makes {
			s += ", created if missing"
		}
		if r.Else != "" {
			s += "; if that is not possible, " + r.Else
		}
	}
	if r.After > 0 {
		s += fmt.Sprintf(" (never reached: rule %d decides)", r.After)
	}
	return s
}

// print writes the dynamic queues of a parent.
func (f *firstUseJSON) print(e *env) {
	fmt.Fprintf(e.Stdout, "\ndynamic queues below %s (%s): ", f.Parent, f.Kind)
	if f.Reason != "" {
		fmt.Fprintf(e.Stdout, "none, %s\n", f.Reason)
		return
	}
	fmt.Fprintf(e.Stdout, "up to %s deep, at most %s", text.Count(f.Depth, "level"), text.Count(f.MaxQueues, "queue"))
	if f.Removed > 0 {
		fmt.Fprintf(e.Stdout, ", removed after %d s without a submission", f.Removed)
	}
	fmt.Fprintf(e.Stdout, "\n  leaf template: %s\n", settingsText(f.Leaf))
	if len(f.Up) > 0 {
		fmt.Fprintf(e.Stdout, "  parent template: %s\n", settingsText(f.Up))
	}
}

func settingsText(m map[string]string) string {
	var list []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		list = append(list, k+" "+m[k])
	}
	return cmp.Or(strings.Join(list, ", "), "none")
}
