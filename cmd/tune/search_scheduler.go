package main

import (
	"bytes"
	"context"
	"io"
	"strings"
	"time"

	"schedtune/internal/cli"
	"schedtune/internal/fileio"
	"schedtune/internal/report"
	"schedtune/internal/simulate"
	"schedtune/internal/study"
	"schedtune/internal/text"
	"schedtune/simcore/sched"
	"schedtune/tune"
)

// searchScheduler tunes the parameters of a Hadoop 1 scheduler.
func (f *searchFlags) searchScheduler(ctx context.Context, e *env, given func(flag string) bool) error {
	if _, err := sched.Parse(f.scheduler); err != nil {
		return cli.Usagef("--scheduler: %v", err)
	}
	for _, flag := range ofQueueFiles() {
		if given(flag) {
			return cli.Usagef("--%s: needs --scheduler %s; the result of %s is a scheduler specification", flag,
				simulate.Capacity, f.scheduler)
		}
	}
	if err := beside(given, "dataset", placementFlags...); err != nil {
		return err
	}
	objectives, constraints, err := study.Goals(f.req)
	if err != nil {
		return err
	}
	var sum *study.SchedulerSummary
	if err := e.Into(&f.out, "tune", func(d *fileio.Dir) (err error) {
		if sum, err = f.runScheduler(ctx, e, objectives, constraints); err != nil {
			return err
		}
		e.Notes(sum.Notes...)
		var page bytes.Buffer
		report.PrintScheduler(&page, sum)
		err = e.Show(sum, func(w io.Writer) error { _, err := w.Write(page.Bytes()); return err })
		switch {
		case err != nil || d == nil:
			return err
		case f.interrupted(sum.Result.Status):
			return cli.ErrInterrupted
		}
		e.Notef("wrote %s", f.out.Dir)
		return e.Publish(d, sum, []fileio.OutputFile{{Name: "summary.txt", Data: page.Bytes()}})
	}); err != nil {
		return err
	}
	return f.ended(sum.Result)
}

// runScheduler runs the study with a progress bar.
func (f *searchFlags) runScheduler(ctx context.Context, e *env, objectives []tune.Objective,
	constraints []tune.Constraint) (*study.SchedulerSummary, error) {
	start := time.Now()
	f.req.Options.Clock = func() time.Duration { return time.Since(start) }
	whole := ctx
	if limit := f.req.Options.TimeBudget; limit > 0 { // also of the design, which ends by the number of its runs
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, limit+limit/4)
		defer stop()
	}
	bar := e.NewProgress(int64(f.req.Options.Budget), "runs")
	sum, err := study.TuneScheduler(ctx, study.SchedulerRequest{
		Inputs: f.req.Inputs, Dataset: f.dataset, Scheduler: f.scheduler,
		Objectives: objectives, Constraints: constraints, Params: f.req.Params, Workers: f.req.Workers,
		Options: f.req.Options,
		Expect: func(run time.Duration) {
			all := run * time.Duration(f.req.Options.Budget/max(f.req.Workers, 1))
			if limit := f.req.Options.TimeBudget; limit > 0 {
				all = limit
			}
			if all >= time.Minute {
				e.Notef("one run takes %s, the search up to %s", run.Round(100*time.Millisecond), text.Minutes(all))
			}
		},
	}, func(p tune.Progress) {
		bar.SetTotal(int64(p.Budget))
		bar.Set(int64(p.Runs), progressText(p))
	})
	bar.Finish()
	if err == nil && sum.Result.Status == tune.Cancelled && whole.Err() == nil {
		sum.Result.Status = tune.TimeUp
	}
	return sum, err
}

// ofQueueFiles returns the flags that apply only to tuning a configuration file.
func ofQueueFiles() []string {
	return []string{"calibration", "groups", "protect", "workloads", "windows", "time-limit", "stability", "serve",
		"serve-token-file",
		"listen", "nats", "ack-wait", "token-file", "nkey-file", "tls-cert", "tls-key", "tls-ca", "insecure"}
}

func schedulerHelp() string {
	return "tune the parameters of another scheduler, `NAME[:k=v,…]`: " + strings.Join(sched.NamesOf(sched.MR1), ", ")
}
