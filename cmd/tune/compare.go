package main

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"schedtune/internal/cli"
	"schedtune/internal/report"
	"schedtune/simcore"
	"schedtune/simcore/sched"
)

// compareFlags are the options of tune compare.
type compareFlags struct {
	req report.Request
	runFlags
	gateFlags
	schedulers string
	metrics    []string
}

func newCompareCmd(e *env) *cobra.Command {
	var f compareFlags
	c := subcommand("compare", cli.NoArgs, func(ctx context.Context, _ []string) error { return f.run(ctx, e) })
	fs := c.Flags()
	c.PreRunE = func(*cobra.Command, []string) error { return f.gateFlags.validate(fs.Changed) }
	inputFlags(fs, &f.req.Inputs)
	cli.Group(fs, "Run", func(fs *pflag.FlagSet) {
		fs.StringVar(&f.schedulers, "schedulers", "fifo,fair", "`LIST` of NAME[:k=v,…], see tune help schedulers; the "+
			"first is the baseline")
		f.runFlags.declare(fs)
		replicationsFlag(fs, &f.req.Runs, 5, 1, "runs of each scheduler")
		cli.Seed(fs, &f.req.Seed, "the first replication")
		workersFlag(fs, &f.req.Workers, "runs")
	})
	f.gateFlags.flags(fs)
	cli.Group(fs, "Output", func(fs *pflag.FlagSet) {
		fs.StringSliceVar(&f.metrics, "metric", []string{"mean-completion", "makespan"},
			"metrics to print (`NAME,…`), or all")
	})
	return c
}

func (f *compareFlags) validate() error {
	f.req.Schedulers = sched.Split(f.schedulers)
	for _, s := range f.req.Schedulers {
		if _, err := sched.Parse(s); err != nil {
			return cli.Usagef("--schedulers: %v", err)
		}
	}
	if err := f.complete(&f.req.Inputs); err != nil {
		return err
	}
	f.req.Options, f.req.Dataset, f.req.Slowstart = f.opt, f.dataset, f.slowstart
	var known []string
	for _, m := range simcore.Metrics() {
		known = append(known, m.Name)
	}
	if slices.Equal(f.metrics, []string{"all"}) {
		f.metrics = known
	}
	for _, m := range f.metrics {
		if !slices.Contains(known, m) {
			return cli.Usagef("--metric %q: must be all or one of %s", m, strings.Join(known, ", "))
		}
	}
	return nil
}

func (f *compareFlags) run(ctx context.Context, e *env) error {
	if err := f.validate(); err != nil {
		return err
	}
	if f.gateFlags.against != "" {
		return f.gate(ctx, e)
	}
	progress := e.NewProgress(int64(len(f.req.Schedulers)*f.req.Runs), "runs")
	f.req.Progress = func(done int) { progress.Set(int64(done), "") }
	c, err := cli.Interruptible(ctx, func() (*report.Comparison, error) { return report.Run(ctx, f.req) })
	progress.Finish()
	if err != nil {
		return err
	}
	e.Notes(c.Notes...)
	if c.Latencies != nil {
		e.Notes(c.Latencies.Line())
	}
	e.Warnings(c.Warnings)
	return e.Show(c, func(w io.Writer) error { return c.Print(w, f.metrics) })
}
