package main

import (
	"github.com/spf13/cobra"

	"schedtune/internal/cli"
	"schedtune/internal/text"
)

// newRootCmd builds the tree: tune itself searches, the rest are subcommands,
// one file each.
func newRootCmd(e *env) *cobra.Command {
	root := newSearchCmd(e)
	root.Use = "tune"
	root.Version = text.Version()
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
	root.AddCommand(topics()...)
	root.AddCommand(movedCmd("replay", "replay"), movedCmd("reproduce", "papers, forecast, forecast-real or learners"))
	return root
}

// movedCmd refuses a command that has left tune and says where it is, for one version.
func movedCmd(name, to string) *cobra.Command {
	return &cobra.Command{
		Use: name, Hidden: true, DisableFlagParsing: true,
		RunE: func(*cobra.Command, []string) error {
			return cli.Usagef("tune %s moved: in the source tree, go run ./validation %s", name, to)
		},
	}
}

// commandGroup is a part of what tune can do besides searching, under its title in the help.
type commandGroup struct {
	title    string
	commands []*cobra.Command
}

// commandGroups is the one list of subcommands, in the order of the help.
func commandGroups(e *env) []commandGroup {
	return []commandGroup{
		{"A queue file", []*cobra.Command{newCheckCmd(e), newExplainCmd(e), newSimulateCmd(e), newCompareCmd(e), newSizeCmd(e), newTimetableCmd(e)}},
		{"A running cluster", []*cobra.Command{newPullCmd(e), newWhyCmd(e), newDoctorCmd(e), newApplyCmd(e), newRollbackCmd(e), newVerifyCmd(e), newWatchCmd(e)}},
		{"Recorded traces", []*cobra.Command{newTraceCmd(e), newImportCmd(e)}},
		{"More machines", []*cobra.Command{newWorkerCmd(e), newPlanCmd(e), newCollectCmd(e)}},
	}
}
