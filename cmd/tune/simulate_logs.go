package main

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/template"
	"time"

	"github.com/spf13/pflag"

	"schedtune/internal/cli"
	"schedtune/internal/diagnose"
	"schedtune/internal/fileio"
	"schedtune/internal/report"
	"schedtune/internal/report/perfetto"
	"schedtune/internal/report/timeline"
	"schedtune/internal/scenario"
	"schedtune/internal/simulate"
	"schedtune/internal/snapshot"
	"schedtune/internal/text"
	"schedtune/simcore"
	"schedtune/trace"
	"schedtune/yarnconf"
)

// runLog is one log file of a run. It is written during the run, since a log can be larger
// than memory: take receives each change, finish writes the rest.
type runLog struct {
	path   string
	begin  func(io.Writer) (take func(simulate.Change), finish func(*simcore.Result) error, err error)
	file   *fileio.Pending
	finish func(*simcore.Result) error
}

// watched executes a run and writes its logs. An error of a log ends the run, and after an error no
// log stays. A run without logs is not observed, so that it costs nothing.
func (f *simulateFlags) watched(ctx context.Context, s *simulate.Runner, item simulate.Item) (res *simcore.Result,
	err error) {
	inner, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	logs := f.logs(s)
	for i := range logs {
		l := &logs[i]
		if l.file, err = fileio.Begin(l.path); err != nil {
			logs = logs[:i]
			break
		}
		var take func(simulate.Change)
		if take, l.finish, err = l.begin(&stopping{l.file, l.path, inner, stop}); err != nil {
			logs = logs[:i+1]
			break
		}
		before := item.Watch
		item.Watch = func(c simulate.Change) {
			if before != nil {
				before(c)
			}
			take(c)
		}
	}
	if err == nil {
		res, err = s.RunNamed(inner, item)
	}
	if cause := context.Cause(inner); cause != nil && ctx.Err() == nil {
		err = cause
	}
	for i := range logs {
		fault := err
		if err == nil {
			fault = logs[i].finish(res)
		}
		if end := logs[i].file.End(fault); err == nil {
			err = end
		}
	}
	return res, err
}

// stopping is a file whose first error stops the run, and that refuses writes after the run
// has stopped: a heartbeat log may have millions of lines between two events.
type stopping struct {
	io.Writer
	path string
	ctx  context.Context
	stop context.CancelCauseFunc
}

func (s *stopping) Write(b []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := s.Writer.Write(b)
	if err != nil {
		s.stop(fmt.Errorf("%s: %w", s.path, err))
	}
	return n, err
}

// logs are the files that the options ask for.
func (f *simulateFlags) logs(s *simulate.Runner) []runLog {
	type take = func(simulate.Change)
	type finish = func(*simcore.Result) error
	logs := []runLog{{path: f.events, begin: func(w io.Writer) (take, finish, error) {
		ev := timeline.NewEvents(w, s)
		return ev.Watch, func(*simcore.Result) error { return ev.Close() }, nil
	}}, {path: f.beats, begin: func(w io.Writer) (take, finish, error) {
		hb, err := timeline.NewHeartbeats(w, s, simcore.Time(f.heartbeat.Microseconds()))
		if err != nil {
			return nil, nil, err
		}
		return hb.Watch, func(*simcore.Result) error { return hb.Close() }, nil
	}}, {path: f.timeline, begin: func(w io.Writer) (take, finish, error) {
		rec := timeline.New(s.Work)
		return rec.Watch, func(*simcore.Result) error { return f.picture(w, s, rec) }, nil
	}}, {path: f.perfetto, begin: func(w io.Writer) (take, finish, error) {
		out, err := perfetto.New(w, f.perfetto)
		if err != nil {
			return nil, nil, err
		}
		tracks := timeline.NewTracks(out, s.Cluster, s.Work, "")
		return tracks.Watch, func(res *simcore.Result) error { tracks.Finish(res); return out.Close() }, nil
	}}}
	return slices.DeleteFunc(logs, func(l runLog) bool { return l.path == "" })
}

// picture writes the timeline of a run as CSV or as a chart.
func (f *simulateFlags) picture(w io.Writer, s *simulate.Runner, rec *timeline.Recorder) error {
	if strings.HasSuffix(f.timeline, ".csv") {
		return rec.WriteCSV(w)
	}
	_, err := w.Write(report.TimelineChart(s.Name(), rec, (&scenario.Case{Cluster: s.Cluster}).Total().Memory).File())
	return err
}

// tracksFlag declares --perfetto.
func tracksFlag(fs *pflag.FlagSet, path *string, what string) {
	fs.StringVar(path, "perfetto", "", what+" over time for ui.perfetto.dev (`FILE` "+strings.Join(perfetto.Suffixes(),
		", ")+")")
}

// checkTracks refuses a name of no form.
func checkTracks(path string) error {
	if path == "" {
		return nil
	}
	if _, err := perfetto.New(io.Discard, path); err != nil {
		return cli.Usagef("--perfetto: %v", err)
	}
	return nil
}

// historyTracks draws a recorded trace, as it goes: such drawings are large.
func historyTracks(path string, t *trace.Trace) error {
	return fileio.WriteFile(path, func(out io.Writer) error {
		w, err := perfetto.New(out, path)
		if err != nil {
			return err
		}
		timeline.History(w, t, "")
		return w.Close()
	})
}

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
	runs := f.runs
	if runs == 1 {
		runs = fromPullRuns
	}
	o, err := cli.Interruptible(ctx, func() (*snapshot.Outlook, error) {
		return snapshot.Open(f.fromPull, snapshot.Options{Inputs: f.inputs, Replications: runs, Seed: f.seed})
	})
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
