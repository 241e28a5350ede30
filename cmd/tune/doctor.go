package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"schedtune/internal/accuracy"
	"schedtune/internal/cli"
)

func newDoctorCmd(e *env) *cobra.Command {
	var o accuracy.ClusterOptions
	c := &cobra.Command{
		Use:   "doctor DIR",
		Short: "Say whether the simulator agrees with a cluster that was pulled",
		Long: `doctor takes a folder that tune pull wrote. It evaluates the configuration and
holds every queue's figures against those the scheduler reports, then replays
the observed period and holds completion times, waiting and the queues' usage
against what happened. It ends with how far predictions can be trusted, and
with what it can't explain.`,
		Example: "  tune pull --rm http://rm:8088 --history http://jhs:19888 --out cluster\n  tune doctor cluster",
		Args:    cli.Args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			r, err := cli.Interruptible(c.Context(), func() (*accuracy.ClusterReport, error) { return accuracy.Examine(c.Context(), args[0], o) })
			if err != nil {
				return err
			}
			if e.JSON {
				return e.WriteJSON(r)
			}
			e.Notes(r.Notes...)
			_, err = fmt.Fprint(e.Stdout, r.Text())
			return err
		},
	}
	fs := c.Flags()
	calibrationFlag(fs, &o.Calibration, "the built-in ones")
	queueMapFlag(fs, &o.QueueMap)
	replicationsFlag(fs, &o.Replications, 20, 1, "simulated runs")
	seedFlag(fs, &o.Seed, "the first replication")
	return c
}
