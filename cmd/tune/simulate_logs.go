package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"schedtune/internal/report/html"
	"schedtune/internal/report/perfetto"
	"schedtune/internal/report/timeline"
	"schedtune/internal/simulate"
	"schedtune/simcore"
)

// runLog is one log file of a run. It is written during the run, since a log can be larger
// than memory.
type runLog struct {
	path  string
	begin func(io.Writer) (logEnds, error)
}

// logEnds hold an open log: take receives each change, finish writes the rest.
type logEnds struct {
	take   func(simulate.Change)
	finish func(*simcore.Result) error
}

// watched executes a run and writes its logs. An error of a log ends the run.
func (f *simulateFlags) watched(ctx context.Context, s *simulate.Runner, item simulate.Item) (*simcore.Result, error) {
	inner, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	l := &loggedRun{ctx: inner, stop: stop, runner: s, item: item}
	err := l.make(f.logs(s), nil)
	switch cause := context.Cause(inner); {
	case cause != nil && ctx.Err() == nil:
		return nil, cause
	case l.err != nil: // not the fault of a log
		return nil, l.err
	}
	return l.res, err
}

// loggedRun is a run inside the files of its logs.
type loggedRun struct {
	ctx    context.Context
	stop   context.CancelCauseFunc
	runner *simulate.Runner
	item   simulate.Item
	res    *simcore.Result
	err    error // of the run itself
}

// make opens the log files, one inside the other, executes the run and finishes the files.
// A run without logs is not observed, so that it costs nothing.
func (l *loggedRun) make(logs []runLog, takers []func(simulate.Change)) error {
	if len(logs) == 0 {
		if len(takers) > 0 {
			l.item.Watch = func(c simulate.Change) {
				for _, take := range takers {
					take(c)
				}
			}
		}
		l.res, l.err = l.runner.RunNamed(l.ctx, l.item)
		return l.err
	}
	return writeFile(logs[0].path, func(w io.Writer) error {
		log, err := logs[0].begin(&stopping{w, logs[0].path, l.ctx, l.stop})
		if err == nil {
			err = l.make(logs[1:], append(takers, log.take))
		}
		if err != nil {
			return err
		}
		return log.finish(l.res)
	})
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
	var logs []runLog
	add := func(path string, begin func(io.Writer) (logEnds, error)) {
		if path != "" {
			logs = append(logs, runLog{path, begin})
		}
	}
	add(f.events, func(w io.Writer) (logEnds, error) {
		ev := timeline.NewEvents(w, s)
		return logEnds{ev.Watch, func(*simcore.Result) error { return ev.Close() }}, nil
	})
	add(f.beats, func(w io.Writer) (logEnds, error) {
		hb, err := timeline.NewHeartbeats(w, s, simcore.Time(f.heartbeat.Microseconds()))
		if err != nil {
			return logEnds{}, err
		}
		return logEnds{hb.Watch, func(*simcore.Result) error { return hb.Close() }}, nil
	})
	add(f.timeline, func(w io.Writer) (logEnds, error) {
		rec := timeline.New(s.Work)
		return logEnds{rec.Watch, func(*simcore.Result) error { return f.picture(w, s, rec) }}, nil
	})
	add(f.perfetto, func(w io.Writer) (logEnds, error) {
		out, err := perfetto.New(w, f.perfetto)
		if err != nil {
			return logEnds{}, err
		}
		tracks := timeline.NewTracks(out, s.Cluster, s.Work, "")
		return logEnds{tracks.Watch, func(res *simcore.Result) error { tracks.Finish(res); return out.Close() }}, nil
	})
	return logs
}

// picture writes the timeline of a run as CSV or as a chart.
func (f *simulateFlags) picture(w io.Writer, s *simulate.Runner, rec *timeline.Recorder) error {
	if strings.HasSuffix(f.timeline, ".csv") {
		return rec.WriteCSV(w)
	}
	tl := html.TimelineOf(rec)
	_, err := w.Write(html.TimelineChart(s.Name(), &tl).File())
	return err
}
