package sparkreplay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"

	"schedtune/simcore/yarn"
	"schedtune/trace/runlog"
	"schedtune/validation/replay"
)

// sameScenario reports whether two runs are recordings of one scenario.
func sameScenario(a, b *Run) bool {
	return reflect.DeepEqual(a.Plan.Jobs, b.Plan.Jobs) && slices.EqualFunc(a.Nodes, b.Nodes, func(x, y replay.Node) bool {
		return x.MiB == y.MiB && x.VCores == y.VCores
	})
}

// Steps sums up what one step at a time agrees on, over a run's applications.
type Steps struct {
	Dynamic      int `json:"dynamic_applications"`
	EqualTargets int `json:"applications_with_equal_targets"`
	Changes      int `json:"target_changes"`
	Within100    int `json:"target_changes_within_100_ms"`
	Within200    int `json:"target_changes_within_200_ms"`
	Kills        int `json:"idle_kills"`
	SameKills    int `json:"idle_kills_same"`
	AskScore
	// Containers are what the scheduler allocated, those of MapReduce jobs too.
	Containers *replay.Decisions `json:"containers"`
}

// Judge holds the allocation manager and the allocator against the run's
// applications, one step at a time.
func (r *Run) Judge() (s Steps) {
	for _, a := range r.Apps {
		if a.Kind != "spark" {
			continue
		}
		r.JudgeAsks(a, &s.AskScore)
		if !a.Settings.Dynamic {
			continue
		}
		t := r.JudgeTargets(a)
		s.Dynamic++
		s.EqualTargets += one(t.Equal)
		s.Changes, s.Within100, s.Within200 = s.Changes+t.Changes, s.Within100+t.Within100, s.Within200+t.Within200
		s.Kills, s.SameKills = s.Kills+t.Kills, s.SameKills+t.SameKills
	}
	return s
}

// KindOf is runlog.KindOf, for which runs of Tez applications count as those of Spark.
func KindOf(dir string) runlog.Kind {
	kind := runlog.KindOf(dir)
	if kind == runlog.Tez {
		kind = runlog.Spark
	}
	return kind
}

// Report is all that is said of a run.
type Report struct {
	Run        string      `json:"run"`
	Steps      Steps       `json:"steps"`
	Replay     *Errors     `json:"replay"`
	Prediction *Prediction `json:"prediction"`
}

// cores are those of the machine the runs were recorded on, as MapReduce's launches tell them, for
// LeaveOut.
var cores = yarn.MiniCluster().Cores

// Study is the result of one or more runs.
type Study struct {
	Schema string   `json:"schema"`
	Runs   []Report `json:"runs"`
}

// Check judges recorded runs; recordings of one scenario are predicted together.
func Check(ctx context.Context, dirs []string, opt replay.Options) (*Study, error) {
	for _, d := range dirs {
		if KindOf(d) != runlog.Spark {
			return nil, fmt.Errorf("%s: no executors.csv or dags.csv: give runs of one kind", d)
		}
	}
	st := &Study{Schema: "schedtune/replay-spark/v1"}
	err := replay.Each(dirs, Load, sameScenario, func(r *Run, others, equal []*Run) error {
		rep := Report{Run: r.Name, Steps: r.Judge()}
		settled, err := r.Decisions()
		if err != nil {
			return err
		}
		rep.Steps.Containers = settled.Decisions
		if rep.Replay, err = r.Replay(ctx, opt.Calibration); err != nil {
			return err
		}
		cal := opt.Calibration
		if opt.LeaveOut {
			if len(others) == 0 {
				return errors.New("no run of another scenario to fit a calibration on")
			}
			cal = Fit(others, cores)
		}
		rep.Prediction, err = r.Predict(ctx, cal, opt.Seed, opt.Replications, equal)
		st.Runs = append(st.Runs, rep)
		return err
	})
	return st, err
}

// Print writes the reports as text.
func (st *Study) Print(w io.Writer) {
	for _, r := range st.Runs {
		s, e, p := &r.Steps, r.Replay, r.Prediction
		fmt.Fprintf(w, "%s\n", r.Run)
		fmt.Fprintf(w, "  scheduler   %d of %d containers allocated on the same node at the same heartbeat, %d calls "+
			"reordered\n", s.Containers.Agreeing, s.Containers.Total, s.Containers.Reordered)
		fmt.Fprintf(w, "  steps       targets as recorded in %d of %d applications, %d of %d changes within 100 ms, %d "+
			"within 200 ms; idle kills %d of %d; ask rows %d of %d and %d others; releases %d of %d\n",
			s.EqualTargets, s.Dynamic, s.Within100, s.Changes, s.Within200, s.SameKills, s.Kills, s.SameAsks, s.Asks,
			s.ExtraAsks, s.SameReleases, s.Releases)
		fmt.Fprintf(w, "  replay      makespan %.1f s, recorded %.1f s (%.1f %%); completion median %.1f %%, mean %.1f "+
			"%%; executor-seconds %.0f, recorded %.0f (%.1f %%)\n",
			e.SimulatedSpan, e.RecordedSpan, 100*e.Makespan, 100*e.CompletionMedian, 100*e.CompletionMean, e.SimulatedTime,
			e.RecordedTime, 100*e.Executors)
		fmt.Fprintf(w, "  events      %d of %d differ (%.1f %%)", e.Events.Differ, e.Events.Events, 100*e.Events.Share)
		if len(e.Events.List) > 0 {
			d := &e.Events.List[0]
			fmt.Fprintf(w, "; first: %s, %s, recorded %.3f s, simulated %.3f s %s", d.App, d.Event, d.Recorded, d.Simulated,
				d.Places)
		}
		fmt.Fprintln(w)
		if len(e.DAGs) > 0 {
			fmt.Fprintf(w, "  DAGs        replay: mean error %.1f %%; calls %d of %d equal, of those with asks %d of %d; "+
				"prediction: mean %.1f s (5 to 95 %%: %.1f to %.1f), recorded %.1f s\n", 100*e.DAGMean, e.Calls.Equal,
				e.Calls.Calls, e.Calls.EqualAsks, e.Calls.Asks, p.DAGTime, p.DAGLow, p.DAGHigh, p.DAGRecorded)
		}
		fmt.Fprintf(w, "  prediction  makespan %.1f s (5 to 95 %%: %.1f to %.1f), recorded %.1f s (%.1f %%); completion "+
			"median %.1f %%, mean %.1f %%; executor-seconds %.0f, recorded %.0f (%.1f %%)\n",
			p.SimulatedSpan, p.Low, p.High, p.RecordedSpan, 100*p.Makespan, 100*p.CompletionMedian, 100*p.CompletionMean,
			p.SimulatedTime, p.RecordedTime, 100*p.Executors)
	}
}
