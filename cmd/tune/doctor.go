package main

import (
	"context"

	"github.com/spf13/cobra"

	"schedtune/internal/accuracy"
	"schedtune/internal/cli"
)

func newDoctorCmd(e *env) *cobra.Command {
	var o accuracy.ClusterOptions
	c := subcommand("doctor DIR", cli.Args(cobra.ExactArgs(1)), func(ctx context.Context, args []string) error {
		r, err := cli.Interruptible(ctx, func() (*accuracy.ClusterReport, error) {
			return accuracy.Examine(ctx, args[0], o)
		})
		if err != nil {
			return err
		}
		if !e.JSON {
			e.Notes(r.Notes...)
		}
		return e.Show(r, r.Print)
	})
	fs := c.Flags()
	calibrationFlag(fs, &o.Calibration, "the built-in ones")
	queueMapFlag(fs, &o.QueueMap)
	replicationsFlag(fs, &o.Replications, 20, 1, "simulated runs")
	cli.Seed(fs, &o.Seed, "the first replication")
	return c
}
