package timeline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"schedtune/internal/fileio"
	"schedtune/internal/report/perfetto"
	"schedtune/internal/simulate"
	"schedtune/simcore"
	"schedtune/trace"
)

// Tracks writes a run as a trace for ui.perfetto.dev:
//
//   - "queue NAME": containers and memory over time, applications waiting and
//     running, and the applications as slices, each with its wait for the first
//     task inside;
//   - "users": containers by user over time;
//   - "node NAME": containers as slices, reservations as slices on a track of
//     their own; a container that ended before its work did has an instant "lost".
//
// Slices of containers are on as many tracks as run side by side; a track is used
// again when its slice is over. Memory grows with live containers, not with all.
type Tracks struct {
	w      *perfetto.Writer
	work   *simcore.Workload
	label  string
	nodes  []nodeTracks
	names  []string
	queues []load
	users  []load
	dirty  []*load
	at     simcore.Time
	open   map[unit]int32 // lane of a live container
	kind   func(simulate.Change) string
}

// unit is a container's key while it lives: ids of attempts repeat on other nodes.
type unit struct {
	job    simcore.JobID
	node   simcore.NodeID
	number int32
	kind   simcore.Kind
	master bool
}

type nodeTracks struct {
	group    perfetto.Track
	lanes    []perfetto.Track
	busy     []bool
	reserved perfetto.Track
}

// load is what a queue or a user holds.
type load struct {
	group                     perfetto.Track // of a queue
	containers, memory        perfetto.Track
	held, mib                 int64
	shownHeld, shownMiB       int64
	marked                    bool
	waiting, running, refused perfetto.Track
}

// NewTracks prepares for one run. Label, unless empty, goes before the names of
// all groups, so that several runs may share a trace.
func NewTracks(w *perfetto.Writer, cluster *simcore.Cluster, work *simcore.Workload, label string) *Tracks {
	if label != "" {
		label += ": "
	}
	cluster = cluster.Whole()
	t := &Tracks{w: w, work: work, label: label, nodes: make([]nodeTracks, len(cluster.Nodes)),
		names:  make([]string, len(cluster.Nodes)),
		queues: make([]load, len(work.Queues)), users: make([]load, len(work.Users)), open: map[unit]int32{},
		kind: func(c simulate.Change) string { return c.Kind.String() }}
	for i := range cluster.Nodes {
		t.names[i] = cluster.Nodes[i].Name
	}
	for i, name := range work.Queues {
		q := &t.queues[i]
		q.group = w.Group(label + "queue " + name)
		q.containers, q.memory = w.Counter(q.group, "containers", ""), w.Counter(q.group, "memory", "MiB")
		q.waiting, q.running = w.Counter(q.group, "applications that wait for their first task", ""),
			w.Counter(q.group, "applications that run", "")
	}
	if len(work.Users) > 0 {
		group := w.Group(label + "users: containers")
		for i, name := range work.Users {
			t.users[i].containers = w.Counter(group, name, "")
		}
	}
	return t
}

// Watch takes one change.
func (t *Tracks) Watch(c simulate.Change) {
	if c.At != t.at {
		t.show()
		t.at = c.At
	}
	at := int64(c.At)
	if c.Delta == 0 {
		t.other(at, c)
		return
	}
	n, key := t.node(c.Node), unit{c.Job, c.Node, c.Unit, c.Kind, c.Master}
	if c.Delta > 0 {
		lane := int32(slices.Index(n.busy, false))
		if lane < 0 {
			lane = int32(len(n.lanes))
			n.lanes, n.busy = append(n.lanes, t.w.Track(n.group, fmt.Sprintf("containers %d", lane+1))), append(n.busy, false)
		}
		n.busy[lane], t.open[key] = true, lane
		t.w.Begin(at, n.lanes[lane], t.queue(c.Job), t.name(c), figures(c))
	} else if lane, ok := t.open[key]; ok {
		delete(t.open, key)
		n.busy[lane] = false
		if c.Lost {
			t.w.Instant(at, n.lanes[lane], t.queue(c.Job), "lost")
		}
		t.w.End(at, n.lanes[lane])
	}
	j := &t.work.Jobs[c.Job]
	t.change(&t.queues[j.Queue], c)
	if len(t.users) > 0 {
		t.change(&t.users[j.User], c)
	}
}

func (t *Tracks) node(id simcore.NodeID) *nodeTracks {
	n := &t.nodes[id]
	if n.group == 0 {
		n.group = t.w.Group(t.label + "node " + t.names[id])
	}
	return n
}

// other is a reservation, or an event of the Hadoop 1 runtime.
func (t *Tracks) other(at int64, c simulate.Change) {
	if c.Node < 0 {
		return
	}
	n := t.node(c.Node)
	if n.reserved == 0 {
		n.reserved = t.w.Track(n.group, "reservations and events")
	}
	switch {
	case c.Event == "reserved":
		t.w.Begin(at, n.reserved, t.queue(c.Job), "reserved for "+t.work.Jobs[c.Job].ID, figures(c))
	case c.Event == "unreserved":
		t.w.End(at, n.reserved)
	case c.Job < 0:
		t.w.Instant(at, n.reserved, "node", c.Event)
	}
}

func (t *Tracks) queue(j simcore.JobID) string { return t.work.Queues[t.work.Jobs[j].Queue] }

func (t *Tracks) name(c simulate.Change) string {
	j := &t.work.Jobs[c.Job]
	switch {
	case c.Master:
		return j.ID + " AM"
	case j.Spark != nil:
		return j.ID + " executor"
	}
	return j.ID + " " + t.kind(c)
}

func figures(c simulate.Change) map[string]any {
	if c.Memory == 0 {
		return nil
	}
	return map[string]any{"memory_mib": c.Memory}
}

func (t *Tracks) change(l *load, c simulate.Change) {
	l.held += int64(c.Delta)
	l.mib += int64(c.Delta) * c.Memory
	if !l.marked {
		l.marked = true
		t.dirty = append(t.dirty, l)
	}
}

// show writes the counters that changed at the time that has passed.
func (t *Tracks) show() {
	for _, l := range t.dirty {
		l.marked = false
		if l.held != l.shownHeld {
			t.w.Count(int64(t.at), l.containers, l.held)
			l.shownHeld = l.held
		}
		if l.memory != 0 && l.mib != l.shownMiB {
			t.w.Count(int64(t.at), l.memory, l.mib)
			l.shownMiB = l.mib
		}
	}
	t.dirty = t.dirty[:0]
}

// Finish writes the applications, which are known at the end of a run. A trace
// may hold events out of the order of time.
func (t *Tracks) Finish(res *simcore.Result) {
	t.show()
	jobs := make([][]*simcore.JobResult, len(t.queues))
	for i := range res.Jobs {
		q := t.work.Jobs[res.Jobs[i].Job].Queue
		jobs[q] = append(jobs[q], &res.Jobs[i])
	}
	for q := range jobs {
		slices.SortStableFunc(jobs[q], func(a, b *simcore.JobResult) int { return int(min(1, max(-1, a.Submit-b.Submit))) })
		t.applications(&t.queues[q], t.work.Queues[q], jobs[q])
	}
	for _, r := range res.Refused {
		q := &t.queues[t.work.Jobs[r.Job].Queue]
		if q.refused == 0 {
			q.refused = t.w.Track(q.group, "refused applications")
		}
		j := &t.work.Jobs[r.Job]
		t.w.Instant(int64(j.Submit), q.refused, t.queue(r.Job), strings.TrimSuffix(j.ID+" refused: "+r.Limit, ": "))
	}
}

// applications writes a queue's applications on as few tracks as hold them, and
// how many wait and run.
func (t *Tracks) applications(q *load, queue string, jobs []*simcore.JobResult) {
	var lanes []perfetto.Track
	var until []simcore.Time
	var waiting, running []Step
	for _, j := range jobs {
		id := t.work.Jobs[j.Job].ID
		if j.Failed {
			id += " (failed)"
		}
		start := min(max(j.Start, j.Submit), j.Finish)
		waiting = append(waiting, Step{j.Submit, 1}, Step{start, -1})
		running = append(running, Step{start, 1}, Step{j.Finish, -1})
		lane := slices.IndexFunc(until, func(u simcore.Time) bool { return u <= j.Submit })
		if lane < 0 {
			lane = len(lanes)
			lanes, until = append(lanes, t.w.Track(q.group, fmt.Sprintf("applications %d", lane+1))), append(until, 0)
		}
		until[lane] = j.Finish
		t.w.Begin(int64(j.Submit), lanes[lane], queue, id, nil)
		t.w.Begin(int64(j.Submit), lanes[lane], queue, "waits for its first task", nil)
		t.w.End(int64(start), lanes[lane])
		t.w.End(int64(j.Finish), lanes[lane])
	}
	t.level(q.waiting, waiting)
	t.level(q.running, running)
}

// level writes the sum of changes over time.
func (t *Tracks) level(track perfetto.Track, changes []Step) {
	slices.SortStableFunc(changes, func(a, b Step) int { return int(min(1, max(-1, a.At-b.At))) })
	n := 0
	for i, c := range changes {
		n += c.N
		if i+1 == len(changes) || changes[i+1].At != c.At {
			t.w.Count(int64(c.At), track, int64(n))
		}
	}
}

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
		kind := simcore.Map
		if c.Kind == trace.Reduce {
			kind = simcore.Reduce
		}
		one := simulate.Change{Job: simcore.JobID(id), Kind: kind, Master: c.Master, Unit: int32(k),
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
