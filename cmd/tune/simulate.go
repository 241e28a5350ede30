package main

import (
	"cmp"
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"schedtune/internal/calibrate"
	"schedtune/internal/cli"
	"schedtune/internal/report"
	"schedtune/internal/scenario"
	"schedtune/internal/simulate"
	"schedtune/simcore"
	"schedtune/simcore/sched"
	"schedtune/yarnconf"
)

// simulateFlags are the options of tune simulate.
type simulateFlags struct {
	inputs scenario.Files
	runFlags
	scheduler                         string
	seed                              uint64
	runs                              int
	heartbeat                         time.Duration
	timeline, beats, events, perfetto string
	fromPull, then                    string
	at                                atFlags
	begins                            string
	first                             []yarnconf.Change // active at the start, with --at
	refresh                           refreshes
}

func newSimulateCmd(e *env) *cobra.Command {
	var f simulateFlags
	c := subcommand("simulate", cli.NoArgs, func(ctx context.Context, _ []string) error { return f.run(ctx, e) })
	fs := c.Flags()
	f.flags(fs)
	c.PreRunE = func(*cobra.Command, []string) error {
		return cmp.Or(beside(fs.Changed, "from-pull", "scheduler", "at", "dataset", "slowstart", "model", "heartbeat-log",
			"allocations", "shares", "hints"), needs(fs.Changed, "at", "zone", "begins"),
			needs(fs.Changed, "from-pull", "then"), f.runFlags.validate(fs.Changed, f.scheduler))
	}
	completeValues(c, "scheduler", sched.Names())
	return c
}

func (f *simulateFlags) flags(fs *pflag.FlagSet) {
	inputFlags(fs, &f.inputs)
	cli.Group(fs, "Run", func(fs *pflag.FlagSet) {
		fs.StringVar(&f.scheduler, "scheduler", simulate.Capacity, "`NAME[:k=v,…]`, see tune help schedulers")
		f.runFlags.declare(fs)
		replicationsFlag(fs, &f.runs, 1, 1, "runs with consecutive seeds")
		cli.Seed(fs, &f.seed, "the first replication")
	})
	cli.Group(fs, "Snapshot", func(fs *pflag.FlagSet) {
		fs.StringVar(&f.fromPull, "from-pull", "", "start from the applications in a `DIR` written by tune pull")
		fs.StringVar(&f.then, "then", "", "with --from-pull: a capacity-scheduler.xml `FILE` to activate at the start")
	})
	cli.Group(fs, "Time of day", func(fs *pflag.FlagSet) {
		f.at.flags(fs, "configuration to activate at a time of day by a queue refresh")
		beginsFlag(fs, &f.begins)
	})
	cli.Group(fs, "Log", func(fs *pflag.FlagSet) {
		fs.StringVar(&f.timeline, "timeline", "", "running tasks and containers over time (`FILE` .csv or .svg)")
		tracksFlag(fs, &f.perfetto, "queues, applications, containers and reservations")
		fs.StringVar(&f.events, "event-trace", "", "every event as JSON lines (`FILE`)")
		fs.StringVar(&f.beats, "heartbeat-log", "", "heartbeats and decisions as CSV (`FILE`)")
		cli.Number(fs, &f.heartbeat, "heartbeat", 3*time.Second, cli.AtLeast(time.Millisecond),
			"`INTERVAL` between the rows of --heartbeat-log")
	})
}

func (f *simulateFlags) run(ctx context.Context, e *env) error {
	if err := f.validate(); err != nil {
		return err
	}
	if f.fromPull != "" {
		return f.runFromPull(ctx, e)
	}
	var s *simulate.Runner
	var latencies calibrate.Latencies
	if err := ending(ctx, func() (err error) { s, latencies, err = f.load(); return err }); err != nil {
		return err
	}
	if line := latencies.Line(); line != "" {
		e.Notef("%s", line)
	}
	e.Notes(s.Notes...)
	e.Warnings(s.Warnings)
	results, err := f.simulate(ctx, s) // it ends with the context, and removes the logs that it began
	if err != nil {
		return err
	}
	out := report.Simulated(s, results, f.seed)
	out.Files = f.files()
	if latencies.Source != "" {
		out.Latencies = &latencies
	}
	return e.Show(out, out.Print)
}

func (f *simulateFlags) validate() error {
	if err := f.complete(); err != nil {
		return err
	}
	if _, err := sched.Parse(f.scheduler); err != nil {
		return cli.Usagef("--scheduler: %v", err)
	}
	f.opt.Scheduler = f.scheduler
	if err := checkTracks(f.perfetto); err != nil {
		return err
	}
	if ext := filepath.Ext(f.timeline); f.timeline != "" && ext != ".csv" && ext != ".svg" {
		return cli.Usagef("--timeline %q: must end in .csv or .svg", f.timeline)
	}
	return nil
}

// runFlags hold the options that simulate and compare have in common.
type runFlags struct {
	dataset, model string
	slowstart      float64
	opt            simulate.Options
}

func (f *runFlags) declare(fs *pflag.FlagSet) {
	datasetFlag(fs, &f.dataset)
	fs.StringVar(&f.opt.Allocations, "allocations", "", "fair-scheduler.xml `FILE` of "+simulate.Fair+" (default equal "+
		"weights)")
	fs.StringVar(&f.opt.Shares, "shares", "",
		"users of a Hadoop 1 scheduler, CSV `FILE` with user, min-share (slots) and "+
			"weight; * is everybody else")
	fs.StringVar(&f.opt.Hints, "hints", "", "job classes of the learning scheduler, CSV `FILE` with class, cpu, memory, "+
		"disk, network (1 to 10) and load (of a task)")
	cli.Choice(fs, &f.model, "model", "replay", []string{"replay", "sampled", "resource"},
		"`MODEL` of task durations: recorded (replay), drawn (sampled), from bytes on shared disks and links (resource)")
	cli.Number(fs, &f.slowstart, "slowstart", -1, cli.Within(0.0, 1), "`SHARE` of completed maps before reduces start "+
		"(default from each job)")
}

// validate returns a usage error for a flag without effect on runs of these schedulers.
func (f *runFlags) validate(given func(flag string) bool, schedulers ...string) error {
	isFair := func(spec string) bool { return strings.HasPrefix(spec, simulate.Fair) }
	switch {
	case given("calibration") && !slices.ContainsFunc(schedulers, simulate.OnYARN):
		return cli.Usagef("--calibration: needs one of the schedulers %s, %s", simulate.Capacity, simulate.Fair)
	case given("allocations") && !slices.ContainsFunc(schedulers, isFair):
		return cli.Usagef("--allocations: needs the scheduler %s", simulate.Fair)
	}
	return beside(given, "dataset", slices.Concat(fileFlags, placementFlags)...)
}

// complete completes the options of runs.
func (f *runFlags) complete() (err error) {
	f.opt.Jitter, f.opt.Slowdowns = simulate.Replications(), true
	f.opt.Model, err = simcore.ParseModel(f.model)
	return err
}

// simulate runs the replications; the first one is watched.
func (f *simulateFlags) simulate(ctx context.Context, s *simulate.Runner) ([]*simcore.Result, error) {
	results := make([]*simcore.Result, f.runs)
	for i := range results {
		item := f.item(i)
		var err error
		if i == 0 {
			results[i], err = f.watched(ctx, s, item)
		} else {
			results[i], err = s.RunNamed(ctx, item)
		}
		if err != nil {
			return nil, err
		}
	}
	return results, nil
}

// files returns the log files by the names of their flags; nil without any.
func (f *simulateFlags) files() map[string]string {
	files := map[string]string{"timeline": f.timeline, "heartbeat-log": f.beats, "event-trace": f.events,
		"perfetto": f.perfetto}
	maps.DeleteFunc(files, func(_, path string) bool { return path == "" })
	return files
}
