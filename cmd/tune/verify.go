package main

import (
	"github.com/spf13/cobra"

	"schedtune/internal/accuracy"
	"schedtune/internal/cli"
)

// Exit codes of tune verify beside the common ones.
const (
	exitWait     = cli.ExitUnproven
	exitRollBack = 4
)

func newVerifyCmd(e *env) *cobra.Command {
	var q accuracy.Request
	c := &cobra.Command{
		Use:   "verify TUNED --before HISTORY --after HISTORY",
		Short: "Say whether a change brought what was promised: keep, roll back or wait",
		Long: `verify compares the period before a change with the period after it. TUNED is
the folder of a study, or the new capacity-scheduler.xml with --config for the
old one. A HISTORY is what --trace takes, or a folder written by tune pull, which
tells the cluster too.

Loads differ between periods, so the period after is also simulated under the old
file, with what the period before tells of the simulator's error. What came is
given with its interval beside what was promised, then what the simulator got
wrong, and the advice: keep, wait or roll back.

docs/verify.md states the method, the rule and how often it errs.`,
		Example: `  tune verify tuned --before pulled-monday --after pulled-tuesday
  tune verify new.xml --config old.xml --cluster nodes.json --before done/21 --after done/22`,
		Args: cli.Args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			q.Tuned = args[0]
			r, err := cli.Interruptible(c.Context(), func() (*accuracy.ChangeReport, error) { return accuracy.Run(c.Context(), q) })
			if err != nil {
				return usage(err)
			}
			return sayVerified(e, r)
		},
	}
	cli.Exits(c, cli.ExitOK, "keep: the interval of the gain lies above zero")
	cli.Exits(c, exitWait, "wait: nothing is shown; how many more hours would tell is said")
	cli.Exits(c, exitRollBack, "roll back: the interval lies below zero, or jobs are lost")
	fs := c.Flags()
	fs.StringArrayVar(&q.Before, "before", nil, "`HISTORY` of the period before the change")
	fs.StringArrayVar(&q.After, "after", nil, "`HISTORY` of the period after it")
	fs.StringVar(&q.Inputs.Config, "config", "", "old capacity-scheduler.xml `FILE` (default that of the study, or of the pulled cluster)")
	siteFlag(fs, &q.Inputs.Site)
	fs.StringVar(&q.Inputs.Cluster, "cluster", "", "cluster `FILE`, where the histories do not tell the machines")
	jobFlags(fs, &q.Inputs)
	objectiveFlag(fs, &q.Options.Objective, "", "to compare, the study's or mean-completion without the flag")
	replicationsFlag(fs, &q.Options.Replications, 10, 2, "simulated runs of each period")
	seedFlag(fs, &q.Options.Seed, "the simulations and the bootstrap")
	return c
}

// sayVerified prints a report and turns its advice into the exit code.
func sayVerified(e *env, r *accuracy.ChangeReport) error {
	e.Notes(r.Notes...)
	if e.JSON {
		if err := e.WriteJSON(r); err != nil {
			return err
		}
	} else {
		r.Print(e.Stdout)
	}
	switch r.Advice {
	case accuracy.Wait:
		return &cli.ExitError{Code: exitWait}
	case accuracy.RollBack:
		return &cli.ExitError{Code: exitRollBack}
	}
	return nil
}
