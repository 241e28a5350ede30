package scenario

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"schedtune/datasets"
	"schedtune/simcore"
	"schedtune/simcore/yarn"
	"schedtune/trace"
	"schedtune/yarnconf"
)

// Files are the files a command is given. With none at all the embedded data set
// is taken; once one is given, a missing one is an error unless Embedded is set.
type Files struct {
	Config      string   // capacity-scheduler.xml
	Site        string   // yarn-site.xml behind it: minimum and maximum allocation, preemption; may be empty
	Cluster     string   // cluster YAML, ResourceManager nodes JSON, …
	Traces      []string // files or folders; several are merged
	QueueMap    string   // rules of Placement
	Groups      string   // users' groups, for the file's own queue mappings
	Calibration string   // latencies, a file of `fit durations`
	Hadoop      string   // version whose rules count; empty: the pulled cluster's, else 3.4
	SkipBroken  bool     // leave out files of a trace folder that cannot be read, with a note
	// TezContainer is the size of containers of Tez where nothing tells it, MiB; 0 = none.
	TezContainer int64
	Embedded     bool   // the embedded data set replaces what is not given
	Dataset      string // name of that set; empty: DefaultSet
	// Users is how many users the jobs of a trace that names neither users nor
	// queues are assigned to at random; 0 = such a trace is refused.
	Users int
	// Before has the trace read as it was recorded, before the transformations that its notes name, on the
	// machines that it was recorded on.
	Before bool
	// Oversized lets jobs request more than any container may have: runs refuse it.
	Oversized bool
	// IgnoreStanding lets a case leave out standing load that the trace does not tell.
	IgnoreStanding bool
}

// Case is a queue file, a cluster and a workload that belong together.
type Case struct {
	Doc *yarnconf.Document // nil where the jobs stay in the queues of the trace
	// Props are the properties of a YARN scheduler: Doc, or yarn-site.xml alone.
	Props   yarnconf.Props
	MR1     *yarnconf.MR1 // the queue file of Hadoop 1's Capacity Scheduler; nil without one
	Set     *datasets.Set // the embedded data set it is, nil otherwise
	Cluster *simcore.Cluster
	Work    *simcore.Workload
	// Standing is the standing load of the trace, in the queues and users of Work, and
	// StandingShare its part of the cluster's memory.
	Standing      []simcore.Job
	StandingShare float64
	Calibration   *yarn.Calibration
	// Notes says what was assumed and which inputs are embedded, one line each.
	Notes []string
	// Warnings are oddities of the files.
	Warnings []string
	// Unmodelled is what the files ask for and the simulator does not do, as nouns:
	// a verdict on the case carries it.
	Unmodelled []string

	// Resized says which containers of the trace are simulated in another size than
	// recorded, because the bounds of yarn-site.xml are not known.
	Resized []string

	// Store is how the cluster keeps its queues, as far as the inputs tell: StoreMutable,
	// StoreFile or empty. RM is the address that the queue file was pulled from, or empty.
	Store, RM string

	recorded      bool     // the cluster came with the trace
	sited         bool     // settings recorded with the trace replace --site
	unknownLabels []string // that shares or jobs ask for and no node has
	// Completions are the recorded completion times of jobs that succeeded, by
	// the job's ID.
	Completions map[string]simcore.Time
	// Recorded is the trace as it was read, nil for embedded and generated ones.
	Recorded *trace.Trace
}

// DefaultSet is the data set that replaces missing inputs, EmbeddedConfig what its
// queue file is called.
const (
	DefaultSet     = "default"
	EmbeddedConfig = "capacity-scheduler.xml (embedded)"
)

// set is the embedded data set that replaces missing inputs.
func (in *Files) set() (*datasets.Set, error) {
	name := cmp.Or(in.Dataset, DefaultSet)
	set, err := datasets.Load(name)
	if err == nil && (set.ConfigXML == nil || set.Config.Model == simcore.Resources) {
		err = &FlagError{Flag: "--dataset", Err: fmt.Errorf("%s: has no capacity-scheduler.xml of YARN", name)}
	}
	return set, err
}

// Load reads the inputs. Errors name file, place and what is allowed.
func (in *Files) Load() (*Case, error) {
	set, err := in.set()
	if err != nil {
		return nil, err
	}
	if in.own() && in.Config == "" {
		return nil, missing("--config", "the capacity-scheduler.xml in force", "tune pull --rm http://HOST:8088 fetches "+
			"it where the ResourceManager keeps it; else it is in /etc/hadoop/conf")
	}
	c, err := in.begin()
	if err != nil {
		return nil, err
	}
	if err := in.loadConfig(c, set); err != nil {
		return nil, err
	}
	if in.own() && len(in.Traces) == 0 {
		return nil, missing("--trace", "the histories of what ran on this cluster", "tune pull fetches them from the "+
			"history server; docs/inputs.md tells how to get them out of HDFS")
	}
	if err := in.loadCluster(c, set); err != nil {
		return nil, err
	}
	if err := in.loadTrace(c, set); err != nil {
		return nil, err
	}
	c.noteEmbedded(in)
	c.Warnings = append(c.Warnings, in.Incomplete()...)
	c.Props = c.Doc
	if conf, err := yarnconf.Evaluate(c.Doc); err == nil {
		if err := c.partStanding(conf); err != nil {
			return nil, err
		}
	}
	return c, c.warn(in)
}

// begin is a case with the calibration alone.
func (in *Files) begin() (c *Case, err error) {
	c = &Case{Calibration: yarn.Default()}
	if in.Calibration != "" {
		c.Calibration, err = yarn.LoadCalibration(in.Calibration)
	}
	return c, err
}

// LoadIdle reads queue file, cluster and calibration without any jobs.
func (in *Files) LoadIdle() (*Case, error) {
	set, err := in.set()
	if err != nil {
		return nil, err
	}
	c, err := in.begin()
	if err == nil {
		err = in.loadConfig(c, set)
	}
	if err == nil {
		err = in.loadCluster(c, set)
	}
	if err != nil {
		return nil, err
	}
	c.Work, c.Props = &simcore.Workload{Name: in.Cluster}, c.Doc
	return c, nil
}

// own reports whether any file is given that must have its companions: what a
// study says of one cluster must not rest on another's machines or jobs.
func (in *Files) own() bool {
	return !in.Embedded && (in.Config != "" || in.Site != "" || in.Cluster != "" || len(in.Traces) > 0)
}

// missing is the error of an input that must be given beside others.
func missing(flag, what, how string) error {
	return &HintError{Err: &FlagError{Flag: flag, Err: fmt.Errorf("missing beside your other files; use %s, or "+
		"--embedded to try things on embedded data", what)}, Advice: how}
}

func (in *Files) loadConfig(c *Case, set *datasets.Set) (err error) {
	if in.Config == "" {
		c.Doc, err = yarnconf.Parse(EmbeddedConfig, set.ConfigXML)
	} else {
		c.Doc, err = yarnconf.Load(in.Config)
	}
	if err != nil {
		return err
	}
	site, err := in.site(c)
	if err != nil {
		return err
	}
	if site != nil {
		c.Doc = c.Doc.WithSite(site)
	}
	v, note, err := VersionOf(in.Hadoop, in.Config)
	if note != "" {
		c.Notes = append(c.Notes, note)
	}
	if err != nil {
		return err
	}
	c.Doc = c.Doc.ForHadoop(v)
	c.store(in)
	if yarnconf.IsMR1(c.Doc) {
		return &HintError{Err: fmt.Errorf("%s: is a queue file of Hadoop 1; use a capacity-scheduler.xml of Hadoop 2 or 3, "+
			"or --scheduler capacity-mr1", c.Doc.Name()),
			Advice: "tune check prints the nearest settings of YARN's Capacity Scheduler"}
	}
	var bad []error
	loads := map[string]bool{}
	for _, p := range c.Doc.Validate() {
		if p.Severity == yarnconf.Error {
			bad = append(bad, p)
			loads[p.Error()] = true
		}
	}
	for _, w := range c.Doc.Warnings() {
		w.Severity = yarnconf.Error // whoever prints it says that it is a warning
		c.Warnings = append(c.Warnings, w.Error())
	}
	c.noteIncludes()
	for _, p := range yarnconf.Check(c.Doc).Problems {
		if p.Severity == yarnconf.Error && !loads[p.Error()] {
			c.Warnings = append(c.Warnings, "a refresh would reject this: "+p.Error())
		}
	}
	return errors.Join(bad...)
}

// noteIncludes reports files that the queue file includes: they are not copied
// into an output folder, and the tuned file means nothing without them.
func (c *Case) noteIncludes() {
	var files []string
	for _, p := range c.Doc.Properties() {
		if p.File != c.Doc.Name() && !slices.Contains(files, p.File) {
			files = append(files, p.File)
		}
	}
	if len(files) > 0 {
		c.Warnings = append(c.Warnings, fmt.Sprintf("%s includes %s: keep a copy beside the tuned file, also for tune check "+
			"and tune apply", c.Doc.Name(), strings.Join(files, ", ")))
	}
}

func (in *Files) loadCluster(c *Case, set *datasets.Set) error {
	if in.Cluster == "" {
		c.Cluster = set.Cluster
		return nil
	}
	if err := in.readCluster(c); err != nil {
		return err
	}
	for _, n := range c.Cluster.All() {
		if n.Capacity[simcore.Memory] <= 0 {
			return fmt.Errorf("%s: node %s has no memory; use memory (MiB) above 0 for a YARN cluster", in.Cluster, n.Name)
		}
	}
	return nil
}

// readCluster takes the machines of --cluster.
func (in *Files) readCluster(c *Case) error {
	f, err := LoadCluster(in.Cluster)
	if err == nil {
		c.Cluster, c.Notes = f.Cluster, append(c.Notes, f.Notes...)
	}
	return err
}

func (c *Case) noteEmbedded(in *Files) {
	var missing []string
	for _, f := range []struct{ name, value string }{{"--config", in.Config}, {"--cluster", in.Cluster},
		{"--trace", strings.Join(in.Traces, "")}} {
		if f.value == "" && !(f.name == "--cluster" && c.recorded) {
			missing = append(missing, f.name)
		}
	}
	if len(missing) > 0 && !in.Embedded { // it was asked for
		c.Notes = append(c.Notes, fmt.Sprintf("no %s: the embedded data set %q is used", strings.Join(missing, ", "),
			cmp.Or(in.Dataset, DefaultSet)))
	}
}

// Total is the cluster's memory and vcores.
func (c *Case) Total() yarnconf.Resource {
	var t yarnconf.Resource
	for i := range c.Cluster.Nodes {
		n := &c.Cluster.Nodes[i]
		t = t.Add(yarnconf.Resource{Memory: n.Capacity[simcore.Memory], VCores: n.Capacity[simcore.VCores]})
	}
	return t
}
