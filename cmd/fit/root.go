package main

import (
	"embed"

	"github.com/spf13/cobra"

	"schedtune/internal/cli"
	"schedtune/yarnconf"
)

// pages holds the help of each command.
//
//go:embed help
var pages embed.FS

// newRootCmd returns the command tree, one file per subcommand.
func newRootCmd(e *env) *cobra.Command {
	root := &cobra.Command{
		Use:  "fit",
		Args: cli.NoArgs,
		RunE: e.Incomplete,
	}
	e.Flags(root)
	e.Version(root, yarnconf.Hadoop33, yarnconf.Hadoop34, yarnconf.Hadoop35)
	root.AddCommand(newOverloadCmd(e), newPredictCmd(e), newClassesCmd(e), newReleaseCmd(e), newDurationsCmd(e),
		newAllocationCmd(e), newContentionCmd(e), newMismatchCmd(e))
	cli.Describe(root, pages)
	return root
}
