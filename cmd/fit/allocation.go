package main

import (
	"bytes"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"schedtune/internal/cli"
	"schedtune/internal/fileio"
	"schedtune/internal/models"
	"schedtune/internal/scenario"
	"schedtune/simcore"
	"schedtune/yarnconf"
)

// allocationFlags are the flags of fit allocation.
type allocationFlags struct {
	traces                  traceFlags
	rates, cluster, classes string
	solver                  string
	out                     outFlags
	even                    bool
	config, queueMap        string
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
classification made by fit classes.

With --config the answer is also a recommendation for YARN: kinds of node become
node labels, and the queues' shares of them follow from the classes of their
jobs. --out then holds a capacity-scheduler.xml and a nodes.yaml with the labels,
which tune check, simulate and compare take.`,
		Example: `  fit allocation --rates rates.csv
  fit allocation --trace history/ --cluster nodes.json --classes classes/model.json
  fit allocation --config capacity-scheduler.xml --trace history/ --cluster nodes.json --out advice`,
		Args: cli.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			other := ""
			if f.rates != "" {
				other = "--rates"
			}
			if err := f.traces.check(c, other); err != nil {
				return err
			}
			return f.out.run(c.Context(), e, func() (*found, error) { return runAllocation(e, &f) })
		},
	}
	f.add(c)
	return c
}

func (f *allocationFlags) add(c *cobra.Command) {
	f.traces.add(c, "coshh-facebook")
	cli.Group(c.Flags(), "Input", func(fs *pflag.FlagSet) {
		fs.StringVar(&f.rates, "rates", "", "table of rates, `FILE` or - for standard input, in place of a trace")
		fs.StringVar(&f.cluster, "cluster", "", "cluster `FILE`: YAML, or the ResourceManager's /ws/v1/cluster/nodes JSON, or a CSV table (required with --trace)")
		fs.StringVar(&f.classes, "classes", "", "model `FILE` of fit classes that names the jobs' classes")
		fs.StringVar(&f.config, "config", "", "capacity-scheduler.xml `FILE`: recommend node labels and shares of its queues")
		fs.StringVar(&f.queueMap, "queue-map", "", "with --config: queues of jobs, comma-separated `RULES` u:USER:QUEUE or q:OLD:NEW, * matches all")
	})
	cli.Group(c.Flags(), "Solution", func(fs *pflag.FlagSet) {
		cli.Choice(fs, &f.solver, "solver", "simplex", models.Solvers(), "`SOLVER` of the linear program; clp in builds with that tag")
		fs.BoolVar(&f.even, "even", false, "give equal nodes equal shares instead of few classes each")
	})
	f.out.add(c, "allocation.csv, allocation.svg and the summary")
}

func runAllocation(e *env, f *allocationFlags) (*found, error) {
	if f.rates != "" && (len(f.traces.traces) > 0 || f.cluster != "" || f.classes != "") {
		return nil, cli.Usagef("--rates with --trace, --cluster or --classes; allowed: a table or a trace")
	}
	if f.rates != "" && f.config != "" || f.config == "" && f.queueMap != "" {
		return nil, cli.Usagef("--config with --rates, or --queue-map without --config; allowed: --config with a trace, --queue-map beside it")
	}
	rates, source, job, err := f.read(e)
	if err != nil {
		return nil, err
	}
	r, err := models.FitAllocation(source, rates, f.solver, f.even)
	if err != nil {
		return nil, err
	}
	table, err := r.WriteCSV()
	if err != nil {
		return nil, err
	}
	files := []fileio.OutputFile{{Name: "allocation.csv", Data: table}, {Name: "allocation.svg", Data: r.Chart()}}
	lines := []string{"allocation.csv  share of each node by class", "allocation.svg  the same as a chart"}
	if job != nil && job.doc != nil {
		rec, err := r.Recommend(job.doc, job.work, job.cluster, job.class)
		if err != nil {
			return nil, &fileio.FileError{File: f.config, Err: err}
		}
		doc, err := job.doc.EditValid(rec.Changes)
		if err != nil {
			return nil, err
		}
		r.Recommended = rec.Groups
		files = append(files, fileio.OutputFile{Name: "capacity-scheduler.xml", Data: doc.Bytes()}, fileio.OutputFile{Name: "nodes.yaml", Data: rec.NodesYAML()})
		lines = append(lines, "capacity-scheduler.xml  shares of the queues by kind of node", "nodes.yaml      the cluster with its node labels")
	}
	return &found{r, files, readme("allocation", lines...)}, nil
}

// jobsOf are the jobs behind rates, for a recommendation.
type jobsOf struct {
	doc     *yarnconf.Document
	work    *simcore.Workload
	cluster *simcore.Cluster
	class   func(int) string
}

func (f *allocationFlags) read(e *env) (*models.Rates, string, *jobsOf, error) {
	if f.rates == "-" {
		r, err := models.ReadRates("stdin", e.Stdin)
		return r, "stdin", nil, err
	}
	if f.rates != "" {
		b, err := fileio.ReadFile(f.rates, fileio.Small)
		if err != nil {
			return nil, "", nil, fileio.OpenError(f.rates, err)
		}
		r, err := models.ReadRates(f.rates, bytes.NewReader(b))
		return r, filepath.Base(f.rates), nil, err
	}
	if len(f.traces.traces) != 1 && len(f.traces.traces) != 0 {
		return nil, "", nil, cli.Usagef("%d traces; allowed: one", len(f.traces.traces))
	}
	jobs, source, err := f.jobs(e)
	if err != nil {
		return nil, "", nil, err
	}
	w := jobs.work
	name := func(i int) string {
		if k := w.Jobs[i].Class; k >= 0 {
			return w.Classes[k]
		}
		return "all jobs"
	}
	if f.classes != "" {
		m, err := readModel(f.classes, validated(&models.ClassesModel{}))
		if err != nil {
			return nil, "", nil, err
		}
		facts := models.FactsOf(w)
		name = func(i int) string { return m.Name(&facts[i]) }
	}
	jobs.class = name
	r, err := models.RatesOf(w, jobs.cluster, name)
	return r, source, jobs, err
}

// jobs reads the trace and its cluster, and with --config the queues of its jobs.
func (f *allocationFlags) jobs(e *env) (*jobsOf, string, error) {
	if f.config != "" {
		in := scenario.Files{Config: f.config, Cluster: f.cluster, Traces: f.traces.traces, QueueMap: f.queueMap, Embedded: len(f.traces.traces) == 0}
		c, err := in.Load()
		if err != nil {
			return nil, "", err
		}
		for _, n := range c.Notes {
			e.Notef("%s", n)
		}
		return &jobsOf{doc: c.Doc, work: c.Work, cluster: c.Cluster}, c.Work.Name, nil
	}
	ws, c, source, err := f.traces.workloads(e)
	if err != nil {
		return nil, "", err
	}
	switch {
	case f.cluster != "":
		if c, err = openCluster(e, f.cluster); err != nil {
			return nil, "", err
		}
	case c == nil:
		return nil, "", cli.Usagef("--trace without --cluster; allowed: both, as the rates are those of a trace on a cluster")
	}
	return &jobsOf{work: ws[0], cluster: c}, source, nil
}
