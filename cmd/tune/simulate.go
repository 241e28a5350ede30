package main

import (
	"context"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"schedtune/internal/calibrate"
	"schedtune/internal/cli"
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
	opt                               simulate.Options
	seed                              uint64
	runs                              int
	heartbeat                         time.Duration
	timeline, beats, events, perfetto string
	fromPull, then                    string
	at                                atFlags
	begins                            string
	first                             []yarnconf.Change // in force at the beginning, with --at
	refresh                           refreshes
}

func newSimulateCmd(e *env) *cobra.Command {
	var f simulateFlags
	c := &cobra.Command{
		Use:   "simulate",
		Short: "Say what happens with exactly these settings",
		Long: `simulate runs the present settings on the cluster and the trace and prints what
comes out, as means over replications with 95 % intervals. The scheduler
"` + simulate.Capacity + `" (default) is YARN's Capacity Scheduler with --config and "` + simulate.Fair + `"
its Fair Scheduler with --allocations; all others run as Hadoop 1 schedulers.

Logs are of the first replication: a timeline (.csv, .svg or .html by name),
a trace for ui.perfetto.dev, every event as JSON lines, and a heartbeat log that
fit overload reads. Latencies of YARN are those that the history tells, as in a
study; --calibration default keeps the built-in ones.

Without inputs an embedded data set is used.

With --from-pull the simulation begins with what a pulled cluster ran and waited for
at that moment, and tells when each waiting application starts; --then FILE tells
the same with another queue file in force from that moment on.

With --at the queues are refreshed at times of day: each file is in force from its
time on, as after yarn rmadmin -refreshQueues with it.`,
		Example: `  tune simulate --timeline run.html
  tune simulate --dataset coshh-facebook --scheduler fair --replications 20
  tune simulate --config capacity-scheduler.xml --cluster nodes.json --trace history/ --event-trace events.jsonl
  tune simulate --from-pull cluster --then tuned/capacity-scheduler.xml
  tune simulate --cluster nodes.json --trace history/ --at 08:00=day.xml --at 20:00=night.xml --zone Europe/Berlin`,
		Args: cli.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return ending(c.Context(), func() error { return runSimulate(c.Context(), e, &f) })
		},
	}
	f.flags(c.Flags())
	completeValues(c, "scheduler", sched.Names())
	return c
}

func (f *simulateFlags) flags(fs *pflag.FlagSet) {
	inputFlags(fs, &f.inputs)
	cli.Group(fs, "Run", func(fs *pflag.FlagSet) {
		fs.StringVar(&f.scheduler, "scheduler", simulate.Capacity, "`NAME[:k=v,…]`, tune help schedulers lists them")
		f.runFlags.declare(fs)
		replicationsFlag(fs, &f.runs, 1, 1, "runs with the seeds that follow")
		seedFlag(fs, &f.seed, "the first replication")
	})
	cli.Group(fs, "Moment", func(fs *pflag.FlagSet) {
		fs.StringVar(&f.fromPull, "from-pull", "", "begin with what runs and waits in a `DIR` written by tune pull")
		fs.StringVar(&f.then, "then", "", "with --from-pull: a queue `FILE` that is in force from the moment on")
	})
	cli.Group(fs, "Time of day", func(fs *pflag.FlagSet) {
		f.at.flags(fs, "another queue file is in force from that time of day on, as after a refresh of the queues")
		beginsFlag(fs, &f.begins)
	})
	cli.Group(fs, "Log", func(fs *pflag.FlagSet) {
		fs.StringVar(&f.timeline, "timeline", "", "running tasks and containers over time (`FILE` .csv, .svg or .html)")
		tracksFlag(fs, &f.perfetto, "queues, applications, containers and reservations")
		fs.StringVar(&f.events, "event-trace", "", "every event as JSON lines (`FILE`)")
		fs.StringVar(&f.beats, "heartbeat-log", "", "heartbeats and decisions as CSV (`FILE`)")
		cli.Number(fs, &f.heartbeat, "heartbeat", 3*time.Second, cli.AtLeast(time.Millisecond), "`INTERVAL` of the rows of --heartbeat-log")
	})
}

// simulateJSON is the schema schedtune/simulate/v1.
type simulateJSON struct {
	Schema       string            `json:"schema"`
	Scheduler    string            `json:"scheduler"`
	Workload     string            `json:"workload"`
	Nodes        int               `json:"nodes"`
	Jobs         int               `json:"jobs"`
	Seed         uint64            `json:"seed"`
	Replications int               `json:"replications"`
	Metrics      []metricJSON      `json:"metrics"`
	Groups       []groupJSON       `json:"groups"`
	Refused      []simcore.Refusal `json:"refused,omitempty"` // jobs that the scheduler did not take, per run
	// Latencies says where those of the cluster come from; absent without a history.
	Latencies *calibrate.Latencies `json:"latencies,omitempty"`
	Notes     []string             `json:"notes,omitempty"`
	Files     map[string]string    `json:"files,omitempty"`
}

type metricJSON struct {
	Name string  `json:"name"`
	Unit string  `json:"unit"`
	Mean float64 `json:"mean"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

type groupJSON struct {
	Dimension string       `json:"dimension"`
	Name      string       `json:"name"`
	Metrics   []metricJSON `json:"metrics"`
}

func runSimulate(ctx context.Context, e *env, f *simulateFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	if f.fromPull != "" {
		return runFromPull(ctx, e, f)
	}
	if f.then != "" {
		return cli.Usagef("--then goes with --from-pull; allowed: both, or --config for the file in force")
	}
	s, latencies, err := f.load()
	if err != nil {
		return err
	}
	if line := latencies.Line(); line != "" {
		e.Notef("%s", line)
	}
	e.Notes(s.Notes...)
	e.Warnings(s.Warnings)
	results, err := f.simulate(ctx, s)
	if err != nil {
		return err
	}
	out := f.summary(s, results)
	if latencies.Source != "" {
		out.Latencies = &latencies
	}
	if e.JSON {
		return e.WriteJSON(out)
	}
	return printSimulation(e.Stdout, out)
}

func (f *simulateFlags) check() error {
	var err error
	if f.opt, err = f.options(&f.inputs); err != nil {
		return err
	}
	if _, err := sched.Parse(f.scheduler); err != nil {
		return cli.Usagef("--scheduler: %v", err)
	}
	f.opt.Scheduler = f.scheduler
	if err := checkTracks(f.perfetto); err != nil {
		return err
	}
	if ext := filepath.Ext(f.timeline); f.timeline != "" && ext != ".csv" && ext != ".svg" && ext != ".html" {
		return cli.Usagef("--timeline: %q; allowed: a name that ends in .csv, .svg or .html", f.timeline)
	}
	return nil
}

// runFlags say how simulate and compare make their runs.
type runFlags struct {
	dataset     string
	allocations string
	model       string
	slowstart   float64
}

func (f *runFlags) declare(fs *pflag.FlagSet) {
	datasetFlag(fs, &f.dataset, "")
	fs.StringVar(&f.allocations, "allocations", "", "fair-scheduler.xml `FILE` of "+simulate.Fair+" (default equal weights)")
	cli.Choice(fs, &f.model, "model", "replay", []string{"replay", "sampled", "resource"}, "`MODEL` of task times; a data set may bring its own")
	cli.Number(fs, &f.slowstart, "slowstart", -1, cli.Within(0.0, 1), "`SHARE` of maps done before reduces start (default each job's own)")
}

// options are those of runs of the inputs, or of the data set in their place.
func (f *runFlags) options(in *scenario.Files) (simulate.Options, error) {
	if f.dataset != "" && (in.Config != "" || in.Cluster != "" || len(in.Traces) > 0) {
		return simulate.Options{}, cli.Usagef("--dataset replaces --config, --cluster and --trace; allowed: one or the other")
	}
	model, err := simcore.ParseModel(f.model)
	return simulate.Options{Allocations: f.allocations, Model: model, Jitter: simulate.Replications(), Slowdowns: true}, err
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
