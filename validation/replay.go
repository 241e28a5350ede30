package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"schedtune/internal/cli"
	"schedtune/internal/report/perfetto"
	"schedtune/internal/report/timeline"
	"schedtune/simcore/yarn"
	"schedtune/trace"
	"schedtune/trace/runlog"
	"schedtune/validation/replay"
	"schedtune/validation/sparkreplay"
)

// replayFlags are the options of replay.
type replayFlags struct {
	perfetto     string
	calibration  string
	seed         uint64
	replications int
	leaveOut     bool
}

func newReplayCmd(e *env) *cobra.Command {
	var f replayFlags
	c := &cobra.Command{
		Use:   "replay DIR...",
		Short: "Compare the simulator with recorded runs",
		Long: `replay holds the simulator against a recorded YARN run (a folder with
scenario.json, jobs.csv, tasks.csv, containers.csv and capacity-scheduler.xml)
in three steps. Decisions: given the recorded heartbeats, asks and releases, are
the same containers allocated at the same heartbeats? Replay: given task times
and launch latencies, when do the jobs end? Prediction: the same from the
scenario, the queue file and a calibration alone, over many replications.

A folder with executors.csv is a run of Spark applications, alone or beside
MapReduce jobs. Its steps are those of the driver and its application master:
given the recorded stages, tasks, registrations, grants and heartbeats, are the
same executors wanted, asked for and given back at the same times? --leave-one-out
fits for two cores, the machine of such runs.

Several folders give one line each. Folders of one scenario are repetitions:
predictions are compared with their mean. With --leave-one-out each run is
predicted with a calibration fitted on the other scenarios.`,
		Example: `  go run ./validation replay runs/run-01
  go run ./validation replay --json runs/run-01 --calibration fitted.json
  go run ./validation replay --leave-one-out runs/run-*`,
		Args: cli.Args(cobra.MinimumNArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			_, err := cli.Interruptible(c.Context(), func() (struct{}, error) { return struct{}{}, runReplay(c.Context(), e, args, f) })
			return err
		},
	}
	fs := c.Flags()
	fs.StringVar(&f.calibration, "calibration", "", "latencies of the cluster, a `FILE` or default or mini-cluster (default default)")
	fs.BoolVar(&f.leaveOut, "leave-one-out", false, "fit the calibration of each run on the other scenarios given")
	cli.Number(fs, &f.replications, "replications", 100, cli.AtLeast(1), "`N` simulated runs of the prediction")
	seedFlag(fs, &f.seed, "the prediction")
	fs.StringVar(&f.perfetto, "perfetto", "", "one recorded MapReduce run beside its replay over time for ui.perfetto.dev, a `FILE` "+strings.Join(perfetto.Suffixes(), ", "))
	return c
}

func runReplay(ctx context.Context, e *env, dirs []string, f replayFlags) error {
	if f.perfetto != "" {
		if _, err := perfetto.New(io.Discard, f.perfetto); err != nil {
			return cli.Usagef("--perfetto: %v", err)
		}
		if len(dirs) > 1 || runlog.KindOf(dirs[0]) != runlog.Planned {
			return cli.Usagef("--perfetto: needs one folder of a recorded MapReduce run; for traces: tune trace info --perfetto FILE")
		}
	}
	opt := replay.Options{Seed: f.seed, Replications: f.replications, LeaveOut: f.leaveOut}
	if f.calibration != "" {
		cal, err := yarn.LoadCalibration(f.calibration)
		if err != nil {
			return err
		}
		opt.Calibration = cal
	}
	if f.leaveOut && f.calibration != "" {
		return cli.Usagef("--leave-one-out fits the calibration that --calibration gives: use one of them")
	}
	switch runlog.KindOf(dirs[0]) {
	case runlog.Spark:
		return replaySpark(ctx, e, dirs, f, opt)
	case runlog.Planned:
	default:
		return fmt.Errorf("%s: no recorded run (scenario.json with jobs.csv); for a trace: tune trace info --simulate", dirs[0])
	}
	if len(dirs) > 1 {
		return replayAll(ctx, e, dirs, opt)
	}
	if f.leaveOut {
		return cli.Usagef("--leave-one-out: needs two folders or more")
	}
	rep, err := replay.Check(ctx, dirs[0], opt)
	if err == nil && f.perfetto != "" {
		err = replayTracks(ctx, f.perfetto, dirs[0], opt.Calibration)
	}
	if err != nil {
		return err
	}
	return printReport(e, dirs[0], rep.Notes, rep)
}

func replayAll(ctx context.Context, e *env, dirs []string, opt replay.Options) error {
	st, err := replay.CheckAll(ctx, dirs, opt)
	if err != nil {
		return err
	}
	return printReport(e, "", nil, st)
}

// printReport prints the notes on what was replayed, and the report as text or JSON.
func printReport(e *env, from string, notes []string, report interface{ Print(io.Writer) }) error {
	for _, n := range notes {
		e.Notef("%s: %s", from, n)
	}
	if e.JSON {
		return e.WriteJSON(report)
	}
	report.Print(e.Stdout)
	return nil
}

// sparkReplayJSON is the schema schedtune/replay-spark/v1.
type sparkReplayJSON struct {
	Schema string               `json:"schema"`
	Runs   []sparkreplay.Report `json:"runs"`
}

// replaySpark checks recorded runs of Spark applications.
func replaySpark(ctx context.Context, e *env, dirs []string, f replayFlags, opt replay.Options) error {
	for _, d := range dirs {
		if runlog.KindOf(d) != runlog.Spark {
			return fmt.Errorf("%s: no executors.csv, as %s has: give runs of one kind", d, dirs[0])
		}
	}
	if f.leaveOut && len(dirs) == 1 {
		return cli.Usagef("--leave-one-out: needs two folders or more")
	}
	list, err := sparkreplay.Check(ctx, dirs, opt)
	if err != nil {
		return err
	}
	if e.JSON {
		return e.WriteJSON(sparkReplayJSON{"schedtune/replay-spark/v1", list})
	}
	sparkreplay.Print(e.Stdout, list)
	return nil
}

// replayTracks draws a recorded run and its replay, side by side.
func replayTracks(ctx context.Context, path, dir string, cal *yarn.Calibration) (err error) {
	t, err := trace.Open(dir, trace.Options{})
	if err != nil {
		return err
	}
	r, err := replay.Load(dir)
	if err != nil {
		return err
	}
	runs, item, err := r.Runner(cal)
	if err != nil {
		return err
	}
	out, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	w, err := perfetto.New(out, path)
	if err != nil {
		return err
	}
	timeline.History(w, t, "recorded")
	tracks := timeline.NewTracks(w, runs.Cluster, runs.Work, "replayed")
	item.Watch = tracks.Watch
	res, err := runs.Run(ctx, item)
	if err != nil {
		return err
	}
	tracks.Finish(res)
	return w.Close()
}
