package main

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"schedtune/internal/calibrate"
	"schedtune/internal/cli"
	"schedtune/simcore"
	"schedtune/simcore/mr1"
)

// durationsFlags are the flags of fit durations.
type durationsFlags struct {
	traces traceFlags
	by     string
	seed   uint64
}

func newDurationsCmd(e *env) *cobra.Command {
	var f durationsFlags
	return newCmd(e, "durations", "calibration.json, durations.svg", f.add, f.run)
}

func (f *durationsFlags) add(fs *pflag.FlagSet) {
	f.traces.add(fs, "default")
	cli.Group(fs, "Input", func(fs *pflag.FlagSet) { cli.Seed(fs, &f.seed, "the simulation of an embedded data set") })
	cli.Group(fs, "Model", func(fs *pflag.FlagSet) {
		cli.Choice(fs, &f.by, "by", "class", calibrate.Groupings(), "property that defines a class of tasks, `WHAT`")
	})
}

func (f *durationsFlags) run(e *env) (*found, error) {
	if err := f.traces.check(""); err != nil {
		return nil, err
	}
	// Launches take one second of the simulated two to three that Hadoop 1 took.
	hs, source, err := f.traces.histories(e, mr1.Config{DurationConfig: simcore.DurationConfig{Seed: f.seed},
		Launch: simcore.Second, LaunchJitter: simcore.Second})
	if err != nil {
		return nil, err
	}
	r, err := calibrate.FitDurations(source, hs, f.by)
	if err != nil {
		return nil, err
	}
	cal, err := r.WriteCalibration()
	return &found{r, []file{
		{"calibration.json", cal, "latencies of the cluster, for tune --calibration"},
		{"durations.svg", r.Chart, "distribution of task times"}}}, err
}
