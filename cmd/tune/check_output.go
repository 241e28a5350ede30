package main

import (
	_ "embed"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"schedtune/internal/diagnose"
	"schedtune/internal/scenario"
	"schedtune/internal/text"
	"schedtune/simcore"
	"schedtune/yarnconf"
	"schedtune/yarnconf/placement"
)

type partitionJSON struct {
	Label  string                    `json:"label"`
	Nodes  *int                      `json:"nodes"` // with --cluster
	Memory int64                     `json:"memory_mib,omitempty"`
	Shared *bool                     `json:"shared"` // not exclusive
	Queues []yarnconf.PartitionShare `json:"queues"`
	Sums   []yarnconf.PartitionSum   `json:"sums"`
}

type ruleJSON struct {
	placement.Outline
	Always bool `json:"also_where_a_queue_is_named"`
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
		p := partitionJSON{Label: t.Label, Queues: t.Queues, Sums: t.Sums}
		if g, ok := of[t.Label]; len(groups) > 0 {
			p.Nodes, p.Memory = &g.Nodes, g.Total.Memory
			if ok {
				p.Shared = &g.Shared
			}
		}
		out.Groups = append(out.Groups, p)
	}
	made := c.MakesQueues()
	for _, o := range c.Placement.Outlines() {
		o.Makes = o.Makes && len(made) > 0
		if !strings.Contains(o.Target, "%") && c.Find(o.Target) >= 0 { // the queue exists for every user
			o.Makes, o.Else = false, ""
		}
		out.Rules = append(out.Rules, ruleJSON{o, c.Placement.Override})
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
	"none": func(list []yarnconf.PartitionShare) string { // queues without capacity and access
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

// checkFormats write the result of tune check for other programs: the log of SARIF, workflow commands
// that GitHub shows as annotations of lines, and JUnit's suite per file with a failed case per problem
// or one that passed.
var checkFormats = map[string]func(io.Writer, *checkJSON) error{"sarif": writeSARIF, "github": format("github"),
	"junit": format("junit")}

//go:embed checkformats.tmpl
var formatPages string

func format(name string) func(io.Writer, *checkJSON) error {
	return func(w io.Writer, out *checkJSON) error { return formatTemplates.ExecuteTemplate(w, name, out) }
}

var formatTemplates = text.Table(formatPages, template.FuncMap{
	"value":    strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace,
	"property": strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace,
	"xml": func(s string) (string, error) {
		var b strings.Builder
		err := xml.EscapeText(&b, []byte(s))
		return b.String(), err
	},
	"of": func(out *checkJSON, file string) []problemJSON {
		return slices.DeleteFunc(slices.Clone(out.Problems), func(p problemJSON) bool { return p.File != file })
	},
})

func formatNames() []string {
	return append([]string{"text", "json"}, slices.Sorted(maps.Keys(checkFormats))...)
}

// Message returns the text of a problem without its place.
func (p problemJSON) Message() string {
	s := strings.TrimPrefix(p.Property, yarnconf.Prefix) + ": " + p.Reason
	if p.Fix != nil {
		s += "; " + *p.Fix
	}
	return strings.TrimPrefix(s, ": ")
}

// At returns the line of a problem, 1 for the file as a whole.
func (p problemJSON) At() int {
	if p.Line == nil {
		return 1
	}
	return *p.Line
}

// rulePage is the page with an anchor for each rule.
const rulePage = "docs/rules.md#"

// writeSARIF writes SARIF 2.1.0 (OASIS Standard).
func writeSARIF(w io.Writer, out *checkJSON) error {
	type m = map[string]any
	rules, results, seen := []m{}, []m{}, map[string]bool{}
	for i := range out.Problems {
		p := &out.Problems[i]
		if !seen[p.Rule] {
			seen[p.Rule] = true
			rules = append(rules, m{"id": p.Rule, "shortDescription": m{"text": yarnconf.RuleText(p.Rule)},
				"help": m{"text": rulePage + p.Rule}})
		}
		results = append(results, m{"ruleId": p.Rule, "level": p.Severity, "message": m{"text": p.Message()},
			"locations": []m{{"physicalLocation": m{"artifactLocation": m{"uri": filepath.ToSlash(p.File)},
				"region": m{"startLine": p.At()}}}}})
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(m{"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": []m{{
		"tool":    m{"driver": m{"name": "schedtune", "version": text.Release, "rules": rules}},
		"results": results}}})
}
