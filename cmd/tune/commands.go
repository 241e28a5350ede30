package main

import (
	"cmp"
	"context"
	"embed"
	_ "embed"
	"fmt"
	"io"
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
	own := template.FuncMap{"metrics": simcore.Metrics, "schedulers": sched.Table,
		"higher":   func(m simcore.Metric) bool { return m.Better == simcore.Higher },
		"datasets": datasets.Names, "dataset": aboutDataset, "rules": yarnconf.RuleNames, "rule": yarnconf.RuleText,
		"codes": cli.ExitCodes, "commands": func(code int) string { return endingWith(root, code) }}
	for _, t := range [][2]string{{"objectives", "Metrics that can be improved or limited, and their limitations"},
		{"schedulers", "Schedulers and their parameters"}, {"datasets", "Embedded data sets"}, {"rules",
			"List the rules of tune check"},
		{"exit-codes", "Exit codes of all commands"}} {
		c := &cobra.Command{Use: t[0], Short: t[1]}
		c.SetHelpFunc(func(c *cobra.Command, args []string) {
			var page strings.Builder
			_ = text.Table(topicPages, own).ExecuteTemplate(&page, t[0], nil) // a strings.Builder does not fail
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

func newVersionCmd(e *env, version cli.VersionDocument) *cobra.Command {
	return subcommand("version", cli.Args(cobra.NoArgs), func(context.Context, []string) error {
		return e.Show(version, func(w io.Writer) error {
			_, err := fmt.Fprintln(w, version)
			return err
		})
	})
}

func newManCmd(e *env) *cobra.Command {
	return &cobra.Command{
		Use:  "man",
		Args: cli.Args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			if e.JSON {
				return cli.Usagef("--json: a manual page has no such form")
			}
			return writeManual(e.Stdout, c.Root())
		},
	}
}

// writeManual writes the pages of all commands as one manual page.
func writeManual(w io.Writer, root *cobra.Command) error {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %s 1 \"\" \"schedtune %s\"\n.SH NAME\n%s \\- %s\n", strings.ToUpper(root.Name()), text.Release,
		root.Name(), strings.ToLower(root.Short[:1])+root.Short[1:])
	var add func(c *cobra.Command)
	add = func(c *cobra.Command) {
		if c.Hidden || c.Name() == "help" || c.Name() == "completion" {
			return
		}
		page := strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(cli.Help(c))
		fmt.Fprintf(&b, ".SH %s\n.nf\n", strings.ToUpper(c.CommandPath()))
		for line := range strings.Lines(page) {
			if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
				line = `\&` + line // a request of roff otherwise
			}
			b.WriteString(line)
		}
		b.WriteString(".fi\n")
		for _, s := range c.Commands() {
			add(s)
		}
	}
	add(root)
	_, err := io.WriteString(w, b.String())
	return err
}

// every lists a command and all below it that do something.
func every(c *cobra.Command) []*cobra.Command {
	var list []*cobra.Command
	if c.Runnable() && !c.Hidden {
		list = append(list, c)
	}
	for _, s := range c.Commands() {
		if s.Name() != "completion" && s.Name() != "help" {
			list = append(list, every(s)...)
		}
	}
	return list
}

// pages holds the help of each command.
//
//go:embed help
var pages embed.FS

// newRootCmd returns the command tree: tune itself searches, everything else is a subcommand.
func newRootCmd(e *env) *cobra.Command {
	root := newSearchCmd(e)
	root.Use = "tune"
	root.Args = cli.NoArgs
	e.Flags(root)
	version := e.Version(root, yarnconf.Hadoop33, yarnconf.Hadoop34, yarnconf.Hadoop35)
	for _, g := range []struct {
		title    string
		commands []*cobra.Command
	}{{"Configuration", []*cobra.Command{newCheckCmd(e), newExplainCmd(e), newSimulateCmd(e), newCompareCmd(e),
		newSizeCmd(e), newTimetableCmd(e)}},
		{"Running cluster", []*cobra.Command{newPullCmd(e), newWhyCmd(e), newDoctorCmd(e), newApplyCmd(e, false),
			newApplyCmd(e, true), newVerifyCmd(e), newWatchCmd(e)}},
		{"Traces", []*cobra.Command{newTraceCmd(e), newImportCmd(e)}},
		{"Distributed search", []*cobra.Command{newWorkerCmd(e), newPlanCmd(e), newCollectCmd(e)}}} {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title + ":"})
		for _, c := range g.commands {
			c.GroupID = g.title
		}
		root.AddCommand(g.commands...)
	}
	root.AddCommand(newVersionCmd(e, version), newManCmd(e))
	root.AddCommand(topics(root)...)
	cli.Describe(root, pages)
	return root
}

// subcommand returns a command; the context of a run ends with a signal.
func subcommand(use string, args cobra.PositionalArgs, run func(context.Context, []string) error) *cobra.Command {
	return &cobra.Command{Use: use, Args: args, RunE: func(c *cobra.Command, args []string) error {
		return run(c.Context(), args)
	}}
}

// ending is cli.Interruptible without a value.
func ending(ctx context.Context, f func() error) error {
	_, err := cli.Interruptible(ctx, func() (struct{}, error) { return struct{}{}, f() })
	return err
}
