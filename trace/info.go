package trace

import (
	"cmp"
	"schedtune/trace/internal/history"
	"slices"
)

// Info sums a trace up.
type Info struct {
	Name       string      `json:"name"`    // of the source
	Format     string      `json:"format"`  // one of Formats, or "mixed"
	Jobs       int         `json:"jobs"`    // all
	Results    []Count     `json:"results"` // jobs by result
	Types      []Count     `json:"types"`   // jobs by type of application
	Tasks      TaskCounts  `json:"tasks"`
	Nodes      int         `json:"nodes"`       // in the inventory, 0 = the source has none
	SpanMS     Millis      `json:"span_ms"`     // from the first submission to the last record
	Queues     []GroupInfo `json:"queues"`      // by task-seconds, the largest first
	Users      []GroupInfo `json:"users"`       // likewise
	Load       []LoadPoint `json:"load"`        // over time
	BucketMS   Millis      `json:"bucket_ms"`   // length of a part of Load
	PeakDemand float64     `json:"peak_demand"` // largest mean number of running tasks of a bucket
	Notes      []Note      `json:"notes"`
	// Spark sums up the Spark applications, where there are any.
	Spark *SparkInfo `json:"spark"`
	Tez   *TezInfo   `json:"tez"` // likewise
	// Use says what becoming a workload adds to the notes; Problem why it
	// cannot become one.
	Use     []Note `json:"use"`
	Problem string `json:"problem,omitempty"`
}

// Count is a name with a number of jobs.
type Count struct {
	Name string `json:"name"` // what is counted
	Jobs int    `json:"jobs"` // how many
}

// TaskCounts counts tasks and attempts. Tasks that were only announced or
// derived count as Derived.
type TaskCounts struct {
	Maps       int `json:"maps"`            // recorded singly
	Reduces    int `json:"reduces"`         // recorded singly
	Containers int `json:"containers"`      // purpose not known
	Masters    int `json:"masters"`         // containers of application masters
	Other      int `json:"other"`           // set-up, clean-up, unused
	Spark      int `json:"spark,omitempty"` // of Spark's stages
	Tez        int `json:"tez,omitempty"`   // of Tez's vertices
	Attempts   int `json:"attempts"`        // of all tasks
	Derived    int `json:"derived"`         // announced or derived
}

// GroupInfo sums up the jobs of one queue or user. An empty name is that of
// jobs without one.
type GroupInfo struct {
	Name        string  `json:"name"`         // of the queue or user
	Jobs        int     `json:"jobs"`         // submitted
	Tasks       int     `json:"tasks"`        // of these jobs
	TaskSeconds float64 `json:"task_seconds"` // their time, seconds
	Share       float64 `json:"share"`        // of all task-seconds
}

// LoadPoint is one equal part of the trace's span.
type LoadPoint struct {
	FromMS  Millis  `json:"from_ms"` // since the first submission
	Jobs    int     `json:"jobs"`    // submitted
	Running float64 `json:"running"` // mean number of running tasks, where times were recorded
	Work    float64 `json:"work"`    // task-seconds submitted
}

// loadBuckets is how many parts the span is cut into.
const loadBuckets = 24

// Info sums the trace up.
func (t *Trace) Info() *Info {
	in := &Info{Name: t.Name, Format: t.Format, Jobs: len(t.Jobs), Nodes: len(t.Nodes),
		Notes: append([]Note{}, t.Notes...)}
	in.Results = t.count(func(j *Job) string { return j.Result.String() })
	in.Types = t.count(func(j *Job) string { return j.Type })
	names := t.QueueNames()
	in.Queues = t.group(func(j *Job) string { return names[j.Queue] })
	in.Users = t.group(func(j *Job) string { return j.User })
	for i := range t.Jobs {
		in.Tasks.add(&t.Jobs[i])
	}
	t.load(in)
	in.Spark, in.Tez = t.spark(in), t.tez()
	_, use, err := t.Workload(WorkloadOptions{})
	in.Use = use
	if err != nil {
		in.Problem = err.Error()
	}
	return in
}

func (t *Trace) count(key func(*Job) string) []Count {
	n := map[string]int{}
	for i := range t.Jobs {
		n[key(&t.Jobs[i])]++
	}
	return sorted(n)
}

// group sums by a key, the most task-seconds first.
func (t *Trace) group(key func(*Job) string) []GroupInfo {
	at := map[string]int{}
	var out []GroupInfo
	total := 0.0
	for j := range history.Pointers(t.Jobs) {
		k := key(j)
		x, ok := at[k]
		if !ok {
			x = len(out)
			at[k] = x
			out = append(out, GroupInfo{Name: k})
		}
		work := j.workSeconds()
		out[x].Jobs++
		out[x].Tasks += j.countTasks()
		out[x].TaskSeconds += work
		total += work
	}
	for i := range out {
		if total > 0 {
			out[i].Share = out[i].TaskSeconds / total
		}
	}
	slices.SortFunc(out, func(a, b GroupInfo) int {
		return cmp.Or(cmp.Compare(b.TaskSeconds, a.TaskSeconds), cmp.Compare(a.Name, b.Name))
	})
	return out
}

// workSeconds is the time of the job's tasks, application masters left out.
func (j *Job) workSeconds() float64 {
	sum := j.TaskTime(Map) + j.TaskTime(Reduce) + j.TaskTime(Container)
	if j.Spark != nil {
		sum += j.Spark.TaskTime()
	}
	if j.Tez != nil {
		sum += j.Tez.TaskTime()
	}
	return float64(sum) / 1000
}

// countTasks counts maps, reduces and containers, recorded or derived.
func (j *Job) countTasks() int {
	if j.Spark != nil {
		return j.Spark.TaskCount()
	}
	if j.Tez != nil {
		return j.Tez.TaskCount()
	}
	n := 0
	for i := range j.Tasks {
		if k := j.Tasks[i].Kind; k == Map || k == Reduce || k == Container {
			n++
		}
	}
	if n == 0 {
		n = max(0, j.Maps) + max(0, j.Reduces)
	}
	return n
}

func (c *TaskCounts) add(j *Job) {
	if j.Spark != nil {
		c.Spark += j.Spark.TaskCount()
		c.Masters++
		return
	}
	if j.Tez != nil {
		c.Tez += j.Tez.TaskCount()
		c.Masters++
		return
	}
	recorded := 0
	for t := range history.Pointers(j.Tasks) {
		c.Attempts += len(t.Attempts)
		switch t.Kind {
		case Map:
			c.Maps++
			recorded++
		case Reduce:
			c.Reduces++
			recorded++
		case Container:
			c.Containers++
			recorded++
		case AM:
			c.Masters++
		default:
			c.Other++
		}
	}
	if recorded == 0 {
		c.Derived += max(0, j.Maps) + max(0, j.Reduces)
	}
}

// load cuts the span from the first submission to the last known moment.
func (t *Trace) load(in *Info) {
	origin, ok := t.Begin()
	if !ok {
		in.Load = []LoadPoint{}
		return
	}
	end := origin
	for j := range history.Pointers(t.Jobs) {
		if end = max(end, j.Submit, j.Finish); !j.Finish.Known() {
			j.eachInstant(func(m *Millis) { end = max(end, *m) })
		}
	}
	in.SpanMS = end - origin
	in.BucketMS = max(1, (in.SpanMS+loadBuckets)/loadBuckets)
	in.Load = make([]LoadPoint, loadBuckets)
	for i := range in.Load {
		in.Load[i].FromMS = Millis(i) * in.BucketMS
	}
	for j := range history.Pointers(t.Jobs) {
		if !j.Submit.Known() {
			continue
		}
		b := &in.Load[min(max((j.Submit-origin)/in.BucketMS, 0), loadBuckets-1)]
		b.Jobs++
		b.Work += j.workSeconds()
		in.addRunning(j, origin)
	}
	for _, b := range in.Load {
		in.PeakDemand = max(in.PeakDemand, b.Running)
	}
}

// addRunning spreads the recorded attempts over the buckets they ran in.
func (in *Info) addRunning(j *Job, origin Millis) {
	add := func(from, to Millis) {
		in.overBuckets(from-origin, to-origin, func(b int, share float64) { in.Load[b].Running += share })
	}
	if j.Spark != nil {
		for _, a := range j.Spark.Tasks() {
			if a.Span().Known() {
				add(a.Launch, a.Finish)
			}
		}
	}
	if j.Tez != nil {
		for _, v := range j.Tez.Vertices() {
			for a := range history.Pointers(v.Attempts) {
				if a.Span().Known() {
					add(a.Start, a.End)
				}
			}
		}
	}
	for t, a := range j.Containers() {
		if t.Kind.works() && a.Start.Known() && a.Finish.Known() {
			add(a.Start, a.Finish)
		}
	}
}
