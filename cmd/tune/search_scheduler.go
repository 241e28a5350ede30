package main

import (
	"context"
	"io"
	"strings"
	"time"

	"schedtune/internal/cli"
	"schedtune/internal/report"
	"schedtune/internal/simulate"
	"schedtune/internal/study"
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
			return cli.Usagef("--%s: needs --scheduler %s; the result of %s is a scheduler specification on standard output",
				flag, simulate.Capacity, f.scheduler)
		}
	}
	objectives, constraints, err := study.Goals(f.req)
	if err != nil {
		return err
	}
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
	}, func(p tune.Progress) {
		bar.SetTotal(int64(p.Budget))
		bar.Set(int64(p.Runs), progressText(p))
	})
	bar.Finish()
	if err != nil {
		return err
	}
	if sum.Result.Status == tune.Cancelled && whole.Err() == nil {
		sum.Result.Status = tune.TimeUp
	}
	e.Notes(sum.Notes...)
	if err := e.Show(sum, func(w io.Writer) error { report.PrintScheduler(w, sum); return nil }); err != nil {
		return err
	}
	return f.ended(sum.Result)
}

// ofQueueFiles returns the flags that apply only to tuning a configuration file.
func ofQueueFiles() []string {
	return []string{"out", "replace", "protect", "workloads", "windows", "time-limit", "stability", "serve",
		"serve-token-file",
		"listen", "nats", "ack-wait", "token-file", "nkey-file", "tls-cert", "tls-key", "tls-ca", "insecure"}
}

func schedulerHelp() string {
	return "tune the parameters of another scheduler, `NAME[:k=v,…]`: " + strings.Join(sched.NamesOf(sched.MR1), ", ")
}
