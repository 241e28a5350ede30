package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"schedtune/internal/cli"
	"schedtune/internal/fileio"
	"schedtune/internal/remote"
	"schedtune/internal/report"
	"schedtune/internal/study"
	"schedtune/internal/text"
	"schedtune/tune"
)

// maxStudy is the largest package of a study, in bytes.
const maxStudy = 1 << 30

// filePackage is the name of the study's package in the new folder.
const filePackage = "study.bin"

// fileRun describes the command that planned it.
const fileRun = "run.json"

func newPlanCmd(e *env) *cobra.Command {
	f := &searchFlags{}
	c := subcommand("plan", cli.Args(cobra.NoArgs), func(ctx context.Context, _ []string) error {
		if err := linesOnly(e); err != nil {
			return err
		}
		return ending(ctx, func() error { return f.plan(ctx, e) })
	})
	f.declare(c)
	return c
}

func newCollectCmd(e *env) *cobra.Command {
	f := &searchFlags{}
	c := subcommand("collect [RESULTS…]", cli.Args(cobra.ArbitraryArgs), func(ctx context.Context, args []string) error {
		return f.collect(ctx, e, args)
	})
	f.out.Flags(c.Flags(), "the tuned file and the report, as given to tune plan (required)", false)
	return c
}

// linesOnly returns a usage error for --json if standard output gets JSON lines.
func linesOnly(e *env) error {
	if e.JSON {
		return cli.Usagef("--json: this command prints JSON lines, not one object")
	}
	return nil
}

// collectJSON is the document of tune collect for an incomplete search.
type collectJSON struct {
	Schema  string `json:"schema"`
	Over    bool   `json:"over"`
	Missing int    `json:"missing"` // runs of the current generation without a result
	Runs    int    `json:"runs"`    // in the study's log
	Budget  int    `json:"budget"`
}

// resumed opens the study of a folder: packed by an earlier plan, or prepared from the flags now if
// it is fresh. The study is nil where its result is there already, which is then printed.
func (f *searchFlags) resumed(ctx context.Context, e *env, fresh bool) (*study.Study, *fileio.Dir, []byte, error) {
	if f.out.Dir == "" {
		return nil, nil, nil, cli.Usagef("--out: missing: must be the folder of the study")
	}
	dir, err := fileio.OpenOutput(f.out.Dir, "tune plan")
	if err != nil {
		return nil, nil, nil, err
	}
	data, err := fileio.ReadFile(dir.Path(filePackage), maxStudy)
	if err == nil {
		s, err := remote.Unpack(ctx, data, 1)
		if err != nil {
			return nil, nil, nil, errors.Join(fmt.Errorf("%s: %w", dir.Path(filePackage), err), dir.Close())
		}
		return s, dir, data, nil
	}
	if !fresh {
		return nil, nil, nil, errors.Join(f.collected(e, dir), dir.Discard())
	}
	if err := f.checkEarlier(e, dir); err != nil {
		return nil, nil, nil, errors.Join(err, dir.Discard())
	}
	s, data, err := f.pack(ctx)
	if err == nil {
		run := e.Run()
		run.Command = e.Name // the folder is that of a search in one process
		var text []byte
		text, err = cli.EncodeJSON(run)
		err = errors.Join(err, dir.WriteFile(fileRun, text), dir.WriteFile(filePackage, data))
	}
	if err != nil {
		return nil, nil, nil, errors.Join(err, dir.Discard())
	}
	return s, dir, data, nil
}

// collected prints the result of a study that was collected before, as one whose output was lost.
func (f *searchFlags) collected(e *env, dir *fileio.Dir) error {
	name := report.FileReadme
	if e.JSON {
		name = report.FileSummary
	}
	text, err := dir.Earlier(name)
	if err != nil {
		return fmt.Errorf("%s: not a planned study; use the --out of tune plan", f.out.Dir)
	}
	e.Notef("%s contains this result already", f.out.Dir)
	_, err = e.Stdout.Write(text)
	return err
}

func (f *searchFlags) pack(ctx context.Context) (*study.Study, []byte, error) {
	if err := f.validate(); err != nil {
		return nil, nil, err
	}
	s, err := study.Prepare(ctx, f.req)
	if err != nil {
		return nil, nil, err
	}
	data, err := remote.Pack(s)
	return s, data, err
}

func (f *searchFlags) plan(ctx context.Context, e *env) error {
	s, dir, data, err := f.resumed(ctx, e, true)
	if err != nil {
		return err
	}
	defer dir.Close()
	return withStudy(e, s, dir, func(t *tune.Study) error {
		items, err := t.Ask()
		if err != nil {
			return err
		}
		if items == nil {
			e.Notef("the search is complete: tune collect --out %s writes its folder", f.out.Dir)
			return nil
		}
		e.Notes(study.BudgetNotes(s.Problem, s.Request.Options)...)
		e.Notef("%s pending; %s", text.Count(len(items), "run"), progressText(t.Progress()))
		return remote.WriteItems(e.Stdout, remote.Hash(data), items)
	})
}

// withStudy calls do with the study as of the end of the folder's log.
func withStudy(e *env, s *study.Study, dir *fileio.Dir, do func(*tune.Study) error) error {
	if err := identify(s); err != nil {
		return err
	}
	log, err := openLog(dir, report.FileTrials)
	if err != nil {
		return err
	}
	o := s.Request.Options
	o.Log = log
	held := log.Held()
	t, err := tune.NewStudy(s.Problem, o)
	warnCode(e, log, dir.Path(report.FileTrials), held, s)
	if err != nil {
		return errors.Join(err, log.Close())
	}
	defer t.Close()
	return errors.Join(do(t), log.Close())
}

func (f *searchFlags) collect(ctx context.Context, e *env, files []string) error {
	s, dir, data, err := f.resumed(ctx, e, false)
	if err != nil || s == nil {
		return err
	}
	defer dir.Close()
	results := map[string]remote.Result{}
	if err := ending(ctx, func() error { return readAll(e, files, s.Runner.Metrics(), results) }); err != nil {
		return err
	}
	var result *tune.Result // nil: the search is not over
	err = withStudy(e, s, dir, func(t *tune.Study) error {
		missing, err := enter(t, remote.Hash(data), results)
		if err != nil {
			return err
		}
		if missing > 0 {
			return f.missing(e, missing, t.Progress())
		}
		result = t.Result()
		return nil
	})
	if err != nil || result == nil {
		return err
	}
	if text, err := os.ReadFile(dir.Path(fileRun)); err == nil { // an earlier version wrote none
		if err := json.Unmarshal(text, &f.planned); err != nil {
			return err
		}
	}
	dir.Drop(filePackage)
	dir.Drop(fileRun)
	f.ran = true
	return f.leave(e, dir, f.finish(e, s, dir, result))
}

// missing reports that results are missing.
func (f *searchFlags) missing(e *env, n int, p tune.Progress) error {
	e.Notef("%s missing; tune plan --out %s prints them; %s", text.Count(n, "run"), f.out.Dir, progressText(p))
	if e.JSON {
		return e.WriteJSON(collectJSON{text.SchemaCollect, false, n, p.Runs, p.Budget})
	}
	return nil
}

func readAll(e *env, files, metrics []string, into map[string]remote.Result) error {
	read := func(name string, r io.Reader) error {
		return remote.ReadResults(r, metrics, into, func(line int, err error) {
			e.Warnf("%s:%d: %v; line ignored", name, line, err)
		})
	}
	if len(files) == 0 {
		return read("standard input", e.Stdin)
	}
	for _, name := range files {
		file, err := fileio.OpenBounded(name)
		if err != nil {
			return fileio.OpenError(name, err, "")
		}
		err = read(name, file)
		if err := errors.Join(err, file.Close()); err != nil {
			return fileio.OpenError(name, err, "")
		}
	}
	return nil
}

// finish writes the folder of a study and prints its result. A finished study stays until a
// finished one takes its place.
func (f *searchFlags) finish(e *env, s *study.Study, dir *fileio.Dir, result *tune.Result) error {
	sum, err := summarise(e, s, result)
	if err != nil {
		return err
	}
	sum.Stability = f.stable
	switch {
	case dir == nil:
	case f.before.same:
		e.Notef("%s contains this result already", f.out.Dir)
		f.ran = false
		err = dir.Discard()
	case f.interrupted(result.Status) && f.before.finished:
		e.Warnf("interrupted: %s keeps the earlier study, and this one is in %s; the same command resumes it", f.out.Dir,
			dir.Partial())
	case result.Status != tune.Cancelled && f.interrupted(result.Status):
		e.Warnf("interrupted after %d of %d studies, which are in %s; the same command continues", f.stable.Studies,
			f.stability, dir.Partial())
	default:
		err = f.commit(e, s, dir, sum, result)
	}
	if err != nil {
		return err
	}
	if err := f.show(e, sum); err != nil {
		return err
	}
	if err := f.page.finish(s, sum, result, f.out.Dir); err != nil {
		return err
	}
	return f.ended(result)
}

// commit writes the folder.
func (f *searchFlags) commit(e *env, s *study.Study, dir *fileio.Dir, sum *report.Summary, result *tune.Result) error {
	if sum.Run = f.planned; sum.Run == nil {
		sum.Run = e.Run()
	}
	if err := report.Write(dir, s, sum, result); err != nil {
		return err
	}
	if err := dir.Commit(); err != nil {
		return err
	}
	f.ran = false // from here on they are in the folder
	if result.Status == tune.Cancelled {
		e.Warnf("interrupted: %s has what was found so far, not confirmed; the same command resumes the study", f.out.Dir)
	}
	return nil
}

// summarise returns the summary of a result, with a progress display.
func summarise(e *env, s *study.Study, result *tune.Result) (*report.Summary, error) {
	bar := e.NewProgress(-1, "runs")
	defer bar.Finish()
	return report.Summarise(s, result, func(done, total int) {
		bar.SetTotal(int64(total))
		bar.Set(int64(done), "metrics of queues and users")
	})
}

// ended returns the exit code of a search whose result has been printed.
func (f *searchFlags) ended(result *tune.Result) error {
	if f.interrupted(result.Status) {
		return cli.ErrInterrupted
	}
	if f.mustRecommend && !result.Decision.Recommended {
		return &cli.ExitError{Code: cli.ExitNotRecommended}
	}
	return nil
}

// remoteFlags hold how a search reaches workers.
type remoteFlags struct {
	listen, nats string
	ackWait      time.Duration
	sec          remote.Security
}

func (r *remoteFlags) on() bool { return r.listen != "" || r.nats != "" }

// connect starts or joins a message server and returns the evaluator.
func (r *remoteFlags) connect(ctx context.Context, e *env, s *study.Study) (*remote.Driver, func(), error) {
	pkg, err := remote.Pack(s)
	if err != nil {
		return nil, nil, err
	}
	url, stop := r.nats, func() {}
	if r.listen != "" {
		store, err := os.MkdirTemp("", "schedtune-queue-")
		if err != nil {
			return nil, nil, err
		}
		srv, err := remote.Listen(r.listen, store, r.sec)
		if err != nil {
			return nil, nil, errors.Join(err, os.RemoveAll(store))
		}
		url = srv.URL()
		stop = func() {
			srv.Close()
			_ = os.RemoveAll(store) // a temporary folder; the log is the truth
		}
		if token := srv.TokenFile(); token != "" {
			e.Notef("token of the study: %s; workers of this user on this machine find it automatically", token)
		}
		// Also with --quiet: with port 0 the port is printed nowhere else.
		fmt.Fprintf(e.Stderr, "tune: waiting for workers: tune worker --connect %s\n", url)
	}
	nc, err := remote.Connect(ctx, url, r.sec, "schedtune driver")
	if err != nil {
		stop()
		return nil, nil, err
	}
	d, err := remote.NewDriver(ctx, nc, pkg, remote.Timing{AckWait: r.ackWait})
	if err != nil {
		nc.Close()
		stop()
		return nil, nil, err
	}
	d.Warn = e.Warnf
	d.Local, d.Slots, d.Metrics = s.Runner.Outcome, s.Request.Workers, s.Runner.Metrics()
	return d, func() { d.Close(); stop() }, nil
}

// enter adds the known results, by the ids of their items, to a study in its order, and
// returns how many runs of the current generation are missing. hash is that of the package.
func enter(t *tune.Study, hash string, results map[string]remote.Result) (missing int, err error) {
	for missing == 0 {
		items, err := t.Ask()
		if err != nil || items == nil {
			return 0, err
		}
		for _, run := range items {
			it, err := remote.NewItem(hash, run)
			if err != nil {
				return 0, err
			}
			r, known := results[it.ID]
			if !known {
				missing++
			} else if missing == 0 {
				if err := t.Tell(r.Outcome); err != nil {
					return 0, err
				}
			}
		}
	}
	return missing, nil
}
