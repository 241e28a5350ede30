package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"schedtune/datasets"
	"schedtune/internal/cli"
	"schedtune/internal/fileio"
	"schedtune/internal/models"
	"schedtune/internal/scenario"
	"schedtune/simcore"
	"schedtune/simcore/mr1"
	"schedtune/trace"
)

// traceFlags hold the recorded workload.
type traceFlags struct {
	traces  []string
	from    string
	dataset string
	flags   *pflag.FlagSet
}

func (t *traceFlags) add(fs *pflag.FlagSet, dataset string) {
	t.flags = fs
	cli.Group(fs, "Input", func(fs *pflag.FlagSet) {
		fs.StringArrayVar(&t.traces, "trace", nil, "trace, a `FILE` or folder, - is standard input")
		cli.Choice(fs, &t.from, "from", "", trace.OpenFormats(), "`FORMAT` of the traces (default detected from the content)")
		cli.Choice(fs, &t.dataset, "dataset", dataset, datasets.Names(), "embedded data set `NAME`, used without --trace, "+
			"see tune help datasets")
	})
}

// check returns a usage error for two inputs of traces, a data set and the flag of another
// input, where that is given, and for a trace given twice.
func (t *traceFlags) check(flag string, given bool) error {
	if given && len(t.traces) > 0 {
		return cli.Usagef("%s, --trace: exclude each other", flag)
	}
	if len(t.traces) > 0 {
		flag, given = "--trace", true
	}
	if given && t.flags.Changed("dataset") {
		return cli.Usagef("%s, --dataset: exclude each other", flag)
	}
	return logsOnce("--trace", t.traces)
}

// each calls read with the path of each trace, and shows its notes.
func (t *traceFlags) each(e *env, read func(path string, o trace.Options) ([]trace.Note, error)) error {
	progress := e.NewProgress(int64(len(t.traces)), "histories")
	defer progress.Finish()
	for i, p := range t.traces {
		notes, err := read(p, trace.Options{Format: t.from, Stdin: e.Stdin})
		if err != nil {
			return err
		}
		for _, n := range notes {
			e.Notef("%s: %s", p, n)
		}
		progress.Set(int64(i+1), p)
	}
	return nil
}

// open reads the traces.
func (t *traceFlags) open(e *env) (out []*trace.Trace, err error) {
	err = t.each(e, func(path string, o trace.Options) ([]trace.Note, error) {
		tr, err := trace.Open(path, o)
		if err != nil {
			return nil, err
		}
		out = append(out, tr)
		return tr.Notes, nil
	})
	return out, err
}

// fairJobs is the scheduler of most simulated histories.
const fairJobs = "fair:pool=job"

// histories reads the traces or, without any, simulates the embedded data set on Hadoop 1 under
// the scheduler for its history.
func (t *traceFlags) histories(e *env, scheduler string, cfg mr1.Config) ([]*trace.Trace, string, error) {
	if len(t.traces) > 0 {
		list, err := t.open(e)
		return list, sourceOf(t.traces), err
	}
	s, err := t.embedded(e)
	if err != nil {
		return nil, "", err
	}
	name, _, _ := strings.Cut(scheduler, ":")
	e.Notef("its history is simulated: Hadoop 1, scheduler %s, seed %d", name, cfg.Seed)
	h, err := models.SimulatedHistory(s.Cluster, s.Workload, scheduler, cfg)
	return []*trace.Trace{h}, "data set " + s.Name + ", simulated", err
}

// sourceOf returns the names of files for results: base names, since paths differ between
// machines.
func sourceOf(paths []string) string {
	var names []string
	for _, p := range paths {
		if p == "-" {
			p = "stdin"
		}
		names = append(names, filepath.Base(p))
	}
	if n := len(names); n > 3 {
		return fmt.Sprintf("%s … %s (%d traces)", names[0], names[n-1], n)
	}
	return strings.Join(names, ", ")
}

// embedded loads the data set that is used without traces.
func (t *traceFlags) embedded(e *env) (*datasets.Set, error) {
	s, err := datasets.Load(t.dataset)
	if err != nil {
		return nil, err
	}
	e.Notef("no --trace: using the embedded data set %s", s.Name)
	return s, nil
}

// workload reads the trace as a workload, or the embedded set's with its cluster.
func (t *traceFlags) workload(e *env) (*simcore.Workload, *simcore.Cluster, string, error) {
	if len(t.traces) == 0 {
		s, err := t.embedded(e)
		if err != nil {
			return nil, nil, "", err
		}
		return s.Workload, s.Cluster, "data set " + s.Name, nil
	}
	list, err := t.open(e)
	if err != nil {
		return nil, nil, "", err
	}
	w, notes, err := list[0].Workload(trace.WorkloadOptions{AfterUp: true})
	for _, n := range notes {
		e.Notef("%s: %s", list[0].Name, n)
	}
	return w, nil, sourceOf(t.traces), err
}

// onCluster reads one trace and its cluster, or the embedded set's with its own where none is given.
func (t *traceFlags) onCluster(e *env, cluster string) (*simcore.Workload, *simcore.Cluster, string, error) {
	if n := len(t.traces); n > 1 || n > 0 && cluster == "" {
		return nil, nil, "", cli.Usagef("--trace: must be one, with --cluster, since rates depend on the nodes")
	}
	w, c, source, err := t.workload(e)
	if err == nil && cluster != "" {
		c, err = scenario.OpenCluster(cluster, e.Notef)
	}
	return w, c, source, err
}

// jobs reads the jobs of the traces, or of the embedded set.
func (t *traceFlags) jobs(e *env) ([]*models.Facts, string, error) {
	if len(t.traces) == 0 {
		w, _, source, err := t.workload(e)
		if err != nil {
			return nil, "", err
		}
		return models.FactsOf(w), source, nil
	}
	var all []*models.Facts
	err := t.each(e, func(path string, o trace.Options) ([]trace.Note, error) {
		jobs, notes, err := models.OpenFacts(path, o)
		all = append(all, jobs...)
		return notes, err
	})
	return all, sourceOf(t.traces), err
}

// openModel reads a saved model, nil for no path.
func openModel[T any, P interface {
	*T
	fileio.Validator
}](path string) (*T, error) {
	if path == "" {
		return nil, nil
	}
	m := new(T)
	return m, noModel(path, fileio.OpenJSON(path, P(m)))
}

// openClasses is openModel of classes, with the jobs they were made from or without.
func openClasses(path string, jobs bool) (*models.ClassesModel, error) {
	if path == "" {
		return nil, nil
	}
	m, err := models.OpenClasses(path, jobs)
	return m, noModel(path, err)
}

// noModel says of a file that is no JSON what it should be.
func noModel(path string, err error) error {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return &fileio.FileError{File: path, Reason: "is not a model.json of fit: " + syntax.Error(), Err: err}
	}
	return err
}
