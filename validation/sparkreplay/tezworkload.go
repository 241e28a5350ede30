package sparkreplay

import (
	"cmp"
	"slices"

	"schedtune/simcore"
	"schedtune/simcore/yarn"
	"schedtune/trace/runlog"
	"schedtune/validation/replay"
)

var tezEdges = map[string]simcore.TezEdge{"SCATTER_GATHER": simcore.TezShuffle, "BROADCAST": simcore.TezBroadcast,
	"ONE_TO_ONE": simcore.TezOneToOne, "sg": simcore.TezShuffle, "bc": simcore.TezBroadcast, "oo": simcore.TezOneToOne}

// plannedDAGs returns the DAGs of the scenario by name.
func (p *PlanJob) plannedDAGs() (list []*PlanDAG) {
	for _, step := range p.steps() {
		if step.DAG != nil {
			list = append(list, step.DAG)
		}
	}
	return list
}

// steps are those of the program; a DAG without a session is one.
func (p *PlanJob) steps() []Step {
	if p.DAG != nil {
		return []Step{{DAG: p.DAG}}
	}
	return p.Steps
}

// tez describes a Tez application as it ran, with its recorded times.
func (b *builder) tez(i int, a *App, job *simcore.Job) *yarn.RecordedTez {
	app := &simcore.TezApp{Settings: a.Tez, Session: a.Kind == tezSession, Stop: simcore.Never}
	job.AMAsk, job.Tez = simcore.Vec{a.AMMiB, 1}, app
	rec := &yarn.RecordedTez{Calls: b.calls.Calls[i], Built: a.built(b.calls.Calls[i])}
	b.hosts()
	if since := runlog.Since(a.Stopping, a.Finish); since >= 0 {
		app.Settings.ExitDelay = since
	}
	p := b.r.planned(a.Name)
	last := a.Registered
	for _, d := range a.DAGs {
		plan := replay.Find(p.plannedDAGs(), func(x *PlanDAG) bool { return x.Name == d.Name })
		app.DAGs = append(app.DAGs, simcore.TezDAG{Delay: max(runlog.Since(d.Submit, last), 0),
			FirstVertex: int32(len(app.Vertices)), Vertices: int32(len(d.Vertices)), Prewarm: plan == nil})
		b.tezVertices(a, d, plan, app, rec)
		last = d.Finish
	}
	if app.Session {
		app.Stop = max(runlog.Since(a.Shutdown, last), 0)
		b.rec.Commit[i] = -1
	}
	b.tezContainers(a, rec)
	for v := range app.Vertices {
		b.stages[i] = append(b.stages[i], int32(v))
	}
	return rec
}

// built returns when the AM put its calls behind the first one together. It sleeps for its interval
// after a response (AMRMClientAsyncImpl.HeartbeatThread), so that the rest of the time between two
// calls is the way of both; half of it is taken for the way there.
func (a *App) built(handled []simcore.Time) (list []simcore.Time) {
	for i := 1; i < len(a.Calls); i++ {
		way := max(a.Calls[i].At-handled[i-1]-a.Tez.Heartbeat, 0)
		list = append(list, a.Calls[i].At-way/2)
	}
	return list
}

// tezVertices appends the vertices of a DAG with the attempts of their tasks.
func (b *builder) tezVertices(a *App, d *DAG, plan *PlanDAG, app *simcore.TezApp, rec *yarn.RecordedTez) {
	first := int32(len(app.Vertices))
	number, ends := map[string]int32{}, map[string][]simcore.Time{}
	for _, v := range d.Vertices {
		number[v.Name] = first + v.ID
		out := simcore.TezVertex{Tasks: v.Tasks, FirstTask: int32(len(b.w.Tasks.Duration)), Dist: -1,
			Size: simcore.Vec{cmp.Or(v.MiB, a.TaskMiB), 1}, Known: max(runlog.Since(cmp.Or(v.Start, 0), d.Submit), 0)}
		if at := runlog.Since(v.Scheduled, d.Submit); at >= 0 && len(v.Edges) == 0 {
			out.Known = at
		}
		for name, kind := range v.Edges {
			out.Sources = append(out.Sources, simcore.TezSource{Vertex: number[name], Edge: tezEdges[kind]})
		}
		slices.SortFunc(out.Sources, func(x, y simcore.TezSource) int { return cmp.Compare(x.Vertex, y.Vertex) })
		hosts := plan.vertex(v.Name, &out)
		ends[v.Name] = make([]simcore.Time, v.Tasks)
		for t := range v.Tasks {
			tries := a.attempts(d, v, t)
			var list []yarn.RecordedTezAttempt
			took := simcore.Second
			for _, x := range tries {
				input := x.Launch
				for name, kind := range v.Edges {
					for k, end := range ends[name] {
						if kind != "ONE_TO_ONE" || k == int(t) {
							input = max(input, end)
						}
					}
				}
				r := yarn.RecordedTezAttempt{Container: a.ordinalOf(x.Container), Nth: a.nth(x), Pull: a.pulled(x, rec.Calls),
					Ran: runlog.Since(x.Finish, input), Failed: x.Status == "FAILED"}
				if took = max(r.Ran, 0); x.Status == succeeded {
					ends[v.Name][t] = x.Finish
				} else if !r.Failed { // what killed it comes before its own end
					r.Ran = 10 * simcore.Minute
				}
				list = append(list, r)
			}
			b.place(int(t), hosts)
			b.newTask(took)
			rec.Attempts, rec.Wanted = append(rec.Attempts, list), append(rec.Wanted, a.wantedAfter(d, v, tries, ends))
		}
		app.Vertices = append(app.Vertices, out)
		rec.Order = append(rec.Order, a.order(d, v))
	}
}

// nth returns the number of attempts in the container of another one before it.
func (a *App) nth(x *Task) (n int32) {
	for _, o := range a.Tasks {
		if o.Container == x.Container && o.Launch < x.Launch {
			n++
		}
	}
	return n
}

// wantedAfter returns the time from the last end of a source's task before a task was wanted, or
// from when the first task of its vertex was, to when it was; ends are those of the sources.
func (a *App) wantedAfter(d *DAG, v *Vertex, tries []*Task, ends map[string][]simcore.Time) simcore.Time {
	if len(tries) == 0 || tries[0].Scheduled == simcore.Never {
		return -1
	}
	at, from := tries[0].Scheduled, v.Scheduled
	if len(v.Edges) > 0 {
		from = max(v.Start, 0)
	}
	for name := range v.Edges {
		for _, end := range ends[name] {
			if end <= at {
				from = max(from, end)
			}
		}
	}
	return runlog.Since(at, from)
}

// order returns the tasks of a vertex in the order in which they were wanted; nil if not all are known.
func (a *App) order(d *DAG, v *Vertex) []int32 {
	at := map[int32]simcore.Time{}
	var list []int32
	for t := range v.Tasks {
		if tries := a.attempts(d, v, t); len(tries) > 0 && tries[0].Scheduled != simcore.Never {
			at[t] = tries[0].Scheduled
			list = append(list, t)
		}
	}
	if len(list) < int(v.Tasks) {
		return nil
	}
	slices.SortStableFunc(list, func(x, y int32) int { return cmp.Compare(at[x], at[y]) })
	return list
}

// vertex applies what only the scenario knows about a vertex, and returns the hosts of its tasks.
func (p *PlanDAG) vertex(name string, out *simcore.TezVertex) (hosts [][]string) {
	if p == nil {
		return nil
	}
	for i := range p.Vertices {
		if v := &p.Vertices[i]; v.Name == name {
			out.MinSource, out.MaxSource, hosts = v.Min, v.Max, v.Hosts
		}
	}
	return hosts
}

// attempts returns the attempts of a task, in order.
func (a *App) attempts(d *DAG, v *Vertex, t int32) (list []*Task) {
	for _, x := range a.Tasks {
		if x.DAG == d.Number && x.Stage == v.ID && x.Index == t {
			list = append(list, x)
		}
	}
	slices.SortFunc(list, func(x, y *Task) int { return cmp.Compare(x.StageAttempt, y.StageAttempt) })
	return list
}

// pulled returns the time from the instant at which an attempt could have its container to the pull:
// the container was acquired with one of the calls, or its task before ended, and the task was wanted.
func (a *App) pulled(x *Task, calls []simcore.Time) simcore.Time {
	from := simcore.Time(0)
	if c := a.Container(x.Container); c != nil && c.Acquired != simcore.Never {
		if from = c.Acquired; len(calls) > 0 {
			k, _ := slices.BinarySearch(calls, c.Acquired+simcore.Millisecond)
			from = calls[max(k-1, 0)]
		}
	}
	last := simcore.Time(0)
	for _, o := range a.Tasks {
		if o.Container == x.Container && o.Finish <= x.Launch {
			last = max(last, o.Finish)
		}
	}
	if from = max(from, last); last > 0 && a.waited(x, last) {
		from = max(from, x.Assigned)
	}
	if x.Scheduled != simcore.Never {
		from = max(from, x.Scheduled)
	}
	if x.Created != simcore.Never && x.StageAttempt > 0 {
		from = max(from, x.Created)
	}
	return runlog.Since(x.Launch, from)
}

// ordinalOf returns the number of a container among those allocated to its application, from 0; -1
// if it was not. Ids are handed out for reservations too.
func (a *App) ordinalOf(id string) int32 {
	if a.ordinals == nil {
		list := slices.Clone(a.Containers)
		slices.SortStableFunc(list, func(x, y *replay.Container) int {
			return cmp.Or(cmp.Compare(x.Allocated, y.Allocated), cmp.Compare(x.ID, y.ID))
		})
		a.ordinals = map[string]int32{}
		for i, c := range list {
			a.ordinals[c.ID] = int32(i)
		}
	}
	if i, ok := a.ordinals[id]; ok {
		return i
	}
	return -1
}

// tezContainers gives the idle times and ends of an application's containers.
func (b *builder) tezContainers(a *App, rec *yarn.RecordedTez) {
	for _, c := range a.Containers {
		ord := a.ordinalOf(c.ID)
		for ord >= 0 && int32(len(rec.Containers)) <= ord {
			rec.Containers = append(rec.Containers, yarn.RecordedTezContainer{Gone: -1})
		}
		if c.Kind != "EXECUTOR" || ord < 0 {
			continue
		}
		x := &rec.Containers[ord]
		last, given := simcore.Time(0), a.GivenUp[c.ID]
		for _, t := range a.inContainer(c.ID) {
			if n := len(x.Idle); n > 0 && a.waited(t, last) {
				x.Idle[n-1] = t.Assigned - last
			}
			if last = max(last, t.Finish); t.Status == succeeded {
				x.Idle = append(x.Idle, simcore.Never)
			}
		}
		switch {
		case given != simcore.Never && len(x.Idle) > 0:
			x.Idle[len(x.Idle)-1] = runlog.Since(given, last)
		case c.Exit == preempted:
			given = c.Released
		case last > 0 && c.Released < a.Stopping:
			given = last
		default:
			given = a.Stopping
		}
		x.Gone = max(runlog.Since(b.end(c), given), 0)
	}
}

// inContainer returns the attempts that ended in a container, in order of time.
func (a *App) inContainer(id string) (list []*Task) {
	for _, t := range a.Tasks {
		if t.Container == id && t.Finish != simcore.Never {
			list = append(list, t)
		}
	}
	slices.SortStableFunc(list, func(x, y *Task) int { return cmp.Compare(x.Launch, y.Launch) })
	return list
}

// waited reports whether an idle container, whose last task ended at an instant, took a task at the
// end of a wait.
func (a *App) waited(t *Task, last simcore.Time) bool {
	return t.Assigned != simcore.Never && t.Assigned-max(last, t.Scheduled) > a.Tez.LocalityDelay
}

// tezProgram is the plan of a Tez application.
func (b *builder) tezProgram(p *PlanJob, a *App) *simcore.TezApp {
	app := &simcore.TezApp{Settings: a.Tez, Session: p.Kind == tezSession, Stop: simcore.Never}
	if p.End == "stop" {
		app.Stop = stepGap
	}
	b.hosts()
	if p.Prewarm > 0 {
		app.DAGs = append(app.DAGs, simcore.TezDAG{Vertices: 1, Prewarm: true})
		app.Vertices = append(app.Vertices, simcore.TezVertex{Tasks: p.Prewarm, FirstTask: int32(len(b.w.Tasks.Duration)),
			Dist: -1, Size: simcore.Vec{a.TaskMiB, 1}})
		for range p.Prewarm {
			b.newTask(prewarmTime)
		}
	}
	wait := simcore.Time(0)
	for _, step := range p.steps() {
		wait += simcore.Time(step.WaitMS) * simcore.Millisecond
		if step.DAG != nil {
			b.tezPlanned(step.DAG, wait, a, app)
			wait = 0
		}
	}
	return app
}

// prewarmTime is how long a task of a prewarm DAG sleeps.
const prewarmTime = 3 * simcore.Second

// tezPlanned appends a planned DAG. Its vertices are numbered as those that were recorded, which
// follows from hash tables of the client.
func (b *builder) tezPlanned(d *PlanDAG, wait simcore.Time, a *App, app *simcore.TezApp) {
	out := simcore.TezDAG{Delay: wait + stepGap, FirstVertex: int32(len(app.Vertices)), Vertices: int32(len(d.Vertices))}
	number := map[string]int32{}
	order := slices.Clone(d.Vertices)
	for _, ran := range a.DAGs {
		if ran.Name == d.Name && len(ran.Vertices) == len(order) {
			for _, v := range ran.Vertices {
				number[v.Name] = v.ID
			}
		}
	}
	slices.SortStableFunc(order, func(x, y planVertex) int { return cmp.Compare(number[x.Name], number[y.Name]) })
	for i, v := range order {
		number[v.Name] = out.FirstVertex + int32(i)
		x := simcore.TezVertex{Tasks: int32(len(v.TaskMS)), FirstTask: int32(len(b.w.Tasks.Duration)), Dist: -1,
			Size: simcore.Vec{cmp.Or(v.MiB, a.TaskMiB), 1}, Known: simcore.Time(v.InitMS) * simcore.Millisecond,
			MinSource: v.Min, MaxSource: v.Max}
		for _, e := range d.Edges {
			if e[1] == v.Name {
				x.Sources = append(x.Sources, simcore.TezSource{Vertex: number[e[0]], Edge: tezEdges[e[2]]})
			}
		}
		for t, ms := range v.TaskMS {
			b.place(t, v.Hosts)
			b.newTask(simcore.Time(ms) * simcore.Millisecond)
		}
		app.Vertices = append(app.Vertices, x)
	}
	app.DAGs = append(app.DAGs, out)
}
