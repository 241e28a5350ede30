package main

import (
	"context"
	_ "embed"
	"io"
	"slices"
	"text/template"
	"time"

	"schedtune/internal/cli"
	"schedtune/internal/diagnose"
	"schedtune/internal/simulate"
	"schedtune/internal/snapshot"
	"schedtune/internal/text"
	"schedtune/yarnconf"
)

// fromPullJSON is the document of tune simulate --from-pull. Times are seconds from the
// download.
type fromPullJSON struct {
	Schema       string            `json:"schema"`
	Moment       string            `json:"moment"` // RFC 3339
	Running      int               `json:"running"`
	Waiting      int               `json:"waiting"`
	Replications int               `json:"replications"`
	Seed         uint64            `json:"seed"`
	Starts       []startJSON       `json:"starts"`
	Notes        []string          `json:"notes"`
	Files        map[string]string `json:"files"`
}

type startJSON struct {
	Application string  `json:"application"`
	Name        string  `json:"name"`
	User        string  `json:"user"`
	Queue       string  `json:"queue"`
	Waited      float64 `json:"waited_s"`
	whenJSON
	Guessed bool      `json:"guessed"` // the duration of an application that runs or is ahead of it is not recorded
	Then    *whenJSON `json:"then"`
}

// whenJSON is the time when an application master gets its container; null: never.
type whenJSON struct {
	Median *float64 `json:"start_s"`
	Low    *float64 `json:"low_s"` // 5 %
	High   *float64 `json:"high_s"`
}

func whenOf(s *snapshot.Start) whenJSON {
	low, high := s.Interval()
	return whenJSON{diagnose.Seconds(s.Quantile(0.5)), diagnose.Seconds(low), diagnose.Seconds(high)}
}

// runFromPull continues a downloaded cluster in simulation.
func (f *simulateFlags) runFromPull(ctx context.Context, e *env) error {
	if f.at.on() || f.dataset != "" || f.slowstart >= 0 || f.model != "replay" || f.beats != "" ||
		f.opt.Allocations != "" ||
		f.scheduler != simulate.Capacity {
		return cli.Usagef("--from-pull: can be combined only with --config, --site, --cluster, --trace, --calibration, " +
			"--then, --seed, --replications, --timeline, --perfetto and --event-trace")
	}
	runs := f.runs
	if runs == 1 {
		runs = fromPullRuns
	}
	o, err := snapshot.Open(f.fromPull, snapshot.Options{Inputs: f.inputs, Replications: runs, Seed: f.seed})
	if err != nil {
		return err
	}
	out := &fromPullJSON{Schema: text.SchemaFromPull, Moment: time.UnixMilli(o.Model.State.Now).UTC().Format(
		time.RFC3339), Replications: runs, Seed: f.seed,
		Starts: []startJSON{}, Notes: append([]string{}, o.Model.Notes...)}
	var then []snapshot.Start
	starts, err := o.Starts(ctx, nil)
	if err == nil && f.then != "" {
		var changes []yarnconf.Change
		if changes, err = o.ChangesTo(f.then); err == nil {
			then, err = o.Starts(ctx, changes)
		}
	}
	if err != nil {
		return err
	}
	for i := range o.Model.State.Apps {
		if o.Model.State.Apps[i].Waits() {
			out.Waiting++
		} else {
			out.Running++
		}
	}
	out.addStarts(o.Model.State.Now, starts, then)
	if err := f.fromPullLogs(ctx, o, out); err != nil {
		return err
	}
	return e.Show(out, func(w io.Writer) error { return text.PrintTable(w, fromPullTemplate, out) })
}

// addStarts lists when applications start that wait at the instant now (ms), and with
// the other file where then is not nil.
func (out *fromPullJSON) addStarts(now int64, starts, then []snapshot.Start) {
	for i := range starts {
		a := starts[i].App
		s := startJSON{Application: a.ID, Name: a.Name, User: a.User, Queue: a.Queue, Waited: float64(now-a.Started) / 1000,
			whenJSON: whenOf(&starts[i]), Guessed: starts[i].Guessed}
		if then != nil {
			w := whenOf(&then[i])
			s.Then = &w
		}
		out.Starts = append(out.Starts, s)
	}
}

// fromPullRuns is the default of --replications.
const fromPullRuns = 50

// fromPullLogs writes the logs of the first replication.
func (f *simulateFlags) fromPullLogs(ctx context.Context, o *snapshot.Outlook, out *fromPullJSON) error {
	out.Files = f.files()
	if len(out.Files) == 0 || o.Runner == nil {
		return nil
	}
	_, err := f.watched(ctx, o.Runner, o.Item(0))
	return err
}

//go:embed frompull.tmpl
var fromPullPage string

var fromPullTemplate = text.Table(fromPullPage, template.FuncMap{"guessed": func(list []startJSON) bool {
	return slices.ContainsFunc(list, func(s startJSON) bool { return s.Guessed })
}})
