package main

import (

	"github.com/spf13/cobra"

	"schedtune/datasets"
	"schedtune/internal/cli"
	"schedtune/internal/diagnose"
	"schedtune/internal/scenario"
	"schedtune/simcore"
	"schedtune/trace"
	"schedtune/yarnconf"
)

// explainFlags are the options of tune explain.
type explainFlags struct {
	cluster, queue, user, site string
	label, app, groups, hadoop string
	traces                     []string
	container, am              int64
}

func newExplainCmd(e *env) *cobra.Command {
	var f explainFlags
	c := &cobra.Command{
		Use:  "explain [FILE|-] [--queue Q] --user U",
		Args: cli.Args(cobra.MaximumNArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			return ending(c.Context(), func() error { return runExplain(e, fileOf(args), f) })
		},
	}
	fs := c.Flags()
	fs.StringVar(&f.queue, "queue", "", "leaf `QUEUE`, path or short name (default chosen by the placement rules)")
	fs.StringVar(&f.user, "user", "", "`USER` who submits the application (required)")
	fs.StringVar(&f.label, "label", "", "node `LABEL`; none: nodes without a label (default the queue's default-node-label-expression)")
	fs.StringVar(&f.app, "app", "", "`NAME` of the application, for placement rules that use it")
	groupsFlag(fs, &f.groups)
	hadoopFlag(fs, &f.hadoop)
	clusterFlag(fs, &f.cluster, " (default an embedded one)")
	siteFlag(fs, &f.site)
	fs.StringArrayVar(&f.traces, "trace", nil, "trace, a `FILE` or folder, with the requests of the user")
	cli.Number(fs, &f.container, "container", 0, cli.AtLeast[int64](1), "size of the user's containers in `MIB` (default from the trace, else 1024)")
	cli.Number(fs, &f.am, "am", 0, cli.AtLeast[int64](1), "size of the application master in `MIB` (default from the trace, else 1536)")
	return c
}

// explainJSON is the document of tune explain.
type explainJSON struct {
	Schema     string         `json:"schema"`
	File       string         `json:"file"`
	Queue      string         `json:"queue"`
	User       string         `json:"user"`
	Nodes      int            `json:"nodes"`
	Memory     int64          `json:"memory_mib"`
	VCores     int64          `json:"vcores"`
	Guaranteed int64          `json:"guaranteed_mib"`
	Maximum    int64          `json:"maximum_mib"`
	Container  int64          `json:"container_mib"`
	AM         int64          `json:"am_mib"`
	Growth     []limitJSON    `json:"growth"`    // count = containers, tightest first
	Running    []limitJSON    `json:"running"`   // count = applications at a time
	Admission  []limitJSON    `json:"admission"` // count = applications accepted
	Sharing    []shareJSON    `json:"sharing"`
	Findings   []string       `json:"findings"`
	Advice     []adviceJSON   `json:"advice"`
	Trace      *diagnose.Load `json:"trace,omitempty"`

	Label      string            `json:"label,omitempty"` // of the nodes looked at
	Partitions []partTermsJSON   `json:"partitions,omitempty"`
	Placed     []placedJSON      `json:"placed_by,omitempty"`
	Made       bool              `json:"made_on_first_use,omitempty"`
	Template   map[string]string `json:"template,omitempty"`

	OffSwitch offSwitchJSON `json:"off_switch"`
}

// offSwitchJSON is the most containers allocated without locality.
type offSwitchJSON struct {
	PerBeat   int     `json:"per_node_heartbeat"`
	PerSecond float64 `json:"per_second"`
}

type partTermsJSON struct {
	Label      string `json:"label"`
	Nodes      int    `json:"nodes"`
	Memory     int64  `json:"memory_mib"`
	Shared     bool   `json:"shared"`
	Access     bool   `json:"access"`
	Guaranteed int64  `json:"guaranteed_mib"`
	Maximum    int64  `json:"maximum_mib"`
	LoneUser   int64  `json:"lone_user_mib"`
	Masters    int64  `json:"masters_mib"`
}

type placedJSON struct {
	Rule   string `json:"rule"`
	Effect string `json:"effect"`
	Path   string `json:"path,omitempty"`
	Reason string `json:"reason,omitempty"`
}

type limitJSON struct {
	What     string  `json:"limit"`
	Count    *int64  `json:"count"` // null = no limit
	Memory   int64   `json:"memory_mib,omitempty"`
	Share    float64 `json:"cluster_share,omitempty"`
	Property string  `json:"property"`
	Value    string  `json:"value"`
	Line     int     `json:"line,omitempty"`
}

type shareJSON struct {
	Users  int     `json:"users"`
	Memory int64   `json:"memory_mib"`
	Share  float64 `json:"cluster_share"`
}

type adviceJSON struct {
	For     string        `json:"for"`
	Changes []advisedJSON `json:"changes"`
	After   limitJSON     `json:"after"`
}

type advisedJSON struct {
	Property string `json:"property"`
	Present  string `json:"present"`
	Value    string `json:"value"`
	Restart  string `json:"restart,omitempty"`
}

func runExplain(e *env, path string, f explainFlags) error {
	if f.user == "" {
		return cli.Usagef("--user: missing")
	}
	if err := cli.StdinOnce("-", append([]string{path, f.site}, f.traces...)...); err != nil {
		return err
	}
	docs, _, err := loadFor(e, f.hadoop, f.site, path)
	if err != nil {
		return err
	}
	doc := docs[0]
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
	q := diagnose.LimitsQuestion{Doc: doc, Cluster: cluster, Queue: f.queue, User: f.user, App: f.app, Label: f.label}
	if f.groups != "" {
		all, err := scenario.LoadGroups(f.groups)
		if err != nil {
			return err
		}
		q.Groups = all[f.user]
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
	if e.JSON {
		return e.WriteJSON(explainOut(doc.Name(), a))
	}
	return a.Print(e.Stdout)
}

func explainCluster(e *env, path string) (*simcore.Cluster, error) {
	if path == "" {
		set, err := datasets.Load(scenario.DefaultSet)
		if err != nil {
			return nil, err
		}
		e.Notef("no --cluster: using the embedded one, %d nodes", len(set.Cluster.Nodes))
		return set.Cluster, nil
	}
	f, err := scenario.LoadCluster(path)
	if err != nil {
		return nil, err
	}
	for _, n := range f.Notes {
		e.Notef("%s: %s", path, n)
	}
	return f.Cluster, nil
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

func explainOut(path string, a *diagnose.LimitsAnswer) explainJSON {
	out := explainJSON{Schema: "schedtune/explain/v1", File: path, Queue: a.Queue, User: a.User, Nodes: a.Nodes,
		Memory: a.Total.Memory, VCores: a.Total.VCores, Guaranteed: a.Guaranteed.Memory, Maximum: a.Most.Memory,
		Container: a.Container.Memory, AM: a.AM.Memory, Growth: limitsOut(a.Growth), Running: limitsOut(a.Running),
		Admission: limitsOut(a.Admission), Findings: append([]string{}, a.Findings...), Sharing: []shareJSON{}, Advice: []adviceJSON{},
		Trace: a.Load, OffSwitch: offSwitchJSON{a.Rate.OffSwitchPerBeat, a.Rate.PerSecond}}
	out.Label, out.Made = a.Label, a.Made
	if a.Made {
		out.Template = changeMap(a.Template)
	}
	for _, p := range a.Partitions {
		out.Partitions = append(out.Partitions, partTermsJSON{p.Label, p.Nodes, p.Total.Memory, p.Label != "" && !p.Exclusive, p.Access, p.Guaranteed.Memory, p.Most.Memory, p.LoneUser.Memory, p.Masters.Memory})
	}
	for _, p := range a.Placed {
		out.Placed = append(out.Placed, placedJSON{p.Text, p.Effect, p.Path, p.Reason})
	}
	for _, s := range a.Sharing {
		out.Sharing = append(out.Sharing, shareJSON{s.Users, s.Limit.Memory, s.Of})
	}
	for _, ad := range a.Advice {
		j := adviceJSON{For: ad.For, After: limitOut(ad.After)}
		for _, c := range ad.Changes {
			j.Changes = append(j.Changes, advisedJSON{c.Key, c.Present, c.Value, c.Restart})
		}
		out.Advice = append(out.Advice, j)
	}
	return out
}

func limitsOut(ls []diagnose.Limit) []limitJSON {
	out := []limitJSON{}
	for _, l := range ls {
		out = append(out, limitOut(l))
	}
	return out
}

func limitOut(l diagnose.Limit) limitJSON {
	j := limitJSON{What: l.What, Memory: l.Resource.Memory, Share: l.Share, Property: l.Key, Value: l.Value, Line: l.Line}
	if l.Count != diagnose.Unlimited {
		j.Count = &l.Count
	}
	return j
}
