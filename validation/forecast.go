package main

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"schedtune/internal/cli"
	"schedtune/internal/remote"
	"schedtune/validation/forecast"
)

// promiseJSON is the schema schedtune/promise/v4.
type promiseJSON struct {
	Schema    string             `json:"schema"`
	Judgement forecast.Judgement `json:"judgement"`
	Cases     []forecast.Outcome `json:"cases"`
}

// forecastFlags are the options of forecast.
type forecastFlags struct {
	sampleFlags
	limits  []string
	log     string
	repeats int
	changes bool
}

func newForecastCmd(e *env) *cobra.Command {
	var f forecastFlags
	c := &cobra.Command{
		Use:   "forecast",
		Short: "Score the predictions of studies: tune on one period, simulate the next",
		Long: `forecast draws cases (a stretch of a workload, queue file, cluster, objective),
tunes on one period of 2 to 4 hours (or on three), plays the next with the best
found, recommended or not, and prints which part of the gain recommended files
bring, what harm they do, and how well the stated probabilities and the 90 %
interval agree with what came. A third of the cases start from a drawn file, a
third from one tuned on the period before, and in a third there is nothing to gain
by construction. Workloads are generated, and with --trace recorded: a day or more
as it is, a short trace as a pool of jobs. Even numbers of cases are for
development, odd ones (--held-out) for the end. Cases that --log has are not
studied again.`,
		Example: `  go run ./validation forecast --cases 12
  go run ./validation forecast --trace FB-2009_samples_24_times_1hr_0.tsv.gz --cases 120 --held-out --out results/forecast.csv`,
		Args: cli.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return runForecast(c.Context(), e, &f) },
	}
	f.declare(c.Flags(), 24)
	c.Flags().StringArrayVar(&f.limits, "constraint", nil, "`LIMIT` to keep, as of tune --constraint")
	cli.Number(c.Flags(), &f.repeats, "repeats", 0, cli.AtLeast(0), "study `N` of the cases again, with other budgets and "+
		"seeds")
	c.Flags().BoolVar(&f.changes, "changes", false, "measure what each change of a recommended file is worth")
	c.Flags().StringVar(&f.log, "log", "", "keep judged cases in this `FILE`, and go on from it")
	return c
}

func runForecast(ctx context.Context, e *env, f *forecastFlags) (err error) {
	outs, err := f.outcomes(ctx, e)
	if err != nil {
		return err
	}
	j := forecast.Judge(outs)
	if e.JSON {
		return e.WriteJSON(promiseJSON{"schedtune/promise/v4", j, forecast.Finite(outs)})
	}
	if err := forecast.Write(e.Stdout, j); err != nil {
		return err
	}
	return f.write(e, func(w io.Writer) error { return forecast.WriteCases(w, outs) })
}

// outcomes judges the cases that the log does not have.
func (f *forecastFlags) outcomes(ctx context.Context, e *env) (outs []forecast.Outcome, err error) {
	r := forecast.Request{Sample: f.Sample, Constraints: f.limits, Repeats: f.repeats, Changes: f.changes}
	keep := func(*forecast.Outcome) error { return nil }
	if f.log != "" {
		l, err := openForecastLog(e, f.log)
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, l.Close()) }()
		r.Known, keep = l.Known, l.Add
	}
	progress := e.NewProgress(int64(f.Cases), "cases")
	var unwritten error
	r.Progress = func(done int, o *forecast.Outcome) {
		unwritten = errors.Join(unwritten, keep(o))
		progress.Set(int64(done), "")
	}
	outs, err = forecast.Run(ctx, r)
	progress.Finish()
	if unwritten != nil {
		return nil, unwritten
	}
	if err != nil {
		return nil, err
	}
	return outs, nil
}

// openForecastLog opens the log of judged cases and says where other code judged some.
func openForecastLog(e *env, path string) (*forecast.Log, error) {
	code, err := remote.CodeID()
	if err != nil {
		return nil, err
	}
	l, err := forecast.OpenLog(path, code)
	if err == nil && l.Other > 0 {
		e.Warnf("%s: %d of %d cases were judged by other code", path, l.Other, len(l.Known))
	}
	return l, err
}
