package main

import (
	"github.com/spf13/cobra"

	"schedtune/internal/cli"
	"schedtune/internal/text"
)

// newRootCmd builds the tree, one file per subcommand.
func newRootCmd(e *env) *cobra.Command {
	root := &cobra.Command{
		Use:   "fit",
		Short: "Learn models from logs and recorded histories",
		Long: `fit learns models from logs and recorded histories: who overloads a node, which
job classes there are, how often containers come free, how long launches take,
and which machines should work for which class. Each subcommand prints a
summary; --json prints one JSON object instead; --out DIR writes the model, the
summary and charts. Without an input, embedded data is used, and a line on
standard error says so.`,
		Example: `  fit overload --log heartbeats.csv --label 'load1/cpus > 1'
  fit durations --trace history/ --out calibration
  fit allocation --rates rates.csv --json | jq .lambda`,
		Version: text.Version(),
		Args:    cli.NoArgs,
		RunE:    func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SetVersionTemplate("{{.Version}}\n")
	e.Flags(root)
	root.AddCommand(newOverloadCmd(e), newClassesCmd(e), newReleaseCmd(e), newDurationsCmd(e), newAllocationCmd(e))
	return root
}
