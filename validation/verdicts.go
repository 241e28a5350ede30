package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"schedtune/internal/cli"
	"schedtune/internal/text"
	"schedtune/validation/learners"
)

// verdictsJSON is the schema schedtune/verdicts/v1.
type verdictsJSON struct {
	Schema string              `json:"schema"`
	Rows   []learners.Verdicts `json:"rows"`
}

func newVerdictsCmd(e *env) *cobra.Command {
	var logs int
	var heldOut bool
	c := &cobra.Command{
		Use:   "verdicts",
		Short: "Judge the verdict of fit overload on drawn logs",
		Long: `verdicts draws heartbeat logs with nothing to learn in them (constant labels and labels
independent of the features, base rates from 2 to 98 %, drift, late labels, rows written
twice, runs of equal labels) and logs with a signal (of a best possible balanced accuracy
from 0.6 to 0.95; one that no linear learner can find; one that turns round), and counts
what fit overload says of them. Odd logs are for development, even ones (--held-out) for
the end.`,
		Example: "  go run ./validation verdicts --held-out",
		Args:    cli.NoArgs,
		RunE:    func(c *cobra.Command, _ []string) error { return runVerdicts(c.Context(), e, logs, heldOut) },
	}
	cli.Number(c.Flags(), &logs, "logs", 200, cli.AtLeast(1), "draw `N` logs of each kind")
	c.Flags().BoolVar(&heldOut, "held-out", false, "draw from the half kept for the end")
	return c
}

func runVerdicts(ctx context.Context, e *env, logs int, heldOut bool) error {
	out := verdictsJSON{Schema: "schedtune/verdicts/v1"}
	for _, kind := range learners.Kinds() {
		v, err := cli.Interruptible(ctx, func() (learners.Verdicts, error) {
			return learners.JudgeVerdicts(kind, logs, heldOut)
		})
		if err != nil {
			return err
		}
		out.Rows = append(out.Rows, v)
	}
	if e.JSON {
		return e.WriteJSON(out)
	}
	tw := text.New(e.Stdout)
	fmt.Fprintln(tw, "logs\tdrawn\tlearnable\tworth it\tworth it, constant")
	for _, v := range out.Rows {
		fmt.Fprintf(tw, "%s\t%d\t%d\t%d\t%d\n", v.Kind, v.Logs, v.Learnable, v.Worth, v.Constant)
	}
	return tw.Flush()
}
