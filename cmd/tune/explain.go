package main

import (
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"schedtune/datasets"
	"schedtune/internal/cli"
	"schedtune/internal/diagnose"
	"schedtune/internal/report"
	"schedtune/internal/scenario"
	"schedtune/internal/text"
	"schedtune/simcore"
	"schedtune/trace"
	"schedtune/yarnconf"
)

// explainFlags are the options of tune explain.
type explainFlags struct {
	q                             diagnose.LimitsQuestion
	cluster, site, groups, hadoop string
	against                       string
	traces                        []string
	container, am                 int64
}

func newExplainCmd(e *env) *cobra.Command {
	var f explainFlags
	c := subcommand("explain [FILE|-] [--queue Q] --user U", cli.Args(cobra.MaximumNArgs(1)), func(ctx context.Context,
		args []string) error {
		return ending(ctx, func() error { return f.run(e, strings.Join(args, "")) })
	})
	fs := c.Flags()
	fs.StringVar(&f.q.Queue, "queue", "", "leaf `QUEUE`, path or short name (default chosen by the placement rules)")
	fs.StringVar(&f.q.User, "user", "", "`USER` who submits the application (required)")
	fs.StringVar(&f.q.Label, "label", "", "node `LABEL`; none: nodes without a label (default the queue's "+
		"default-node-label-expression)")
	fs.StringVar(&f.q.App, "app", "", "`NAME` of the application, for placement rules that use it")
	fs.StringVar(&f.against, "against", "", "current `FILE`: show what changes for each queue, without --user")
	groupsFlag(fs, &f.groups)
	hadoopFlag(fs, &f.hadoop)
	clusterFlag(fs, &f.cluster, " (default an embedded one)")
	siteFlag(fs, &f.site)
	fs.StringArrayVar(&f.traces, "trace", nil, "trace, a `FILE` or folder, with the requests of the user")
	cli.Number(fs, &f.container, "container", 0, cli.AtLeast[int64](1), "size of the user's containers in `MIB` "+
		"(default from the trace, else 1024)")
	cli.Number(fs, &f.am, "am", 0, cli.AtLeast[int64](1), "size of the application master in `MIB` (default from the "+
		"trace, else 1536)")
	c.PreRunE = func(*cobra.Command, []string) error {
		return beside(fs.Changed, "against", "user", "queue", "label", "app", "groups", "container")
	}
	return c
}

// validate returns a usage error for a missing user, and if standard input is read twice.
func (f *explainFlags) validate(path string) error {
	if f.q.User == "" && f.against == "" {
		return cli.Usagef("--user: missing")
	}
	return cli.StdinOnce("-", append([]string{path, f.site}, f.traces...)...)
}

func (f *explainFlags) run(e *env, path string) error {
	if err := f.validate(path); err != nil {
		return err
	}
	doc, _, err := loadFor(e, f.hadoop, f.site, path)
	if err != nil {
		return err
	}
	if f.site == "" {
		site, note, err := (&scenario.Files{Config: path, Traces: f.traces}).RecordedSite()
		if err != nil {
			return err
		}
		if site != nil {
			e.Notef("%s", note)
			doc = doc.WithSite(site)
		}
	}
	cluster, err := explainCluster(e, f.cluster)
	if err != nil {
		return err
	}
	if f.against != "" {
		return f.compare(e, doc, cluster)
	}
	q := f.q
	q.Doc, q.Cluster = doc, cluster
	if f.groups != "" {
		all, err := scenario.LoadGroups(f.groups)
		if err != nil {
			return err
		}
		q.Groups = all[q.User]
	}
	if err := addTrace(e, &q, f.traces); err != nil {
		return err
	}
	if f.container > 0 {
		q.Container = yarnconf.Resource{Memory: f.container, VCores: 1}
	}
	if f.am > 0 {
		q.AM = yarnconf.Resource{Memory: f.am, VCores: 1}
	}
	a, err := diagnose.AskLimits(q)
	if err != nil {
		return err
	}
	return e.Show(a.Document(doc.Name()), a.Print)
}

// termsJSON is the document of tune explain --against.
type termsJSON struct {
	Schema  string                 `json:"schema"`
	File    string                 `json:"file"`
	Against string                 `json:"against"`
	Changes []changeJSON           `json:"changes"`
	Terms   []diagnose.TermsChange `json:"terms"` // of all queues that both files have
}

// compare shows what a changed configuration grants each queue.
func (f *explainFlags) compare(e *env, doc *yarnconf.Document, cluster *simcore.Cluster) error {
	present, _, err := loadFor(e, f.hadoop, f.site, f.against)
	if err != nil {
		return err
	}
	out := termsJSON{Schema: text.SchemaTerms, File: doc.Name(), Against: f.against,
		Changes: changesBetween(present, yarnconf.SchedulerChanges(present, doc))}
	am := yarnconf.Resource{Memory: f.am, VCores: 1}
	if out.Terms, err = diagnose.CompareTerms(present, doc, cluster, am); err != nil {
		return err
	}
	return e.Show(out, func(w io.Writer) error {
		err := printChanges(w, out.Changes)
		report.PrintTerms(w, out.Terms)
		return err
	})
}

func explainCluster(e *env, path string) (*simcore.Cluster, error) {
	if path != "" {
		return scenario.OpenCluster(path, e.Notef)
	}
	set, err := datasets.Load(scenario.DefaultSet)
	if err != nil {
		return nil, err
	}
	e.Notef("no --cluster: using the embedded one, %d nodes", len(set.Cluster.Nodes))
	return set.Cluster, nil
}

// addTrace adds the recorded load of the queue and the requests of the user. Traces have the
// full path of the queue.
func addTrace(e *env, q *diagnose.LimitsQuestion, paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	t, err := trace.OpenAll(paths, trace.Options{Stdin: e.Stdin})
	if err != nil {
		return err
	}
	c, _ := yarnconf.Evaluate(q.Doc)
	queue := q.Queue
	if i := c.Find(queue); i >= 0 {
		queue = c.Queues[i].Path
	}
	q.Load, q.Container, q.AM = diagnose.FromTrace(t, queue, q.User)
	return nil
}
