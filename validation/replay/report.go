package replay

import (
	"context"
	"fmt"
	"io"

	"schedtune/internal/text"
	"schedtune/simcore/yarn"
)

// Schema names the version of the JSON report.
const Schema = "schedtune/replay/v1"

// Report holds the three comparisons of a recorded run. A part that the
// folder's files do not allow is nil, and Missing says why.
type Report struct {
	Schema      string            `json:"schema"`
	Run         string            `json:"run"`
	Calibration string            `json:"calibration"`
	Seed        uint64            `json:"seed"`
	Decisions   *Decisions        `json:"decisions"`
	Replay      *Errors           `json:"replay"`
	Prediction  *Prediction       `json:"prediction"`
	Missing     map[string]string `json:"missing,omitempty"`
	Notes       []string          `json:"notes,omitempty"`
}

// Options of a report.
type Options struct {
	Calibration  *yarn.Calibration // nil = yarn.Default
	Seed         uint64
	Replications int  // of the prediction; 0 = 100
	LeaveOut     bool // predict each run with a calibration fitted on the other scenarios
}

// Check runs all three comparisons on a recorded run.
func Check(ctx context.Context, dir string, opt Options) (*Report, error) {
	st, err := CheckAll(ctx, []string{dir}, opt)
	if err != nil {
		return nil, err
	}
	return st.Runs[0], nil
}

func (r *Run) check(ctx context.Context, opt Options, repetitions []*Run) (*Report, error) {
	cal := opt.Calibration
	if cal == nil {
		cal = yarn.Default()
	}
	if opt.Replications == 0 {
		opt.Replications = 100
	}
	rep := &Report{Schema: Schema, Run: r.Name, Calibration: cal.Source, Seed: opt.Seed, Missing: map[string]string{}}
	var err error
	if rep.Decisions, err = r.Decisions(); err != nil {
		rep.Missing["decisions"] = err.Error()
	}
	if e, err := r.Replay(ctx, cal); err != nil {
		rep.Missing["replay"] = err.Error()
	} else {
		rep.Replay = &e
	}
	if rep.Prediction, err = r.predict(ctx, cal, opt.Seed, opt.Replications, repetitions); err != nil {
		rep.Missing["prediction"] = err.Error()
	}
	rep.Notes = r.Notes
	if r.shared && opt.Calibration == nil {
		rep.Notes = append(rep.Notes, yarn.OneMachineNote)
	}
	if len(rep.Missing) == 3 {
		return nil, fmt.Errorf("nothing can be compared: %s", rep.Missing["replay"])
	}
	return rep, nil
}

// Print writes the report as text.
func (r *Report) Print(w io.Writer) {
	fmt.Fprintf(w, "run %s, calibration: %s\n", r.Run, r.Calibration)
	if d := r.Decisions; d != nil {
		by := "at the same heartbeat"
		if d.Asynchronous {
			by = "by the same commit (asynchronous scheduling)"
		}
		fmt.Fprintf(w, "\ndecisions: %d of %d containers allocated on the same node %s\n", d.Agreeing, d.Total, by)
		for _, x := range d.Exceptions {
			fmt.Fprintf(w, "  %9.3f s %-4s recorded %-20s decided %-20s %s\n", x.At, x.Node, x.Recorded, x.Decided, x.Reason)
		}
	}
	if r.Replay != nil {
		fmt.Fprintf(w, "\nreplay (task times and launch latencies given)\n")
		r.Replay.print(w)
	}
	if p := r.Prediction; p != nil {
		fmt.Fprintf(w, "\nprediction (scenario, queue file and calibration only; mean of %d replications, recorded mean "+
			"of %d runs)\n", p.Replications, len(p.RecordedRuns))
		p.Errors.print(w)
		fmt.Fprintf(w, "  makespan quantiles 10, 50, 90 %%: %.1f %.1f %.1f s\n", p.SpanQuantile[0], p.SpanQuantile[1],
			p.SpanQuantile[2])
		fmt.Fprintf(w, "  %s\n", p.Spread.text())
	}
	for _, part := range []string{"decisions", "replay", "prediction"} {
		if why, ok := r.Missing[part]; ok {
			fmt.Fprintf(w, "\n%s: not available: %s\n", part, why)
		}
	}
}

func (e *Errors) print(w io.Writer) {
	fmt.Fprintf(w, "  %-24s %10s %10s %8s\n", "", "recorded", "simulated", "error")
	for _, j := range e.Jobs {
		fmt.Fprintf(w, "  %-24s %8.1f s %8.1f s %8s\n", j.Job, j.Recorded, j.Simulated, text.SignedPercent(j.Error))
	}
	fmt.Fprintf(w, "  %-24s %8.1f s %8.1f s %8s\n", "makespan", e.RecordedSpan, e.SimulatedSpan,
		text.SignedPercent(e.SimulatedSpan/e.RecordedSpan-1))
	fmt.Fprintf(w, "  absolute completion error: median %.2f %%, mean %.2f %%\n", 100*e.CompletionMedian,
		100*e.CompletionMean)
}
