package main

import (
	"github.com/spf13/cobra"

	"schedtune/internal/cli"
	"schedtune/internal/fit"
	"schedtune/internal/outdir"
)

// classesFlags are the flags of fit classes.
type classesFlags struct {
	traces     traceFlags
	k, maxK    int
	seed       uint64
	model, out string
}

func newClassesCmd(e *env) *cobra.Command {
	var f classesFlags
	c := &cobra.Command{
		Use:   "classes",
		Short: "Find job classes in recorded traces",
		Long: `classes clusters the jobs of traces by the logarithms of their input, shuffle
and output bytes, numbers of maps and reduces, and map and reduce time (k-means
with k-means++), as the papers on the traces of Facebook and Yahoo! do. k is
given or chosen by the silhouette.

--model goes on with a saved classification: its jobs and the new ones are
classified together, with the same result as one pass over all traces.`,
		Example: `  fit classes --trace history/ --out classes
  fit classes --trace FB-2009_samples_24_times_1hr_0.tsv --k 8`,
		Args: cli.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := f.traces.check(c, ""); err != nil {
				return err
			}
			return outdir.Into(f.out, "fit", func(d *outdir.Dir) error { return runClasses(e, &f, d) })
		},
	}
	f.traces.add(c, "coshh-facebook")
	fl := c.Flags()
	fl.IntVar(&f.k, "k", 0, "number of classes; 0 = chosen by silhouette")
	fl.IntVar(&f.maxK, "max-k", 10, "largest number of classes tried")
	fl.Uint64Var(&f.seed, "seed", 1, "seed of k-means++")
	fl.StringVar(&f.model, "model", "", "go on with the classification in `FILE`")
	fl.StringVarP(&f.out, "out", "o", "", "write model.json, classes.svg and the summary to `DIR`")
	return c
}

func runClasses(e *env, f *classesFlags, d *outdir.Dir) error {
	if f.k < 0 || f.maxK < 2 || f.k > 1000 || f.maxK > 1000 {
		return cli.Usagef("--k is %d, --max-k is %d; allowed: 0 to 1000, 2 to 1000", f.k, f.maxK)
	}
	var model *fit.ClassesModel
	if f.model != "" {
		var err error
		if model, err = readModel(f.model, validated(&fit.ClassesModel{})); err != nil {
			return err
		}
	}
	ws, _, source, err := f.traces.workloads(e)
	if err != nil {
		return err
	}
	var jobs []fit.Facts
	for _, w := range ws {
		jobs = append(jobs, fit.FactsOf(w)...)
	}
	r, err := fit.FitClasses(source, jobs, fit.ClassOptions{K: f.k, MaxK: f.maxK, Seed: f.seed}, model)
	if err != nil {
		return err
	}
	saved, err := cli.EncodeJSON(r.Model)
	if err != nil {
		return err
	}
	return finish(e, d, f.out, r, []outdir.File{{Name: "model.json", Data: saved}, {Name: "classes.svg", Data: r.Chart()}},
		readme("classes", "model.json    the classes with every job; fit classes --model goes on with it", "classes.svg   every job by the two facts that differ most"))
}
