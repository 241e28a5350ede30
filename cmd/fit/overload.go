package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"schedtune/internal/cli"
	"schedtune/internal/fileio"
	"schedtune/internal/models"
)

// overloadFlags are the flags of fit overload.
type overloadFlags struct {
	logs, features            []string
	label, learner, model     string
	out                       outFlags
	compare                   string
	window, delay, sampleRows int
	seed                      uint64
}

func newOverloadCmd(e *env) *cobra.Command {
	var f overloadFlags
	c := &cobra.Command{
		Use:   "overload",
		Short: "Learn from heartbeat logs which assignments overload a node",
		Long: `overload reads heartbeat logs and teaches online classifiers which assignments
overload a node: Naive Bayes on histograms and on normals, the perceptron and
the averaged perceptron, and for comparison golearn's learners. Every decision
is judged before its outcome is learned, in the order of the log.

A log is CSV with a header, JSON lines, or polled answers of the
ResourceManager's /ws/v1/cluster/nodes, one per line; gzip and zstd are opened.
The columns time, node, job, kind, decision (0: nothing was assigned) and
outcome (good or bad) have their meaning; all others are numbers. Without an
outcome column the label rule is applied to the node's next row.

--model goes on with a saved model; the result is the same as one pass over
both logs.`,
		Example: `  fit overload --log heartbeats.csv --label 'load1/cpus > 1'
  fit overload --log monday.csv.gz --out monday
  fit overload --log tuesday.csv.gz --model monday/model.json --out tuesday`,
		Args: cli.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return f.out.run(c.Context(), e, func() (*found, error) { return runOverload(e, &f) })
		},
	}
	cli.Group(c.Flags(), "Input", func(fs *pflag.FlagSet) {
		fs.StringArrayVar(&f.logs, "log", nil, "heartbeat log, `FILE` or - for standard input, in the order of time")
		cli.Number(fs, &f.sampleRows, "sample-rows", 20000, cli.Within(100, 100_000_000), "`N` rows of the embedded log, used without --log")
		seedFlag(fs, &f.seed, "the embedded log")
	})
	cli.Group(c.Flags(), "Model", func(fs *pflag.FlagSet) {
		fs.StringVar(&f.label, "label", "", "`EXPR` that is true for an overloaded node (default the outcome column, else load1/cpus > 1, else memory > 0.9)")
		fs.StringArrayVar(&f.features, "features", nil, "`EXPR,…` used as features (default every numeric column)")
		cli.Choice(fs, &f.learner, "learner", "", models.Learners(), "`LEARNER` whose model is saved (default naive-bayes)")
		cli.Choice(fs, &f.compare, "compare", "golearn", []string{"golearn", "none"}, "`LEARNERS` to compare with: golearn's, on the first 2000 decisions")
		cli.Number(fs, &f.delay, "delay", 1, cli.AtLeast(1), "`N` decisions by which an outcome column's label comes late")
		cli.Number(fs, &f.window, "window", 250, cli.AtLeast(1), "`N` decisions per point of the learning curve")
		fs.StringVar(&f.model, "model", "", "go on with the model in `FILE`; excludes --label, --features and --learner")
	})
	f.out.add(c, "model.json, curve.svg and the summary")
	return c
}

func runOverload(e *env, f *overloadFlags) (*found, error) {
	opt, err := f.options()
	if err != nil {
		return nil, err
	}
	list, total, done, err := f.sources(e)
	if err != nil {
		return nil, err
	}
	defer done()
	p, reading := progress(e, total)
	opt.Reading = reading
	r, err := models.FitOverload(list, opt)
	p.Finish()
	if err != nil {
		return nil, err
	}
	warnFaults(e, &r.Intake)
	if n := r.Intake.Backwards; n > 0 {
		e.Warnf("%d rows lie before the node's last one: the log is not in the order of time, and what is learned from it may not hold", n)
	}
	if m := opt.Continue; m != nil && r.Intake.SHA256 == m.Intake.SHA256 {
		e.Warnf("the log is the one that the model learned last: its decisions count twice; allowed: a log that goes on after it")
	} else if m != nil && r.Intake.FirstTime < m.Intake.LastTime {
		e.Warnf("the log begins at %g s, before the end of the one learned last, %g s; allowed: logs in the order of time", float64(r.Intake.FirstTime), float64(m.Intake.LastTime))
	}
	if r.Learners[0].BaseRate == 1 {
		e.Warnf("every decision had the same outcome: nothing was learned; allowed: a --label that parts them")
	}
	var model bytes.Buffer
	if err := r.Model.Write(&model); err != nil {
		return nil, err
	}
	return &found{r, []fileio.OutputFile{{Name: "model.json", Data: model.Bytes()}, {Name: "curve.svg", Data: r.Chart()}},
		readme("overload", "model.json    the saved learner; fit overload --model goes on with it", "curve.svg     accuracy per window of decisions")}, nil
}

func (f *overloadFlags) options() (models.OverloadOptions, error) {
	opt := models.OverloadOptions{Label: f.label, Features: splitExprs(f.features), Learner: f.learner, Window: f.window, Delay: f.delay}
	if err := logsOnce(f.logs); err != nil {
		return opt, err
	}
	if f.compare == "golearn" {
		opt.Compare = golearn
	}
	if f.model == "" {
		return opt, nil
	}
	if f.label != "" || f.features != nil || f.learner != "" {
		return opt, cli.Usagef("--model with --label, --features or --learner; allowed: the model's own")
	}
	m, err := readModel(f.model, models.ReadOverloadModel)
	opt.Continue = m
	return opt, err
}

// splitExprs cuts lists of expressions at their commas, but not at those between
// the arguments of a function.
func splitExprs(lists []string) []string {
	var out []string
	for _, list := range lists {
		depth, from := 0, 0
		for i := range len(list) {
			switch c := list[i]; {
			case c == '(':
				depth++
			case c == ')':
				depth--
			case c == ',' && depth <= 0:
				out = append(out, strings.TrimSpace(list[from:i]))
				from = i + 1
			}
		}
		out = append(out, strings.TrimSpace(list[from:]))
	}
	return out
}

// sources opens the logs, or makes the embedded one.
func (f *overloadFlags) sources(e *env) ([]models.Source, int64, func(), error) {
	if len(f.logs) > 0 {
		return sources(e, f.logs)
	}
	e.Notef("no --log: using an embedded model of seven nodes, %d heartbeats, seed %d", f.sampleRows, f.seed)
	in, out := io.Pipe() // written as it is read, so that memory stays constant
	go func() { out.CloseWithError(models.WriteSample(out, f.sampleRows, f.seed)) }()
	return []models.Source{{Name: fmt.Sprintf("embedded log, seed %d", f.seed), R: in}}, -1, func() { in.Close() }, nil
}
