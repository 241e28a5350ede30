package main

import (
	"github.com/spf13/cobra"

	"schedtune/internal/cli"
	"schedtune/internal/replay"
	"schedtune/simcore/yarn"
)

type replayFlags struct {
	calibration  string
	seed         uint64
	replications int
	leaveOut     bool
}

func newReplayCmd(e *env) *cobra.Command {
	var f replayFlags
	c := &cobra.Command{
		Use:   "replay DIR...",
		Short: "Say how far the simulator is from what was recorded",
		Long: `replay holds the simulator against a recorded YARN run (a folder with
scenario.json, jobs.csv, tasks.csv, containers.csv and capacity-scheduler.xml)
in three steps. Decisions: given the recorded heartbeats, asks and releases, are
the same containers allocated at the same heartbeats? Replay: given task times
and launch latencies, when do the jobs end? Prediction: the same from the
scenario, the queue file and a calibration alone, over many replications.
Repetitions of the run beside it or in ../repeats are averaged.

Several folders give one line each. With --leave-one-out each is predicted with
a calibration fitted on the others' scenarios.`,
		Example: "  tune replay runs/run-01\n  tune replay --json runs/run-01 --calibration fitted.json\n  tune replay --leave-one-out runs/run-*",
		Args:    cli.Args(cobra.MinimumNArgs(1)),
		RunE:    func(_ *cobra.Command, args []string) error { return runReplay(e, args, f) },
	}
	c.Flags().StringVar(&f.calibration, "calibration", "", "latencies of the cluster, as fit durations writes them (`FILE`; default built in)")
	c.Flags().Uint64Var(&f.seed, "seed", 1, "seed of the prediction")
	c.Flags().IntVar(&f.replications, "replications", 100, "simulated runs of the prediction")
	c.Flags().BoolVar(&f.leaveOut, "leave-one-out", false, "fit the calibration of each run on the other scenarios given")
	return c
}

func runReplay(e *env, dirs []string, f replayFlags) error {
	if f.replications < 1 {
		return cli.Usagef("--replications is %d; allowed: 1 or more", f.replications)
	}
	opt := replay.Options{Seed: f.seed, Replications: f.replications}
	if f.calibration != "" {
		cal, err := yarn.LoadCalibration(f.calibration)
		if err != nil {
			return err
		}
		opt.Calibration = cal
	}
	if f.leaveOut && f.calibration != "" {
		return cli.Usagef("--leave-one-out fits the calibration and --calibration gives it; allowed: one of them")
	}
	if len(dirs) > 1 {
		return replayAll(e, dirs, opt, f.leaveOut)
	}
	if f.leaveOut {
		return cli.Usagef("--leave-one-out with one folder; allowed: two or more")
	}
	rep, err := replay.Check(dirs[0], opt)
	if err != nil {
		return err
	}
	for _, n := range rep.Notes {
		e.Notef("%s: %s", dirs[0], n)
	}
	if e.JSON {
		return e.WriteJSON(rep)
	}
	rep.Print(e.Stdout)
	return nil
}

func replayAll(e *env, dirs []string, opt replay.Options, leaveOut bool) error {
	st, err := replay.CheckAll(dirs, opt, leaveOut)
	if err != nil {
		return err
	}
	if e.JSON {
		return e.WriteJSON(st)
	}
	st.Print(e.Stdout)
	return nil
}
