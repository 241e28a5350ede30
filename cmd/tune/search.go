package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/url"
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
	"schedtune/internal/simulate"
	"schedtune/internal/study"
	"schedtune/internal/text"
	"schedtune/tune"
)

// searchFlags hold the options of tune itself.
type searchFlags struct {
	req       study.Request
	objective string
	params    string
	protect   string // percent, or off
	budget    string
	sampler   string
	out       cli.Output
	before    earlier // what out holds already
	scheduler string
	dataset   string
	remote    remoteFlags
	serve     serveFlags
	page      *livePage                   // nil without --serve
	workers   func() (workers, slots int) // nil without other machines
	stability int                         // studies in all
	stable    *study.Stability
	planned   *cli.Run // the command that planned the study, with tune collect
	// mustRecommend has an exit code of its own if nothing is recommended.
	mustRecommend bool
	risk          string // percent: of a worse period, of a slower queue
	verbose       bool
	ran           bool // the study has runs that out does not hold yet
}

func newSearchCmd(e *env) *cobra.Command {
	f := &searchFlags{}
	c := &cobra.Command{
		RunE: func(c *cobra.Command, _ []string) error {
			if c.Flags().NFlag() == 0 { // a study takes its time: it is asked for
				return c.Help()
			}
			if err := beside(c.Flags().Changed, "dataset", fileFlags...); err != nil {
				return err
			}
			return f.run(c.Context(), e, c.Flags().Changed)
		},
	}
	f.declare(c)
	cli.Group(c.Flags(), "Search", func(fs *pflag.FlagSet) {
		cli.Number(fs, &f.stability, "stability", 0, cli.AtLeast(2), "run the study `N` times with different seeds and "+
			"workloads and show how often each change is kept (default once)")
	})
	cli.Group(c.Flags(), "Other scheduler", func(fs *pflag.FlagSet) {
		fs.StringVar(&f.scheduler, "scheduler", simulate.Capacity, schedulerHelp())
		datasetFlag(fs, &f.dataset)
	})
	cli.Group(c.Flags(), "Browser", func(fs *pflag.FlagSet) {
		fs.StringVar(&f.serve.addr, "serve", "", "`HOST:PORT` of a web page with the progress of the study, then its "+
			"report until the command is interrupted")
		fs.StringVar(&f.serve.tokenFile, "serve-token-file", "", "`FILE` with the token of --serve (16 characters or "+
			"more), for addresses that other machines can reach")
	})
	cli.Group(c.Flags(), "Worker", func(fs *pflag.FlagSet) {
		fs.StringVar(&f.remote.listen, "listen", "", "`HOST:PORT` to listen on for workers on other machines (tune worker "+
			"--connect)")
		fs.StringVar(&f.remote.nats, "nats", "", "`URL` of a NATS server with JetStream, shared with the workers")
		cli.Number(fs, &f.remote.ackWait, "ack-wait", 30*time.Second, cli.Above[time.Duration](0),
			"reassign work that a worker has not acknowledged within `DURATION`")
		securityFlags(fs, &f.remote.sec)
	})
	return c
}

// declare declares the flags that describe a study.
func (f *searchFlags) declare(c *cobra.Command) {
	fs := c.Flags()
	inputFlags(fs, &f.req.Inputs)
	f.goalFlags(fs, "to improve; a comma-separated list gives a Pareto front")
	cli.Group(fs, "Search", func(fs *pflag.FlagSet) {
		fs.StringVar(&f.budget, "budget", "1000", "simulation `RUNS` at most, 20 or more, or a duration such as 5m; a "+
			"search ends earlier once more runs would bring next to nothing")
		cli.Number(fs, &f.req.Options.Patience, "patience", 0, cli.AtLeast(0), "stop the search after `RUNS` without a "+
			"better configuration, and only then (default when more runs bring next to nothing)")
		cli.Number(fs, &f.req.TimeLimit, "time-limit", study.DefaultTimeLimit, cli.AtLeast[time.Duration](0),
			"limit of processor time, a `DURATION`, at an assumed 1000000 simulated tasks per second: reduces a larger "+
				"budget, to 100 runs at least; 0: no limit")
		cli.Choice(fs, &f.sampler, "sampler", "", samplerNames(), "search `METHOD` (default model-based rounds; nsga2 "+
			"for several objectives)")
		cli.Number(fs, &f.req.Workloads, "workloads", 0, cli.AtLeast(1).Or(-1, "the trace itself"),
			"`N` workloads resampled from the trace for the search, and as many for the confirmation (default 64)")
		cli.Number(fs, &f.req.Windows, "windows", 0, cli.AtLeast(1), "`N` time windows of the trace; with --workloads -1 "+
			"the last quarter is used for the confirmation (default from the length of the trace)")
		cli.Seed(fs, &f.req.Options.Seed, "the search")
		workersFlag(fs, &f.req.Workers, "simulations")
	})
	cli.Group(fs, "Output", func(fs *pflag.FlagSet) {
		f.out.Flags(fs, "the tuned file and the report", true)
		fs.BoolVar(&f.verbose, "verbose", false, "print all metrics, queues, limits and reasons")
		fs.BoolVar(&f.mustRecommend, "fail-if-not-recommended", false, "exit with code 3 if no change is recommended")
	})
	completeValues(c, "objective", objectiveNames())
}

// goalFlags declares what a search is for; what says it of the objective.
func (f *searchFlags) goalFlags(fs *pflag.FlagSet, what string) {
	cli.Group(fs, "Goal", func(fs *pflag.FlagSet) {
		objectiveFlag(fs, &f.objective, "makespan", what)
		constraintFlag(fs, &f.req.Constraints)
		protectFlag(fs, &f.protect)
		paramsFlag(fs, &f.params)
		riskFlag(fs, &f.risk)
	})
}

func completeValues(c *cobra.Command, flag string, values []string) {
	// An error would mean the flag's name is wrong; the tests would show it.
	_ = c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

// datasetFlag declares an embedded data set in place of files.
func datasetFlag(fs *pflag.FlagSet, name *string) {
	cli.Choice(fs, name, "dataset", "", datasets.Names(),
		"embedded data set `NAME` instead of the inputs, see tune help datasets")
}

func samplerNames() []string {
	var names []string
	for _, s := range tune.Samplers() {
		names = append(names, s.Name)
	}
	return names
}

// run searches; given reports whether the command line has a flag.
func (f *searchFlags) run(ctx context.Context, e *env, given func(flag string) bool) error {
	if err := f.validate(); err != nil {
		return err
	}
	if f.scheduler != simulate.Capacity {
		return f.searchScheduler(ctx, e, given)
	}
	f.req.Inputs.Dataset = f.dataset
	var dir *fileio.Dir
	if f.out.Dir != "" {
		var err error
		if dir, err = fileio.OpenOutput(f.out.Dir, "tune"); err != nil {
			return err
		}
		defer dir.Close()
		if err := f.checkEarlier(e, dir); err != nil {
			return errors.Join(err, dir.Discard())
		}
	}
	return f.leave(e, dir, f.search(ctx, e, dir))
}

// measured reports whether a configuration has every metric.
func measured(s tune.Summary) bool {
	return len(s.Metrics) > 0 && !slices.ContainsFunc(s.Metrics, func(m tune.Metric) bool { return math.IsNaN(m.Mean) })
}

// leave ends a failed search: it removes the new folder unless it has results.
func (f *searchFlags) leave(e *env, dir *fileio.Dir, err error) error {
	var exit *cli.ExitError
	if err == nil || dir == nil || errors.As(err, &exit) && (f.ran || exit != cli.ErrInterrupted) {
		return err
	}
	var other *tune.LogError
	if errors.As(err, &other) {
		err = fmt.Errorf("%w; use the original command and inputs, another --out, or --restart to drop that study", err)
	} else if f.ran {
		e.Warnf("the results so far are in %s; the same command resumes the study", dir.Partial())
		return err
	}
	return errors.Join(err, dir.Discard())
}

// validate checks the options and converts texts.
func (f *searchFlags) validate() error {
	f.req.Objectives = splitList(f.objective)
	if len(f.req.Objectives) == 0 {
		return cli.Usagef("--objective: must be one of %s", strings.Join(objectiveNames(), ", "))
	}
	f.req.Params = splitList(f.params)
	if err := f.addresses(); err != nil {
		return err
	}
	if f.scheduler == "" || f.scheduler == simulate.Capacity {
		var err error
		if f.req.Constraints, err = protectQueues(f.protect, f.req.Constraints); err != nil {
			return err
		}
	}
	f.req.Options.Method = f.sampler
	if err := readRisk(f.risk, &f.req.Options.Risk); err != nil {
		return err
	}
	if runs, err := strconv.Atoi(f.budget); err == nil {
		if runs < 20 {
			return cli.Usagef("--budget %d: must be 20 or more runs, or a duration such as 5m", runs)
		}
		f.req.Options.Budget = runs
		return nil
	}
	d, err := time.ParseDuration(f.budget)
	if err != nil || d <= 0 {
		return cli.Usagef("--budget %q: must be a number of runs, or a duration such as 5m", f.budget)
	}
	f.req.Options.TimeBudget = d
	return nil
}

// addresses returns a usage error for the first address that is none, in the order of the flags.
func (f *searchFlags) addresses() error {
	for _, x := range [][2]string{{"serve", f.serve.addr}, {"listen", f.remote.listen}} {
		if _, _, err := net.SplitHostPort(x[1]); x[1] != "" && err != nil {
			return cli.Usagef("--%s %q: must be HOST:PORT", x[0], x[1])
		}
	}
	if u, err := url.Parse(f.remote.nats); f.remote.nats != "" && (err != nil || u.Host == "") {
		return cli.Usagef("--nats: must be a URL such as nats://HOST:4222") // the value may hold a password
	}
	return nil
}

// protectQueues adds the limit of --protect unless it is off or the constraints have one.
func protectQueues(protect string, limits []string) ([]string, error) {
	if protect == "" || protect == "off" {
		return limits, nil
	}
	percent, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(protect, "%")), 64)
	if err != nil || !(percent >= 0 && percent <= 1000) {
		return nil, cli.Usagef("--protect %q: must be a percentage from 0 to 1000, or off", protect)
	}
	for _, c := range limits {
		if strings.HasPrefix(strings.TrimSpace(c), study.ProtectedMetric) {
			return limits, nil
		}
	}
	return append(limits, study.Protection(percent)), nil
}

// riskFlag declares how probable harm may be.
func riskFlag(fs *pflag.FlagSet, risk *string) {
	d := tune.DefaultRisk()
	fs.StringVar(risk, "risk", fmt.Sprintf("%g,%g", 100*d.Worse, 100*d.Queue), fmt.Sprintf("recommend only what gets "+
		"worse by more than %g %% in at most `WORSE[,QUEUE]` of 100 similar periods, and a protected queue slower by more "+
		"than %g %% in at most QUEUE", 100*tune.WorseBy, 100*tune.QueueBy))
}

// readRisk reads percentages; one stands for both.
func readRisk(text string, to *tune.Risk) error {
	if text == "" {
		return nil
	}
	worse, queue, two := strings.Cut(text, ",")
	if !two {
		queue = worse
	}
	for _, p := range []struct {
		text string
		to   *float64
	}{{worse, &to.Worse}, {queue, &to.Queue}} {
		v, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(p.text), "%"), 64)
		if err != nil || !(v > 0 && v <= 100) {
			return cli.Usagef("--risk %q: must be one or two percentages above 0 and up to 100", text)
		}
		*p.to = v / 100
	}
	return nil
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
	over := e.Slow("reading the workload and simulating the current configuration")
	s, err := cli.Interruptible(ctx, func() (*study.Study, error) { return study.Prepare(ctx, f.req) })
	over()
	if err != nil {
		return err
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
		e.Warnf("interrupted before the current configuration was simulated: no result")
		return cli.ErrInterrupted
	}
	if f.stability > 1 && result.Status != tune.Cancelled {
		if err := f.stabilise(ctx, e, s, dir, result); err != nil {
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
func (f *searchFlags) stabilise(ctx context.Context, e *env, s *study.Study, dir *fileio.Dir,
	first *tune.Result) (err error) {
	bar := e.NewProgress(int64((f.stability-1)*first.Runs), "runs")
	defer bar.Finish()
	open := func(k int) (*tune.Log, error) {
		if dir == nil {
			return nil, nil
		}
		name := fmt.Sprintf("stability/%d.jsonl", k)
		dir.Drop(name)
		return openLog(dir, name)
	}
	if f.before.same {
		f.stable = f.before.stable
		return nil
	}
	f.stable, err = s.Stability(ctx, first, f.stability, open, func(k int, p tune.Progress) {
		bar.Set(int64((k-2)*first.Runs+p.Runs), fmt.Sprintf("study %d of %d, %s", k, f.stability, progressText(p)))
	})
	return err
}

func progressText(p tune.Progress) string {
	if p.Gain == 0 {
		return p.Phase
	}
	return fmt.Sprintf("%s, best so far %s %% better", p.Phase, text.Fixed(100*p.Gain, 1))
}

func (f *searchFlags) show(e *env, sum *report.Summary) error {
	view := report.View{Verbose: f.verbose, Out: f.out.Dir}
	if f.ran { // they are beside it, as a warning says
		view.Out = ""
	}
	return e.Show(sum, func(w io.Writer) error { sum.Print(w, view); return nil })
}
