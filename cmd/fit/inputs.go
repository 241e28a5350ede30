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

// check returns a usage error for a data set beside traces or other input, and for a trace
// given twice. other names the flag of the other input, if given.
func (t *traceFlags) check(other string) error {
	if len(t.traces) > 0 {
		other = "--trace"
	}
	if other != "" && t.flags.Changed("dataset") {
		return cli.Usagef("%s, --dataset: exclude each other", other)
	}
	if err := cli.StdinOnce("--trace -", t.traces...); err != nil {
		return err
	}
	if err := trace.Distinct(t.traces); err != nil {
		return cli.Usagef("--trace %w", err)
	}
	return nil
}

// open reads the traces.
func (t *traceFlags) open(e *env) ([]*trace.Trace, error) {
	var out []*trace.Trace
	progress := e.NewProgress(int64(len(t.traces)), "histories")
	defer progress.Finish()
	for i, p := range t.traces {
		tr, err := trace.Open(p, trace.Options{Format: t.from, Stdin: e.Stdin})
		if err != nil {
			return nil, err
		}
		for _, n := range tr.Notes {
			e.Notef("%s: %s", p, n)
		}
		out = append(out, tr)
		progress.Set(int64(i+1), p)
	}
	return out, nil
}

// histories reads the traces or, without any, simulates the embedded data set on Hadoop 1 under
// Fair for its history.
func (t *traceFlags) histories(e *env, cfg mr1.Config) ([]*trace.Trace, string, error) {
	if len(t.traces) > 0 {
		list, err := t.open(e)
		return list, t.source(), err
	}
	s, err := t.embedded(e)
	if err != nil {
		return nil, "", err
	}
	e.Notef("its history is simulated: Hadoop 1, scheduler fair, seed %d", cfg.Seed)
	h, err := models.SimulatedHistory(s.Cluster, s.Workload, cfg)
	return []*trace.Trace{h}, "data set " + s.Name + ", simulated", err
}

// source returns the names of the traces for results: base names, since paths differ between
// machines.
func (t *traceFlags) source() string {
	var names []string
	for _, p := range t.traces {
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

// workloads reads the traces as workloads, or the embedded set's.
func (t *traceFlags) workloads(e *env) ([]*simcore.Workload, *simcore.Cluster, string, error) {
	if len(t.traces) == 0 {
		s, err := t.embedded(e)
		if err != nil {
			return nil, nil, "", err
		}
		return []*simcore.Workload{s.Workload}, s.Cluster, "data set " + s.Name, nil
	}
	list, err := t.open(e)
	if err != nil {
		return nil, nil, "", err
	}
	var out []*simcore.Workload
	for _, tr := range list {
		w, notes, err := tr.Workload(trace.WorkloadOptions{AfterUp: true})
		if err != nil {
			return nil, nil, "", err
		}
		for _, n := range notes {
			e.Notef("%s: %s", tr.Name, n)
		}
		out = append(out, w)
	}
	return out, nil, t.source(), nil
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
	err := fileio.OpenJSON(path, P(m))
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		err = &fileio.FileError{File: path, Reason: "is not a model.json of fit: " + syntax.Error(), Err: err}
	}
	return m, err
}
