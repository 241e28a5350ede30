package replay

import (
	"context"
	"fmt"
	"io"
)

// others returns the runs that may teach a calibration to be judged on r: those
// of other scenarios whose tasks sleep. How long tasks that read files take does
// not show in a scenario.
func others(r *Run, runs []*Run) []*Run {
	var out []*Run
	for _, o := range runs {
		if !sameScenario(o, r) && len(o.Jobs) > 0 && !o.readsFiles(o.Jobs[0]) {
			out = append(out, o)
		}
	}
	return out
}

// Study is the result of several runs.
type Study struct {
	Schema string    `json:"schema"`
	Runs   []*Report `json:"runs"`
}

// CheckAll compares several recorded runs. Those of one scenario are repetitions
// of each other: predictions are compared with their mean. With opt.LeaveOut each is
// judged with a calibration fitted on the other scenarios among them.
func CheckAll(ctx context.Context, dirs []string, opt Options) (*Study, error) {
	var runs []*Run
	for _, dir := range dirs {
		r, err := Load(dir)
		if err != nil {
			return nil, err
		}
		runs = append(runs, r)
	}
	st := &Study{Schema: Schema}
	for i, r := range runs {
		o := opt
		if opt.LeaveOut {
			var err error
			if o.Calibration, err = Fit(others(r, runs)); err != nil {
				return nil, fmt.Errorf("%s: %w", dirs[i], err)
			}
		}
		rep, err := r.check(ctx, o, r.repetitions(runs))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", dirs[i], err)
		}
		st.Runs = append(st.Runs, rep)
	}
	return st, nil
}

// Print writes one line per run.
func (s *Study) Print(w io.Writer) {
	fmt.Fprintf(w, "%-28s %11s  %23s  %37s  %s\n", "", "decisions", "replay: jobs", "prediction: makespan, jobs",
		"recorded makespans")
	fmt.Fprintf(w, "%-28s %11s  %7s %7s %7s  %8s %8s %6s %6s %6s  %6s  %s\n", "run", "agreeing", "span", "median", "mean",
		"recorded", "predict.", "error", "median", "mean", "chance", "at quantiles, %")
	for _, r := range s.Runs {
		fmt.Fprintf(w, "%-28s %11s  %s  %s\n", r.Run, r.decisionText(), r.replayText(), r.predictionText())
	}
}

func (r *Report) decisionText() string {
	if r.Decisions == nil {
		return "-"
	}
	return fmt.Sprintf("%d/%d", r.Decisions.Agreeing, r.Decisions.Total)
}

func percent(f float64) string { return fmt.Sprintf("%.1f%%", 100*f) }

func (r *Report) replayText() string {
	if r.Replay == nil {
		return fmt.Sprintf("%7s %7s %7s", "-", "-", "-")
	}
	return fmt.Sprintf("%7s %7s %7s", percent(r.Replay.Makespan), percent(r.Replay.CompletionMedian),
		percent(r.Replay.CompletionMean))
}

func (r *Report) predictionText() string {
	p := r.Prediction
	if p == nil {
		return "-"
	}
	return fmt.Sprintf("%8.1f %8.1f %6s %6s %6s  %4.0f %%  %s", p.RecordedSpan, p.SimulatedSpan,
		percent(p.SimulatedSpan/p.RecordedSpan-1), percent(p.CompletionMedian), percent(p.CompletionMean), 100*p.Chance,
		p.Spread.ranks())
}
