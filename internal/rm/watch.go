package rm

import (
	"maps"
	"slices"

	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"schedtune/internal/fileio"
	"schedtune/internal/scenario"
	"schedtune/simcore"
	"schedtune/trace"
	"schedtune/yarnconf"
)

// State is what one round saw of the cluster.
type State struct {
	Round   int                `json:"round"`
	At      string             `json:"at"` // RFC 3339
	Nodes   int                `json:"nodes"`
	Memory  int64              `json:"memory_mib"`
	Version int64              `json:"configuration_version"`
	Jobs    int                `json:"jobs"`
	PerHour float64            `json:"jobs_per_hour"`
	Mean    float64            `json:"mean_completion_s"`
	Shares  map[string]float64 `json:"queue_shares"` // of all memory-seconds, by path
	Config  yarnconf.Map       `json:"-"`
}

// Drift is one difference between two rounds that a tuner should know of.
type Drift struct {
	What string `json:"what"` // configuration, nodes, load
	Text string `json:"text"`
}

// Thresholds of what counts as drift of the load.
const (
	loadChange  = 0.25 // relative, of jobs per hour and of completion times
	shareChange = 0.10 // absolute, of a queue's share
)

// Read takes a state from a folder that live.Pull wrote. hours is the length
// of the window it covers.
func Read(dir string, sum *PullSummary, hours float64) (*State, error) {
	s := &State{Version: sum.ConfigVersion, Shares: map[string]float64{}}
	f, err := scenario.LoadCluster(filepath.Join(dir, FileNodes))
	if err != nil {
		return nil, err
	}
	s.Nodes = len(f.Cluster.Nodes)
	for _, n := range f.Cluster.Nodes {
		s.Memory += n.Capacity[simcore.Memory]
	}
	if path := filepath.Join(dir, FileConfig); fileio.Exists(path) {
		d, err := yarnconf.Load(path)
		if err != nil {
			return nil, err
		}
		s.Config = d.Map()
	}
	if path := filepath.Join(dir, DirTrace); fileio.Exists(path) {
		t, err := trace.Open(path, trace.Options{})
		if err != nil {
			return nil, err
		}
		s.load(t, hours, leaves(s.Config))
	}
	return s, nil
}

// leaves are the paths of a configuration's leaves by their last names; a name that
// several leaves bear, which a history alone cannot tell apart, has none.
func leaves(config yarnconf.Map) map[string]string {
	out := map[string]string{}
	if config == nil {
		return out
	}
	c, err := yarnconf.Evaluate(config)
	if err != nil { // the cluster runs with it, so what it says of queues is kept elsewhere
		return out
	}
	for i := range c.Queues {
		if q := &c.Queues[i]; q.Leaf {
			if _, several := out[q.Name]; several {
				out[q.Name] = ""
				continue
			}
			out[q.Name] = q.Path
		}
	}
	return out
}

func (s *State) load(t *trace.Trace, hours float64, leaves map[string]string) {
	total, ended := 0.0, 0
	names := t.QueueNames()
	for i := range t.Jobs {
		j := &t.Jobs[i]
		s.Jobs++
		if j.Submit.Known() && j.Finish.Known() {
			s.Mean += float64(j.Finish-j.Submit) / 1000
			ended++
		}
		w := work(j)
		queue := names[j.Queue]
		if path := leaves[queue]; path != "" { // the ResourceManager names queues by path, the history by name
			queue = path
		}
		s.Shares[queue] += w
		total += w
	}
	s.PerHour = float64(s.Jobs) / hours
	if ended > 0 {
		s.Mean /= float64(ended)
	}
	for q := range s.Shares {
		if total > 0 {
			s.Shares[q] /= total
		}
	}
}

// work is a job's memory-seconds: as charged, else what it held.
func work(j *trace.Job) float64 {
	if j.MemorySeconds > 0 {
		return float64(j.MemorySeconds)
	}
	sum := 0.0
	list, _ := j.Holdings()
	for _, h := range list {
		sum += float64(h.To-h.From) / 1000 * max(h.MiB, 1)
	}
	return sum
}

// CompareWindows returns what changed from one round to the next.
func CompareWindows(old, now *State) []Drift {
	var out []Drift
	add := func(what, format string, args ...any) { out = append(out, Drift{what, fmt.Sprintf(format, args...)}) }
	for _, ch := range yarnconf.Changes(old.Config, now.Config) {
		was, set := old.Config.Get(ch.Key)
		add("configuration", "%s went from %s to %s", strings.TrimPrefix(ch.Key, yarnconf.Prefix),
			orUnset(strconv.Quote(strings.TrimSpace(was)), set), orUnset(strconv.Quote(ch.Value), !ch.Unset))
	}
	if old.Nodes != now.Nodes || old.Memory != now.Memory {
		add("nodes", "from %d nodes with %d MiB to %d with %d", old.Nodes, old.Memory, now.Nodes, now.Memory)
	}
	if c := relative(old.PerHour, now.PerHour); math.IsInf(c, 0) {
		add("load", "jobs per hour from none to %.1f", now.PerHour)
	} else if math.Abs(c) > loadChange {
		add("load", "jobs per hour from %.1f to %.1f (%+.0f %%)", old.PerHour, now.PerHour, c*100)
	}
	if c := relative(old.Mean, now.Mean); old.Mean > 0 && now.Mean > 0 && math.Abs(c) > loadChange {
		add("load", "mean completion time from %.0f s to %.0f s (%+.0f %%)", old.Mean, now.Mean, c*100)
	}
	if !old.worked() || !now.worked() {
		return out // shares of nothing tell no drift
	}
	for _, q := range queuesOf(old, now) {
		if d := now.Shares[q] - old.Shares[q]; math.Abs(d) > shareChange {
			add("load", "queue %s from %.0f %% to %.0f %% of the work", q, old.Shares[q]*100, now.Shares[q]*100)
		}
	}
	return out
}

// worked reports whether any queue has a share of the work.
func (s *State) worked() bool {
	for _, share := range s.Shares {
		if share > 0 {
			return true
		}
	}
	return false
}

func relative(a, b float64) float64 {
	switch {
	case a == b:
		return 0
	case a == 0:
		return math.Inf(1)
	}
	return b/a - 1
}

func queuesOf(a, b *State) []string {
	names := slices.AppendSeq(slices.Collect(maps.Keys(a.Shares)), maps.Keys(b.Shares))
	slices.Sort(names)
	return slices.Compact(names)
}
