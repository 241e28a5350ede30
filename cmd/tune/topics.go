package main

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"text/template"

	"github.com/spf13/cobra"

	"schedtune/datasets"
	"schedtune/internal/cli"
	"schedtune/internal/text"
	"schedtune/simcore"
	"schedtune/simcore/sched"
	"schedtune/yarnconf"
)

// The pages of tune help TOPIC list the names that several commands accept.

//go:embed topics.tmpl
var topicPages string

// topics returns commands that run nothing, which cobra shows as further help topics.
func topics(root *cobra.Command) (list []*cobra.Command) {
	pages := text.Table(topicPages, template.FuncMap{"metrics": simcore.Metrics, "schedulers": sched.Table,
		"higher":   func(m simcore.Metric) bool { return m.Better == simcore.Higher },
		"datasets": datasets.Names, "dataset": aboutDataset, "rules": yarnconf.RuleNames, "rule": yarnconf.RuleText,
		"codes": cli.ExitCodes, "commands": func(code int) string { return endingWith(root, code) }})
	for _, t := range [][2]string{{"objectives", "Metrics that can be improved or limited, and their limitations"},
		{"schedulers", "Schedulers and their parameters"}, {"datasets", "Embedded data sets"}, {"rules",
			"List the rules of tune check"},
		{"exit-codes", "Exit codes of all commands"}} {
		c := &cobra.Command{Use: t[0], Short: t[1]}
		c.SetHelpFunc(func(c *cobra.Command, args []string) {
			var page strings.Builder
			_ = pages.ExecuteTemplate(&page, t[0], nil) // a strings.Builder does not fail
			c.Long = page.String()
			c.Parent().HelpFunc()(c, args)
		})
		list = append(list, c)
	}
	return list
}

// endingWith lists the commands that end with an exit code of their own.
func endingWith(root *cobra.Command, code int) string {
	var of []string
	for _, sub := range every(root) {
		if _, ok := sub.Annotations[cli.ExitKey(code)]; ok && code > cli.ExitUsage && code < cli.ExitInterrupted {
			of = append(of, cmp.Or(strings.TrimPrefix(sub.CommandPath(), root.Name()+" "), root.Name()))
		}
	}
	slices.Sort(of)
	return strings.Join(of, ", ")
}

func aboutDataset(name string) string {
	set, err := datasets.Load(name)
	if err != nil {
		return "cannot be loaded"
	}
	return fmt.Sprintf("%s on %s. %s", text.Count(len(set.Workload.Jobs), "job"),
		text.Count(len(set.Cluster.Nodes), "node"), set.Doc)
}

// objectiveNames returns the metrics that a search can improve.
func objectiveNames() []string {
	var names []string
	for _, m := range simcore.Metrics() {
		if m.Unit != "jobs" {
			names = append(names, m.Name)
		}
	}
	return names
}
