package main

import (
	"bytes"
	"path/filepath"

	"github.com/spf13/cobra"

	"schedtune/internal/bounded"
	"schedtune/internal/cli"
	"schedtune/internal/fault"
	"schedtune/internal/fit"
	"schedtune/internal/outdir"
)

// allocationFlags are the flags of fit allocation.
type allocationFlags struct {
	traces                  traceFlags
	rates, cluster, classes string
	solver, out             string
	even                    bool
}

func newAllocationCmd(e *env) *cobra.Command {
	var f allocationFlags
	c := &cobra.Command{
		Use:   "allocation",
		Short: "Allocate nodes to job classes so that they carry the most",
		Long: `allocation solves COSHH's linear program: which share of every node should work
for which class so that the largest multiple (lambda) of the arrival rates is
carried, and which classes each node should be offered. The answer is proven by
a bound that does not trust the solver.

The rates come from a table with the header class,alpha,NODE,… and one row per
class, or from a trace and the cluster it is to run on: alpha is the class's
jobs over the span of submissions, a rate the inverse of the time a node alone
needs for a job of the class. Classes are those of the trace, or of a
classification made by fit classes.`,
		Example: `  fit allocation --rates rates.csv
  fit allocation --trace history/ --cluster nodes.json --classes classes/model.json`,
		Args: cli.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			other := ""
			if f.rates != "" {
				other = "--rates"
			}
			if err := f.traces.check(c, other); err != nil {
				return err
			}
			if err := cli.OneOf("--solver", f.solver, fit.Solvers()); err != nil {
				return err
			}
			return intoDir(f.out, func(d *outdir.Dir) error { return runAllocation(e, &f, d) })
		},
	}
	f.traces.add(c, "coshh-facebook")
	fl := c.Flags()
	fl.StringVar(&f.rates, "rates", "", "table of rates, `FILE` or - for standard input")
	fl.StringVar(&f.cluster, "cluster", "", "machines, `FILE`; needed with --trace")
	fl.StringVar(&f.classes, "classes", "", "model of fit classes, `FILE`, that names the jobs' classes")
	fl.StringVar(&f.solver, "solver", "simplex", "simplex, or clp in builds with the tag clp")
	fl.BoolVar(&f.even, "even", false, "give equal nodes equal shares instead of few classes each")
	fl.StringVarP(&f.out, "out", "o", "", "write allocation.csv, allocation.svg and the summary to `DIR`")
	return c
}

func runAllocation(e *env, f *allocationFlags, d *outdir.Dir) error {
	if f.rates != "" && (len(f.traces.traces) > 0 || f.cluster != "" || f.classes != "") {
		return cli.Usagef("--rates with --trace, --cluster or --classes; allowed: a table or a trace")
	}
	rates, source, err := f.read(e)
	if err != nil {
		return err
	}
	r, err := fit.FitAllocation(source, rates, f.solver, f.even)
	if err != nil {
		return err
	}
	table, err := r.WriteCSV()
	if err != nil {
		return err
	}
	return finish(e, d, f.out, r, []fit.File{{Name: "allocation.csv", Data: table}, {Name: "allocation.svg", Data: r.Chart()}},
		readme("allocation", "allocation.csv  share of each node by class", "allocation.svg  the same as a chart"))
}

func (f *allocationFlags) read(e *env) (*fit.Rates, string, error) {
	if f.rates == "-" {
		r, err := fit.ReadRates("stdin", e.Stdin)
		return r, "stdin", err
	}
	if f.rates != "" {
		b, err := bounded.ReadFile(f.rates, bounded.Small)
		if err != nil {
			return nil, "", fault.Opening(f.rates, err, "a table with the header class,alpha,NODE,… and one row per class")
		}
		r, err := fit.ReadRates(f.rates, bytes.NewReader(b))
		return r, filepath.Base(f.rates), err
	}
	if len(f.traces.traces) != 1 && len(f.traces.traces) != 0 {
		return nil, "", cli.Usagef("%d traces; allowed: one", len(f.traces.traces))
	}
	ws, c, source, err := f.traces.workloads(e)
	if err != nil {
		return nil, "", err
	}
	w := ws[0]
	switch {
	case f.cluster != "":
		if c, err = openCluster(e, f.cluster); err != nil {
			return nil, "", err
		}
	case c == nil:
		return nil, "", cli.Usagef("--trace without --cluster; allowed: both, as the rates are those of a trace on a cluster")
	}
	name := func(i int) string {
		if k := w.Jobs[i].Class; k >= 0 {
			return w.Classes[k]
		}
		return "all jobs"
	}
	if f.classes != "" {
		m, err := readModel(f.classes, validated(&fit.ClassesModel{}))
		if err != nil {
			return nil, "", err
		}
		facts := fit.FactsOf(w)
		name = func(i int) string { return m.Name(&facts[i]) }
	}
	r, err := fit.RatesOf(w, c, name)
	return r, source, err
}
