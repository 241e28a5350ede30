package main

import (
	"github.com/spf13/pflag"

	"schedtune/internal/calibrate"
	"schedtune/internal/cli"
	"schedtune/simcore"
	"schedtune/simcore/mr1"
	"schedtune/trace"
)

// classFlags are the flags of fit durations and fit contention.
type classFlags struct {
	traces traceFlags
	by     string
	seed   uint64
}

// input declares the flags of the input; dataset is what is used without a trace.
func (f *classFlags) input(dataset string) func(*pflag.FlagSet) {
	return func(fs *pflag.FlagSet) {
		f.traces.add(fs, dataset)
		cli.Group(fs, "Input", func(fs *pflag.FlagSet) { cli.Seed(fs, &f.seed, "the simulation of an embedded data set") })
	}
}

// adder declares the flags; classes are those of what, by a property that is by unless it is given.
func (f *classFlags) adder(by, what string) func(*pflag.FlagSet) {
	return func(fs *pflag.FlagSet) {
		f.input("default")(fs)
		cli.Group(fs, "Model", func(fs *pflag.FlagSet) {
			cli.Choice(fs, &f.by, "by", by, calibrate.Groupings(), "property that defines a class of "+what+", `WHAT`")
		})
	}
}

// launches of a simulation take one second of the two to three that Hadoop 1 took.
var launches = mr1.Config{Launch: simcore.Second, LaunchJitter: simcore.Second}

// histories are what --trace gives, or a simulation of the embedded data set under a scheduler.
func (f *classFlags) histories(e *env, scheduler string, cfg mr1.Config) ([]*trace.Trace, string, error) {
	if err := f.traces.check("", false); err != nil {
		return nil, "", err
	}
	cfg.Seed = f.seed
	return f.traces.histories(e, scheduler, cfg)
}

func (f *classFlags) durations(e *env) (*found, error) {
	hs, source, err := f.histories(e, fairJobs, launches)
	if err != nil {
		return nil, err
	}
	r, err := calibrate.FitDurations(source, hs, f.by)
	if err != nil {
		return nil, err
	}
	cal, err := r.Calibration.Bytes()
	return &found{r, []file{
		{"calibration.json", cal, "latencies of the cluster, for tune --calibration"},
		{"durations.svg", r.Chart, "distribution of task times"}}}, err
}
