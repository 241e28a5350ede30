package main

import (
	"bytes"
	"io"
	"os"

	"github.com/spf13/pflag"

	"schedtune/internal/cli"
	"schedtune/validation/forecast"
)

// sampleFlags are the options of experiments on drawn cases.
type sampleFlags struct {
	forecast.Sample
	out string
}

func (f *sampleFlags) declare(fs *pflag.FlagSet, cases int) {
	fs.StringArrayVar(&f.Traces, "trace", nil, "trace `FILE` to draw from besides")
	cli.Number(fs, &f.Cases, "cases", cases, cli.AtLeast(1), "draw `N` cases")
	fs.BoolVar(&f.HeldOut, "held-out", false, "draw from the half kept for the end")
	cli.Number(fs, &f.Budget, "budget", 200, cli.AtLeast(20), "`RUNS` of the simulator for each search")
	cli.Seed(fs, &f.Seed, "the cases")
	workersFlag(fs, &f.Workers)
	fs.StringVarP(&f.out, "out", "o", "", "`FILE` for the table as CSV (default standard output)")
}

// write writes the table where it is asked for.
func (f *sampleFlags) write(e *env, table func(io.Writer) error) error {
	var b bytes.Buffer
	if err := table(&b); err != nil {
		return err
	}
	if f.out != "" {
		return os.WriteFile(f.out, b.Bytes(), 0o644)
	}
	_, err := b.WriteTo(e.Stdout)
	return err
}
