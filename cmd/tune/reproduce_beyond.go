package main

import (
	"bytes"
	"context"
	"runtime"

	"github.com/spf13/cobra"

	"schedtune/internal/beyond"
	"schedtune/internal/cli"
)

// beyondJSON is the schema schedtune/beyond/v1.
type beyondJSON struct {
	Schema string              `json:"schema"`
	Rows   []beyond.Comparison `json:"rows"`
	Cases  []beyond.Outcome    `json:"cases"`
}

func newBeyondCmd(e *env) *cobra.Command {
	var r beyond.Request
	var out string
	c := &cobra.Command{
		Use:   "beyond",
		Short: "Measure the papers' rules on YARN against the tuned Capacity Scheduler",
		Long: `beyond draws cases (a stretch of a workload, a queue file, a cluster), tunes the
Capacity Scheduler on one period and plays the next with fresh seeds: as tuned, and
with the papers' rules in the masters of MapReduce jobs and on the nodes (OMO's
lazy start, Coupling's mismatch and peeking, the learning scheduler's admission),
and with the queues and node labels that fit allocation recommends. Workloads are
generated, and with --trace recorded. Even numbers of cases are for development,
odd ones (--held-out) for the end.`,
		Example: "  tune reproduce beyond --cases 4\n  tune reproduce beyond --trace FB-2009_samples_24_times_1hr_0.tsv.gz --cases 24 --held-out --out results/beyond-papers.md",
		Args:    cli.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if r.Cases < 1 || r.Budget < 20 || r.Workers < 1 {
				return cli.Usagef("--cases %d, --budget %d, --workers %d; allowed: 1, 20 and 1 or more", r.Cases, r.Budget, r.Workers)
			}
			return runBeyond(c.Context(), e, &r, out)
		},
	}
	f := c.Flags()
	f.StringArrayVar(&r.Traces, "trace", nil, "trace `FILE` to draw from besides (repeatable)")
	f.IntVar(&r.Cases, "cases", 12, "cases to draw")
	f.IntVar(&r.Budget, "budget", 200, "runs of each search")
	f.Uint64Var(&r.Seed, "seed", 1, "seed of the cases")
	f.BoolVar(&r.HeldOut, "held-out", false, "draw from the half kept for the end")
	f.IntVar(&r.Workers, "workers", runtime.NumCPU(), "cases at a time; does not change the result")
	f.StringVarP(&out, "out", "o", "", "write Markdown into this `FILE`")
	return c
}

func runBeyond(ctx context.Context, e *env, r *beyond.Request, out string) error {
	progress := e.NewProgress(int64(r.Cases), "cases")
	r.Progress = func(done int) { progress.Set(int64(done), "") }
	outs, err := beyond.Run(ctx, *r)
	progress.Finish()
	if err != nil {
		if ctx.Err() != nil {
			return cli.ErrInterrupted
		}
		return err
	}
	if e.JSON {
		return e.WriteJSON(beyondJSON{"schedtune/beyond/v1", beyond.Comparisons(outs), outs})
	}
	var page bytes.Buffer
	if err := beyond.Write(&page, outs, drawnCommand("beyond", r.Cases, r.Budget, r.Seed, r.HeldOut, r.Traces, nil)); err != nil {
		return err
	}
	if out != "" {
		return writeBytes(out, page.Bytes())
	}
	_, err = page.WriteTo(e.Stdout)
	return err
}
