package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"schedtune/datasets"
	"schedtune/internal/cli"
	"schedtune/internal/fileio"
	"schedtune/internal/report"
	"schedtune/internal/scenario"
	"schedtune/internal/simulate"
	"schedtune/internal/study"
	"schedtune/internal/text"
	"schedtune/tune"
)

// searchFlags are the options of tune itself.
type searchFlags struct {
	req       study.Request
	objective string
	params    string
	protect   string // percent, or off
	budget    string
	sampler   string
	out       string
	replace   bool // a finished study in out
	scheduler string
	dataset   string
	remote    remoteFlags
	serve     serveFlags
	page      *livePage                   // nil without --serve
	workers   func() (workers, slots int) // nil without other machines
	stability int                         // studies in all
	stable    *study.Stability
	// failUnproven ends with a code of its own where nothing is proven.
	failUnproven bool
	ran          bool // the study has runs
}

func newSearchCmd(e *env) *cobra.Command {
	f := &searchFlags{}
	c := &cobra.Command{
		Short: "Find better Capacity Scheduler settings by simulation, and prove it",
		Long: `tune reads a capacity-scheduler.xml, the cluster and a job trace, searches for
settings that serve the objective better, confirms the best on seeds the search
did not use, and writes the tuned file with its evidence. Where nothing proves
better it says so and writes the present file.

Without --config, --cluster and --trace an embedded data set is used.`,
		Example: `  tune --objective makespan
  tune --scheduler coupling --dataset coupling-sequence --objective mean-completion
  tune --config capacity-scheduler.xml --cluster nodes.json --trace history/ \
       --objective p95-completion --constraint 'queue.prod.p95-wait <= 60s' --out tuned`,
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c.Context(), e, c.Flags().Changed) },
	}
	cli.Exits(c, cli.ExitOK, `done, "no proven improvement" included`)
	cli.Exits(c, cli.ExitUnproven, "nothing is proven, with --fail-unproven")
	cli.Exits(c, cli.ExitInterrupted, "interrupted; with --out the best so far is written")
	f.declare(c)
	cli.Group(c.Flags(), "Search", func(fs *pflag.FlagSet) {
		cli.Number(fs, &f.stability, "stability", 0, cli.AtLeast(2), "repeat the study with other seeds and workloads up to `N` in all and show how often each change is kept (default once)")
	})
	cli.Group(c.Flags(), "Other scheduler", func(fs *pflag.FlagSet) {
		fs.StringVar(&f.scheduler, "scheduler", simulate.Capacity, schedulerHelp())
		datasetFlag(fs, &f.dataset, "with --scheduler")
	})
	cli.Group(c.Flags(), "Browser", func(fs *pflag.FlagSet) {
		fs.StringVar(&f.serve.addr, "serve", "", "`HOST:PORT` of a page that shows the study while it runs, and its report until the command is interrupted")
		fs.StringVar(&f.serve.tokenFile, "serve-token-file", "", "`FILE` with the token of --serve, 16 characters or more, for addresses that other machines reach")
	})
	cli.Group(c.Flags(), "Worker", func(fs *pflag.FlagSet) {
		fs.StringVar(&f.remote.listen, "listen", "", "`HOST:PORT` to serve workers on other machines from (tune worker --connect)")
		fs.StringVar(&f.remote.nats, "nats", "", "`URL` of a NATS server with JetStream that workers use too")
		cli.Number(fs, &f.remote.ackWait, "ack-wait", 30*time.Second, cli.Above[time.Duration](0), "`DURATION` within which a worker acknowledges its work; else another gets it")
		securityFlags(fs, &f.remote.sec)
		verifyFlag(fs, &f.remote.verify)
	})
	return c
}

// declare declares the flags that describe a study.
func (f *searchFlags) declare(c *cobra.Command) {
	fs := c.Flags()
	inputFlags(fs, &f.req.Inputs)
	cli.Group(fs, "Goal", func(fs *pflag.FlagSet) {
		objectiveFlag(fs, &f.objective, "makespan", "to improve; several with commas give a Pareto front")
		constraintFlag(fs, &f.req.Constraints)
		protectFlag(fs, &f.protect)
		paramsFlag(fs, &f.params)
	})
	cli.Group(fs, "Search", func(fs *pflag.FlagSet) {
		fs.StringVar(&f.budget, "budget", "1000", "`RUNS` of the simulator, 20 or more, or a duration such as 5m")
		cli.Number(fs, &f.req.Options.Patience, "patience", 0, cli.AtLeast(0), "end the search after `RUNS` runs without a better configuration (default never)")
		cli.Number(fs, &f.req.TimeLimit, "time-limit", study.DefaultTimeLimit, cli.AtLeast[time.Duration](0), "`DURATION` of processor time, taken at 1000000 tasks a second on any machine: a budget of more runs is cut, to 100 at least; 0 for none")
		cli.Choice(fs, &f.sampler, "sampler", "", samplerNames(), "`METHOD` of the search (default rounds that a model chooses; cmaes with --workloads -1, fewer than 100 runs or a budget in time; nsga2 for several objectives)")
		cli.Number(fs, &f.req.Workloads, "workloads", 0, cli.AtLeast(1).Or(-1, "the trace alone, the same jobs come again"), "`N` workloads drawn like the trace that the search sees, and as many for the confirmation (default 64)")
		cli.Number(fs, &f.req.Windows, "windows", 0, cli.AtLeast(1), "`N` time windows of the trace; with --workloads -1 the last quarter is kept for the confirmation (default by the length of the trace)")
		seedFlag(fs, &f.req.Options.Seed, "the search")
		workersFlag(fs, &f.req.Workers, "simulations")
	})
	cli.Group(fs, "Output", func(fs *pflag.FlagSet) {
		outFlag(fs, &f.out, "the tuned file and its evidence")
		fs.BoolVar(&f.replace, "replace", false, "let this study replace a finished one in --out")
		fs.BoolVar(&f.failUnproven, "fail-unproven", false, "end with exit code 3 if no improvement is proven")
	})
	completeValues(c, "objective", objectiveNames())
}

func completeValues(c *cobra.Command, flag string, values []string) {
	// An error would mean the flag's name is wrong; the tests would show it.
	_ = c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

// datasetFlag declares an embedded data set in place of files.
func datasetFlag(fs *pflag.FlagSet, name *string, when string) {
	cli.Choice(fs, name, "dataset", "", datasets.Names(), strings.TrimSuffix("embedded data set `NAME` in place of the inputs, tune help datasets lists them, "+when, ", "))
}

func samplerNames() []string {
	var names []string
	for _, s := range tune.Samplers() {
		names = append(names, s.Name)
	}
	return names
}

// run searches; given tells which flags the command line has.
func (f *searchFlags) run(ctx context.Context, e *env, given func(flag string) bool) error {
	if err := f.parse(); err != nil {
		return err
	}
	if f.scheduler != simulate.Capacity {
		return f.searchScheduler(ctx, e, given)
	}
	if f.dataset != "" {
		return cli.Usagef("--dataset goes with --scheduler NAME; allowed for %s: --config, --cluster, --trace", simulate.Capacity)
	}
	var dir *fileio.Dir
	if f.out != "" {
		var err error
		if dir, err = fileio.OpenOutput(f.out, "tune"); err != nil {
			return err
		}
		defer dir.Close()
		if err := f.checkEarlier(dir); err != nil {
			return errors.Join(err, dir.Discard())
		}
	}
	return f.leave(e, dir, f.search(ctx, e, dir))
}

// measured reports whether a configuration has every metric.
func measured(s tune.Summary) bool {
	return len(s.Metrics) > 0 && !slices.ContainsFunc(s.Metrics, func(m tune.Metric) bool { return math.IsNaN(m.Mean) })
}

// leave ends a search that failed: what this call created goes, unless there are
// runs in it.
func (f *searchFlags) leave(e *env, dir *fileio.Dir, err error) error {
	var exit *cli.ExitError
	if err == nil || dir == nil || errors.As(err, &exit) && (f.ran || exit != cli.ErrInterrupted) {
		return err
	}
	var other *tune.LogError
	if errors.As(err, &other) {
		err = fmt.Errorf("%w; allowed: the command and inputs it began with, another --out, or removing the log", err)
	} else if f.ran {
		e.Warnf("every run so far is kept in %s; the same command goes on from there", filepath.Dir(dir.Path(report.FileTrials)))
		return err
	}
	return errors.Join(err, dir.Discard())
}

// parse turns texts into options.
func (f *searchFlags) parse() error {
	f.req.Objectives = splitList(f.objective)
	if len(f.req.Objectives) == 0 {
		return cli.Usagef("--objective: empty; allowed: %s", strings.Join(objectiveNames(), ", "))
	}
	f.req.Params = splitList(f.params)
	if f.scheduler == "" || f.scheduler == simulate.Capacity {
		var err error
		if f.req.Constraints, err = protectQueues(f.protect, f.req.Constraints); err != nil {
			return err
		}
	}
	f.req.Options.Method = f.sampler
	if runs, err := strconv.Atoi(f.budget); err == nil {
		if runs < 20 {
			return cli.Usagef("--budget: %d runs; allowed: 20 or more, or a duration such as 5m", runs)
		}
		f.req.Options.Budget = runs
		return nil
	}
	d, err := time.ParseDuration(f.budget)
	if err != nil || d <= 0 {
		return cli.Usagef("--budget: %q; allowed: a number of runs, or a duration such as 5m", f.budget)
	}
	f.req.Options.TimeBudget = d
	return nil
}

// protectQueues adds to limits the one of --protect that keeps every queue near what it
// has today, unless the person sets such a limit himself or lifts it.
func protectQueues(protect string, limits []string) ([]string, error) {
	if protect == "" || protect == "off" {
		return limits, nil
	}
	percent, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(protect, "%")), 64)
	if err != nil || !(percent >= 0 && percent <= 1000) {
		return nil, cli.Usagef("--protect: %q; allowed: percent from 0 to 1000, or off", protect)
	}
	for _, c := range limits {
		if strings.HasPrefix(strings.TrimSpace(c), study.ProtectedMetric) {
			return limits, nil
		}
	}
	return append(limits, study.Protection(percent)), nil
}

func splitList(s string) []string {
	var out []string
	for _, p := range strings.Split(s, ",") {
		if p = strings.TrimSpace(p); p != "" {
			out = append(out, p)
		}
	}
	return out
}

func (f *searchFlags) search(ctx context.Context, e *env, dir *fileio.Dir) error {
	start := time.Now()
	f.req.Options.Clock = func() time.Duration { return time.Since(start) }
	over := e.Slow("reading the workload, and running it once with the present file")
	s, err := cli.Interruptible(ctx, func() (*study.Study, error) { return study.Prepare(ctx, f.req) })
	over()
	if err != nil {
		return usage(err)
	}
	e.Notes(s.Case.Notes...)
	e.Notes(s.Notes...)
	e.Warnings(s.Case.Warnings)
	if err := identify(s); err != nil {
		return err
	}
	if f.remote.on() {
		d, stop, err := f.remote.connect(ctx, e, s)
		if err != nil {
			return err
		}
		defer stop()
		s.Problem.Evaluator = d
		f.workers = d.Workers
	}
	if f.page, err = f.serve.open(e, s); err != nil {
		return err
	}
	defer f.page.close()
	result, err := f.searchLogged(ctx, e, s, dir)
	if err != nil {
		return err
	}
	if result.Status == tune.Cancelled && !measured(result.Present) {
		e.Warnf("interrupted before the present configuration was measured: there is no result")
		return cli.ErrInterrupted
	}
	if f.stability > 1 && result.Status != tune.Cancelled {
		if err := f.stabilise(ctx, e, s, result); err != nil {
			return err
		}
	}
	err = f.finish(e, s, dir, result)
	var exit *cli.ExitError
	if err == nil || errors.As(err, &exit) {
		f.page.stay(ctx, e)
	}
	return err
}

// stabilise repeats the study with other seeds.
func (f *searchFlags) stabilise(ctx context.Context, e *env, s *study.Study, first *tune.Result) (err error) {
	bar := e.NewProgress(int64((f.stability-1)*first.Runs), "runs")
	defer bar.Finish()
	f.stable, err = s.Stability(ctx, first, f.stability, func(k int, p tune.Progress) {
		bar.Set(int64((k-2)*first.Runs+p.Runs), fmt.Sprintf("study %d of %d, %s", k, f.stability, progressText(p)))
	})
	return err
}

// usage turns a mistake in a flag's value into a usage error.
func usage(err error) error {
	var flag *scenario.FlagError
	if errors.As(err, &flag) {
		return &cli.UsageError{Err: err}
	}
	return err
}

func progressText(p tune.Progress) string {
	if p.Present == 0 && p.Best == 0 { // not compared yet
		return p.Phase
	}
	side := "better"
	if p.Gain < 0 {
		side = "worse"
	}
	return fmt.Sprintf("%s, best %s, %s %% %s", p.Phase, text.Figure(p.Best), text.Fixed(100*math.Abs(p.Gain), 1), side)
}

func (f *searchFlags) show(e *env, sum *report.Summary) error {
	if e.JSON {
		return e.WriteJSON(sum)
	}
	sum.Print(e.Stdout)
	if f.out == "" {
		fmt.Fprintln(e.Stdout, "\nnothing was written; --out DIR writes the tuned file, its rollback and the report")
		return nil
	}
	if sum.Study.Status == tune.Cancelled {
		fmt.Fprintf(e.Stdout, "\nwrote %s with the best so far, which is not confirmed; the same command goes on from here\n", f.out)
		return nil
	}
	if len(sum.Changes) == 0 {
		fmt.Fprintf(e.Stdout, "\nwrote %s; its %s is the present one\n", f.out, study.FileConfig)
		return nil
	}
	fmt.Fprintf(e.Stdout, "\nwrote %s; to apply it\n", f.out)
	for _, line := range report.ApplyLines(sum, f.out) {
		fmt.Fprintf(e.Stdout, "  %s\n", line)
	}
	fmt.Fprintf(e.Stdout, "to go back\n")
	for _, line := range report.RollbackLines(sum, f.out) {
		fmt.Fprintf(e.Stdout, "  %s\n", line)
	}
	return nil
}
