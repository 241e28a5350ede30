package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"schedtune/internal/fileio"
	"schedtune/internal/remote"
	"schedtune/internal/report"
	"schedtune/internal/study"
	"schedtune/internal/text"
	"schedtune/tune"
)

// identify sets the code identity that the study's log records.
func identify(s *study.Study) (err error) {
	s.Problem.Code, err = remote.CodeID()
	return err
}

// searchLogged runs the study with its log in the new folder; it resumes a killed run.
func (f *searchFlags) searchLogged(ctx context.Context, e *env, s *study.Study, dir *fileio.Dir) (*tune.Result, error) {
	bar := e.NewProgress(int64(s.Request.Options.Budget), "runs")
	defer bar.Finish()
	progress := func(p tune.Progress) {
		f.ran = f.ran || p.Runs > 0
		f.page.progress(p)
		text := progressText(p)
		if f.workers != nil {
			n, slots := f.workers()
			text += fmt.Sprintf(", %d workers with %d slots, %.0f runs/s", n, slots, float64(p.Runs)/max(p.Elapsed.Seconds(),
				1e-3))
		}
		bar.SetTotal(int64(p.Budget))
		bar.Set(int64(p.Runs), text)
	}
	path, done, err := f.logPath(dir)
	if err != nil {
		return nil, err
	}
	defer done()
	if path == "" {
		return s.Run(ctx, nil, progress)
	}
	result, err := runLogged(ctx, e, s, path, f.before.same, progress)
	var other *tune.LogError
	if errors.As(err, &other) && dir != nil && f.out.Replace {
		e.Notef("%v; that study is dropped", err)
		if err = os.Remove(path); err == nil {
			result, err = runLogged(ctx, e, s, path, f.before.same, progress)
		}
	}
	return result, err
}

// runLogged runs the study with the log at a path. shown: the log is of a finished study, whose
// result is only shown again.
func runLogged(ctx context.Context, e *env, s *study.Study, path string, shown bool,
	progress func(tune.Progress)) (*tune.Result, error) {
	log, err := tune.OpenLog(path)
	if err != nil {
		return nil, err
	}
	held := log.Held()
	if held > 0 && !shown {
		e.Notef("resuming the unfinished run in %s: %d log lines", filepath.Dir(path), held)
	}
	result, err := s.Run(ctx, log, progress)
	warnCode(e, log, path, held, s)
	return result, errors.Join(err, log.Close())
}

// warnCode warns if other code began the log.
func warnCode(e *env, log *tune.Log, path string, held int, s *study.Study) {
	if code, other := log.OtherCode(); other {
		e.Warnf("%s: the first %s were written by another version (%.16q; this is %s), whose results may differ; remove "+
			"the log to start again", path, text.Count(held, "line"), code, s.Problem.Code)
	}
}

// logPath returns the path of the log: in the new folder or, with remote workers, in a
// temporary file, since the study may have to be reset. It is empty without both. The log of a finished
// study that is only shown again is copied there too: the new folder may have another study.
func (f *searchFlags) logPath(dir *fileio.Dir) (path string, done func(), err error) {
	switch {
	case dir != nil && !f.before.same:
		if err := f.takeUp(dir); err != nil {
			return "", nil, err
		}
		path, err = dir.Create(report.FileTrials)
		return path, func() {}, err
	case f.before.same || f.remote.on():
		tmp, err := os.MkdirTemp("", "schedtune-log-")
		path = filepath.Join(tmp, report.FileTrials)
		if err == nil && f.before.same {
			var log []byte
			if log, err = dir.Earlier(report.FileTrials); err == nil {
				err = os.WriteFile(path, log, 0o600)
			}
		}
		return path, func() { _ = os.RemoveAll(tmp) }, err
	}
	return "", func() {}, nil
}

// openLog opens a log in the new folder.
func openLog(dir *fileio.Dir, name string) (*tune.Log, error) {
	path, err := dir.Create(name)
	if err != nil {
		return nil, err
	}
	return tune.OpenLog(path)
}

// earlier is the study that an output folder holds.
type earlier struct {
	interrupted bool
	finished    bool
	same        bool // finished, by the same command with the same inputs
	stable      *study.Stability
}

// checkEarlier looks at the study that --out holds. It returns an error if a finished one of
// another command would be replaced without --replace: its result may not be applied yet.
func (f *searchFlags) checkEarlier(e *env, dir *fileio.Dir) error {
	if f.out.Restart {
		if err := dir.Reset(); err != nil {
			return err
		}
	}
	summary, err := dir.Earlier(report.FileSummary)
	if err != nil {
		return nil
	}
	var was studied
	fault := json.Unmarshal(summary, &was)
	f.before.interrupted = fault == nil && was.Study.Status == tune.Cancelled
	f.before.finished = !f.before.interrupted
	if f.before.interrupted || f.out.Replace {
		return nil
	}
	if differs := e.Run().Differs(summary); differs != "" {
		return fmt.Errorf("%s: contains a finished result of another command: %s; use another --out, or --replace", f.out.Dir,
			differs)
	}
	f.before.same, f.before.stable = true, was.Stability
	return fault
}

// interrupted reports whether a study ended before it was complete.
func (f *searchFlags) interrupted(s tune.Status) bool {
	return s == tune.Cancelled || f.stable != nil && f.stable.Studies < f.stability
}

// takeUp copies the log of an interrupted study, which has published its folder with the best so far,
// into the new folder. A killed study has left its log there.
func (f *searchFlags) takeUp(dir *fileio.Dir) error {
	_, err := os.Stat(dir.Path(report.FileTrials))
	if err == nil || f.out.Restart || !f.before.interrupted {
		return nil
	}
	log, err := dir.Earlier(report.FileTrials)
	if err != nil {
		return nil
	}
	return dir.WriteFile(report.FileTrials, log)
}
