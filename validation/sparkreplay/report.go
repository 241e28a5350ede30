package sparkreplay

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"text/template"

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
	// Containers are what the scheduler allocated, those of MapReduce jobs too.
	Containers *replay.Decisions `json:"containers"`
}

// Judge holds the allocation manager against the run's applications, one step at a time.
func (r *Run) Judge() (s Steps) {
	for _, a := range r.Apps {
		if a.Kind != "spark" || !a.Settings.Dynamic {
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

//go:embed report.tmpl
var page string

var printed = template.Must(template.New("report").Funcs(template.FuncMap{
	"percent": func(part float64) string { return fmt.Sprintf("%.1f", 100*part) },
}).Parse(page))

// Print writes the reports as text.
func (st *Study) Print(w io.Writer) error { return printed.Execute(w, st) }
