package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"schedtune/internal/cli"
	"schedtune/internal/fileio"
	"schedtune/internal/rm"
	"schedtune/internal/text"
	"schedtune/trace"
)

// pullFlags hold the options of tune pull.
type pullFlags struct {
	liveFlags
	historyFlags
	out             cli.Output
	jhist, perfetto string
	since, until    time.Duration // before now
	opt             rm.PullOptions
}

func newPullCmd(e *env) *cobra.Command {
	var f pullFlags
	c := subcommand("pull --rm URL --out DIR", cli.NoArgs, func(ctx context.Context, _ []string) error {
		return f.run(ctx, e)
	})
	fs := c.Flags()
	f.liveFlags.flags(fs)
	f.historyFlags.flags(fs)
	cli.Group(fs, "History", func(fs *pflag.FlagSet) {
		fs.StringVar(&f.jhist, "jhist", "", "`DIR` of history files (*.jhist with *_conf.xml), instead of --history")
		cli.Number(fs, &f.since, "since", 7*24*time.Hour, cli.Above[time.Duration](0), "read applications and jobs of the "+
			"last `DURATION`")
		cli.Number(fs, &f.until, "until", 0, cli.AtLeast[time.Duration](0), "leave out those of the last `DURATION`")
		cli.Number(fs, &f.opt.MaxJobs, "max-jobs", 0, cli.AtLeast(0),
			"read the tasks of at most `N` jobs, newest first (default "+
				"0: all)")
		cli.Number(fs, &f.opt.MaxNow, "max-now", rm.DefaultMaxNow, cli.AtLeast(1).Or(-1, "none"),
			"read the containers of at most `N` running applications")
		cli.Number(fs, &f.opt.Page, "page", 1000, cli.AtLeast(1), "`N` applications or jobs per request")
	})
	cli.Group(fs, "Output", func(fs *pflag.FlagSet) {
		f.out.Flags(fs, "the downloaded files (required)", false)
		tracksFlag(fs, &f.perfetto, "downloaded queues, users, applications and nodes")
	})
	return c
}

func (f *pullFlags) validate() error {
	switch {
	case f.out.Dir == "":
		return cli.Usagef("--out: missing")
	case f.until >= f.since:
		return cli.Usagef("--until %s: must be shorter than --since %s", f.until, f.since)
	case f.history != "" && f.jhist != "":
		return cli.Usagef("--history, --jhist: exclude each other")
	}
	return checkTracks(f.perfetto)
}

func (f *pullFlags) run(ctx context.Context, e *env) error {
	if err := f.validate(); err != nil {
		return err
	}
	manager, err := f.resourceManager()
	if err != nil {
		return err
	}
	history, spark, config, err := f.sources(&f.liveFlags)
	if err != nil {
		return err
	}
	now := time.Now()
	f.opt.Since, f.opt.Until = now.Add(-f.since).UnixMilli(), now.Add(-f.until).UnixMilli()
	f.opt.Config, f.opt.Spark, f.opt.Encode = config, spark, e.Encode
	if f.jhist != "" {
		if f.opt.Jobs, err = historyJobs(f.jhist); err != nil {
			return err
		}
	}
	dir, err := fileio.OpenOutput(f.out.Dir, "tune pull")
	if err != nil {
		return err
	}
	defer dir.Close()
	return f.download(ctx, e, dir, manager, history)
}

// pullInto reads the state of a cluster into a new folder of a command; nothing is left of it after an error.
func pullInto(ctx context.Context, dir, command string, manager, history *rm.Client, opt rm.PullOptions) (
	*rm.PullSummary, error) {
	d, err := fileio.OpenOutput(dir, command)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	sum, err := rm.Pull(ctx, manager, history, dirSink{Dir: d}, opt)
	if err != nil {
		return nil, errors.Join(err, d.Discard())
	}
	return sum, d.Commit()
}

// download downloads into the new folder.
func (f *pullFlags) download(ctx context.Context, e *env, dir *fileio.Dir, manager, history *rm.Client) error {
	earlier, err := earlierPull(dir, manager.Address(), f.out.Dir)
	if err != nil {
		return errors.Join(err, dir.Discard())
	}
	bar := e.NewProgress(-1, "steps")
	f.opt.Progress = func(done, total int, what string) {
		bar.SetTotal(int64(total))
		bar.Set(int64(done), what)
	}
	sum, err := rm.Pull(ctx, manager, history, dirSink{dir, earlier}, f.opt)
	bar.Finish()
	var lacks *rm.Incomplete // files of a history server
	incomplete := errors.As(err, &lacks)
	if err != nil && !incomplete {
		if ctx.Err() != nil {
			e.Notef("interrupted; run the same command again to continue")
			return cli.ErrInterrupted
		}
		return err
	}
	if f.jhist != "" {
		if err := copyHistory(f.jhist, dir, sum); err != nil {
			return err
		}
		sum.Jobs = f.opt.Jobs
	}
	if incomplete {
		if err := earlier.keep(dir, sum); err != nil {
			return fmt.Errorf("%w (%w)", err, lacks)
		}
	}
	if f.jhist != "" || incomplete {
		if err := rm.WriteSummary(dirSink{Dir: dir}, sum, e.Encode); err != nil {
			return err
		}
	}
	if err := dir.Commit(); err != nil {
		return err
	}
	return f.report(e, sum)
}

// report prints what was downloaded and what is missing.
func (f *pullFlags) report(e *env, sum *rm.PullSummary) error {
	for _, m := range sum.Missing {
		e.Warnf("%v", m)
	}
	if f.perfetto != "" {
		t, err := trace.Open(filepath.Join(f.out.Dir, rm.DirTrace), trace.Options{})
		if err == nil {
			err = historyTracks(f.perfetto, t)
		}
		if err != nil {
			return fmt.Errorf("--perfetto: %w; the folder is written", err)
		}
	}
	if err := f.print(e, sum); err != nil || len(sum.Missing) == 0 {
		return err
	}
	e.Notef("the folder is written, but incomplete; the same command downloads only the missing files")
	return &cli.ExitError{Code: cli.ExitFindings}
}

// historyJobs counts the history files of a folder, of which there must be some.
func historyJobs(from string) (jobs int, err error) {
	err = filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.Contains(filepath.Base(path), ".jhist") {
			jobs++
		}
		return err
	})
	if err == nil && jobs == 0 {
		err = fmt.Errorf("--jhist %s: no *.jhist file found", from)
	}
	return jobs, err
}

// copyHistory copies history files and the configurations beside them.
func copyHistory(from string, dir *fileio.Dir, sum *rm.PullSummary) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		name := filepath.Base(path)
		if err != nil || d.IsDir() || !strings.Contains(name, ".jhist") && !strings.Contains(name, "_conf.xml") {
			return err
		}
		data, err := fileio.ReadFile(path, fileio.Large)
		if err != nil {
			return err
		}
		sum.Files = append(sum.Files, rm.DirTrace+"/"+name)
		return dir.WriteFile(rm.DirTrace+"/"+name, data)
	})
}

func (f *pullFlags) print(e *env, s *rm.PullSummary) error {
	if e.JSON {
		return e.WriteJSON(s)
	}
	fmt.Fprintf(e.Stdout, "%s: Hadoop %s, %s, %s, %s with their tasks", f.out.Dir, s.Hadoop, text.Count(s.Nodes, "node"),
		text.Count(s.Apps, "application"), text.Count(s.Jobs, "job"))
	if f.spark != "" {
		fmt.Fprintf(e.Stdout, ", %s with event logs", text.Count(s.SparkApps, "Spark application"))
	}
	fmt.Fprintln(e.Stdout)
	e.Notes(s.Notes...)
	args := []string{"tune"}
	for _, x := range [][2]string{{"--config", rm.FileConfig}, {"--site", rm.FileSite}, {"--cluster", rm.FileNodes},
		{"--trace", rm.DirTrace}} {
		switch {
		case fileio.Exists(filepath.Join(f.out.Dir, x[1])):
			args = append(args, x[0], filepath.Join(f.out.Dir, x[1]))
		case x[0] == "--config" || x[0] == "--trace":
			args = append(args, x[0], "FILE")
		}
	}
	if s.Apps == 0 {
		e.Notes("no trace: the ResourceManager lists no application of this period; --trace takes other histories")
	}
	fmt.Fprintf(e.Stdout, "next: tune doctor %s\n      %s --objective makespan --out tuned\n", f.out.Dir,
		strings.Join(args, " "))
	return nil
}

// before is the content of an earlier download in the folder. The zero value is nothing.
type before struct {
	there bool            // a folder of an earlier pull
	sum   *rm.PullSummary // of a pull of the same cluster that was incomplete, else nil
}

// earlierPull looks at the finished folder that a pull is about to replace, which is out.
// One of another command, such as a study, is refused.
func earlierPull(dir *fileio.Dir, manager, out string) (before, error) {
	data, err := dir.Earlier(rm.FileSummary)
	if err != nil {
		return before{}, nil
	}
	var sum rm.PullSummary
	switch {
	case json.Unmarshal(data, &sum) != nil || sum.Schema != text.SchemaPull:
		return before{}, fmt.Errorf("%s: contains files of another command; use another --out, or the folder of an "+
			"earlier download", out)
	case sum.RM != manager || len(sum.Missing) == 0:
		return before{there: true}, nil
	}
	return before{true, &sum}, nil
}

// dirSink writes into the new folder. It finds the files of an earlier download there, or in
// the incomplete folder that it will replace.
type dirSink struct {
	*fileio.Dir
	before before
}

// Have reports whether a file was written by an earlier pull. One of an incomplete folder
// is taken over.
func (s dirSink) Have(name string) bool {
	return fileio.Exists(s.Path(name)) || s.before.take(s.Dir, name) == nil
}

var errNotEarlier = errors.New("not in an earlier incomplete download")

// take copies a file of the history from the incomplete folder into the new one.
func (b before) take(dir *fileio.Dir, name string) error {
	if b.sum == nil || !isHistory(name) {
		return errNotEarlier
	}
	data, err := dir.Earlier(name)
	if err != nil {
		return err
	}
	return dir.WriteFile(name, data)
}

// isHistory reports whether a file comes from a history server: one per job or attempt of a
// Spark application.
func isHistory(name string) bool {
	in, file := path.Split(name)
	return in == rm.DirTrace+"/" && (strings.HasPrefix(file, "job_") && path.Ext(file) == ".json" ||
		path.Ext(file) == ".zst")
}

// keep copies the files of the history that an earlier download has and this one lacks. An
// incomplete download does not replace a complete one.
func (b before) keep(dir *fileio.Dir, sum *rm.PullSummary) error {
	if b.there && b.sum == nil {
		return errors.New("the complete folder of an earlier download is not replaced, because this download is " +
			"incomplete; run the same command again or use another --out")
	}
	if b.sum == nil {
		return nil
	}
	jobs, logs := 0, 0
	for _, name := range b.sum.Files {
		if slices.Contains(sum.Files, name) || !isHistory(name) {
			continue
		}
		if err := b.take(dir, name); err != nil {
			return err
		}
		sum.Files = append(sum.Files, name)
		if path.Ext(name) == ".json" {
			jobs++
		} else {
			logs++
		}
	}
	sum.Jobs, sum.SparkApps = sum.Jobs+jobs, sum.SparkApps+logs
	if jobs+logs > 0 {
		sum.Notes = append(sum.Notes, fmt.Sprintf("%s and %s are from the earlier download in this folder",
			text.Count(jobs, "job"), text.Count(logs, "Spark application")))
	}
	return nil
}
