package rm

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"sort"
	"strconv"
	"strings"

	"schedtune/internal/scenario"
	"schedtune/internal/text"
	"schedtune/yarnconf"
)

// Files of a pulled folder. Together they are a study's input as it is:
// --config, --cluster, --site and --trace take FileConfig, FileNodes, FileSite
// and DirTrace.
const (
	FileSummary   = "summary.json"
	FileInfo      = "info.json"
	FileNodes     = "nodes.json"
	FileScheduler = "scheduler.json"
	FileMetrics   = "metrics.json"
	FileApps      = "apps.json"
	FileConfig    = "capacity-scheduler.xml"
	FileSite      = "yarn-site.xml"
	DirTrace      = "trace"
)

const cluster = "/ws/v1/cluster"

// Sink takes the files of a pull. Have lets a pull that was cut off go on.
type Sink interface {
	WriteFile(name string, data []byte) error
	Have(name string) bool
}

// PullOptions say what to read.
type PullOptions struct {
	// Since and Until bound the applications and jobs by their start, in
	// milliseconds since the epoch.
	Since, Until int64
	// Page is the most applications or jobs asked for at a time, default 1000.
	Page int
	// MaxJobs bounds how many finished jobs are read with their tasks, newest
	// first; 0 = all.
	MaxJobs int
	// Config is the capacity-scheduler.xml, for clusters that keep it in a file
	// and do not show it.
	Config []byte
	// Jobs is of how many MapReduce jobs the caller has the history, without a server.
	Jobs int
	// MaxNow bounds how many applications that run at this moment are asked for their
	// containers; 0 = DefaultMaxNow, negative = what runs now is not read.
	MaxNow int
	// Spark is the Spark history server, nil = none.
	Spark *Client
	// Progress hears of finished steps; may be nil.
	Progress func(done, total int, what string)
	// Encode makes a document of the summary.
	Encode func(any) ([]byte, error)
}

// PullSummary says what a pull brought; Missing is what a history server did not give of it.
type (
	PullSummary = scenario.PullSummary
	Missing     = scenario.Missing
)

// puller carries one pull.
type puller struct {
	rm, hist *Client
	out      Sink
	opt      PullOptions
	sum      PullSummary
	done     int
	total    int
	// unwritten is the first error of out, which no further request would cure.
	unwritten error
}

// Pull reads a cluster into a folder. hist may be nil. Errors name the address
// and what went wrong; what was written until then can be gone on from. Where only
// something of a history server could not be read, the error is an *Incomplete, and the
// summary is returned and written.
func Pull(ctx context.Context, rm, hist *Client, out Sink, opt PullOptions) (*PullSummary, error) {
	if opt.Page <= 0 {
		opt.Page = 1000
	}
	p := &puller{rm: rm, hist: hist, out: out, opt: opt, total: 9}
	p.sum = PullSummary{Schema: text.SchemaPull, RM: rm.Address(), Since: opt.Since, Until: opt.Until, Files: []string{},
		Notes: []string{}}
	steps := []func(context.Context) error{p.info, p.nodes, p.now, p.scheduler, p.metrics, p.config, p.site, p.history,
		p.spark, p.apps}
	for _, s := range steps {
		if err := s(ctx); err != nil {
			return nil, err
		}
		p.step("")
	}
	if err := WriteSummary(out, &p.sum, opt.Encode); err != nil {
		return nil, err
	}
	if len(p.sum.Missing) > 0 {
		return &p.sum, &Incomplete{p.sum.Missing}
	}
	return &p.sum, nil
}

// WriteSummary writes a pull's summary, which marks the folder as complete.
func WriteSummary(out Sink, s *PullSummary, encode func(any) ([]byte, error)) error {
	sort.Strings(s.Files)
	data, err := encode(s)
	if err != nil {
		return err
	}
	return out.WriteFile(FileSummary, data)
}

func (p *puller) step(what string) {
	p.done++
	if p.opt.Progress != nil {
		p.opt.Progress(p.done, max(p.total, p.done), what)
	}
}

func (p *puller) note(format string, args ...any) {
	p.sum.Notes = append(p.sum.Notes, fmt.Sprintf(format, args...))
}

func (p *puller) write(name string, data []byte) error {
	p.sum.Files = append(p.sum.Files, name)
	err := p.out.WriteFile(name, data)
	if p.unwritten == nil {
		p.unwritten = err
	}
	return err
}

// fetch reads one answer that must be a JSON object with a member.
func (p *puller) fetch(ctx context.Context, c *Client, path string, q url.Values, member string) ([]byte,
	json.RawMessage, error) {
	data, err := c.Get(ctx, path, q)
	if err != nil {
		return nil, nil, err
	}
	var doc map[string]json.RawMessage
	if err := c.decode(path, data, &doc); err != nil {
		return nil, nil, err
	}
	inner, ok := doc[member]
	if !ok {
		return nil, nil, fmt.Errorf("%s%s: no %q in the answer; use the web services of Hadoop 3", c.Address(), path, member)
	}
	return data, inner, nil
}

func (p *puller) info(ctx context.Context) error {
	data, inner, err := p.fetch(ctx, p.rm, cluster+"/info", nil, "clusterInfo")
	if err != nil {
		return err
	}
	var info struct {
		HAState string `json:"haState"`
		Hadoop  string `json:"hadoopVersion"`
	}
	if err := p.rm.decode(cluster+"/info", inner, &info); err != nil {
		return err
	}
	if info.HAState != "" && info.HAState != "ACTIVE" {
		return fmt.Errorf("%s: the ResourceManager is %s; use the active one", p.rm.Address(), info.HAState)
	}
	p.sum.Hadoop = info.Hadoop
	return p.write(FileInfo, data)
}

func (p *puller) nodes(ctx context.Context) error {
	data, _, err := p.fetch(ctx, p.rm, cluster+"/nodes", nil, "nodes")
	if err != nil {
		return err
	}
	f, err := scenario.ParseCluster(p.rm.Address()+cluster+"/nodes", data)
	if err != nil {
		return err
	}
	if len(f.Cluster.Labels) > 0 {
		if data, f, err = p.labels(ctx, data, f); err != nil {
			return err
		}
	}
	p.sum.Nodes = len(f.Cluster.Nodes)
	p.sum.Notes = append(p.sum.Notes, f.Notes...)
	return p.write(FileNodes, data)
}

// labels adds to the list of nodes which of their labels are exclusive. Where the
// ResourceManager does not say, they stay what a cluster file without the figure
// makes them.
func (p *puller) labels(ctx context.Context, nodes []byte, f *scenario.ClusterFile) ([]byte, *scenario.ClusterFile,
	error) {
	const path = cluster + "/get-node-labels"
	answer, err := p.rm.Get(ctx, path, nil)
	var both []byte
	if err == nil {
		both, err = scenario.WithLabels(nodes, answer)
	}
	if err != nil {
		if ctx.Err() != nil {
			return nil, nil, err
		}
		p.note("the ResourceManager does not say which node labels are exclusive (%v)", err)
		return nodes, f, nil
	}
	with, err := scenario.ParseCluster(p.rm.Address()+cluster+"/nodes", both)
	return both, with, err
}

func (p *puller) scheduler(ctx context.Context) error {
	data, _, err := p.fetch(ctx, p.rm, cluster+"/scheduler", nil, "scheduler")
	if err != nil {
		return err
	}
	if _, err := ParseScheduler(data); err != nil {
		return fmt.Errorf("%s%s/scheduler: %w", p.rm.Address(), cluster, err)
	}
	return p.write(FileScheduler, data)
}

func (p *puller) metrics(ctx context.Context) error {
	data, _, err := p.fetch(ctx, p.rm, cluster+"/metrics", nil, "clusterMetrics")
	if err != nil {
		return err
	}
	return p.write(FileMetrics, data)
}

// config takes the scheduler's configuration from a mutable store, else from
// the file the caller has.
func (p *puller) config(ctx context.Context) error {
	live, err := ReadConfig(ctx, p.rm)
	switch {
	case errors.Is(err, ErrFileStore):
		p.sum.Store = "file"
		if p.opt.Config == nil {
			p.note("the cluster keeps its scheduler configuration in a file and does not show it: give " +
				"capacity-scheduler.xml with --config")
			return nil
		}
	case err != nil:
		return err
	default:
		p.sum.Store, p.sum.ConfigVersion = "mutable", live.Version
	}
	data := p.opt.Config
	if data == nil {
		data = yarnconf.Fragment("Read from "+p.rm.Address()+cluster+"/scheduler-conf", yarnconf.Changes(nil, live.Props))
	}
	if _, err := yarnconf.Parse(FileConfig, data); err != nil {
		return err
	}
	return p.write(FileConfig, data)
}

// siteKeys are the settings of yarn-site.xml that matter to a simulation, and
// the only ones that are kept: the rest may hold what is nobody's business. A star stands for
// all that begin so.
//
//go:embed sitekeys.txt
var siteKeys string

func (p *puller) site(ctx context.Context) error {
	data, err := p.rm.Get(ctx, "/conf", url.Values{"format": {"json"}})
	var doc struct {
		Properties []struct{ Key, Value string } `json:"properties"`
	}
	if err == nil {
		err = p.rm.decode("/conf", data, &doc)
	}
	if err != nil {
		if ctx.Err() != nil {
			return err
		}
		p.note("yarn-site settings are not known, Hadoop's defaults are used: %v", err)
		return nil
	}
	m, keep := yarnconf.Map{}, strings.Fields(siteKeys)
	for _, kv := range doc.Properties {
		if strings.TrimSpace(kv.Value) != "" && slices.ContainsFunc(keep, func(k string) bool {
			prefix, family := strings.CutSuffix(k, "*")
			return k == kv.Key || family && strings.HasPrefix(kv.Key, prefix)
		}) {
			m[kv.Key] = kv.Value
		}
	}
	return p.write(FileSite, yarnconf.Fragment("Read from "+p.rm.Address()+"/conf: what matters to scheduling",
		yarnconf.Changes(nil, m)))
}

// apps keeps all applications, and as a part of the trace too: of jobs that the history
// tells more of they have what it does not, such as when the master was launched.
func (p *puller) apps(ctx context.Context) error {
	all, err := p.list(ctx, p.rm, listOfApps, url.Values{"deSelects": {"resourceRequests"}})
	if err != nil {
		return err
	}
	if p.opt.Since > 0 { // services that began earlier hold a part of the cluster all the time
		running, err := p.page(ctx, p.rm, listOfApps, url.Values{"deSelects": {"resourceRequests"}, "states": {"RUNNING"},
			"startedTimeEnd": {strconv.FormatInt(p.opt.Since-1, 10)}})
		if err != nil {
			return err
		}
		running = slices.DeleteFunc(running, func(a listed) bool { return a.start >= p.opt.Since })
		all = append(running, all...)
	}
	p.sum.Apps = len(all)
	if err := p.write(FileApps, joinApps(all)); err != nil {
		return err
	}
	if len(all) == 0 {
		return nil
	}
	return p.write(DirTrace+"/"+FileApps, joinApps(all))
}

func joinApps(apps []listed) []byte {
	var b bytes.Buffer
	b.WriteString(`{"apps":{"app":[`)
	for i, a := range apps {
		if i > 0 {
			b.WriteString(",\n")
		}
		b.Write(a.raw)
	}
	b.WriteString("]}}\n")
	return b.Bytes()
}
