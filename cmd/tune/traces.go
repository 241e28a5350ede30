package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"schedtune/internal/accuracy"
	"schedtune/internal/cli"
	"schedtune/internal/fileio"
	"schedtune/internal/report"
	"schedtune/internal/text"
	"schedtune/internal/timeofday"
	"schedtune/trace"
)

// importFlags are the options of tune import.
type importFlags struct {
	read      readFlags
	to        string
	window    string
	load      float64
	scale     float64
	bootstrap time.Duration
	seed      uint64
	anonymise bool
}

// readFlags hold how traces are read; tune trace has them too.
type readFlags struct{ trace.Options }

func (r *readFlags) add(c *cobra.Command) {
	cli.Group(c.Flags(), "Input", func(fs *pflag.FlagSet) {
		cli.Choice(fs, &r.Format, "from", "", trace.OpenFormats(),
			"`FORMAT` of the input (default detected from the content)")
		fs.BoolVar(&r.NamesOnly, "names-only", false, "read only the names of the files in a folder of .jhist files")
		readingFlags(fs, &r.SkipBroken, &r.TezContainer)
	})
}

// open reads one or several traces; several start at the same moment.
func (r *readFlags) open(e *env, paths []string) (*trace.Trace, error) {
	r.Stdin = e.Stdin
	return trace.OpenAll(paths, r.Options)
}

func newImportCmd(e *env) *cobra.Command {
	var f importFlags
	c := subcommand("import IN... OUT", cli.Args(cobra.MinimumNArgs(2)), func(ctx context.Context, args []string) error {
		return f.run(ctx, e, args)
	})
	f.read.add(c)
	cli.Group(c.Flags(), "Transform", func(fs *pflag.FlagSet) {
		fs.StringVar(&f.window, "window", "", "keep jobs submitted between `FROM,TO` after the first one, durations such "+
			"as 0s,1h")
		cli.Number(fs, &f.load, "load", 1, cli.Above(0.0), "multiply the arrival rate by `FACTOR`")
		cli.Number(fs, &f.scale, "scale", 1, cli.Above(0.0), "multiply task counts and cluster size by `FACTOR`")
		cli.Number(fs, &f.bootstrap, "bootstrap", 0, cli.Above[time.Duration](0), "resample windows of this `DURATION` "+
			"with replacement (default none)")
		cli.Seed(fs, &f.seed, "--bootstrap")
		fs.BoolVar(&f.anonymise, "anonymise", false, "replace names of jobs, users and hosts; keep those of queues")
	})
	cli.Group(c.Flags(), "Output", func(fs *pflag.FlagSet) {
		cli.Choice(fs, &f.to, "to", "", trace.WriteFormats(), "`FORMAT` of the output (default from its name)")
	})
	return c
}

// importJSON is the document of tune import.
type importJSON struct {
	Schema string      `json:"schema"`
	Out    string      `json:"out"`
	Format string      `json:"format"`
	Info   *trace.Info `json:"info"`
}

func (f *importFlags) run(ctx context.Context, e *env, args []string) error {
	in, out := args[:len(args)-1], args[len(args)-1]
	format := f.to
	if format == "" {
		if format = trace.WriteFormat(out); format == "" {
			return cli.Usagef("%s: unknown format: the name must end in one of %s, with or without .gz or .zst, or use "+
				"--to FORMAT", out, strings.Join(trace.WriteEndings(), ", "))
		}
	}
	if out == "-" && e.JSON {
		return cli.Usagef("--json: cannot be combined with the output -, both use standard output")
	}
	t, err := cli.Interruptible(ctx, func() (*trace.Trace, error) {
		t, err := f.read.open(e, in)
		if err != nil {
			return nil, err
		}
		return f.transform(t)
	})
	if err != nil {
		return err
	}
	if err := writeTrace(e, t, out, format); err != nil {
		return err
	}
	info := t.Info()
	if e.JSON {
		return e.WriteJSON(importJSON{text.SchemaImport, out, format, info})
	}
	for _, n := range t.Notes {
		e.Notef("%s", n)
	}
	e.Notef("%s: %d jobs, %d tasks written as %s", out, info.Jobs,
		info.Tasks.Maps+info.Tasks.Reduces+info.Tasks.Spark+info.Tasks.Tez+info.Tasks.Containers+info.Tasks.Derived, format)
	return nil
}

// transform applies the asked transforms in their fixed order.
func (f *importFlags) transform(t *trace.Trace) (*trace.Trace, error) {
	var err error
	if f.window != "" {
		from, to, perr := parseWindow(f.window)
		if perr != nil {
			return nil, perr
		}
		if t, err = t.Window(from, to); err != nil {
			return nil, err
		}
	}
	if f.load != 1 {
		if t, err = t.ScaleLoad(f.load); err != nil {
			return nil, cli.Usagef("--load: %v", err)
		}
	}
	if f.scale != 1 {
		if t, err = t.ScaleCluster(f.scale); err != nil {
			return nil, cli.Usagef("--scale: %v", err)
		}
	}
	if f.bootstrap != 0 {
		if t, err = t.Bootstrap(trace.Millis(f.bootstrap.Milliseconds()), f.seed); err != nil {
			return nil, err
		}
	}
	if f.anonymise {
		t = t.Anonymise()
	}
	return t, nil
}

// parseWindow reads "FROM,TO" as two durations.
func parseWindow(s string) (from, to trace.Millis, err error) {
	a, b, ok := strings.Cut(s, ",")
	x, err1 := time.ParseDuration(strings.TrimSpace(a))
	y, err2 := time.ParseDuration(strings.TrimSpace(b))
	if !ok || err1 != nil || err2 != nil || x < 0 || y <= x {
		return 0, 0, cli.Usagef("--window %q: must be FROM,TO, durations with FROM below TO such as 0s,1h30m", s)
	}
	return trace.Millis(x.Milliseconds()), trace.Millis(y.Milliseconds()), nil
}

// writeTrace writes beside the place and renames, so that nobody sees half a
// file.
func writeTrace(e *env, t *trace.Trace, out, format string) (err error) {
	if out == "-" {
		return t.Write(e.Stdout, "", format)
	}
	return fileio.WriteFile(out, func(w io.Writer) error { return t.Write(w, out, format) })
}

func newTraceCmd(e *env) *cobra.Command {
	c := &cobra.Command{
		Use:  "trace",
		Args: cli.NoArgs,
		RunE: e.Incomplete,
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
		if err := fileio.WriteBytes(f.picture, r.Picture()); err != nil {
			return err
		}
	}
	if f.table {
		return r.WriteCSV(e.Stdout)
	}
	return e.Show(r, r.Print)
}
