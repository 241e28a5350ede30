package main

import (
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"schedtune/internal/cli"
	conformance "schedtune/validation/conformance/replay"
	"schedtune/validation/faults"
	"schedtune/validation/trial"
)

// Commands that only pass flags on to their package.

func newConformanceCmd(e *env) *cobra.Command {
	return &cobra.Command{
		Use:   "conformance FILE...",
		Short: "Replay what Hadoop's own schedulers decided",
		Long: `conformance replays recorded decisions (.jsonl or .jsonl.gz; validation/conformance/judge records
them, validation/conformance/testdata holds a selection) and prints by file the scenarios, the
steps and the first difference with its context. Any difference ends in exit code 1.`,
		Args: cli.Args(cobra.MinimumNArgs(1)),
		RunE: func(_ *cobra.Command, files []string) error {
			if !conformance.Files(e.Stdout, e.Stderr, files) {
				return &cli.ExitError{Code: cli.ExitFailure}
			}
			return nil
		},
	}
}

func newFaultsCmd(e *env) *cobra.Command {
	c := &cobra.Command{
		Use:   "faults",
		Short: "Judge answers of tune why by cases with one known reason",
		Long: `faults makes scenarios in which an application is pending for one known reason, for the
recorder to play on the real scheduler, and compares the answers with what that did.`,
		Example: `  go run ./validation faults make 1 1000 > cases.jsonl
  validation/conformance/judge/run replay cases.jsonl > recorded.jsonl
  go run ./validation faults check recorded.jsonl`,
		Args: cli.NoArgs,
		RunE: e.Incomplete,
	}
	c.AddCommand(&cobra.Command{
		Use: "make FIRST_SEED COUNT", Short: "Write cases as JSON lines", Args: cli.Args(cobra.ExactArgs(2)),
		RunE: func(_ *cobra.Command, args []string) error {
			first, err := strconv.ParseUint(args[0], 10, 63)
			if err != nil {
				return cli.Usagef("FIRST_SEED: %v", err)
			}
			count, err := strconv.ParseUint(args[1], 10, 31)
			if err != nil {
				return cli.Usagef("COUNT: %v", err)
			}
			return faults.Make(e.Stdout, first, count)
		},
	}, &cobra.Command{
		Use: "check FILE", Short: "Compare recorded cases with the answers", Args: cli.Args(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error { return faults.Report(e.Stdout, args[0]) },
	})
	return c
}

func newTrialCmd(e *env) *cobra.Command {
	var o trial.Options
	c := &cobra.Command{
		Use:   "trial --tune FILE",
		Short: "Kill studies and damage inputs, many times",
		Long: `trial kills commands, workers and drivers, fills disks, damages inputs, and prints a
table of faults. Any fault ends in exit code 1. fit is looked for beside tune.`,
		Args: cli.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if o.Tune == "" {
				return cli.Usagef("--tune is missing: a built cmd/tune is needed")
			}
			return trial.Run(c.Context(), e.Stdout, o)
		},
	}
	fs := c.Flags()
	fs.StringVar(&o.Tune, "tune", "", "the built command tune to try, a `FILE`")
	cli.Number(fs, &o.Scale, "scale", 1, cli.Above(0.0), "`PART` of the full trial; 1 is 1,000 hindered commands, "+
		"100,000 mutations")
	fs.StringSliceVar(&o.Only, "only", trial.Parts(), "`PARTS` to run")
	fs.DurationVar(&o.Limit, "limit", 28*time.Minute, "stop after this `TIME`, which the parts share")
	cli.Seed(fs, &o.Seed, "all draws")
	return c
}
