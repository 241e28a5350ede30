package main

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"schedtune/internal/cli"
	"schedtune/internal/fileio"
	"schedtune/internal/models"
	"schedtune/internal/scenario"
	"schedtune/internal/simulate"
	"schedtune/internal/text"
	"schedtune/simcore"
	"schedtune/yarnconf"
)

// allocationFlags are the flags of fit allocation.
type allocationFlags struct {
	traces                  traceFlags
	rates, cluster, classes string
	solver                  string
	config, queueMap        string
}

func (f *allocationFlags) add(fs *pflag.FlagSet) {
	f.traces.add(fs, "coshh-facebook")
	cli.Group(fs, "Input", func(fs *pflag.FlagSet) {
		fs.StringVar(&f.rates, "rates", "", "table of rates, a `FILE`, - is standard input, instead of a trace")
		fs.StringVar(&f.cluster, "cluster", "", "cluster `FILE`: YAML, the ResourceManager's /ws/v1/cluster/nodes JSON, "+
			"or a CSV table (required with --trace)")
		fs.StringVar(&f.classes, "classes", "", "model `FILE` written by fit classes, with the classes of the jobs")
		fs.StringVar(&f.config, "config", "", "capacity-scheduler.xml `FILE`: recommend node labels and capacities of "+
			"its queues")
		fs.StringVar(&f.queueMap, "queue-map", "", "with --config: comma-separated `RULES` that assign jobs to queues: "+
			"u:USER:QUEUE or q:OLD:NEW, * matches all")
	})
	cli.Group(fs, "Solution", func(fs *pflag.FlagSet) {
		cli.Choice(fs, &f.solver, "solver", "simplex", models.Solvers(), "`SOLVER` of the linear program; clp needs a "+
			"build with that tag")
	})
}

func (f *allocationFlags) run(e *env) (*found, error) {
	if err := f.traces.check("--rates", f.rates != ""); err != nil {
		return nil, err
	}
	if f.rates != "" && (f.cluster != "" || f.classes != "") {
		return nil, cli.Usagef("--rates: cannot be combined with --cluster or --classes")
	}
	if f.rates != "" && f.config != "" || f.config == "" && f.queueMap != "" {
		return nil, cli.Usagef("--config: cannot be combined with --rates; --queue-map: needs --config")
	}
	rates, source, job, err := f.read(e)
	if err != nil {
		return nil, err
	}
	r, err := models.FitAllocation(source, rates, f.solver)
	if err != nil {
		return nil, err
	}
	if job != nil {
		if r.Capacity, err = models.BoundCapacity(job.Work, job.Cluster, job.resources()); err != nil {
			return nil, err
		}
		if r.Capacity == nil {
			e.Notef("no bound of the load: it needs YARN nodes, container sizes and jobs submitted at different times")
		}
	}
	table, err := r.WriteCSV()
	if err != nil {
		return nil, err
	}
	out := &found{r, []file{{"allocation.csv", table, "share of each node by class"}}}
	if job != nil && job.Doc != nil {
		rec, err := r.Recommend(job.Doc, job.Work, job.Cluster, job.class)
		if err != nil {
			return nil, &fileio.FileError{File: f.config, Err: err}
		}
		doc, err := job.Doc.EditValid(rec.Changes)
		if err != nil {
			return nil, err
		}
		r.Recommended = rec.Groups
		if r.Capacity != nil {
			r.Capacity.Current = job.carried(e, "current", job.Cluster, nil)
			r.Capacity.Recommended = job.carried(e, "recommended", rec.Cluster, rec.Changes)
		}
		out.files = append(out.files, file{"capacity-scheduler.xml", doc.Bytes(), "shares of the queues by kind of node"},
			file{"nodes.yaml", rec.NodesYAML, "the cluster with its node labels"})
	}
	return out, nil
}

// jobsOf holds the jobs that rates are computed from, for a recommendation.
type jobsOf struct {
	*scenario.Case // Doc is nil without a queue file
	class          func(int) string
}

// resources is how many count: memory, and vcores unless a node or the queue file has none.
func (j *jobsOf) resources() int {
	few := slices.ContainsFunc(j.Cluster.Nodes, func(n simcore.Node) bool { return n.Capacity[simcore.VCores] <= 0 })
	if few || j.Doc != nil && !strings.HasSuffix(j.Doc.Value(yarnconf.Prefix+"resource-calculator"),
		"DominantResourceCalculator") {
		return 1
	}
	return 2
}

// carried returns the multiple of the load that a configuration carries in simulation: the workload is submitted at
// once, and what it is done in compared with the time in which it was submitted. NaN where the run fails.
func (j *jobsOf) carried(e *env, name string, cluster *simcore.Cluster, changes []yarnconf.Change) text.Num {
	all, c := *j.Work, *j.Case
	all.Jobs = slices.Clone(all.Jobs)
	first, last := all.Jobs[0].Submit, all.Jobs[len(all.Jobs)-1].Submit
	for i := range all.Jobs {
		all.Jobs[i].Submit = first
	}
	c.Cluster, c.Work = cluster, &all
	r, err := simulate.New(&c, simulate.Options{})
	if err == nil {
		var res *simcore.Result
		res, err = r.Run(context.Background(), simulate.Item{Changes: changes, Slowstart: -1, Seed: 1})
		if err == nil {
			return text.Num((last - first).Seconds() / simulate.Value(res, "makespan"))
		}
	}
	e.Warnf("with the %s configuration and all jobs submitted at once: %v", name, err)
	return text.Num(math.NaN())
}

func (f *allocationFlags) read(e *env) (*models.Rates, string, *jobsOf, error) {
	if f.rates != "" {
		var r *models.Rates
		err := readLogs(e, []string{f.rates}, func(list []models.Source, _ models.Reading) (_ *models.Intake, err error) {
			r, err = models.ReadRates(list[0].Name, list[0].R)
			return nil, err
		})
		return r, sourceOf([]string{f.rates}), nil, err
	}
	jobs, source, err := f.jobs(e)
	if err != nil {
		return nil, "", nil, err
	}
	w := jobs.Work
	name := func(i int) string {
		if k := w.Jobs[i].Class; k >= 0 {
			return w.Classes[k]
		}
		return "all jobs"
	}
	m, err := openClasses(f.classes, false)
	if err != nil {
		return nil, "", nil, err
	}
	if m != nil {
		if err := m.Saved.Validate(); err != nil { // classes of a table of jobs
			return nil, "", nil, &fileio.FileError{File: f.classes, Err: err}
		}
		facts := models.FactsOf(w)
		name = func(i int) string { return m.Name(facts[i]) }
	}
	jobs.class = name
	r, err := models.RatesOf(w, jobs.Cluster, name, nil)
	return r, source, jobs, err
}

// jobs reads the trace and its cluster, and with --config the queues of its jobs.
func (f *allocationFlags) jobs(e *env) (*jobsOf, string, error) {
	if f.config != "" {
		in := scenario.Files{Config: f.config, Cluster: f.cluster, Traces: f.traces.traces, QueueMap: f.queueMap,
			Embedded: len(f.traces.traces) == 0}
		if f.traces.flags.Changed("dataset") {
			in.Dataset = f.traces.dataset
		}
		c, err := in.Load()
		if err != nil {
			return nil, "", err
		}
		e.Notes(c.Notes...)
		return &jobsOf{Case: c}, c.Work.Name, nil
	}
	w, c, source, err := f.traces.onCluster(e, f.cluster)
	if err != nil {
		return nil, "", err
	}
	return &jobsOf{Case: &scenario.Case{Work: w, Cluster: c}}, source, nil
}
