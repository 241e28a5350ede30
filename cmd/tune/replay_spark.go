package main

import (
	"context"
	"fmt"

	"schedtune/internal/cli"
	"schedtune/internal/recorded"
	"schedtune/internal/replay"
	"schedtune/internal/sparkrun"
)

// sparkReplayJSON is the schema schedtune/replay-spark/v1.
type sparkReplayJSON struct {
	Schema string            `json:"schema"`
	Runs   []sparkrun.Report `json:"runs"`
}

// replaySpark checks recorded runs of Spark applications.
func replaySpark(ctx context.Context, e *env, dirs []string, f replayFlags, opt replay.Options) error {
	for _, d := range dirs {
		if recorded.KindOf(d) != recorded.Spark {
			return fmt.Errorf("%s: no executors.csv; allowed beside %s: recorded runs of Spark applications", d, dirs[0])
		}
	}
	if f.leaveOut && len(dirs) == 1 {
		return cli.Usagef("--leave-one-out with one folder; allowed: two or more")
	}
	list, err := sparkrun.Check(ctx, dirs, sparkrun.Options{Calibration: opt.Calibration, LeaveOut: f.leaveOut, Seed: f.seed, Replications: f.replications})
	if err != nil {
		return err
	}
	if e.JSON {
		return e.WriteJSON(sparkReplayJSON{"schedtune/replay-spark/v1", list})
	}
	sparkrun.Print(e.Stdout, list)
	return nil
}
