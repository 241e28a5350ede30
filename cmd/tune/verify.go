package main

import (
	"context"

	"github.com/spf13/cobra"

	"schedtune/internal/accuracy"
	"schedtune/internal/cli"
)

func newVerifyCmd(e *env) *cobra.Command {
	var q accuracy.Request
	c := subcommand("verify TUNED --before HISTORY --after HISTORY", cli.Args(cobra.ExactArgs(1)),
		func(ctx context.Context, args []string) error {
			q.Tuned = args[0]
			r, err := cli.Interruptible(ctx, func() (*accuracy.ChangeReport, error) {
				return accuracy.Run(ctx, q)
			})
			if err != nil {
				return err
			}
			return printVerified(e, r)
		})
	fs := c.Flags()
	fs.StringArrayVar(&q.Before, "before", nil, "`HISTORY` of the period before the change")
	fs.StringArrayVar(&q.After, "after", nil, "`HISTORY` of the period after the change")
	fs.StringVar(&q.Inputs.Config, "config", "", "capacity-scheduler.xml `FILE` in force before the change (default that "+
		"of the study, or of the folder that tune pull wrote)")
	siteFlag(fs, &q.Inputs.Site)
	fs.StringVar(&q.Inputs.Cluster, "cluster", "", "cluster `FILE`, if the histories do not describe the nodes")
	jobFlags(fs, &q.Inputs)
	readingFlags(fs, &q.Inputs.SkipBroken, &q.Inputs.TezContainer)
	objectiveFlag(fs, &q.Options.Objective, "", "to compare (default that of the study, else mean-completion)")
	replicationsFlag(fs, &q.Options.Replications, 10, 2, "simulated runs of each period")
	cli.Seed(fs, &q.Options.Seed, "the simulations and the bootstrap")
	return c
}

// printVerified prints a report and turns its advice into the exit code.
func printVerified(e *env, r *accuracy.ChangeReport) error {
	e.Notes(r.Notes...)
	if err := e.Show(r, r.Print); err != nil {
		return err
	}
	switch r.Advice {
	case accuracy.Wait:
		return &cli.ExitError{Code: cli.ExitNotRecommended}
	case accuracy.RollBack:
		return &cli.ExitError{Code: cli.ExitFindings}
	}
	return nil
}

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
