package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"schedtune/internal/fileio"
	"schedtune/internal/remote"
	"schedtune/internal/report"
	"schedtune/internal/study"
	"schedtune/internal/text"
	"schedtune/tune"
)

// identify has the study's log say which code runs it.
func identify(s *study.Study) (err error) {
	s.Problem.Code, err = remote.CodeID()
	return err
}

// searchLogged runs the study with its log in the folder under way, resuming
// what a killed run left there.
func (f *searchFlags) searchLogged(ctx context.Context, e *env, s *study.Study, dir *fileio.Dir) (*tune.Result, error) {
	bar := e.NewProgress(int64(s.Request.Options.Budget), "runs")
	defer bar.Finish()
	progress := func(p tune.Progress) {
		f.ran = f.ran || p.Runs > 0
		f.page.progress(p)
		text := progressText(p)
		if f.workers != nil {
			n, slots := f.workers()
			text += fmt.Sprintf(", %d workers with %d slots, %.0f runs/s", n, slots, float64(p.Runs)/max(p.Elapsed.Seconds(), 1e-3))
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
	for {
		result, err := runLogged(ctx, e, s, path, progress)
		var liar *remote.LiarError
		if !errors.As(err, &liar) {
			return result, err
		}
		runs, err := tune.CutLog(path, liar.Did)
		if err != nil {
			return nil, err
		}
		e.Warnf("%v; it is thrown out, and the study goes %s back to before its first answer", liar, text.Count(runs, "run"))
	}
}

// runLogged runs the study with the log at a path.
func runLogged(ctx context.Context, e *env, s *study.Study, path string, progress func(tune.Progress)) (*tune.Result, error) {
	log, err := tune.OpenLog(path)
	if err != nil {
		return nil, err
	}
	held := log.Held()
	if held > 0 {
		e.Notef("resuming: %d log lines of an earlier, unfinished run in %s", held, filepath.Dir(path))
	}
	result, err := s.Run(ctx, log, progress)
	tellCode(e, log, path, held, s)
	return result, errors.Join(err, log.Close())
}

// tellCode warns of a log that other code began.
func tellCode(e *env, log *tune.Log, path string, held int, s *study.Study) {
	if code, other := log.OtherCode(); other {
		e.Warnf("%s: its first %s were made by other code (%.16q; this is %s), whose runs may differ from those of this; removing the log begins anew", path, text.Count(held, "line"), code, s.Problem.Code)
	}
}

// logPath is where the log goes: into the folder under way or, with workers
// elsewhere, into a temporary file, for the study may have to go back. Without
// either it is empty.
func (f *searchFlags) logPath(dir *fileio.Dir) (path string, done func(), err error) {
	switch {
	case dir != nil:
		if err := takeUp(dir); err != nil {
			return "", nil, err
		}
		path, err = dir.Create(report.FileTrials)
		return path, func() {}, err
	case f.remote.on():
		tmp, err := os.MkdirTemp("", "schedtune-log-")
		return filepath.Join(tmp, report.FileTrials), func() { _ = os.RemoveAll(tmp) }, err
	}
	return "", func() {}, nil
}

// openLog opens or begins the log in the folder under way.
func openLog(dir *fileio.Dir) (*tune.Log, error) {
	path, err := dir.Create(report.FileTrials)
	if err != nil {
		return nil, err
	}
	return tune.OpenLog(path)
}

// checkEarlier refuses to replace a finished study unasked: what it found may not be
// applied yet, and its folder may be all that is left of it.
func (f *searchFlags) checkEarlier(dir *fileio.Dir) error {
	status, before, err := studyOf(dir.Earlier(report.FileSummary))
	if err != nil || status == tune.Cancelled.String() || f.replace {
		return nil
	}
	holds := "what another command has written"
	if len(before) > 0 {
		holds = "a finished study of " + strings.Join(before, ", ")
	}
	return fmt.Errorf("%s: holds %s; allowed: another --out, or --replace to have this study replace it", f.out, holds)
}

// takeUp brings the log of an interrupted study back into the folder under way.
// A killed study has left it there; one that was interrupted has put its folder
// in place, with the best so far.
func takeUp(dir *fileio.Dir) error {
	if _, err := os.Stat(dir.Path(report.FileTrials)); err == nil {
		return nil
	}
	status, _, err := studyOf(dir.Earlier(report.FileSummary))
	if err != nil || status != tune.Cancelled.String() {
		return nil // nothing there, or nothing to go on with
	}
	log, err := dir.Earlier(report.FileTrials)
	if err != nil {
		return nil
	}
	return dir.WriteFile(report.FileTrials, log)
}
