package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"schedtune/datasets"
	"schedtune/internal/text"
	"schedtune/simcore"
	"schedtune/simcore/sched"
)

// The pages of tune help TOPIC list the names that several commands accept.

// topics returns commands that run nothing, which cobra shows as further help topics.
func topics(root *cobra.Command) []*cobra.Command {
	topic := func(name, short string, page func() string) *cobra.Command {
		c := &cobra.Command{Use: name, Short: short}
		c.SetHelpFunc(func(c *cobra.Command, args []string) {
			c.Long = page()
			c.Parent().HelpFunc()(c, args)
		})
		return c
	}
	return []*cobra.Command{
		topic("objectives", "Metrics that can be improved or limited, and their limitations", objectivesPage),
		topic("schedulers", "Schedulers and their parameters", schedulersPage),
		topic("datasets", "Embedded data sets", datasetsPage),
		topic("rules", "Rules of tune check", rulesPage),
		topic("exit-codes", "Exit codes of all commands", func() string { return exitCodesPage(root) }),
	}
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

func objectivesPage() string {
	var b strings.Builder
	b.WriteString(`Metrics of jobs are also available for one queue, user or class: queue.prod.p95-wait.
Below each metric are its limitations; mean-bounded-slowdown weights short and long
jobs equally.

`)
	for _, m := range simcore.Metrics() {
		if m.Unit == "jobs" {
			continue
		}
		better, whose := "lower", ""
		if m.Better == simcore.Higher {
			better = "higher"
		}
		if !m.PerGroup {
			whose = ", for the whole cluster only"
		}
		fmt.Fprintf(&b, "  %s: %s\n      %s; %s is better%s\n", m.Name, m.Doc, m.Unit, better, whose)
		if m.Blind != "" {
			fmt.Fprintf(&b, "      %s\n", m.Blind)
		}
	}
	return b.String()
}

func schedulersPage() string {
	var b strings.Builder
	b.WriteString(`NAME, or NAME:PARAMETER=VALUE,… as in delay:inner=fifo,node-delay=5.

`)
	for _, e := range sched.Table() {
		fmt.Fprintf(&b, "  %s (%s): %s\n", e.Name, e.Source, e.Help)
		for i := range e.Params {
			p := &e.Params[i]
			unit := ""
			if p.Unit != "" {
				unit = " " + p.Unit
			}
			fmt.Fprintf(&b, "      %s=%s%s: %s; %s\n", p.Name, cmp.Or(p.Default, "…"), unit, p.Help, p.Allowed())
		}
	}
	return b.String()
}

func datasetsPage() string {
	var b strings.Builder
	for _, name := range datasets.Names() {
		doc := "cannot be loaded"
		if set, err := datasets.Load(name); err == nil {
			doc = fmt.Sprintf("%s on %s. %s", text.Count(len(set.Workload.Jobs), "job"),
				text.Count(len(set.Cluster.Nodes), "node"), set.Doc)
		}
		fmt.Fprintf(&b, "  %s\n      %s\n", name, doc)
	}
	return b.String()
}
