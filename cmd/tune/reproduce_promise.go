package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"schedtune/internal/cli"
	"schedtune/internal/promise"
	"schedtune/internal/remote"
)

// promiseJSON is the schema schedtune/promise/v2.
type promiseJSON struct {
	Schema    string            `json:"schema"`
	Judgement promise.Judgement `json:"judgement"`
	Cases     []promise.Outcome `json:"cases"`
}

func newPromiseCmd(e *env) *cobra.Command {
	var r promise.Request
	var out, log string
	c := &cobra.Command{
		Use:   "promise",
		Short: "Score the predictions of studies: tune on one period, simulate the next",
		Long: `promise draws cases (a stretch of a workload, queue file, cluster, objective),
tunes on one period of 2 to 4 hours (less where that would be too many tasks),
plays the next with the tuned file, and prints how often the 90 % interval held
what came, bias, distance and interval score, beside the interval over seeds and
the best constant prediction. Workloads are generated, and with --trace recorded:
a day or more as it is, a short trace as a pool of jobs. Even numbers of cases
are for development, odd ones (--held-out) for the end.`,
		Example: "  tune reproduce promise --cases 12\n  tune reproduce promise --trace FB-2009_samples_24_times_1hr_0.tsv.gz --cases 120 --held-out --out results/promise.md",
		Args:    cli.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if r.Cases < 1 || r.Budget < 20 || r.Workers < 1 {
				return cli.Usagef("--cases %d, --budget %d, --workers %d; allowed: 1, 20 and 1 or more", r.Cases, r.Budget, r.Workers)
			}
			return runPromise(c.Context(), e, &r, out, log)
		},
	}
	f := c.Flags()
	f.StringArrayVar(&r.Traces, "trace", nil, "trace `FILE` to draw from besides (repeatable)")
	f.IntVar(&r.Cases, "cases", 24, "cases to draw")
	f.IntVar(&r.Budget, "budget", 200, "runs of each study")
	f.Uint64Var(&r.Seed, "seed", 1, "seed of the cases")
	f.BoolVar(&r.HeldOut, "held-out", false, "draw from the half kept for the end")
	f.StringArrayVar(&r.Constraints, "constraint", nil, "limit of every study (repeatable)")
	f.IntVar(&r.Workers, "workers", runtime.NumCPU(), "studies at a time; does not change the result")
	f.StringVarP(&out, "out", "o", "", "write Markdown into this `FILE`")
	f.StringVar(&log, "log", "", "keep judged cases in this `FILE`, and go on from it")
	return c
}

func runPromise(ctx context.Context, e *env, r *promise.Request, out, log string) (err error) {
	progress := e.NewProgress(int64(r.Cases), "cases")
	keep := func(*promise.Outcome) error { return nil }
	if log != "" {
		l, failed := openPromiseLog(e, log)
		if failed != nil {
			return failed
		}
		defer func() { err = errors.Join(err, l.Close()) }()
		r.Known, keep = l.Known, l.Add
	}
	var unwritten error
	r.Progress = func(done int, o *promise.Outcome) {
		unwritten = errors.Join(unwritten, keep(o))
		progress.Set(int64(done), "")
	}
	outs, err := promise.Run(ctx, *r)
	progress.Finish()
	if unwritten != nil {
		return unwritten
	}
	if err != nil {
		if ctx.Err() != nil {
			return cli.ErrInterrupted
		}
		return err
	}
	j := promise.Judge(outs)
	if e.JSON {
		return e.WriteJSON(promiseJSON{"schedtune/promise/v2", j, promise.Finite(outs)})
	}
	var page bytes.Buffer
	promise.Write(&page, j, outs, drawnCommand("promise", r.Cases, r.Budget, r.Seed, r.HeldOut, r.Traces, r.Constraints))
	if out != "" {
		return writeBytes(out, page.Bytes())
	}
	_, err = page.WriteTo(e.Stdout)
	return err
}

// openPromiseLog opens the log of judged cases and says where other code judged some.
func openPromiseLog(e *env, path string) (*promise.Log, error) {
	code, err := remote.CodeID()
	if err != nil {
		return nil, err
	}
	l, err := promise.OpenLog(path, code)
	if err == nil && l.Other > 0 {
		e.Warnf("%s: %d of %d cases were judged by other code", path, l.Other, len(l.Known))
	}
	return l, err
}

// drawnCommand is the command that draws and judges cases again.
func drawnCommand(name string, cases, budget int, seed uint64, heldOut bool, traces, constraints []string) string {
	text := fmt.Sprintf("tune reproduce %s --cases %d --budget %d --seed %d", name, cases, budget, seed)
	for _, t := range traces {
		text += " --trace " + filepath.Base(t)
	}
	for _, c := range constraints {
		text += " --constraint '" + c + "'"
	}
	if heldOut {
		text += " --held-out"
	}
	return text
}
