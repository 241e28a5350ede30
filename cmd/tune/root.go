package main

import (
	"github.com/spf13/cobra"

	"schedtune/internal/cli"
	"schedtune/internal/version"
)

// newRootCmd builds the tree: tune itself searches, the rest are subcommands,
// one file each.
func newRootCmd(e *env) *cobra.Command {
	root := newSearchCmd(e)
	root.Use = "tune"
	root.Version = version.String()
	root.Args = cli.NoArgs
	root.SetVersionTemplate("{{.Version}}\n")
	root.PersistentFlags().BoolVar(&e.JSON, "json", false, "print one JSON object on standard output")
	root.PersistentFlags().BoolVarP(&e.Quiet, "quiet", "q", false, "no progress and no notes on standard error")
	root.AddCommand(subcommands(e)...)
	return root
}

// subcommands is the one list of what tune can do besides searching.
func subcommands(e *env) []*cobra.Command {
	return []*cobra.Command{newCheckCmd(e), newWorkerCmd(e), newPlanCmd(e), newCollectCmd(e), newExplainCmd(e), newWhyCmd(e), newPullCmd(e), newApplyCmd(e), newRollbackCmd(e), newDoctorCmd(e), newVerifyCmd(e), newSizeCmd(e), newTimetableCmd(e), newWatchCmd(e), newSimulateCmd(e), newImportCmd(e), newTraceCmd(e), newReplayCmd(e), newCompareCmd(e), newReproduceCmd(e)}
}
