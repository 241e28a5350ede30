package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"schedtune/internal/accuracy"
	"schedtune/internal/cli"
	"schedtune/internal/report"
	"schedtune/internal/text"
	"schedtune/trace"
)

func newTraceCmd(e *env) *cobra.Command {
	c := &cobra.Command{
		Use:  "trace",
		Args: cli.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newTraceInfoCmd(e), newTraceUsageCmd(e))
	return c
}

// infoJSON is the document of tune trace info.
type infoJSON struct {
	Schema string `json:"schema"`
	*trace.Info
	Simulated *accuracy.TraceCheck `json:"simulated"` // with --simulate
}

func newTraceInfoCmd(e *env) *cobra.Command {
	var read readFlags
	var tracks string
	var simulated bool
	c := subcommand("info FILE...", cli.Args(cobra.MinimumNArgs(1)), func(ctx context.Context, args []string) error {
		if err := checkTracks(tracks); err != nil {
			return err
		}
		t, err := cli.Interruptible(ctx, func() (*trace.Trace, error) { return read.open(e, args) })
		if err == nil && tracks != "" {
			err = historyTracks(tracks, t)
		}
		if err != nil {
			return err
		}
		var check *accuracy.TraceCheck
		if simulated {
			check, err = cli.Interruptible(ctx, func() (*accuracy.TraceCheck, error) {
				return accuracy.CheckTrace(ctx, t)
			})
			if err != nil {
				return err
			}
		}
		return e.Show(infoJSON{text.SchemaTraceInfo, t.Info(), check}, func(w io.Writer) error {
			if err := report.PrintTrace(w, t.Info()); err != nil || check == nil {
				return err
			}
			fmt.Fprintln(w)
			return check.Print(w)
		})
	})
	read.add(c)
	cli.Group(c.Flags(), "Output", func(fs *pflag.FlagSet) {
		fs.BoolVar(&simulated, "simulate", false, "compare recorded completion times with a simulation by the trace alone")
		tracksFlag(fs, &tracks, "recorded queues, applications and containers")
	})
	return c
}
