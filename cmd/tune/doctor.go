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
		Use:  "doctor DIR",
		Args: cli.Args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			r, err := cli.Interruptible(c.Context(), func() (*accuracy.ClusterReport, error) {
				return accuracy.Examine(c.Context(), args[0], o)
			})
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
	cli.Seed(fs, &o.Seed, "the first replication")
	return c
}
