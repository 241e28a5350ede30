package timeline

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"schedtune/internal/fileio"
	"schedtune/internal/report/perfetto"
	"schedtune/internal/simulate"
	"schedtune/simcore"
	"schedtune/trace"
)

// History draws a recorded trace as Tracks draws a run: containers as far as they
// were recorded or follow from their job's figures, on the nodes they ran on.
// Containers whose node is not recorded are on one node, "?"; those that were
// not recorded singly are one slice for their job. Times that are dates count
// from the first one.
func History(w *perfetto.Writer, t *trace.Trace, label string) {
	h := history{cluster: &simcore.Cluster{}, work: &simcore.Workload{}}
	for i := range t.Jobs {
		h.job(int32(i), &t.Jobs[i])
	}
	slices.SortStableFunc(h.changes, func(a, b simulate.Change) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Delta, b.Delta))
	})
	origin := simcore.Time(0)
	if len(h.changes) > 0 && h.first > simcore.Time(time.Date(1990, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro()) {
		origin = h.first
	}
	for _, name := range h.nodes {
		h.cluster.Nodes = append(h.cluster.Nodes, simcore.Node{Name: name})
	}
	tracks := NewTracks(w, h.cluster, h.work, label)
	tracks.kind = func(c simulate.Change) string { return h.kinds[c.Job][c.Unit].String() }
	for _, c := range h.changes {
		c.At = max(0, c.At-origin)
		tracks.Watch(c)
	}
	for i := range h.result.Jobs {
		j := &h.result.Jobs[i]
		j.Submit, j.Start, j.Finish = max(0, j.Submit-origin), max(0, j.Start-origin), max(0, j.Finish-origin)
	}
	tracks.Finish(&h.result)
}

// history turns a trace into the changes and the outcome of a run.
type history struct {
	cluster           *simcore.Cluster
	work              *simcore.Workload
	nodes             []string
	host, queue, user fileio.Index
	changes           []simulate.Change
	result            simcore.Result
	kinds             [][]trace.Kind // by job and unit
	first             simcore.Time   // of all times
}

func (h *history) job(id int32, j *trace.Job) {
	h.work.Jobs = append(h.work.Jobs, simcore.Job{ID: j.ID,
		Queue: h.queue.ID(&h.work.Queues, cmp.Or(j.Queue, "(none)")),
		User:  h.user.ID(&h.work.Users, cmp.Or(j.User, "(none)"))})
	if j.Spark != nil {
		h.work.Jobs[id].Spark = &simcore.SparkApp{} // names its containers executors
	}
	start, end := trace.Millis(trace.Unknown), j.Finish
	list, _ := j.Holdings()
	h.kinds = append(h.kinds, make([]trace.Kind, len(list)))
	for k := range list {
		c := &list[k]
		h.kinds[id][k] = c.Kind
		if c.To <= c.From {
			continue
		}
		if !start.Known() || c.From < start {
			start = c.From
		}
		end = max(end, c.To)
		host := cmp.Or(strings.TrimPrefix(c.Host, "/"), "?")
		one := simulate.Change{Job: simcore.JobID(id), Kind: simulated(c.Kind), Master: c.Master, Unit: int32(k),
			Memory: int64(c.MiB),
			Node:   simcore.NodeID(h.host.ID(&h.nodes, host))}
		one.At, one.Delta, one.Event = h.time(c.From), 1, "allocated"
		h.changes = append(h.changes, one)
		one.At, one.Delta, one.Event, one.Lost = h.time(c.To), -1, "released", c.Lost
		h.changes = append(h.changes, one)
	}
	if !j.Submit.Known() || end < j.Submit {
		return
	}
	if !start.Known() {
		start = max(j.Launch, j.Submit)
	}
	h.result.Jobs = append(h.result.Jobs, simcore.JobResult{Job: simcore.JobID(id), Failed: j.Result == trace.Failed ||
		j.Result == trace.Killed,
		Submit: h.time(j.Submit), Start: h.time(start), Finish: h.time(end)})
}

// time notes the first.
func (h *history) time(m trace.Millis) simcore.Time {
	at := simcore.Time(m) * simcore.Millisecond
	if h.first == 0 || at < h.first {
		h.first = at
	}
	return at
}

func simulated(k trace.Kind) simcore.Kind {
	if k == trace.Reduce {
		return simcore.Reduce
	}
	return simcore.Map
}
