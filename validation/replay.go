package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"schedtune/internal/cli"
	"schedtune/simcore/yarn"
	"schedtune/trace/runlog"
	"schedtune/validation/replay"
	"schedtune/validation/sparkreplay"
)

func newReplayCmd(e *env) *cobra.Command {
	var opt replay.Options
	var calibration string
	c := &cobra.Command{
		Use:   "replay DIR...",
		Short: "Compare the simulator with recorded runs",
		Long: `replay compares the simulator with a recorded YARN run (a folder with
scenario.json, jobs.csv, tasks.csv, containers.csv and capacity-scheduler.xml)
in three steps. Decisions: given the recorded heartbeats, asks and releases, are
the same containers allocated at the same heartbeats? Replay: given task times
and launch latencies, when do the jobs end? Prediction: the same from the
scenario, the queue file and a calibration alone, over many replications.

A folder with executors.csv is a run of Spark applications, alone or beside
MapReduce jobs. Its steps are those of the driver and its application master:
given the recorded stages, tasks, registrations, grants and heartbeats, are the
same executors wanted, asked for and given back at the same times? --leave-one-out
fits for two cores, the machine of such runs. A folder with dags.csv is a run of
Tez applications: its calls are compared row by row, and the ends of its DAGs.

Folders of one scenario are repetitions:
predictions are compared with their mean. With --leave-one-out each run is
predicted with a calibration fitted on the other scenarios.`,
		Example: `  go run ./validation replay runs/run-01
  go run ./validation replay --json runs/run-01 --calibration fitted.json
  go run ./validation replay --leave-one-out runs/run-*`,
		Args: cli.Args(cobra.MinimumNArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			if calibration != "" {
				if opt.LeaveOut {
					return cli.Usagef("--leave-one-out fits the calibration that --calibration gives: use one of them")
				}
				cal, err := yarn.LoadCalibration(calibration)
				if err != nil {
					return err
				}
				opt.Calibration = cal
			}
			_, err := cli.Interruptible(c.Context(), func() (struct{}, error) {
				return struct{}{}, runReplay(c.Context(), e, args, opt)
			})
			return err
		},
	}
	fs := c.Flags()
	fs.StringVar(&calibration, "calibration", "", "latencies of the cluster, a `FILE` or default or mini-cluster "+
		"(default default)")
	fs.BoolVar(&opt.LeaveOut, "leave-one-out", false, "fit the calibration of each run on the other scenarios given")
	cli.Number(fs, &opt.Replications, "replications", 100, cli.AtLeast(1), "`N` simulated runs of the prediction")
	cli.Seed(fs, &opt.Seed, "the prediction")
	return c
}

func runReplay(ctx context.Context, e *env, dirs []string, opt replay.Options) error {
	kind := sparkreplay.KindOf(dirs[0])
	var report interface{ Print(io.Writer) error }
	var err error
	switch {
	case kind != runlog.Planned && kind != runlog.Spark:
		return fmt.Errorf("%s: no recorded run (scenario.json with jobs.csv); for a trace: tune trace info --simulate",
			dirs[0])
	case opt.LeaveOut && len(dirs) == 1:
		return cli.Usagef("--leave-one-out: needs two folders or more")
	case kind == runlog.Spark:
		report, err = sparkreplay.Check(ctx, dirs, opt)
	default:
		var st *replay.Study
		if st, err = replay.CheckAll(ctx, dirs, opt); err == nil {
			e.Notes(st.Runs[0].Notes...)
		}
		report = st
	}
	if err != nil {
		return err
	}
	return e.Show(report, report.Print)
}
