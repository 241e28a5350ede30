package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"schedtune/internal/cli"
	"schedtune/internal/promise"
)

// newRealCmd is `tune reproduce real`: promises held against a real YARN.
func newRealCmd(e *env) *cobra.Command {
	c := &cobra.Command{
		Use:   "real",
		Short: "Compare predicted gains with recorded runs of a real YARN",
		Long: `real draws scenarios for a harness that records runs of a real YARN, tunes on the
record of the present file, writes the same jobs with the tuned file, and sets
the gain that was recorded beside the predicted one. A scenario is a folder with
scenario.json and conf/capacity-scheduler.xml. conformance/promise/run goes
through all of it.`,
		Args: cli.NoArgs,
	}
	c.AddCommand(newRealScenariosCmd(e), newRealTuneCmd(e), newRealCompareCmd(e))
	return c
}

func untilInterrupted(ctx context.Context, f func(context.Context) error) error {
	err := f(ctx)
	if ctx.Err() != nil {
		return cli.ErrInterrupted
	}
	return err
}

func newRealScenariosCmd(e *env) *cobra.Command {
	var settings string
	var seed uint64
	var n int
	c := &cobra.Command{
		Use:   "scenarios DIR",
		Short: "Draw scenarios with something to gain and print their names",
		Args:  cli.Args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			if n < 1 || n > 1000 {
				return cli.Usagef("--scenarios: %d; allowed: 1 to 1000", n)
			}
			return untilInterrupted(c.Context(), func(ctx context.Context) error {
				names, err := promise.Scenarios(ctx, args[0], settings, seed, n)
				for _, name := range names {
					fmt.Fprintln(e.Stdout, name)
				}
				return err
			})
		},
	}
	c.Flags().StringVar(&settings, "settings", "", "`DIR` of a scenario with the properties that the harness sets")
	c.Flags().Uint64Var(&seed, "seed", 1, "seed of the draws")
	c.Flags().IntVar(&n, "scenarios", 5, "how many")
	return c
}

func newRealTuneCmd(e *env) *cobra.Command {
	var t promise.Tuning
	c := &cobra.Command{
		Use:   "tune DIR",
		Short: "Tune on a record, write the scenario with the tuned file and the promise",
		Args:  cli.Args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			if t.Name == "" || t.Present == "" || t.Settings == "" {
				return cli.Usagef("--name, --present and --settings must be given")
			}
			return untilInterrupted(c.Context(), func(ctx context.Context) error {
				t.Dir = args[0]
				p, err := t.Run(ctx)
				if err != nil {
					return err
				}
				fmt.Fprintf(e.Stdout, "%s: %s\n", t.Name, p.Verdict)
				return nil
			})
		},
	}
	c.Flags().StringVar(&t.Name, "name", "", "`NAME` of the scenario")
	c.Flags().StringVar(&t.Present, "present", "", "`DIR` of the record with the present file")
	c.Flags().StringVar(&t.Settings, "settings", "", "`DIR` of a scenario with the properties that the harness sets")
	c.Flags().StringVar(&t.Objective, "objective", "makespan", "makespan or mean-completion")
	c.Flags().IntVar(&t.Budget, "budget", 1000, "runs of the study")
	return c
}

func newRealCompareCmd(e *env) *cobra.Command {
	var out string
	c := &cobra.Command{
		Use:   "compare DIR",
		Short: "Promised and realised gains of all recorded pairs",
		Args:  cli.Args(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			rs, err := promise.Compare(args[0], out)
			if err != nil {
				return err
			}
			if e.JSON {
				return e.WriteJSON(rs)
			}
			promise.WritePairs(e.Stdout, rs)
			return nil
		},
	}
	c.Flags().StringVar(&out, "records", "out", "`DIR` of the records")
	return c
}
