package main

import (
	"os"

	"github.com/spf13/cobra"

	"schedtune/internal/calibrate"
	"schedtune/internal/cli"
	"schedtune/simcore/yarn"
	"schedtune/trace"
	"schedtune/trace/runlog"
	"schedtune/validation/replay"
	"schedtune/validation/sparkreplay"
)

func newCalibrateCmd(e *env) *cobra.Command {
	var out string
	var cores float64
	c := &cobra.Command{
		Use:   "calibrate RUN...",
		Short: "Fit a calibration from recorded runs of one machine",
		Long: `calibrate measures the latencies in folders of recorded runs (as replay reads them, all of
MapReduce jobs, Spark or Tez applications) and fits the processor time of launches, which
share the machine's cores. The file is for --calibration.`,
		Example: "  go run ./validation calibrate runs/run-01 runs/run-02 --out calibration.json",
		Args:    cli.Args(cobra.MinimumNArgs(1)),
		RunE: func(_ *cobra.Command, dirs []string) error {
			fit := fitMapReduce
			if sparkreplay.KindOf(dirs[0]) == runlog.Spark {
				fit = func(dirs []string) (*yarn.Calibration, error) { return fitSpark(dirs, cores) }
			}
			cal, err := fit(dirs)
			if err != nil {
				return err
			}
			if out != "" {
				return writeCalibration(out, cal)
			}
			b, err := cal.Bytes()
			if err == nil {
				_, err = e.Stdout.Write(b)
			}
			return err
		},
	}
	c.Flags().StringVarP(&out, "out", "o", "", "`FILE` to write (default standard output)")
	cli.Number(c.Flags(), &cores, "cores", 2, cli.Above(0.0), "of Spark runs: the machine had `N` cores")
	return c
}

func writeCalibration(path string, cal *yarn.Calibration) error {
	b, err := cal.Bytes()
	if err == nil {
		err = os.WriteFile(path, b, 0o644)
	}
	return err
}

// fitMapReduce fits the runs whose tasks sleep, and the locality factors of all.
func fitMapReduce(dirs []string) (*yarn.Calibration, error) {
	runs, err := replay.LoadAll(dirs, replay.Load)
	if err != nil {
		return nil, err
	}
	var histories []*trace.Trace
	for _, dir := range dirs {
		t, err := trace.Open(dir, trace.Options{})
		if err != nil {
			return nil, err
		}
		histories = append(histories, t)
	}
	cal, err := replay.Fit(replay.Sleeping(runs))
	if err != nil {
		return nil, err
	}
	d, err := calibrate.FitDurations("recorded runs", histories, "all")
	if err != nil {
		return nil, err
	}
	cal.RackLocalFactor, cal.OffSwitchFactor = d.Calibration.RackLocalFactor, d.Calibration.OffSwitchFactor
	return cal, cal.Validate()
}

func fitSpark(dirs []string, cores float64) (*yarn.Calibration, error) {
	runs, err := replay.LoadAll(dirs, sparkreplay.Load)
	if err != nil {
		return nil, err
	}
	cal := sparkreplay.Fit(runs, cores)
	return cal, cal.Validate()
}
