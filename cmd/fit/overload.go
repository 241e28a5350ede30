package main

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/spf13/pflag"

	"schedtune/internal/cli"
	"schedtune/internal/models"
)

// overloadFlags are the flags of fit overload.
type overloadFlags struct {
	models.OverloadOptions
	logs, features []string
	model, compare string
	sampleRows     int
	seed           uint64
}

func (f *overloadFlags) add(fs *pflag.FlagSet) {
	cli.Group(fs, "Input", func(fs *pflag.FlagSet) {
		fs.StringArrayVar(&f.logs, "log", nil, "heartbeat log in order of time, a `FILE`, - is standard input")
		cli.Number(fs, &f.sampleRows, "sample-rows", 20000, cli.Within(100, 100_000_000), "`N` rows of the embedded log, "+
			"used without --log")
		cli.Seed(fs, &f.seed, "the embedded log")
		logFlags(fs, &f.Names, &f.MaxGap)
	})
	cli.Group(fs, "Model", func(fs *pflag.FlagSet) {
		fs.StringVar(&f.Label, "label", "", "`EXPR` that is true for an overloaded node (default the outcome column, else "+
			"load1/cpus > 1, else memory > 0.9)")
		fs.StringArrayVar(&f.features, "features", nil, "features, `EXPR,…` (default every numeric column)")
		cli.Choice(fs, &f.Learner, "learner", "", models.Learners(), "`LEARNER` whose model is saved (default naive-bayes)")
		cli.Choice(fs, &f.compare, "compare", "golearn", []string{"golearn", "none"}, "also show the `LEARNERS` of the Go "+
			"library golearn, fitted on the first 2000 decisions")
		cli.Number(fs, &f.Delay, "delay", 1, cli.AtLeast(1), "the outcome column is known `N` decisions later")
		cli.Number(fs, &f.Window, "window", 250, cli.AtLeast(1), "`N` decisions per point of the learning curve")
		cli.Number(fs, &f.Cost, "cost", 0, cli.AtLeast(0.0), "a missed overload costs `N` false alarms (default 0: not used)")
		cli.Number(fs, &f.Passes, "passes", 1, cli.Within(1, 100), "train the saved model in `N` passes over the decisions, "+
			"shuffled if 2 or more")
		fs.StringVar(&f.model, "model", "", "continue with the model in `FILE`; excludes --label, --features and --learner")
	})
}

func (f *overloadFlags) run(e *env) (*found, error) {
	opt, err := f.options()
	if err != nil {
		return nil, err
	}
	r, err := f.fit(e, opt)
	if err != nil {
		return nil, err
	}
	if m := opt.Continue; m != nil && r.Intake.SHA256 == m.Intake.SHA256 {
		e.Warnf("the log is the last one in the model: its decisions count twice; use a later log")
	} else if m != nil && r.Intake.FirstTime < m.Intake.LastTime {
		e.Warnf("the log begins at %g s, before the end of the last one in the model, %g s; use logs in order of time",
			float64(r.Intake.FirstTime), float64(m.Intake.LastTime))
	}
	if r.Learners[0].BaseRate == 1 {
		e.Warnf("every decision had the same outcome: nothing was learned; use another --label")
	}
	var model bytes.Buffer
	if err := r.Model.Write(&model); err != nil {
		return nil, err
	}
	return &found{r, []file{
		{"model.json", model.Bytes(), "the saved learner; fit predict --model predicts with it"},
		{"curve.svg", r.Chart, "accuracy per window of decisions"},
		{"curve.csv", r.Table, "its numbers"}}}, nil
}

// fit reads the logs, or the embedded one.
func (f *overloadFlags) fit(e *env, opt models.OverloadOptions) (r *models.OverloadResult, err error) {
	read := func(list []models.Source, reading models.Reading) (_ *models.Intake, err error) {
		opt.Reading = reading
		if r, err = models.FitOverload(list, opt); err != nil {
			return nil, err
		}
		return &r.Intake, nil
	}
	if len(f.logs) > 0 {
		err = readLogs(e, f.logs, read)
		return r, err
	}
	e.Notef("no --log: using an embedded model of seven nodes, %d heartbeats, seed %d", f.sampleRows, f.seed)
	in, out := io.Pipe() // written as it is read, so that memory stays constant
	defer in.Close()
	go func() { out.CloseWithError(models.WriteSample(out, f.sampleRows, f.seed)) }()
	list := []models.Source{{Name: fmt.Sprintf("embedded log, seed %d", f.seed), R: in}}
	err = showReading(e, -1, func(reading models.Reading) (*models.Intake, error) { return read(list, reading) })
	return r, err
}

func (f *overloadFlags) options() (models.OverloadOptions, error) {
	opt := f.OverloadOptions
	opt.Features = splitExprs(f.features)
	if err := logsOnce("--log", f.logs); err != nil {
		return opt, err
	}
	if f.compare == "golearn" {
		opt.Compare = golearn
	}
	if f.model != "" && (f.Label != "" || f.features != nil || f.Learner != "") {
		return opt, cli.Usagef("--model: cannot be combined with --label, --features or --learner")
	}
	var err error
	opt.Continue, err = openModel[models.OverloadModel](f.model)
	return opt, err
}

var quoted = regexp.MustCompile(`"[^"]*"|'[^']*'`)

// splitExprs cuts lists of expressions at their commas, but not at those between
// the arguments of a function or in quotes.
func splitExprs(lists []string) (out []string) {
	for _, list := range lists {
		expr := ""
		for _, piece := range strings.SplitAfter(list, ",") {
			expr += piece
			plain := quoted.ReplaceAllString(expr, "")
			if strings.ContainsAny(plain, `"'`) || strings.Count(plain, "(") > strings.Count(plain, ")") {
				continue
			}
			out = append(out, strings.TrimSpace(strings.TrimSuffix(expr, ",")))
			expr = ""
		}
		if expr != "" { // a quote or a parenthesis without its end
			out = append(out, strings.TrimSpace(expr))
		}
	}
	return out
}

// logFlags declare how a heartbeat log is read.
func logFlags(fs *pflag.FlagSet, names *models.Names, maxGap *float64) {
	fs.StringVar(&names.Node, "node", "", "`COLUMN` with the node (default node)")
	fs.StringVar(&names.Time, "time", "", "`COLUMN` with the time (default time)")
	cli.Number(fs, maxGap, "max-gap", 0, cli.AtLeast(0.0), "a row more than `SECONDS` after the node's last one is not "+
		"used as its outcome (default 0: no limit)")
}
