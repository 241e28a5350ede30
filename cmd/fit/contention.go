package main

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"schedtune/internal/calibrate"
	"schedtune/internal/cli"
	"schedtune/internal/models"
	"schedtune/simcore"
	"schedtune/simcore/mr1"
)

// contentionFlags are the flags of fit contention.
type contentionFlags struct {
	traces traceFlags
	by     string
	seed   uint64
}

func newContentionCmd(e *env) *cobra.Command {
	var f contentionFlags
	return newCmd(e, "contention", "the slopes", f.add, f.run)
}

func (f *contentionFlags) add(fs *pflag.FlagSet) {
	f.traces.add(fs, "default")
	cli.Group(fs, "Input", func(fs *pflag.FlagSet) { cli.Seed(fs, &f.seed, "the simulation of an embedded data set") })
	cli.Group(fs, "Model", func(fs *pflag.FlagSet) {
		cli.Choice(fs, &f.by, "by", "all", calibrate.Groupings(), "property that defines a class of neighbours, `WHAT`")
	})
}

func (f *contentionFlags) run(e *env) (*found, error) {
	if err := f.traces.check(""); err != nil {
		return nil, err
	}
	class, err := calibrate.ClassKey(f.by)
	if err != nil {
		return nil, err
	}
	hs, source, err := f.traces.histories(e, mr1.Config{DurationConfig: simcore.DurationConfig{Seed: f.seed},
		Launch: simcore.Second, LaunchJitter: simcore.Second})
	if err != nil {
		return nil, err
	}
	return &found{models.FitContention(source, models.NodeTasks(hs, class)), nil}, nil
}
