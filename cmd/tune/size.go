package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"schedtune/internal/cli"
	"schedtune/internal/fileio"
	"schedtune/internal/report"
	"schedtune/internal/scenario"
	"schedtune/internal/study"
	"schedtune/internal/text"
	"schedtune/tune"
)

// sizeFlags are the options of tune size.
type sizeFlags struct {
	req       study.SizeRequest
	objective string
	metric    string // to improve at each size
	params    string
	nodes     string
	out       cli.Output
}

func newSizeCmd(e *env) *cobra.Command {
	f := &sizeFlags{}
	c := subcommand("size", cli.NoArgs, func(ctx context.Context, _ []string) error { return f.run(ctx, e) })
	fs := c.Flags()
	c.PreRunE = func(*cobra.Command, []string) error { return beside(fs.Changed, "dataset", fileFlags...) }
	inputFlags(fs, &f.req.Study.Inputs)
	datasetFlag(fs, &f.req.Study.Inputs.Dataset)
	cli.Group(fs, "Goal", func(fs *pflag.FlagSet) {
		cli.Choice(fs, &f.objective, "objective", "nodes", []string{"nodes", "cost"}, "`WHAT` to minimise; cost finds the "+
			"same sizes and needs prices")
		constraintFlag(fs, &f.req.Study.Constraints)
		fs.StringVar(&f.metric, "tune-for", "", "`METRIC` to improve at each size, within the limits (default that of the "+
			"first limit)")
		paramsFlag(fs, &f.params)
	})
	cli.Group(fs, "Search", func(fs *pflag.FlagSet) {
		fs.StringVar(&f.nodes, "nodes", "", "fewest and most nodes to consider, `LEAST,MOST` from 1 to 100000 (default 1 "+
			"and the current number; additional nodes are of the cheapest kind)")
		cli.Number(fs, &f.req.Study.Options.Budget, "budget", 200, cli.AtLeast(20), "simulation `RUNS` for each size that "+
			"is tuned")
		cli.Number(fs, &f.req.Check, "check", study.DefaultCheck, cli.AtLeast(2), "`N` workloads to evaluate a size")
		cli.Seed(fs, &f.req.Study.Options.Seed, "searches and workloads")
		workersFlag(fs, &f.req.Study.Workers, "simulations")
	})
	cli.Group(fs, "Output", func(fs *pflag.FlagSet) {
		f.out.Flags(fs, "the queue file of the size found", true)
	})
	return c
}

func (f *sizeFlags) validate(e *env) error {
	if len(f.req.Study.Constraints) == 0 {
		f.req.Study.Constraints = []string{study.Protection(5)}
		e.Notef("no --constraint: the limit is %s", f.req.Study.Constraints[0])
	}
	f.req.Cost = f.objective == "cost"
	f.req.Study.Params = splitList(f.params)
	if f.nodes != "" {
		least, most, ok := strings.Cut(f.nodes, ",")
		a, err := strconv.Atoi(strings.TrimSpace(least))
		b, err2 := strconv.Atoi(strings.TrimSpace(most))
		if !ok || err != nil || err2 != nil || a < 1 || b < a || b > 100_000 {
			return cli.Usagef("--nodes %q: must be LEAST,MOST from 1 to 100000, ascending", f.nodes)
		}
		f.req.Least, f.req.Most = a, b
	}
	if _, _, err := study.Goals(f.req.Study); err != nil {
		return err
	}
	if f.metric == "" {
		f.metric, _, _ = strings.Cut(strings.TrimSpace(f.req.Study.Constraints[0]), " ")
		f.metric = f.metric[strings.LastIndexByte(f.metric, '.')+1:]
	}
	f.req.Study.Objectives = []string{f.metric}
	_, _, err := study.Goals(f.req.Study)
	var flag *scenario.FlagError
	if errors.As(err, &flag) {
		flag.Flag = "--tune-for"
	}
	return err
}

func (f *sizeFlags) run(ctx context.Context, e *env) error {
	if err := f.validate(e); err != nil {
		return err
	}
	var r *study.Report
	found := false
	err := e.Into(&f.out, "tune size", func(dir *fileio.Dir) error {
		var s *study.Study
		var set tune.Settings
		// A search that is interrupted has what it found so far; reading has nothing.
		rep, err := cli.InterruptibleAfter(ctx, time.Second, func() (rep *study.Report, err error) {
			rep, s, set, err = study.Find(ctx, f.req, func(nodes int, tuned bool) {
				what := "with the current configuration"
				if tuned {
					what = "tuned"
				}
				e.Notef("%s %s", text.Count(nodes, "node"), what)
			})
			return rep, err
		})
		r, found = rep, rep != nil && s != nil
		switch {
		case err != nil || dir == nil:
			return err
		case !found:
			return dir.Discard()
		}
		return f.write(e, dir, r, s, set)
	})
	stopped := ctx.Err() != nil && r != nil
	switch {
	case stopped:
		r.Interrupted = true
	case err != nil:
		return err
	}
	e.Notes(r.Notes...)
	e.Warnings(r.Warnings)
	err = e.Show(r, func(w io.Writer) error { return report.PrintSize(w, r) })
	if stopped {
		return errors.Join(err, cli.ErrInterrupted)
	}
	if e.JSON {
		return err
	}
	if found && f.out.Dir != "" {
		fmt.Fprintf(e.Stdout, "\nwrote %s: the configuration for %s\n", f.out.Dir, text.Count(r.Tuned.Nodes, "node"))
	}
	return nil
}

// write writes the files of the size found.
func (f *sizeFlags) write(e *env, dir *fileio.Dir, r *study.Report, s *study.Study, set tune.Settings) error {
	doc, _, err := s.Tuned(set)
	if err != nil {
		return err
	}
	files := append([]fileio.OutputFile{{Name: study.FileConfig, Data: doc.Bytes()}},
		report.Companions("this "+study.FileConfig, s.Space.Companions(set))...)
	return e.Publish(dir, r, files)
}
