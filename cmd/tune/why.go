package main

import (
	"context"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"schedtune/internal/cli"
	"schedtune/internal/diagnose"
	"schedtune/internal/scenario"
	"schedtune/internal/simulate"
	"schedtune/simcore"
	"schedtune/simcore/sched/capacity"
	"schedtune/simcore/yarn"
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
		return ending(ctx, func() error { return f.run(ctx, e, args[0]) })
	})
	fs := c.Flags()
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

// validate returns a usage error if there is more than one source.
func (f *whyFlags) validate() error {
	given := 0
	for _, on := range []bool{f.rm != "", f.pulled != "", f.inputs.Config != "" || f.inputs.Cluster != "" ||
		len(f.inputs.Traces) > 0 || f.inputs.Embedded} {
		if on {
			given++
		}
	}
	if given > 1 {
		return cli.Usagef("%d sources: must be one of --rm, --pull, or --config, --cluster and --trace (or --embedded)",
			given)
	}
	return nil
}

func (f *whyFlags) run(ctx context.Context, e *env, app string) error {
	if err := f.validate(); err != nil {
		return err
	}
	var out *diagnose.PendingDocument
	var err error
	if f.rm != "" || f.pulled != "" {
		out, err = f.cluster(ctx, app)
	} else {
		out, err = f.simulated(ctx, e, app)
	}
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
	rep, err := diagnose.AskSimulated(ctx, r, diagnose.Query{Job: app, At: at, Seed: f.seed, Runs: f.runs})
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

// cluster answers from a running or a downloaded cluster.
func (f *whyFlags) cluster(ctx context.Context, app string) (*diagnose.PendingDocument, error) {
	var src *diagnose.Source
	var err error
	source := "folder"
	if f.rm != "" {
		rm, e := f.resourceManager()
		if e != nil {
			return nil, e
		}
		source = "cluster"
		src, err = diagnose.Read(ctx, rm, app)
	} else {
		src, err = diagnose.Open(f.pulled)
	}
	if err != nil {
		return nil, err
	}
	st, notes, err := src.Standing(app)
	if err != nil {
		return nil, err
	}
	a := &diagnose.PendingAnswer{Standing: *st, Causes: diagnose.Sourced(src.Config,
		diagnose.Causes(st, func(yarn.AppID) string { return "" }))}
	if src.Config != nil {
		a.Changes = diagnose.Estimate(src.Config, st, a.Causes)
	}
	out := a.Document()
	out.Source, out.Application = source, app
	if f.pulled != "" && !st.HasMaster && st.Stage != capacity.Over {
		notes = append(notes, f.fromPull(ctx, out, a, app)...)
	}
	out.Notes = append(out.Notes, notes...)
	return out, nil
}
