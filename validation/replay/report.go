package replay

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"text/template"

	"schedtune/internal/text"
	"schedtune/simcore/yarn"
)

// Report holds the three comparisons of a recorded run. A part that the
// folder's files do not allow is nil, and Missing says why.
type Report struct {
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

// check runs all three comparisons.
func (r *Run) check(ctx context.Context, opt Options, repetitions []*Run) (*Report, error) {
	cal := opt.Calibration
	if cal == nil {
		cal = yarn.Default()
	}
	if opt.Replications == 0 {
		opt.Replications = 100
	}
	rep := &Report{Run: r.Name, Calibration: cal.Source, Seed: opt.Seed, Missing: map[string]string{}}
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

//go:embed report.tmpl
var page string

var printed = template.Must(template.New("report").Funcs(template.FuncMap{"signed": text.SignedPercent,
	"count":   text.Count,
	"percent": func(part float64) float64 { return 100 * part }, "over": func(a, b float64) float64 { return a/b - 1 },
}).Parse(page))

// Print writes the report as text.
func (r *Report) Print(w io.Writer) error { return printed.Execute(w, r) }
