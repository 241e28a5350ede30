package main

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"text/template"

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

// nodeGroups counts the nodes of a cluster file by label.
func nodeGroups(e *env, path string) ([]yarnconf.NodeGroup, error) {
	if path == "" {
		return nil, nil
	}
	c, err := scenario.OpenCluster(path, e.Notef)
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

//go:embed check.tmpl
var checkPage string

// checkTemplate writes node labels, placement rules and parents of dynamic queues.
var checkTemplate = text.Table(checkPage, template.FuncMap{
	"is":  func(b bool) bool { return b },
	"add": func(a, b int) int { return a + b },
	"none": func(list []partitionedJSON) string { // queues without capacity and access
		var names []string
		for _, q := range list {
			if q.Capacity == "" && !q.Access {
				names = append(names, q.Queue)
			}
		}
		if n := len(names) - 12; n > 0 {
			names = append(names[:11], fmt.Sprintf("%s and %d more", names[11], n))
		}
		return strings.Join(names, ", ")
	},
})
