package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"schedtune/internal/cli"
	"schedtune/validation/learners"
)

// beyondJSON is the schema schedtune/beyond/v1.
type beyondJSON struct {
	Schema string                `json:"schema"`
	Rows   []learners.Comparison `json:"rows"`
	Cases  []learners.Outcome    `json:"cases"`
}

func newLearnersCmd(e *env) *cobra.Command {
	var f sampleFlags
	c := &cobra.Command{
		Use:   "learners",
		Short: "Measure the papers' rules on YARN against the tuned Capacity Scheduler",
		Long: `learners draws cases (a period of a workload, a configuration, a cluster), tunes the
Capacity Scheduler on one period and simulates the next with fresh seeds: as tuned, and
with the papers' rules in AMs of MapReduce and on the nodes (OMO's
lazy start, Coupling's mismatch and peeking, the learning scheduler's admission),
and with the queues and node labels that fit allocation recommends. Workloads are
generated, and with --trace recorded. Even numbers of cases are for development,
odd ones (--held-out) for the end.`,
		Example: `  go run ./validation learners --cases 4
  go run ./validation learners --trace FB-2009_samples_24_times_1hr_0.tsv.gz --cases 24 --held-out --out results/learners.csv`,
		Args: cli.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return runLearners(c.Context(), e, &f) },
	}
	f.declare(c.Flags(), 12)
	return c
}

func runLearners(ctx context.Context, e *env, f *sampleFlags) error {
	progress := e.NewProgress(int64(f.Cases), "cases")
	outs, err := learners.Run(ctx, learners.Request{Sample: f.Sample, Progress: func(done int) {
		progress.Set(int64(done), "")
	}})
	progress.Finish()
	if err != nil {
		return err
	}
	if e.JSON {
		return e.WriteJSON(beyondJSON{"schedtune/beyond/v1", learners.Comparisons(outs), outs})
	}
	return f.write(e, func(w io.Writer) error { return learners.Write(w, outs) })
}
