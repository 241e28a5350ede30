package main

import (
	"cmp"
	"context"
	_ "embed"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"schedtune/internal/cli"
	"schedtune/internal/report"
	"schedtune/internal/study"
	"schedtune/internal/text"
	"schedtune/simcore"
	"schedtune/simcore/sched"
	"schedtune/yarnconf"
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
	c.PreRunE = func(*cobra.Command, []string) error {
		return cmp.Or(beside(fs.Changed, "against", "schedulers", "replications", "model", "slowstart", "allocations",
			"shares", "hints", "metric", "dataset"), needs(fs.Changed, "against", "max-worse", "max-risk", "workloads"),
			f.runFlags.validate(fs.Changed, sched.Split(f.schedulers)...))
	}
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
	if err := f.complete(); err != nil {
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

// gateFlags are the options of tune compare --against.
type gateFlags struct {
	against string
	req     study.GateRequest
	risk    float64 // percent
}

func (f *gateFlags) flags(fs *pflag.FlagSet) {
	cli.Group(fs, "Gate", func(fs *pflag.FlagSet) {
		fs.StringVar(&f.against, "against", "", "changed capacity-scheduler.xml `FILE` to compare with --config")
		fs.StringArrayVar(&f.req.MaxWorse, "max-worse", nil, "`LIMIT` of a change for the worse, 'METRIC PERCENT %' as in "+
			"'queue.*.mean-completion 5 %' (default 'makespan 5 %' and that)")
		cli.Number(fs, &f.risk, "max-risk", 50, cli.Within(0.0, 100), "fail if it is more probable than `PERCENT` that a "+
			"similar period gets worse than a LIMIT")
		cli.Number(fs, &f.req.Workloads, "workloads", 32, cli.AtLeast(8), "`N` similar workloads, each run with both files")
	})
}

// gateJSON is the document of tune compare --against.
type gateJSON struct {
	Schema  string `json:"schema"`
	File    string `json:"file"`    // current configuration
	Against string `json:"against"` // changed configuration
	*study.GateReport
	Changes []changeJSON `json:"changes"` // from the current configuration to the changed one
}

// gate compares two configurations of the Capacity Scheduler.
func (f *compareFlags) gate(ctx context.Context, e *env) error {
	changed, err := yarnconf.Load(f.gateFlags.against)
	if err != nil {
		return err
	}
	g := f.gateFlags.req
	g.Changed, g.Risk = changed, f.risk/100
	if len(g.MaxWorse) == 0 {
		g.MaxWorse = []string{"makespan 5 %", study.ProtectedMetric + " 5 %"}
	}
	g.Study.Inputs, g.Study.Workers, g.Study.Options.Seed = f.req.Inputs, f.req.Workers, f.req.Seed
	progress := e.NewProgress(int64(2*g.Workloads), "runs")
	g.Progress = func(done int) { progress.Set(int64(done), "") }
	r, err := cli.Interruptible(ctx, func() (*study.GateReport, error) { return study.Gate(ctx, g) })
	progress.Finish()
	if err != nil {
		return err
	}
	e.Notes(r.Notes...)
	e.Warnings(r.Warnings)
	doc := &gateJSON{Schema: text.SchemaGate, File: f.req.Inputs.Config, Against: f.gateFlags.against, GateReport: r}
	if present, err := loadConf(&env{}, doc.File); err == nil {
		doc.Changes = changesBetween(present, yarnconf.SchedulerChanges(present, changed))
	}
	if err := e.Show(doc, doc.print); err != nil || r.Passed {
		return err
	}
	return &cli.ExitError{Code: cli.ExitGate}
}

//go:embed gate.tmpl
var gatePage string

var gateTemplate = text.Table(gatePage, nil)

// print writes a line per limit, then what both configurations grant the queues.
func (d *gateJSON) print(w io.Writer) error {
	err := text.PrintTable(w, gateTemplate, d)
	report.PrintTerms(w, d.Terms)
	return err
}
