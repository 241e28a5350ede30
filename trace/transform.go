package trace

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"schedtune/internal/fileio"
	"schedtune/internal/rng"
	"schedtune/trace/internal/history"
)

// Transforms return a new trace and leave the old one as it is. Tasks are
// shared between the two unless the transform changes them.

// derived returns a copy with other jobs and one more note.
func (t *Trace) derived(jobs []Job, format string, args ...any) *Trace {
	d := *t
	d.Jobs = jobs
	d.Notes = append(slices.Clone(t.Notes), Note{Assumed, fmt.Sprintf(format, args...), 1})
	return &d
}

// Notes of the transformations that Untransformed takes back.
const (
	loadNote    = "arrivals %g times as fast"
	clusterNote = "task counts and cluster %g times as large"
)

// Untransformed returns the trace as it was recorded, before ScaleLoad and ScaleCluster, to the millisecond and
// the rounding of task counts, and what its notes say of these; the trace itself and nothing where they say
// nothing.
func (t *Trace) Untransformed() (*Trace, []string) {
	var said []string
	out, notes := t, slices.Clone(t.Notes)
	for _, n := range slices.Backward(t.Notes) {
		factor := 1.0
		undo := out.ScaleLoad
		if _, err := fmt.Sscanf(n.Text, loadNote, &factor); err != nil {
			if _, err = fmt.Sscanf(n.Text, clusterNote, &factor); err != nil {
				continue
			}
			undo = out.ScaleCluster
		}
		if before, err := undo(1 / factor); err == nil {
			out, said = before, append(said, n.Text)
			notes = slices.DeleteFunc(notes, func(m Note) bool { return m.Text == n.Text })
		}
	}
	if len(said) == 0 {
		return t, nil
	}
	slices.Reverse(said)
	d := *out
	d.Notes = notes
	return &d, said
}

// Window keeps the jobs submitted in [from, to), measured from the first
// submission. Jobs with an unknown submission are left out.
func (t *Trace) Window(from, to Millis) (*Trace, error) {
	if from < 0 || to <= from {
		return nil, fmt.Errorf("window from %d to %d ms: must be 0 <= from < to", from, to)
	}
	origin, _ := t.Begin()
	var jobs []Job
	for _, j := range t.Jobs {
		if s := j.Submit - origin; j.Submit.Known() && s >= from && s < to {
			jobs = append(jobs, j)
		}
	}
	if len(jobs) == 0 {
		return nil, fmt.Errorf("%s: no job is submitted between %d and %d ms: %w", t.Name, from, to, ErrEmpty)
	}
	return t.derived(jobs, "only jobs submitted %d to %d ms after the first", from, to), nil
}

// ScaleLoad multiplies the arrival rate: submissions come factor times as
// fast, and what happens within a job is unchanged. factor > 0.
func (t *Trace) ScaleLoad(factor float64) (*Trace, error) {
	if !(factor > 0) || math.IsInf(factor, 0) {
		return nil, fmt.Errorf("load factor %g: must be above 0", factor)
	}
	origin, _ := t.Begin()
	jobs := slices.Clone(t.Jobs)
	for j := range history.Pointers(jobs) {
		if j.Submit.Known() {
			j.shift(origin + Millis(math.Round(float64(j.Submit-origin)/factor)) - j.Submit)
		}
	}
	return t.derived(jobs, loadNote, factor), nil
}

// shift moves all instants of a job.
func (j *Job) shift(by Millis) {
	if by == 0 {
		return
	}
	if j.Spark != nil {
		j.Spark = j.Spark.Shift(by)
	}
	if j.Tez != nil {
		j.Tez = j.Tez.Shift(by)
	}
	j.cloneTasks()
	j.eachInstant(func(m *Millis) {
		if m.Known() {
			*m = max(0, *m+by)
		}
	})
}

// cloneTasks gives the job tasks of its own.
func (j *Job) cloneTasks() {
	j.Tasks = slices.Clone(j.Tasks)
	for i := range j.Tasks {
		j.Tasks[i].Attempts = slices.Clone(j.Tasks[i].Attempts)
	}
}

// ScaleCluster fits the workload to a cluster that is factor times as large:
// every job has factor times as many tasks (at least one of a kind it had),
// each as long as before, and factor times the bytes; the inventory grows or
// shrinks likewise. Tasks are repeated or left out evenly. factor > 0.
func (t *Trace) ScaleCluster(factor float64) (*Trace, error) {
	if !(factor > 0 && factor <= 1e4) {
		return nil, fmt.Errorf("cluster factor %g: must be above 0, at most 10000", factor)
	}
	jobs := slices.Clone(t.Jobs)
	for j := range history.Pointers(jobs) {
		j.Maps, j.Reduces = scaleCount(j.Maps, factor), scaleCount(j.Reduces, factor)
		for _, b := range []*int64{&j.InputBytes, &j.ShuffleBytes, &j.OutputBytes, &j.MemorySeconds, &j.VCoreSeconds} {
			if *b > 0 {
				*b = int64(math.Round(float64(*b) * factor))
			}
		}
		j.Tasks = scaleTasks(j.Tasks, factor)
		if j.Spark != nil {
			j.Spark = j.Spark.Scale(factor)
		}
		if j.Tez != nil {
			j.Tez = j.Tez.Scale(factor)
		}
	}
	d := t.derived(jobs, clusterNote, factor)
	d.Nodes = scaleNodes(t.Nodes, factor)
	return d, nil
}

func scaleCount(n int, factor float64) int {
	if n <= 0 {
		return n
	}
	return max(1, int(math.Round(float64(n)*factor)))
}

// scaleTasks repeats or thins the tasks of each kind evenly; the application
// master stays.
func scaleTasks(tasks []Task, factor float64) []Task {
	var out []Task
	for from := 0; from < len(tasks); {
		to := from
		for to < len(tasks) && tasks[to].Kind == tasks[from].Kind {
			to++
		}
		group := tasks[from:to]
		n := len(group)
		if group[0].Kind != AM {
			n = scaleCount(n, factor)
		}
		for i := range n {
			k := group[i*len(group)/n]
			k.Index = i
			out = append(out, k)
		}
		from = to
	}
	return out
}

func scaleNodes(nodes []Node, factor float64) []Node {
	if len(nodes) == 0 {
		return nil
	}
	n := scaleCount(len(nodes), factor)
	out := make([]Node, n)
	for i := range out {
		out[i] = nodes[i%len(nodes)]
		if i >= len(nodes) {
			out[i].Name += "-" + strconv.Itoa(i/len(nodes))
		}
	}
	return out
}

// mergeSpan is how far apart traces with real times may begin and still be put
// on one time line as they are.
const mergeSpan = 31 * 24 * 3600 * 1000

// Merge puts several traces on one time line. Traces whose times count from
// the epoch and begin within a month of one another keep their real times;
// otherwise all of them start at the same moment. Jobs whose id occurs twice
// get the trace's number as a suffix; OpenAll leaves of an application with real times
// one only.
func Merge(traces ...*Trace) (*Trace, error) {
	m := &Trace{Format: "mixed"}
	var n notes
	var names []string
	seen := map[string]bool{}
	real := realTimes(traces)
	for i, t := range traces {
		names = append(names, t.Name)
		origin, _ := t.Begin()
		renamed := map[string]string{}
		for _, j := range t.Jobs {
			if seen[j.ID] {
				renamed[j.ID] = fmt.Sprintf("%s-%d", j.ID, i+1)
				j.ID = renamed[j.ID]
			}
			if seen[j.ID] = true; len(j.After) > 0 {
				j.renameAfter(func(id string) string { return cmp.Or(renamed[id], id) })
			}
			if !real {
				j.shift(-origin)
			}
			m.Jobs = append(m.Jobs, j)
		}
		for _, node := range t.Nodes {
			if !real {
				var there bool
				if node, there = node.since(origin); !there {
					continue
				}
			}
			if !slices.ContainsFunc(m.Nodes, func(o Node) bool { return o.Name == node.Name && o.Rack == node.Rack }) {
				m.Nodes = append(m.Nodes, node)
			}
		}
		n.merge(t.Notes)
	}
	m.Name = strings.Join(names, "+")
	n.complete = true
	if !real {
		n.add(Assumed, "%d traces start at the same moment", len(traces))
	}
	if err := m.finish(&n, Options{}); err != nil {
		return nil, err
	}
	return m, nil
}

// realTimes reports whether all traces count from the epoch and begin within
// mergeSpan. A trace that counts from its own start begins long before 1973.
func realTimes(traces []*Trace) bool {
	const y1973 = 1e11 // ms
	lo, hi := Millis(math.MaxInt64), Millis(0)
	for _, t := range traces {
		o, ok := t.Begin()
		if !ok || o < y1973 {
			return false
		}
		lo, hi = min(lo, o), max(hi, o)
	}
	return hi-lo <= mergeSpan
}

// Bootstrap makes another sample path of the same workload: the trace is cut
// into windows of the given length, and as many windows as it has are drawn
// with replacement and put one after another (block bootstrap). Dependence
// within a window is kept. Equal seeds give equal traces.
func (t *Trace) Bootstrap(window Millis, seed uint64) (*Trace, error) {
	origin, ok := t.Begin()
	if window <= 0 || !ok {
		return nil, fmt.Errorf("bootstrap of windows of %d ms: must be above 0, and a submission must be known", window)
	}
	var last Millis
	for i := range t.Jobs {
		last = max(last, t.Jobs[i].Submit-origin)
	}
	if last/window >= 1<<20 {
		return nil, fmt.Errorf("bootstrap of windows of %d ms over %d ms: must be at most %d windows", window, last, 1<<20)
	}
	count := int(last/window) + 1
	blocks := make([][]int, count)
	for i := range t.Jobs {
		if s := t.Jobs[i].Submit; s.Known() {
			b := (s - origin) / window
			blocks[b] = append(blocks[b], i)
		}
	}
	key := rng.NewKey(seed, purposeBootstrap)
	var jobs []Job
	for b := range count {
		from := key.IntN(uint64(b), count)
		for _, i := range blocks[from] {
			j := t.Jobs[i]
			to := func(id string) string { return fmt.Sprintf("%s-w%d", id, b) }
			j.ID = to(j.ID)
			j.renameAfter(to)
			j.shift(Millis(b-from) * window)
			jobs = append(jobs, j)
		}
	}
	if len(jobs) == 0 {
		return nil, fmt.Errorf("%s: all drawn windows are empty: %w", t.Name, ErrEmpty)
	}
	return t.derived(jobs, "%d windows of %d ms drawn with replacement, seed %d", count, window, seed), nil
}

// Anonymise replaces names of jobs, users, hosts and racks by numbers in order
// of first appearance, and moves the start to zero. Queues, classes, sizes and
// all differences of times stay, for they are what is studied.
func (t *Trace) Anonymise() *Trace {
	origin, _ := t.Begin()
	a := anonymiser{users: numberer{kind: "user"}, hosts: numberer{kind: "host"}, racks: numberer{kind: "rack"}}
	jobs, ids := slices.Clone(t.Jobs), map[string]string{}
	for i := range jobs {
		ids[jobs[i].ID] = fmt.Sprintf("job_%d", i+1)
		jobs[i].renameAfter(func(id string) string { return ids[id] })
		a.job(&jobs[i], ids[jobs[i].ID])
		jobs[i].shift(-origin)
	}
	d := t.derived(jobs, "names replaced, start moved to zero")
	d.Name = "anonymous"
	for n := range history.Pointers(d.Notes) {
		n.Text, _, _ = strings.Cut(n.Text, "; the first") // names a file or a job
	}
	d.Nodes = nil
	for _, n := range t.Nodes {
		if n, there := n.since(origin); there {
			d.Nodes = append(d.Nodes, n)
		}
	}
	for n := range history.Pointers(d.Nodes) {
		n.Name = a.hosts.get(n.Name)
		if n.Rack != "" {
			n.Rack = "/" + a.racks.get("/"+trimSlash(n.Rack))
		}
	}
	return d
}

// anonymiser keeps the numbers given so far.
type anonymiser struct{ users, hosts, racks numberer }

// job replaces the names in a job, which gets an id; its tasks are copied first.
func (a *anonymiser) job(j *Job, id string) {
	j.ID, j.Name, j.Workflow = id, "", ""
	if j.User != "" {
		j.User = a.users.get(j.User)
	}
	if j.Spark != nil {
		j.Spark = j.Spark.Anonymous(j.ID, j.User, a.host)
	}
	if j.Tez != nil {
		j.Tez = j.Tez.Anonymous(j.ID, j.User, a.host)
	}
	j.cloneTasks()
	for task := range history.Pointers(j.Tasks) {
		task.Hosts = slices.Clone(task.Hosts)
		for x, name := range task.Hosts {
			task.Hosts[x] = a.host(name)
		}
		for try := range history.Pointers(task.Attempts) {
			try.Host, try.Container = a.host(try.Host), ""
		}
	}
}

// host replaces a host, with its rack where it is named.
func (a *anonymiser) host(s string) string {
	if s == "" {
		return ""
	}
	rack, name := SplitHost(s)
	if rack == "" {
		return a.hosts.get(name)
	}
	return "/" + a.racks.get(rack) + "/" + a.hosts.get(name)
}

func trimSlash(s string) string { return strings.TrimLeft(s, "/") }

// numberer names things by their kind and a number, in order of first appearance.
type numberer struct {
	kind  string
	index fileio.Index
	names []string
}

func (n *numberer) get(name string) string {
	return n.kind + strconv.Itoa(int(n.index.ID(&n.names, name))+1)
}
