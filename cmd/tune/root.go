package main

import (
	"context"
	"embed"

	"github.com/spf13/cobra"

	"schedtune/internal/cli"
)

// pages holds the help of each command.
//
//go:embed help
var pages embed.FS

// newRootCmd returns the command tree: tune itself searches, everything else is a subcommand.
func newRootCmd(e *env) *cobra.Command {
	root := newSearchCmd(e)
	root.Use = "tune"
	root.Version = version().String()
	root.Args = cli.NoArgs
	root.SetVersionTemplate("{{.Version}}\n")
	e.Flags(root)
	for _, g := range commandGroups(e) {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title + ":"})
		for _, c := range g.commands {
			c.GroupID = g.title
		}
		root.AddCommand(g.commands...)
	}
	root.AddCommand(newVersionCmd(e), newManCmd(e))
	root.AddCommand(topics(root)...)
	cli.Describe(root, pages)
	return root
}

// commandGroup holds subcommands that have a common title in the help.
type commandGroup struct {
	title    string
	commands []*cobra.Command
}

// commandGroups returns the subcommands in the order of the help.
func commandGroups(e *env) []commandGroup {
	return []commandGroup{
		{"Configuration", []*cobra.Command{newCheckCmd(e), newExplainCmd(e), newSimulateCmd(e), newCompareCmd(e),
			newSizeCmd(e), newTimetableCmd(e)}},
		{"Running cluster", []*cobra.Command{newPullCmd(e), newWhyCmd(e), newDoctorCmd(e), newApplyCmd(e), newRollbackCmd(e),
			newVerifyCmd(e), newWatchCmd(e)}},
		{"Traces", []*cobra.Command{newTraceCmd(e), newImportCmd(e)}},
		{"Distributed search", []*cobra.Command{newWorkerCmd(e), newPlanCmd(e), newCollectCmd(e)}},
	}
}

// subcommand returns a command; the context of a run ends with a signal.
func subcommand(use string, args cobra.PositionalArgs, run func(context.Context, []string) error) *cobra.Command {
	return &cobra.Command{Use: use, Args: args, RunE: func(c *cobra.Command, args []string) error {
		return run(c.Context(), args)
	}}
}

// interrupted is the error of work that ended: cli.ErrInterrupted if the context did.
func interrupted(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return cli.ErrInterrupted
	}
	return err
}

// ending is cli.Interruptible without a value.
func ending(ctx context.Context, f func() error) error {
	_, err := cli.Interruptible(ctx, func() (struct{}, error) { return struct{}{}, f() })
	return err
}
