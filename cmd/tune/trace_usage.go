package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"schedtune/internal/cli"
	"schedtune/internal/report"
	"schedtune/internal/text"
	"schedtune/internal/timeofday"
)

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
