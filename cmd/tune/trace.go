package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"schedtune/internal/accuracy"
	"schedtune/internal/cli"
	"schedtune/internal/report"
	"schedtune/internal/text"
	"schedtune/internal/timeofday"
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

// usageFlags are the options of tune trace usage.
type usageFlags struct {
	read               readFlags
	per, picture, zone string
	table              bool
}

// usageJSON is the document of tune trace usage.
type usageJSON struct {
	Schema string `json:"schema"`
	*report.Report
}

func newTraceUsageCmd(e *env) *cobra.Command {
	var f usageFlags
	c := subcommand("usage FILE...", cli.Args(cobra.MinimumNArgs(1)), func(ctx context.Context, args []string) error {
		return ending(ctx, func() error { return f.run(e, args) })
	})
	f.read.add(c)
	cli.Group(c.Flags(), "Output", func(fs *pflag.FlagSet) {
		cli.Choice(fs, &f.per, "per", report.All, report.Lengths(), "`LENGTH` of the periods; weeks begin on Monday")
		fs.StringVar(&f.zone, "zone", "UTC", "time `ZONE` of the days, such as Europe/Berlin, UTC or Local")
		fs.BoolVar(&f.table, "csv", false, "print CSV, one row per queue or user and period")
		fs.StringVar(&f.picture, "picture", "", "chart of the memory held by each queue (`FILE` .svg)")
	})
	return c
}

func (f *usageFlags) run(e *env, args []string) error {
	if f.table && e.JSON {
		return cli.Usagef("--csv, --json: exclude each other")
	}
	if f.picture != "" && !strings.HasSuffix(f.picture, ".svg") {
		return cli.Usagef("--picture %q: must end in .svg", f.picture)
	}
	zone, err := timeofday.Zone(f.zone)
	if err != nil {
		return cli.Usagef("--zone: %v", err)
	}
	t, err := f.read.open(e, args)
	if err != nil {
		return err
	}
	r, err := report.Sum(t, f.per, zone)
	if err != nil {
		return fmt.Errorf("%s: %w", strings.Join(args, " "), err)
	}
	if f.picture != "" {
		if err := writeBytes(f.picture, r.Picture()); err != nil {
			return err
		}
	}
	if f.table {
		return r.WriteCSV(e.Stdout)
	}
	return e.Show(usageJSON{text.SchemaUsage, r}, r.Print)
}
