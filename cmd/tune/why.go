package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"schedtune/internal/cli"
	"schedtune/internal/diagnose"
	"schedtune/internal/fileio"
	"schedtune/internal/rm"
	"schedtune/internal/scenario"
	"schedtune/internal/simulate"
	"schedtune/internal/snapshot"
	"schedtune/internal/text"
	"schedtune/simcore"
)

// whyFlags are the options of tune why.
type whyFlags struct {
	liveFlags
	inputs scenario.Files
	pulled string
	at     string
	seed   uint64
	runs   int
}

func newWhyCmd(e *env) *cobra.Command {
	var f whyFlags
	c := subcommand("why APPLICATION", cli.Args(cobra.ExactArgs(1)), func(ctx context.Context, args []string) error {
		return f.run(ctx, e, args[0])
	})
	fs := c.Flags()
	c.PreRunE = func(*cobra.Command, []string) error {
		return cmp.Or(beside(fs.Changed, "rm", "pull", "trace", "embedded", "dataset", "at"), beside(fs.Changed, "pull",
			"trace", "embedded", "dataset", "at"), beside(fs.Changed, "dataset", fileFlags...))
	}
	inputFlags(fs, &f.inputs)
	datasetFlag(fs, &f.inputs.Dataset)
	cli.Group(fs, "Run", func(fs *pflag.FlagSet) {
		fs.StringVar(&f.at, "at", "", "simulated `TIME` such as 90s, 1h5m or 3600 in seconds (default 5 s after the "+
			"recorded submission)")
		replicationsFlag(fs, &f.runs, 10, 1, "simulated runs to predict the start")
		cli.Seed(fs, &f.seed, "the simulated run")
	})
	f.liveFlags.flags(fs)
	cli.Group(fs, "Cluster", func(fs *pflag.FlagSet) {
		fs.StringVar(&f.pulled, "pull", "", "`DIR` written by tune pull, instead of --rm")
	})
	return c
}

func (f *whyFlags) run(ctx context.Context, e *env, app string) error {
	f.inputs.Oversized = true
	ask := f.simulated
	if f.rm != "" || f.pulled != "" {
		ask = f.cluster
	}
	if f.rm != "" {
		tmp, err := os.MkdirTemp("", "tune-why-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(tmp)
		f.pulled = filepath.Join(tmp, "cluster")
		if err := f.download(ctx, e); err != nil {
			return err
		}
	}
	out, err := cli.Interruptible(ctx, func() (*diagnose.PendingDocument, error) { return ask(ctx, e, app) })
	if err != nil {
		return err
	}
	return e.Show(out, out.Print)
}

// simulated answers from a simulation.
func (f *whyFlags) simulated(ctx context.Context, e *env, app string) (*diagnose.PendingDocument, error) {
	r, err := simulate.Load(f.inputs, "", simulate.Options{Jitter: simulate.Replications()})
	if err != nil {
		return nil, err
	}
	e.Warnings(r.Warnings)
	if f.inputs.Config == "" { // with --config the answer has the notes
		e.Notes(r.Notes...)
	}
	at, err := f.instant(r, app)
	if err != nil {
		return nil, err
	}
	q := diagnose.Query{Job: app, At: at, Seed: f.seed, Runs: f.runs}
	if f.inputs.Groups != "" {
		if q.Groups, err = scenario.LoadGroups(f.inputs.Groups); err != nil {
			return nil, err
		}
	}
	rep, err := diagnose.AskSimulated(ctx, r, q)
	if err != nil {
		return nil, err
	}
	out := rep.Document(r.Work.Jobs)
	out.Application = app
	out.Notes = append(out.Notes, r.Notes...)
	return out, nil
}

// instant returns the time of --at.
func (f *whyFlags) instant(r *simulate.Runner, app string) (simcore.Time, error) {
	if f.at == "" {
		for i := range r.Work.Jobs {
			if j := &r.Work.Jobs[i]; j.ID == app {
				return j.Submit + 5*simcore.Second, nil
			}
		}
		return 0, nil
	}
	if v, err := strconv.ParseFloat(f.at, 64); err == nil && v >= 0 && v < 1e9 {
		return simcore.Time(v * float64(simcore.Second)), nil
	}
	d, err := time.ParseDuration(f.at)
	if err != nil || d < 0 {
		return 0, cli.Usagef("--at %q: must be a time since the start of the simulation, such as 90s, 1h5m or 3600", f.at)
	}
	return simcore.Time(d.Microseconds()), nil
}

// cluster answers from a running or a downloaded cluster: from its state on, in simulation.
func (f *whyFlags) cluster(ctx context.Context, e *env, app string) (*diagnose.PendingDocument, error) {
	source, from := "folder", f.pulled
	if f.rm != "" {
		source, from = "cluster", f.rm
	}
	o, err := snapshot.Open(f.pulled, snapshot.Options{Inputs: f.inputs, Replications: max(f.runs, leastRuns),
		Seed: f.seed})
	if err != nil {
		return nil, err
	}
	a, guessed := o.App(app)
	if a == nil {
		return nil, ended(f.pulled, from, app)
	}
	rep, err := diagnose.AskSimulated(ctx, o.Runner, diagnose.Query{Job: app, At: o.Model.At, Runs: o.Replications(),
		Item: o.Item, Zero: o.Model.At})
	if err != nil {
		return nil, err
	}
	out := rep.Document(o.Runner.Work.Jobs)
	out.Source, out.At = source, nil
	if out.Next != nil {
		s := snapshot.Start{Guessed: guessed}
		for _, t := range rep.Next {
			if t < simcore.Never {
				t -= o.Model.At
			}
			s.At = append(s.At, t)
		}
		low, high := s.Interval()
		out.Next.Low, out.Next.High = diagnose.Seconds(low), diagnose.Seconds(high)
	}
	if words := text.OneLine(a.Diagnostics); words != "" && a.Waits() {
		out.Notes = append(out.Notes, "the ResourceManager: "+words)
	}
	if guessed {
		out.Notes = append(out.Notes, "estimated: an application that runs or is ahead of it has no recorded duration")
	}
	out.Notes = slices.Concat(out.Notes, heldByTez(o.Model.State.Apps, a.Queue), o.Runner.Notes, o.Model.Notes)
	return out, nil
}

// heldByTez says what Tez applications hold on a cluster, in a queue first.
func heldByTez(apps []snapshot.App, queue string) (notes []string) {
	var list []diagnose.TezHolding
	for i := range apps {
		a := &apps[i]
		mib := int64(0)
		for _, c := range a.Containers {
			mib += c.Size.Memory
		}
		if a.Type == "TEZ" && mib > 0 {
			list = append(list, diagnose.TezHolding{Queue: a.Queue, App: a.ID, MiB: mib,
				How: fmt.Sprintf("%d MiB in %s", mib, text.Count(len(a.Containers), "container"))})
		}
	}
	return diagnose.TezHoldings(list, queue, " (its AMs know which containers are idle and how long yet, the "+
		"ResourceManager does not)")
}

// ended is what a ResourceManager says of an application that neither waits nor runs.
func ended(dir, from, app string) error {
	if data, err := fileio.ReadFile(filepath.Join(dir, rm.FileApps), fileio.Table); err == nil {
		all, _ := rm.ParseApps(data)
		for i := range all {
			if a := &all[i]; a.ID == app {
				return fmt.Errorf("application %s has ended, %s: %s", app, a.State, text.OneLine(a.Diagnostics))
			}
		}
	}
	return fmt.Errorf("application %s: not in %s among the pending and running ones", app, from)
}

// leastRuns is the number of runs that a 90 % interval needs.
const leastRuns = 20

// lastDay is how far back --rm reads applications that are over, which tell how long others last.
const lastDay = 24 * time.Hour

// download reads the state of a running cluster into the folder of --pull.
func (f *whyFlags) download(ctx context.Context, e *env) error {
	manager, err := f.resourceManager()
	if err != nil {
		return err
	}
	now := time.Now()
	_, err = pullInto(ctx, f.pulled, "tune pull", manager, nil, rm.PullOptions{Since: now.Add(-lastDay).UnixMilli(),
		Until: now.UnixMilli(), Encode: e.Encode})
	return err
}
