package main

import (
	"context"
	"fmt"

	"schedtune/internal/cli"
	"schedtune/trace/runlog"
	"schedtune/validation/replay"
	"schedtune/validation/sparkreplay"
)

// sparkReplayJSON is the schema schedtune/replay-spark/v1.
type sparkReplayJSON struct {
	Schema string               `json:"schema"`
	Runs   []sparkreplay.Report `json:"runs"`
}

// replaySpark checks recorded runs of Spark applications.
func replaySpark(ctx context.Context, e *env, dirs []string, f replayFlags, opt replay.Options) error {
	for _, d := range dirs {
		if runlog.KindOf(d) != runlog.Spark {
			return fmt.Errorf("%s: no executors.csv; allowed beside %s: recorded runs of Spark applications", d, dirs[0])
		}
	}
	if f.leaveOut && len(dirs) == 1 {
		return cli.Usagef("--leave-one-out with one folder; allowed: two or more")
	}
	list, err := sparkreplay.Check(ctx, dirs, sparkreplay.Options{Calibration: opt.Calibration, LeaveOut: f.leaveOut, Seed: f.seed, Replications: f.replications})
	if err != nil {
		return err
	}
	if e.JSON {
		return e.WriteJSON(sparkReplayJSON{"schedtune/replay-spark/v1", list})
	}
	sparkreplay.Print(e.Stdout, list)
	return nil
}
