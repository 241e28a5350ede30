package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"schedtune/datasets"
	"schedtune/internal/cli"
	"schedtune/internal/fileio"
	"schedtune/internal/scenario"
	"schedtune/simcore"
	"schedtune/trace"
)

// traceFlags hold the recorded workload.
type traceFlags struct {
	traces  []string
	from    string
	dataset string
}

func (t *traceFlags) add(c *cobra.Command, dataset string) {
	cli.Group(c.Flags(), "Input", func(fs *pflag.FlagSet) {
		fs.StringArrayVar(&t.traces, "trace", nil, "trace, a `FILE` or folder, - is standard input")
		cli.Choice(fs, &t.from, "from", "", trace.OpenFormats(), "`FORMAT` of the traces (default detected from the content)")
		cli.Choice(fs, &t.dataset, "dataset", dataset, datasets.Names(), "embedded data set `NAME`, used without --trace, "+
			"see tune help datasets")
	})
}

// outFlags hold the folder for results.
type outFlags struct{ cli.Output }

func (o *outFlags) add(c *cobra.Command, files string) {
	cli.Group(c.Flags(), "Output", func(fs *pflag.FlagSet) { o.Flags(fs, files, true) })
}

// run computes the result and writes it; an interruption ends the computation.
func (o *outFlags) run(ctx context.Context, e *env, work func() (*found, error)) error {
	return e.Into(&o.Output, "fit", func(d *fileio.Dir) error {
		f, err := cli.Interruptible(ctx, work)
		if err != nil {
			return err
		}
		return f.finish(e, d, o.Dir)
	})
}

// check returns a usage error for a data set beside traces or other input, and for a trace
// given twice. other names the flag of the other input, if given.
func (t *traceFlags) check(c *cobra.Command, other string) error {
	if len(t.traces) > 0 {
		other = "--trace"
	}
	if other != "" && c.Flags().Changed("dataset") {
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
	for _, p := range t.traces {
		tr, err := trace.Open(p, trace.Options{Format: t.from, Stdin: e.Stdin})
		if err != nil {
			return nil, err
		}
		for _, n := range tr.Notes {
			e.Notef("%s: %s", p, n)
		}
		out = append(out, tr)
	}
	return out, nil
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

// openCluster reads --cluster.
func openCluster(e *env, path string) (*simcore.Cluster, error) {
	f, err := scenario.LoadCluster(path)
	if err != nil {
		return nil, err
	}
	for _, n := range f.Notes {
		e.Notef("%s: %s", path, n)
	}
	return f.Cluster, nil
}
