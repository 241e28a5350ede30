package main

import (
	"errors"
	"runtime/debug"
	"slices"

	"github.com/spf13/pflag"

	"schedtune/internal/cli"
	"schedtune/internal/models"
)

// classesFlags are the flags of fit classes.
type classesFlags struct {
	models.ClassOptions
	traces traceFlags
	tables []string
	model  string

	cluster string
	coshh   bool
}

func (f *classesFlags) add(fs *pflag.FlagSet) {
	f.traces.add(fs, "coshh-facebook")
	cli.Group(fs, "Input", func(fs *pflag.FlagSet) {
		fs.StringArrayVar(&f.tables, "jobs", nil, "table of jobs, a CSV `FILE` with columns of numbers, - is standard input, "+
			"instead of traces")
		fs.StringVar(&f.cluster, "cluster", "", "with --features coshh: cluster `FILE`, see fit allocation")
	})
	cli.Group(fs, "Model", func(fs *pflag.FlagSet) {
		cli.Number(fs, &f.K, "k", 0, cli.Within(0, 1000), "`N` classes (default 0: as many as the model, else "+
			"chosen by silhouette)")
		cli.Number(fs, &f.MaxK, "max-k", 10, cli.Within(2, 1000), "try at most `N` classes")
		cli.Seed(fs, &f.Seed, "k-means++")
		fs.StringSliceVar(&f.Features, "features", nil, "`NAME,…` to cluster by: input, shuffle, output, maps, reduces, "+
			"map time, reduce time, or columns of --jobs (default all); coshh: those of COSHH")
		fs.StringVar(&f.model, "model", "", "add to the classification in `FILE`")
		fs.BoolVar(&f.Assign, "assign", false, "keep the classes of --model and put the jobs into them")
	})
}

func (f *classesFlags) run(e *env) (*found, error) {
	if err := errors.Join(f.traces.check("--jobs", len(f.tables) > 0), logsOnce("--jobs", f.tables)); err != nil {
		return nil, err
	}
	if f.coshh = slices.Equal(f.Features, []string{"coshh"}); f.coshh {
		f.Features = nil
	}
	if f.cluster != "" && !f.coshh || f.coshh && f.tables != nil {
		return nil, cli.Usagef("--features coshh: needs traces; --cluster: needs --features coshh")
	}
	if f.Assign && (f.model == "" || f.K > 0 || f.Features != nil) {
		return nil, cli.Usagef("--assign: needs --model, and cannot be combined with --k or --features")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(25)) // millions of jobs: memory before speed
	model, err := openClasses(f.model, !f.Assign)
	if err != nil {
		return nil, err
	}
	jobs, source, err := f.jobs(e)
	if err != nil {
		return nil, err
	}
	debug.FreeOSMemory() // of what was read beside the jobs
	if n := model.Known(jobs); n > 0 {
		e.Warnf("%d of the %d jobs are in the model already and count twice; use only jobs that are not in the model", n,
			len(jobs))
	}
	r, err := models.FitClasses(source, jobs, f.ClassOptions, model)
	if err != nil {
		return nil, err
	}
	return &found{r, []file{
		{"model.json", r.Model.Write, "the classes with every job; fit classes --model goes on with it"},
		{"classes.svg", r.Chart, "every job by the two facts that differ most"}}}, nil
}

// jobs reads the tables, or the traces.
func (f *classesFlags) jobs(e *env) ([]*models.Facts, string, error) {
	switch {
	case f.coshh:
		w, c, source, err := f.traces.onCluster(e, f.cluster)
		if err != nil {
			return nil, "", err
		}
		jobs, columns := models.COSHHFacts(w, c)
		f.Columns = columns
		return jobs, source, nil
	case len(f.tables) == 0:
		return f.traces.jobs(e)
	}
	var t *models.JobTable
	err := readLogs(e, f.tables, func(list []models.Source, reading models.Reading) (_ *models.Intake, err error) {
		if t, err = models.ReadJobs(list, reading); err != nil {
			return nil, err
		}
		return t.Intake, nil
	})
	if err != nil {
		return nil, "", err
	}
	f.Columns = t.Columns
	return t.Jobs, sourceOf(f.tables), nil
}
