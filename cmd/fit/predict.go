package main

import (
	"bytes"
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"schedtune/classify"
	"schedtune/internal/cli"
	"schedtune/internal/fileio"
	"schedtune/internal/models"
)

// predictFlags are the flags of fit predict.
type predictFlags struct {
	overloadFlags
	rows      string // file for the decisions
	decisions []byte
}

func newPredictCmd(e *env) *cobra.Command {
	var f predictFlags
	c := &cobra.Command{
		Use:  "predict",
		Args: cli.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			r, err := cli.Interruptible(c.Context(), func() (*models.OverloadResult, error) { return f.run(e) })
			if err == nil && f.rows != "" {
				err = fileio.WriteBytes(f.rows, f.decisions)
			}
			if err != nil {
				return err
			}
			return e.Show(r, r.Print)
		},
	}
	cli.Group(c.Flags(), "Input", func(fs *pflag.FlagSet) {
		fs.StringVar(&f.model, "model", "", "`FILE` that fit overload saved, or its folder")
		fs.StringArrayVar(&f.logs, "log", nil, "heartbeat log in order of time, a `FILE`, - is standard input")
		cli.Number(fs, &f.Delay, "delay", 1, cli.AtLeast(1), "the outcome column is known `N` decisions later")
		logFlags(fs, &f.Names, &f.MaxGap)
	})
	cli.Group(c.Flags(), "Output", func(fs *pflag.FlagSet) {
		cli.Number(fs, &f.Window, "window", 250, cli.AtLeast(1), "`N` decisions per point of the learning curve")
		fs.StringVarP(&f.rows, "out", "o", "", "`FILE` for the decisions as CSV")
	})
	return c
}

func (f *predictFlags) run(e *env) (*models.OverloadResult, error) {
	if f.model == "" || len(f.logs) == 0 {
		return nil, cli.Usagef("--model, --log: must both be given")
	}
	if i, err := os.Stat(f.model); err == nil && i.IsDir() {
		f.model = filepath.Join(f.model, "model.json")
	}
	opt, err := f.options()
	if err != nil {
		return nil, err
	}
	opt.Freeze = true
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	if f.rows != "" {
		w.Write([]string{"line", "time", "node", "overloaded", "log_odds", "probability", "calibrated", "outcome"})
		opt.Judged = func(d models.Decision) {
			if d.Line > 0 { // 0: of the log before, where its outcome was not known
				w.Write(decisionRow(d))
			}
		}
	}
	r, err := f.fit(e, opt)
	if err != nil {
		return nil, err
	}
	w.Flush()
	f.decisions = out.Bytes()
	return r, nil
}

func decisionRow(d models.Decision) []string {
	number := models.NumberField
	outcome := ""
	if d.Label >= 0 {
		outcome = classify.Binary()[d.Label]
	}
	return []string{
		strconv.FormatInt(d.Line, 10), number(d.Time), d.Node, strconv.FormatBool(d.Overloaded), number(d.LogOdds),
		number(d.Probability), number(d.Calibrated), outcome}
}
