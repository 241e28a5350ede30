package trace

import (
	"cmp"
	"slices"

	"schedtune/simcore"
	"schedtune/trace/internal/history"
	"schedtune/trace/tezlog"
)

// tezConverter makes a recorded application of Tez one of the workload.
type tezConverter struct {
	*converter
	job *Job
	app *tezlog.App
	out *simcore.TezApp

	container simcore.Vec // size of its containers
	begun     []Millis    // by container: start of its first task
}

// tez fills s with the application of j, and reports whether there is one.
func (c *converter) tez(j *Job, s *simcore.Job) bool {
	k := &tezConverter{converter: c, job: j, app: j.Tez,
		out: &simcore.TezApp{Session: j.Tez.Session(), Stop: simcore.Never}}
	k.container, k.begun = k.size(), firstStarts(k.app)
	set, problem := TezSettings(k.app)
	if problem != nil {
		c.notes.add(Assumed, "Tez applications with settings that cannot be read: Tez's defaults count; the first: %v",
			problem)
	}
	if k.app.Attempt > 1 {
		c.notes.add(Assumed, "Tez applications whose master was started again: as one master")
	}
	if k.app.Conf["tez.am.speculation.enabled"] == "true" {
		c.notes.add(Dropped, "speculation of Tez applications")
	}
	k.out.Settings = set
	s.Maps, s.Reduces, s.MapAsk, s.Tez = 0, 0, simcore.Vec{}, k.out
	if k.app.LLAP() {
		c.notes.add(Assumed, "Tez applications whose tasks ran in LLAP's daemons: they hold their masters alone")
		k.out.Session = true
	} else {
		for d := range history.Pointers(k.app.DAGs) {
			k.dag(d)
		}
	}
	if !k.out.Session && len(k.out.DAGs) == 0 {
		c.notes.add(Dropped, "Tez applications that ran nothing")
		return false
	}
	if k.out.Session {
		k.stop()
	}
	return true
}

// stop finds when the client ended a session: as long before its end as the master stays
// then, else by its time limit.
func (k *tezConverter) stop() {
	last := k.app.Ready
	if len(k.out.DAGs) > 0 {
		last = k.app.LastEnd()
	}
	exit := k.out.Settings.ExitDelay
	if !k.job.Finish.Known() || !last.Known() {
		k.notes.add(Assumed, "Tez sessions whose end is not recorded: they end by their time limit")
		return
	}
	if k.job.Finish == k.app.Last {
		k.notes.add(Assumed, "Tez sessions end with their history, which records no end; the "+
			"ResourceManager's list tells it")
	}
	if wait := max(0, toTime(k.job.Finish-last)-exit); wait < k.out.Settings.SubmitTimeout {
		k.out.Stop = wait
	}
}

// dag appends a DAG with its vertices.
func (k *tezConverter) dag(d *tezlog.DAG) {
	out := simcore.TezDAG{Prewarm: d.Prewarm, FirstVertex: int32(len(k.out.Vertices))}
	k.vertices(d, out.FirstVertex)
	if out.Vertices = int32(len(k.out.Vertices)) - out.FirstVertex; out.Vertices == 0 {
		k.notes.add(Dropped, "DAGs that ran no task")
		return
	}
	if !d.End.Known() {
		k.notes.add(Assumed, "DAGs that had not ended: of each the tasks that had ended run")
	}
	if k.out.Session {
		out.Delay, out.At = k.submission(d)
	}
	k.out.DAGs = append(k.out.DAGs, out)
}

// submission tells when a DAG of a session came: as long after the one before as it did, or
// by the clock where Hive's history tells when the query was submitted. A query that was
// submitted before the DAG before it ended has waited for the session.
func (k *tezConverter) submission(d *tezlog.DAG) (delay, at simcore.Time) {
	before := k.app.Ready
	for b := range history.Pointers(k.app.DAGs) {
		if b.ID < d.ID && b.End.Known() {
			before = b.End
		}
	}
	came := cmp.Or(max(0, d.Submit), max(0, d.Start))
	if before.Known() && came > before {
		delay = toTime(came - before)
	}
	if !d.Arrival.Known() || !k.job.Submit.Known() {
		return delay, 0
	}
	if d.Arrival > before { // its delay is that of the query's compiling
		return 0, toTime(max(0, came-k.job.Submit))
	}
	return delay, toTime(max(0, d.Arrival-k.job.Submit))
}

// vertices appends the vertices of a DAG, sources first.
func (k *tezConverter) vertices(d *tezlog.DAG, base int32) {
	ends := endsOf(d)
	open := []*tezlog.Vertex{}
	for v := range history.Pointers(d.Vertices) {
		if ends[v.ID] != nil {
			open = append(open, v)
		} else if v.Tasks != 0 {
			k.notes.add(Dropped, "vertices without a task that ended")
		}
	}
	at := map[int32]int32{}
	for len(open) > 0 {
		waits := func(v *tezlog.Vertex) bool {
			return slices.ContainsFunc(v.Sources, func(s tezlog.Source) bool {
				_, there := at[s.Vertex]
				return ends[s.Vertex] != nil && !there
			})
		}
		i := slices.IndexFunc(open, func(v *tezlog.Vertex) bool { return !waits(v) })
		if i < 0 {
			k.notes.addCount(len(open), Dropped, "vertices that wait for one another in a circle")
			return
		}
		at[open[i].ID] = int32(len(k.out.Vertices))
		k.vertex(d, open[i], ends, at)
		open = slices.Delete(open, i, i+1)
	}
}

var tezEdges = map[tezlog.Edge]simcore.TezEdge{tezlog.Shuffle: simcore.TezShuffle,
	tezlog.Broadcast: simcore.TezBroadcast, tezlog.Custom: simcore.TezBroadcast, tezlog.OneToOne: simcore.TezOneToOne}

// vertex appends a vertex with its tasks.
func (k *tezConverter) vertex(d *tezlog.DAG, v *tezlog.Vertex, ends tezEnds, at map[int32]int32) {
	tasks := ends[v.ID].tasks
	out := simcore.TezVertex{Tasks: int32(len(tasks)), FirstTask: int32(len(k.w.Tasks.Duration)), Dist: -1, Size: k.container}
	if v.MiB > 0 {
		out.Size[simcore.Memory] = v.MiB
	}
	if v.Late {
		out.Known = max(0, toTime(cmp.Or(max(0, v.Configured), max(0, v.Init))-max(0, d.Start)))
	}
	for _, s := range v.Sources {
		if n, there := at[s.Vertex]; there {
			out.Sources = append(out.Sources, simcore.TezSource{Vertex: n, Edge: tezEdges[s.Edge]})
		}
	}
	for _, a := range tasks {
		took := max(1, ends.work(v, a))
		if a.Container >= 0 && a.Start == k.begun[a.Container] {
			took = max(1, took-k.tezFirst)
		}
		if a.Result != tezlog.Succeeded {
			k.notes.add(Assumed, "tasks of Tez vertices that never succeeded take the time of their longest attempt")
		}
		host := ""
		if v.Late && a.Container >= 0 {
			host = k.app.Containers[a.Container].Host
		}
		k.addTask(took, 0, 0, 0, host)
	}
	k.notes.addCount(len(v.Attempts)-len(tasks), Dropped, "task attempts of Tez that failed or were killed: failures are "+
		"not replayed")
	k.out.Vertices = append(k.out.Vertices, out)
}

// size is that of the application's containers.
func (k *tezConverter) size() simcore.Vec {
	size := k.job.MapSize
	if size.MiB == 0 {
		size = Size{1024, 1}
		k.notes.add(Assumed, "Tez applications whose container size is not recorded: 1024 MiB and 1 vcore, Tez's default "+
			"(--tez-container-size gives another)")
	}
	return ask(size)
}
