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
	var (
		overload                        overloadFlags
		classes                         classesFlags
		release                         releaseFlags
		allocation                      allocationFlags
		durations, contention, mismatch classFlags
	)
	root.AddCommand(newPredictCmd(e),
		newCmd(e, "overload", "model.json, curve.svg", overload.add, overload.run),
		newCmd(e, "classes", "model.json, classes.svg", classes.add, classes.run),
		newCmd(e, "release", "model.json, release.svg", release.add, release.run),
		newCmd(e, "durations", "calibration.json, durations.svg", durations.adder("class", "tasks"), durations.durations),
		newCmd(e, "allocation", "allocation.csv", allocation.add, allocation.run),
		newCmd(e, "contention", "calibration.json, if any is found,", contention.adder("all", "neighbours"),
			contention.contention),
		newCmd(e, "mismatch", "", mismatch.input("coupling-batches"), mismatch.mismatch))
	cli.Describe(root, pages)
	return root
}
