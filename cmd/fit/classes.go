package main

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"schedtune/internal/cli"
	"schedtune/internal/fileio"
	"schedtune/internal/models"
)

// classesFlags are the flags of fit classes.
type classesFlags struct {
	traces  traceFlags
	k, maxK int
	seed    uint64
	model   string
	feature []string
	assign  bool
	out     outFlags
}

func newClassesCmd(e *env) *cobra.Command {
	var f classesFlags
	c := &cobra.Command{
		Use:  "classes",
		Args: cli.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := f.traces.check(c, ""); err != nil {
				return err
			}
			return f.out.run(c.Context(), e, func() (*found, error) { return f.run(e) })
		},
	}
	f.traces.add(c, "coshh-facebook")
	cli.Group(c.Flags(), "Model", func(fs *pflag.FlagSet) {
		cli.Number(fs, &f.k, "k", 0, cli.Within(0, 1000), "`N` classes (default 0: as many as the model, else "+
			"chosen by silhouette)")
		cli.Number(fs, &f.maxK, "max-k", 10, cli.Within(2, 1000), "try at most `N` classes")
		cli.Seed(fs, &f.seed, "k-means++")
		fs.StringSliceVar(&f.feature, "features", nil, "`NAME,…` to cluster by: input, shuffle, output, maps, reduces, "+
			"map time, reduce time (default all)")
		fs.StringVar(&f.model, "model", "", "add to the classification in `FILE`")
		fs.BoolVar(&f.assign, "assign", false, "keep the classes of --model and put the jobs into them")
	})
	f.out.add(c, "model.json, classes.svg and the summary")
	return c
}

func (f *classesFlags) run(e *env) (*found, error) {
	var model *models.ClassesModel
	if f.assign && (f.model == "" || f.k > 0 || f.feature != nil) {
		return nil, cli.Usagef("--assign: needs --model, and cannot be combined with --k or --features")
	}
	if f.model != "" {
		model = &models.ClassesModel{}
		if err := fileio.OpenJSON(f.model, model); err != nil {
			return nil, err
		}
	}
	ws, _, source, err := f.traces.workloads(e)
	if err != nil {
		return nil, err
	}
	var jobs []models.Facts
	for _, w := range ws {
		jobs = append(jobs, models.FactsOf(w)...)
	}
	ws = nil // the jobs are enough from here on
	if n := model.Known(jobs); n > 0 && !f.assign {
		e.Warnf("%d of the %d jobs are in the model already and count twice; use only jobs that are not in the model", n,
			len(jobs))
	}
	r, err := models.FitClasses(source, jobs, models.ClassOptions{K: f.k, MaxK: f.maxK, Seed: f.seed,
		Features: f.feature, Assign: f.assign}, model)
	if err != nil {
		return nil, err
	}
	if f.out.Dir == "" {
		return &found{result: r}, nil
	}
	saved, err := cli.EncodeJSON(r.Model)
	if err != nil {
		return nil, err
	}
	return &found{r, []fileio.OutputFile{{Name: "model.json", Data: saved}, {Name: "classes.svg", Data: r.Chart()}},
		readme("classes", "model.json    the classes with every job; fit classes --model goes on with it",
			"classes.svg   every job by the two facts that differ most")}, nil
}
