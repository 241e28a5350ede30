package main

import (
	"github.com/spf13/cobra"

	"schedtune/internal/cli"
	"schedtune/internal/verify"
)

// Exit codes of tune verify beside the common ones.
const (
	exitWait     = cli.ExitUnproven
	exitRollBack = 4
)

func newVerifyCmd(e *env) *cobra.Command {
	var q verify.Request
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
wrong, and one of

  keep       the interval of the gain lies above zero           exit code 0
  wait       nothing is shown; how many more hours would tell   exit code 3
  roll back  the interval lies below zero, or jobs are lost     exit code 4

docs/verify.md states the method, the rule and how often it errs.`,
		Example: `  tune verify tuned --before pulled-monday --after pulled-tuesday
  tune verify new.xml --config old.xml --cluster nodes.json --before done/21 --after done/22`,
		Args: cli.Args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			q.Tuned = args[0]
			if q.Options.Replications < 2 {
				return cli.Usagef("--replications %d; allowed: 2 or more", q.Options.Replications)
			}
			r, err := interruptible(c.Context(), func() (*verify.Report, error) { return verify.Run(c.Context(), q) })
			if err != nil {
				return usage(err)
			}
			return sayVerified(e, r)
		},
	}
	fs := c.Flags()
	fs.StringArrayVar(&q.Before, "before", nil, "`HISTORY` of the period before the change (repeatable)")
	fs.StringArrayVar(&q.After, "after", nil, "`HISTORY` of the period after it (repeatable)")
	fs.StringVar(&q.Inputs.Config, "config", "", "old capacity-scheduler.xml `FILE` (default that of the study, or of the pulled cluster)")
	fs.StringVar(&q.Inputs.Site, "site", "", "yarn-site.xml `FILE`")
	fs.StringVar(&q.Inputs.Cluster, "cluster", "", "cluster `FILE`, where the histories do not tell the machines")
	fs.StringVar(&q.Inputs.QueueMap, "queue-map", "", "queues of jobs, comma-separated `RULES` u:USER:QUEUE or q:OLD:NEW, * matches all")
	fs.StringVar(&q.Inputs.Groups, "groups", "", "groups of users for the queue mappings of the file, a `FILE`")
	fs.StringVar(&q.Inputs.Calibration, "calibration", "", "latencies of the cluster: a `FILE` written by fit durations (default fitted on the period before)")
	fs.StringVar(&q.Options.Objective, "objective", "", "`METRIC` to compare (default the study's, else mean-completion)")
	fs.Uint64Var(&q.Options.Seed, "seed", 1, "seed of the simulations and of the bootstrap")
	fs.IntVar(&q.Options.Replications, "replications", 10, "simulated runs of each period")
	return c
}

// sayVerified prints a report and turns its advice into the exit code.
func sayVerified(e *env, r *verify.Report) error {
	e.Notes(r.Notes...)
	if e.JSON {
		if err := e.WriteJSON(r); err != nil {
			return err
		}
	} else {
		r.Print(e.Stdout)
	}
	switch r.Advice {
	case verify.Wait:
		return &cli.ExitError{Code: exitWait}
	case verify.RollBack:
		return &cli.ExitError{Code: exitRollBack}
	}
	return nil
}
