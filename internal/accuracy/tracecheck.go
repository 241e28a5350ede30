package accuracy

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"

	"schedtune/internal/scenario"
	"schedtune/internal/simulate"
	"schedtune/internal/text"
	"schedtune/simcore"
	"schedtune/simcore/yarn"
	"schedtune/trace"
	"schedtune/yarnconf"
)

// TraceCheck compares the completion times of a trace with its simulation by the trace
// alone: recorded task times, built-in latencies, nodes with room for what ran at once,
// and one queue without limits, since a trace has no queues of its cluster.
type TraceCheck struct {
	Scheduler string `json:"scheduler"` // capacity, or fifo for Hadoop 1
	Nodes     int    `json:"nodes"`
	Jobs      int    `json:"jobs"`     // simulated
	Makespan  Figure `json:"makespan"` // recorded: 0 without completion times
	Errors    Errors `json:"completion_errors"`
	PerJob    []Job  `json:"per_job"` // with recorded completion times
}

// CheckTrace simulates a trace once. Errors: no job can be simulated.
func CheckTrace(ctx context.Context, t *trace.Trace) (*TraceCheck, error) {
	w, _, err := t.Workload(trace.WorkloadOptions{})
	if err != nil {
		return nil, err
	}
	cluster, onYARN := inferCluster(t, w)
	r := &TraceCheck{Scheduler: "fifo", Nodes: len(cluster.Nodes), Jobs: len(w.Jobs), PerJob: []Job{}}
	c := &scenario.Case{Cluster: cluster, Work: w, Calibration: yarn.Default()}
	if onYARN {
		r.Scheduler = simulate.Capacity
		if c.Doc, err = yarnconf.Parse("one open queue", []byte(openQueue)); err != nil {
			return nil, err
		}
		work := *w
		work.Jobs, work.Queues = slices.Clone(w.Jobs), []string{"root.default"}
		for j := range work.Jobs {
			work.Jobs[j].Queue = 0
		}
		c.Work = &work
	}
	p := Observe(c, t)
	p.options = simulate.Options{Scheduler: r.Scheduler}
	s, err := p.simulate(ctx, simulate.Item{Slowstart: -1}, 1, 1, func(res *simcore.Result) {
		first, last := simcore.Never, simcore.Time(0)
		for i := range res.Jobs {
			first, last = min(first, res.Jobs[i].Submit), max(last, res.Jobs[i].Finish)
		}
		r.Makespan.Simulated = (last - first).Seconds()
	})
	if err != nil {
		return nil, err
	}
	var errs []float64
	for i := range s.jobs {
		j := &s.jobs[i]
		f := Figure{j.rec.completion, j.mean(completion)}
		r.PerJob = append(r.PerJob, Job{w.Jobs[j.job].ID, w.Queues[w.Jobs[j.job].Queue], f})
		errs = append(errs, math.Abs(f.Error()))
	}
	if r.Errors = errorsOf(errs); len(r.PerJob) > 0 {
		r.Makespan.Recorded, _ = s.values(metric{})
	}
	return r, nil
}

const openQueue = `<configuration>
<property><name>yarn.scheduler.capacity.root.queues</name><value>default</value></property>
<property><name>yarn.scheduler.capacity.root.default.capacity</name><value>100</value></property>
<property><name>yarn.scheduler.capacity.root.default.user-limit-factor</name><value>100</value></property>
<property><name>yarn.scheduler.capacity.maximum-am-resource-percent</name><value>1</value></property>
<property><name>yarn.scheduler.maximum-allocation-mb</name><value>1048576</value></property>
<property><name>yarn.scheduler.maximum-allocation-vcores</name><value>1048576</value></property>
<property><name>yarn.scheduler.minimum-allocation-mb</name><value>256</value></property>
<property><name>yarn.scheduler.capacity.per-node-heartbeat.maximum-offswitch-assignments</name><value>8</value></property>
</configuration>`

// inferCluster returns nodes as many as the trace has hosts (100 where it names none) with
// room for what ran at once, and whether the trace is of YARN: it knows container sizes.
func inferCluster(t *trace.Trace, w *simcore.Workload) (_ *simcore.Cluster, onYARN bool) {
	type edge struct {
		at   int64
		step int
	}
	var edges [2][]edge // of maps and executors, of reduces
	add := func(kind int, from, to int64) { edges[kind] = append(edges[kind], edge{from, 1}, edge{to, -1}) }
	hosts := map[string]bool{}
	for i := range t.Jobs {
		j := &t.Jobs[i]
		onYARN = onYARN || j.Spark != nil || j.MapSize.MiB > 0 && t.Format != "rumen"
		for k := range j.Tasks {
			if kind := j.Tasks[k].Kind; kind == trace.Map || kind == trace.Reduce {
				for _, a := range j.Tasks[k].Attempts {
					hosts[a.Host] = true
					if a.Start.Known() && a.Finish > a.Start {
						add(int(kind), int64(a.Start), int64(a.Finish))
					}
				}
			}
		}
		if j.Spark != nil {
			for k := range j.Spark.Executors {
				x := &j.Spark.Executors[k]
				hosts[x.Host] = true
				if from, to, ok := j.Spark.Life(x); ok {
					add(int(trace.Map), int64(from), int64(to))
				}
			}
		}
	}
	delete(hosts, "")
	var peak [2]int
	for k := range edges {
		slices.SortFunc(edges[k], func(a, b edge) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.step, b.step)) })
		now := 0
		for _, e := range edges[k] {
			now += e.step
			peak[k] = max(peak[k], now)
		}
	}
	n := min(len(hosts), 4096)
	if n == 0 {
		n = 100
	}
	size := simcore.Vec{1024, 1}
	for i := range w.Jobs {
		j := &w.Jobs[i]
		asks := []simcore.Vec{j.MapAsk, j.ReduceAsk, j.AMAsk}
		if j.Spark != nil {
			for k := range j.Spark.Executors {
				asks = append(asks, j.Spark.Executors[k].Container)
			}
		}
		for _, a := range asks {
			size[simcore.Memory], size[simcore.VCores] = max(size[simcore.Memory], a[simcore.Memory]),
				max(size[simcore.VCores], a[simcore.VCores])
		}
	}
	slots := simcore.Vec{int64(max((peak[0]+n-1)/n, 2)), int64(max((peak[1]+n-1)/n, 2))}
	room := slots[0] + slots[1] + 1
	c := &simcore.Cluster{Racks: []string{"/default-rack"}}
	for i := range n {
		c.Nodes = append(c.Nodes, simcore.Node{Name: fmt.Sprintf("node%04d", i), Slots: slots,
			Capacity: simcore.Vec{room * size[simcore.Memory], room * size[simcore.VCores]}})
	}
	return c, onYARN
}

// Print writes the check as text.
func (r *TraceCheck) Print(w io.Writer) error {
	compared := "; the trace has no completion times to compare"
	if len(r.PerJob) > 0 {
		compared = fmt.Sprintf(", recorded %s; completion times of %s differ by %s (median), %s (mean), %s (worst)",
			text.Duration(r.Makespan.Recorded), text.Count(len(r.PerJob), "job"), pct(r.Errors.Median), pct(r.Errors.Mean),
			pct(r.Errors.Worst))
	}
	_, err := fmt.Fprintf(w, "simulated by the trace alone (scheduler %s, %s): makespan %s%s\n", r.Scheduler,
		text.Count(r.Nodes, "node"), text.Duration(r.Makespan.Simulated), compared)
	return err
}
