package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"schedtune/internal/accuracy"
	"schedtune/internal/cli"
	"schedtune/internal/fileio"
	"schedtune/internal/report"
	"schedtune/internal/rm"
	"schedtune/internal/study"
	"schedtune/internal/text"
	"schedtune/trace"
)

type watchFlags struct {
	liveFlags
	historyFlags
	search        searchFlags
	window, every time.Duration
	rounds        int
	change        changeWatch
}

// watchJSON is the document of one round; the log watch.jsonl has one per line.
type watchJSON struct {
	Schema      string     `json:"schema"`
	State       *rm.State  `json:"state"`
	Drift       []rm.Drift `json:"drift"` // against the round before
	Verdict     string     `json:"verdict"`
	Recommended bool       `json:"recommended"`
	Changes     int        `json:"changes"`
	Tuned       string     `json:"tuned,omitempty"` // folder, where a change is recommended
	Error       string     `json:"error,omitempty"` // why the round failed
	// Verified evaluates the last change of the configuration.
	Verified *accuracy.ChangeReport `json:"verified"`
	Manager  string                 `json:"-"`
}

// watchLog is the log of all rounds; it also marks the folder of a watch.
const watchLog = "watch.jsonl"

func newWatchCmd(e *env) *cobra.Command {
	f := &watchFlags{}
	c := subcommand("watch --rm URL --out DIR", cli.NoArgs, func(ctx context.Context, _ []string) error {
		return f.run(ctx, e)
	})
	fs := c.Flags()
	f.liveFlags.flags(fs)
	f.historyFlags.flags(fs)
	cli.Group(fs, "Round", func(fs *pflag.FlagSet) {
		cli.Number(fs, &f.window, "window", 24*time.Hour, cli.Above[time.Duration](0), "`DURATION` of the history used in "+
			"a round")
		cli.Number(fs, &f.every, "every", 6*time.Hour, cli.AtLeast(time.Second), "`DURATION` between rounds")
		cli.Number(fs, &f.rounds, "rounds", 0, cli.AtLeast(0), "stop after `N` rounds (default 0: never)")
		jobFlags(fs, &f.search.req.Inputs)
	})
	f.search.goalFlags(fs, "to improve")
	cli.Group(fs, "Search", func(fs *pflag.FlagSet) {
		fs.StringVar(&f.search.budget, "budget", "500", "simulation `RUNS` per round, 20 or more, or a duration such as 5m")
		cli.Seed(fs, &f.search.req.Options.Seed, "the searches")
		cli.Number(fs, &f.search.req.Workers, "workers", 1, cli.AtLeast(1), "at most `N` simulations at a time; the "+
			"result does not depend on it")
	})
	cli.Group(fs, "Output", func(fs *pflag.FlagSet) {
		f.search.out.Flags(fs, "the files of each round, one folder each (required)", false)
	})
	return c
}

func (f *watchFlags) run(ctx context.Context, e *env) error {
	if f.search.out.Dir == "" {
		return cli.Usagef("--out: missing")
	}
	if e.JSON && f.rounds != 1 {
		return cli.Usagef("--json: needs --rounds 1; every round is also in %s", watchLog)
	}
	if err := f.search.validate(); err != nil {
		return err
	}
	log, err := ourWatch(f.search.out.Dir)
	if err != nil {
		return err
	}
	defer log.Close()
	first, err := lastRound(f.search.out.Dir)
	before, fault := f.earlier()
	if err := errors.Join(err, fault); err != nil {
		return err
	}
	for n := first + 1; ; n++ {
		out := f.round(ctx, e, n, &before)
		if ctx.Err() != nil {
			return cli.ErrInterrupted
		}
		if err := f.print(e, out, log); err != nil {
			return err
		}
		if f.rounds > 0 && n-first >= f.rounds {
			if out.Error != "" {
				return &cli.ExitError{Code: cli.ExitFailure}
			}
			return nil
		}
		select {
		case <-ctx.Done():
			return cli.ErrInterrupted
		case <-time.After(f.every):
		}
	}
}

// ourWatch locks a new folder or one of an earlier watch. It returns an error for a folder
// with other files, and for one that another process uses, as when cron starts a round before
// the last one has ended. The log exists from the first round on, so that a killed watch can
// be continued; it stays open while the process runs.
func ourWatch(dir string) (*os.File, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		err = os.MkdirAll(dir, 0o777)
	}
	if err != nil {
		return nil, err
	}
	at := filepath.Join(dir, watchLog)
	if len(entries) > 0 {
		if _, err := os.Stat(at); err != nil {
			return nil, fmt.Errorf("%s: not empty and not the folder of an earlier tune watch; use a new folder", dir)
		}
	}
	log, err := os.OpenFile(at, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return nil, err
	}
	held, err := fileio.TryLock(log)
	if held {
		err = fmt.Errorf("%s: in use by another tune watch", dir)
	}
	if data, fault := os.ReadFile(at); err == nil && fault == nil { // a line that a full disk cut off goes
		err = log.Truncate(int64(bytes.LastIndexByte(data, '\n') + 1))
	}
	if err != nil {
		return nil, errors.Join(err, log.Close())
	}
	return log, nil
}

// lastRound returns the number of the last round in a folder.
func lastRound(dir string) (int, error) {
	names, err := filepath.Glob(filepath.Join(dir, "round-*"))
	last := 0
	for _, n := range names {
		if k, err := strconv.Atoi(filepath.Base(n)[len("round-"):]); err == nil {
			last = max(last, k)
		}
	}
	return last, err
}

// round reads, compares and searches once. Errors are reported; the next round tries again.
func (f *watchFlags) round(ctx context.Context, e *env, n int, before **rm.State) *watchJSON {
	out := &watchJSON{Schema: text.SchemaWatch, Drift: []rm.Drift{}}
	dir := f.folder(n)
	now := time.Now()
	state, err := f.pull(ctx, filepath.Join(dir, "pull"), now)
	if err != nil {
		out.Error = err.Error()
		return out
	}
	state.Round, state.At, out.State = n, now.UTC().Format(time.RFC3339), state
	if *before != nil {
		out.Drift = append(out.Drift, rm.CompareWindows(*before, state)...)
	}
	*before = state
	if out.Verified, err = f.change.compare(ctx, dir, out.Drift, f.search.req.Options.Seed); err != nil {
		out.Error = err.Error()
	}
	if err := f.retune(ctx, e, dir, out); err != nil {
		out.Error = err.Error()
	}
	return out
}

func (f *watchFlags) pull(ctx context.Context, dir string, now time.Time) (*rm.State, error) {
	manager, err := f.resourceManager()
	if err != nil {
		return nil, err
	}
	hist, spark, config, err := f.sources(&f.liveFlags)
	if err != nil {
		return nil, err
	}
	sum, err := pullInto(ctx, dir, "tune watch", manager, hist, rm.PullOptions{Since: now.Add(-f.window).UnixMilli(),
		Until: now.UnixMilli(), Config: config, Spark: spark, Encode: cli.EncodeJSON})
	if err != nil {
		return nil, err
	}
	return rm.Read(dir, sum, f.window.Hours())
}

// retune searches on the window of the round and keeps a proven improvement.
func (f *watchFlags) retune(ctx context.Context, e *env, dir string, out *watchJSON) error {
	if out.State.Jobs == 0 {
		out.Verdict = "no jobs in the window: no search"
		return nil
	}
	if out.State.Config == nil {
		return fmt.Errorf("the cluster keeps its configuration in a file: --config is required")
	}
	pulled := filepath.Join(dir, "pull")
	req := f.search.req
	req.TimeLimit = study.DefaultTimeLimit
	req.Inputs.Config, req.Inputs.Cluster, req.Inputs.Traces = filepath.Join(pulled, rm.FileConfig),
		filepath.Join(pulled, rm.FileNodes), []string{filepath.Join(pulled, rm.DirTrace)}
	if site := filepath.Join(pulled, rm.FileSite); fileio.Exists(site) {
		req.Inputs.Site = site
	}
	start := time.Now()
	req.Options.Clock = func() time.Duration { return time.Since(start) }
	s, err := study.Prepare(ctx, req)
	if errors.Is(err, trace.ErrEmpty) {
		out.Verdict = "no job in the window ran a task: no search"
		return nil
	}
	if err != nil {
		return err
	}
	d, err := fileio.OpenOutput(filepath.Join(dir, "tuned"), "tune watch")
	if err != nil {
		return err
	}
	defer d.Close()
	if err := identify(s); err != nil {
		return err
	}
	path, err := d.Create(report.FileTrials)
	if err != nil {
		return err
	}
	result, err := runLogged(ctx, e, s, path, false, nil)
	if err != nil {
		return err
	}
	sum, err := report.Summarise(s, result, nil)
	if err != nil {
		return err
	}
	out.Verdict, out.Recommended, out.Changes = sum.Verdict, sum.Recommended, len(sum.Changes)
	if !sum.Recommended {
		return d.Discard()
	}
	if err := report.Write(d, s, sum, result); err != nil {
		return err
	}
	out.Tuned = filepath.Join(dir, "tuned")
	return d.Commit()
}

// print prints the round and adds it to the log.
func (f *watchFlags) print(e *env, out *watchJSON, log io.Writer) error {
	line, err := json.Marshal(out)
	if err == nil {
		_, err = log.Write(append(line, '\n'))
	}
	if err != nil {
		return err
	}
	out.Manager = f.rm
	if err := e.Show(out, func(w io.Writer) error { return watchTemplate.Execute(w, out) }); err != nil || e.JSON {
		return err
	}
	if out.Error != "" {
		e.Warnf("%s", out.Error)
	}
	return nil
}

//go:embed watch.tmpl
var watchPage string

var watchTemplate = text.Table(watchPage, nil)
