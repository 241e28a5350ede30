package main

import (
	"embed"

	"github.com/spf13/cobra"

	"schedtune/internal/cli"
	"schedtune/internal/text"
)

// pages holds the help of each command.
//
//go:embed help
var pages embed.FS

// newRootCmd returns the command tree, one file per subcommand.
func newRootCmd(e *env) *cobra.Command {
	root := &cobra.Command{
		Use:     "fit",
		Version: text.Version(),
		Args:    cli.NoArgs,
		RunE:    e.Incomplete,
	}
	root.SetVersionTemplate("{{.Version}}\n")
	e.Flags(root)
	root.AddCommand(newOverloadCmd(e), newPredictCmd(e), newClassesCmd(e), newReleaseCmd(e), newDurationsCmd(e),
		newAllocationCmd(e), newContentionCmd(e), newMismatchCmd(e))
	cli.Describe(root, pages)
	return root
}
