package replay

import (
	"context"
	"fmt"
	"io"
	"slices"

	"schedtune/internal/scenario"
	"schedtune/internal/simulate"
	"schedtune/internal/text"
	"schedtune/simcore"
	"schedtune/simcore/yarn"
	"schedtune/trace"
	"schedtune/yarnconf"
)

// TraceReport compares a simulation of a job trace with the completion times
// in it.
type TraceReport struct {
	Schema    string   `json:"schema"`
	Trace     string   `json:"trace"`
	Format    string   `json:"format"`
	Scheduler string   `json:"scheduler"`
	Nodes     int      `json:"nodes"`
	Jobs      int      `json:"jobs"` // simulated
	Compared  int      `json:"compared"`
	Replay    *Errors  `json:"replay"` // nil where the trace has no completion times
	Span      float64  `json:"makespan_simulated_s"`
	Notes     []string `json:"notes,omitempty"`
}

// TraceOptions of CheckTrace.
type TraceOptions struct {
	Cluster     *simcore.Cluster // nil = inferred from the trace
	Scheduler   string           // a Hadoop 1 scheduler's spec, or "capacity" (YARN); empty = by the trace
	Calibration *yarn.Calibration
	Seed        uint64
}

// CheckTrace simulates a trace with its recorded task times and compares each
// job's completion. The queues of the recorded cluster are not in a trace: all
// jobs go to one queue without limits.
func CheckTrace(ctx context.Context, path string, opt TraceOptions) (*TraceReport, error) {
	tr, err := trace.Open(path, trace.Options{})
	if err != nil {
		return nil, err
	}
	r := &TraceReport{Schema: Schema, Trace: tr.Name, Format: tr.Format, Scheduler: opt.Scheduler}
	w, notes, err := tr.Workload(trace.WorkloadOptions{Cluster: opt.Cluster})
	if err != nil {
		return nil, err
	}
	for _, n := range notes {
		r.Notes = append(r.Notes, fmt.Sprint(n))
	}
	use := usage(tr)
	if r.Scheduler == "" {
		if r.Scheduler = "fifo"; use.containers {
			r.Scheduler = simulate.Capacity
		}
	}
	c := opt.Cluster
	if c == nil {
		c = use.cluster(w)
		r.Notes = append(r.Notes, fmt.Sprintf("cluster inferred: %s, room for the %d maps and %d reduces that ran at once", text.Count(len(c.Nodes), "node"), use.peak[0], use.peak[1]))
	}
	r.Nodes, r.Jobs = len(c.Nodes), len(w.Jobs)
	res, err := simulateTrace(ctx, r.Scheduler, c, w, opt)
	if err != nil {
		return nil, err
	}
	r.compare(tr, w, res)
	return r, nil
}

func simulateTrace(ctx context.Context, name string, c *simcore.Cluster, w *simcore.Workload, opt TraceOptions) (*simcore.Result, error) {
	one := &scenario.Case{Cluster: c, Work: w, Calibration: opt.Calibration}
	if name == simulate.Capacity {
		var err error
		if one.Doc, err = openQueue(); err != nil {
			return nil, err
		}
		work := *w
		work.Jobs, work.Queues = slices.Clone(w.Jobs), []string{"root.default"}
		for j := range work.Jobs {
			work.Jobs[j].Queue = 0
		}
		one.Work = &work
	}
	runs, err := simulate.New(one, simulate.Options{Scheduler: name})
	if err != nil {
		return nil, err
	}
	return runs.Run(ctx, simulate.Item{Slowstart: -1, Seed: opt.Seed})
}

// openQueue is a queue file with one queue and no limits.
func openQueue() (*yarnconf.Document, error) {
	const xml = `<configuration>
<property><name>yarn.scheduler.capacity.root.queues</name><value>default</value></property>
<property><name>yarn.scheduler.capacity.root.default.capacity</name><value>100</value></property>
<property><name>yarn.scheduler.capacity.root.default.user-limit-factor</name><value>100</value></property>
<property><name>yarn.scheduler.capacity.maximum-am-resource-percent</name><value>1</value></property>
<property><name>yarn.scheduler.maximum-allocation-mb</name><value>1048576</value></property>
<property><name>yarn.scheduler.minimum-allocation-mb</name><value>256</value></property>
<property><name>yarn.scheduler.capacity.per-node-heartbeat.maximum-offswitch-assignments</name><value>8</value></property>
</configuration>`
	return yarnconf.Parse("one open queue", []byte(xml))
}

// traceUse is what a trace shows of the cluster it ran on.
type traceUse struct {
	hosts      int
	peak       [2]int // maps and reduces running at once
	containers bool   // it knows container sizes: a YARN cluster
}

func usage(tr *trace.Trace) traceUse {
	type edge struct {
		at   trace.Millis
		step int
	}
	var u traceUse
	var edges [2][]edge
	hosts := map[string]bool{}
	for i := range tr.Jobs {
		j := &tr.Jobs[i]
		u.containers = u.containers || j.MapSize.MiB > 0 && tr.Format != "rumen"
		for k := range j.Tasks {
			kind := j.Tasks[k].Kind
			if kind != trace.Map && kind != trace.Reduce {
				continue
			}
			for _, a := range j.Tasks[k].Attempts {
				if a.Host != "" {
					hosts[a.Host] = true
				}
				if a.Start.Known() && a.Finish > a.Start {
					edges[kind] = append(edges[kind], edge{a.Start, 1}, edge{a.Finish, -1})
				}
			}
		}
	}
	u.hosts = len(hosts)
	for k := range edges {
		slices.SortFunc(edges[k], func(a, b edge) int {
			if a.at != b.at {
				return int(a.at - b.at)
			}
			return a.step - b.step
		})
		now := 0
		for _, e := range edges[k] {
			now += e.step
			u.peak[k] = max(u.peak[k], now)
		}
	}
	return u
}

// cluster is one with the trace's hosts (100 where it names none) and room for
// what ran at once.
func (u *traceUse) cluster(w *simcore.Workload) *simcore.Cluster {
	n := min(max(u.hosts, 1), 4096)
	if u.hosts == 0 {
		n = 100
	}
	size := simcore.Vec{1024, 1}
	for i := range w.Jobs {
		for _, a := range []simcore.Vec{w.Jobs[i].MapAsk, w.Jobs[i].ReduceAsk, w.Jobs[i].AMAsk} {
			size[simcore.Memory] = max(size[simcore.Memory], a[simcore.Memory])
		}
	}
	slots := simcore.Vec{int64((u.peak[0] + n - 1) / n), int64((u.peak[1] + n - 1) / n)}
	slots[0], slots[1] = max(slots[0], 2), max(slots[1], 2)
	c := &simcore.Cluster{Racks: []string{"/default-rack"}}
	for i := range n {
		c.Nodes = append(c.Nodes, simcore.Node{Name: fmt.Sprintf("node%04d", i), Slots: slots,
			Capacity: simcore.Vec{(slots[0] + slots[1] + 1) * size[simcore.Memory], slots[0] + slots[1] + 1}})
	}
	return c
}

// compare fills in the errors of the jobs whose completion is recorded.
func (r *TraceReport) compare(tr *trace.Trace, w *simcore.Workload, res *simcore.Result) {
	recorded := map[string]*trace.Job{}
	for i := range tr.Jobs {
		recorded[tr.Jobs[i].ID] = &tr.Jobs[i]
	}
	first, last := simcore.Never, simcore.Time(0)
	firstRec, lastRec := trace.Millis(0), trace.Millis(0)
	var jobs []JobError
	for i := range res.Jobs {
		q := &res.Jobs[i]
		first, last = min(first, q.Submit), max(last, q.Finish)
		j := recorded[w.Jobs[q.Job].ID]
		if j == nil || !j.Submit.Known() || j.Finish <= j.Submit || q.Failed {
			continue
		}
		if len(jobs) == 0 || j.Submit < firstRec {
			firstRec = j.Submit
		}
		lastRec = max(lastRec, j.Finish)
		jobs = append(jobs, JobError{Job: j.ID, Recorded: float64(j.Finish-j.Submit) / 1000, Simulated: q.Completion().Seconds()})
	}
	r.Span, r.Compared = (last - first).Seconds(), len(jobs)
	if len(jobs) > 0 {
		e := compare(jobs, float64(lastRec-firstRec)/1000, r.Span)
		r.Replay = &e
	}
}

// Print writes the report as text.
func (r *TraceReport) Print(w io.Writer) {
	fmt.Fprintf(w, "trace %s (%s), scheduler %s, %s\n\n", r.Trace, r.Format, r.Scheduler, text.Count(r.Nodes, "node"))
	if r.Replay == nil {
		fmt.Fprintf(w, "%d jobs ran clean, makespan %.1f s; the trace has no completion times to compare\n", r.Jobs, r.Span)
		return
	}
	r.Replay.print(w)
}
