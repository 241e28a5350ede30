package main

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"schedtune/internal/calibrate"
	"schedtune/internal/cli"
	"schedtune/internal/fileio"
	"schedtune/internal/models"
	"schedtune/trace"
)

// durationsFlags are the flags of fit durations.
type durationsFlags struct {
	traces traceFlags
	by     string
	out    outFlags
	seed   uint64
}

func newDurationsCmd(e *env) *cobra.Command {
	var f durationsFlags
	c := &cobra.Command{
		Use:  "durations",
		Args: cli.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := f.traces.check(c, ""); err != nil {
				return err
			}
			return f.out.run(c.Context(), e, func() (*found, error) { return f.run(e) })
		},
	}
	f.traces.add(c, "default")
	cli.Group(c.Flags(), "Input", func(fs *pflag.FlagSet) {
		cli.Seed(fs, &f.seed, "the simulation of an embedded data set")
	})
	cli.Group(c.Flags(), "Model", func(fs *pflag.FlagSet) {
		cli.Choice(fs, &f.by, "by", "class", calibrate.Groupings(), "property that defines a class of tasks, `WHAT`")
	})
	f.out.add(c, "calibration.json, durations.svg and the summary")
	return c
}

func (f *durationsFlags) run(e *env) (*found, error) {
	hs, source, err := f.histories(e)
	if err != nil {
		return nil, err
	}
	r, err := calibrate.FitDurations(source, hs, f.by)
	if err != nil {
		return nil, err
	}
	cal, err := r.WriteCalibration()
	if err != nil {
		return nil, err
	}
	return &found{r, []fileio.OutputFile{{Name: "calibration.json", Data: cal}, {Name: "durations.svg", Data: r.Chart()}},
		readme("durations", "calibration.json  latencies of the cluster, for tune --calibration",
			"durations.svg     distribution of task times")}, nil
}

func (f *durationsFlags) histories(e *env) ([]*trace.Trace, string, error) {
	if len(f.traces.traces) == 0 {
		s, err := f.traces.embedded(e)
		if err != nil {
			return nil, "", err
		}
		t, err := models.SimulatedHistory(s.Cluster, s.Workload, f.seed)
		if err != nil {
			return nil, "", err
		}
		e.Notef("simulating it on Hadoop 1 under fair, seed %d, for its history", f.seed)
		return []*trace.Trace{t}, "data set " + s.Name + ", simulated", nil
	}
	var hs []*trace.Trace
	p := e.NewProgress(int64(len(f.traces.traces)), "histories")
	defer p.Finish()
	for i, path := range f.traces.traces {
		t, err := trace.Open(path, trace.Options{Format: f.traces.from, Stdin: e.Stdin})
		if err != nil {
			return nil, "", err
		}
		for _, n := range t.Notes {
			e.Notef("%s: %s", path, n)
		}
		hs = append(hs, t)
		p.Set(int64(i+1), path)
	}
	return hs, f.traces.source(), nil
}
