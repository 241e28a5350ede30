package tezlog

import (
	"cmp"
	_ "embed"
	"schedtune/trace/internal/history"
	"strings"
)

// builder is an application under construction.
type builder struct {
	App
	dags       map[int32]*dag
	containers map[string]int32 // by id, into App.Containers
}

// dag is a DAG with the names of its vertices, which only tie edges to them.
type dag struct {
	DAG
	plan     plan
	names    map[string]int32
	vertices map[int32]*vertex
}

// plan is the part of dagPlan that tells edges and initializers.
type plan struct {
	Name     string `json:"dagName"`
	Vertices []struct {
		Name   string `json:"vertexName"`
		Inputs []struct {
			Initializer string `json:"initializer"`
		} `json:"additionalInputs"`
	} `json:"vertices"`
	Edges []struct {
		From string `json:"inputVertexName"`
		To   string `json:"outputVertexName"`
		Move string `json:"dataMovementType"`
	} `json:"edges"`
}

type vertex struct {
	Vertex
	settled   bool             // the number of tasks is that of VERTEX_CONFIGURE_DONE
	attempts  map[[2]int32]int // by task and number, into Attempts
	scheduled map[int32]Millis // by task
}

// callers are the types of callers that are held; another one may be any text.
var callers = map[string]bool{"HIVE_QUERY_ID": true, "PIG_SCRIPT_ID": true, "CASCADING_FLOW_ID": true}

//go:embed conf.txt
var confText string

// kept are the settings that are held.
var kept = history.Words(confText)

// record takes in one event of an entity, or the entity alone where it has no event.
func (r *Reader) record(id, event string, at Millis, f *fields) {
	x, ok := parse(id)
	if !ok {
		r.note(1, Dropped, "records that are not about applications, DAGs, vertices, tasks, attempts or containers")
		return
	}
	r.records++
	b := r.app(x.app)
	b.Last = max(b.Last, at)
	switch x.kind {
	case "application":
		b.application(f)
	case "appattempt":
		b.Attempt = max(b.Attempt, x.n[0])
		b.Submit = history.Earlier(b.Submit, r.time(f.number("appSubmitTime")))
		switch event {
		case "AM_LAUNCHED":
			b.Launched = history.Earlier(b.Launched, at)
		case "AM_STARTED":
			b.Ready = history.Earlier(b.Ready, at)
		}
	case "container":
		c := &b.Containers[r.container(b, strings.TrimPrefix(id, "tez_"))]
		switch event {
		case "CONTAINER_LAUNCHED":
			c.Launched = history.Earlier(c.Launched, at)
		case "CONTAINER_STOPPED":
			c.Stopped = history.Earlier(c.Stopped, at)
		}
	default:
		d := b.dag(x.n[0])
		switch x.kind {
		case "dag":
			r.dagEvent(b, d, event, at, f)
		case "vertex":
			r.vertexEvent(b, d, d.vertex(x.n[1]), event, at, f)
		case "task":
			v := d.vertex(x.n[1])
			if t := r.time(f.number("scheduledTime")); t.Known() {
				v.scheduled[x.n[2]] = t
			}
		case "attempt":
			r.attemptEvent(b, d.vertex(x.n[1]), x.n[2], x.n[3], event, at, f)
		}
	}
}

func (r *Reader) app(id string) *builder {
	b := r.apps[id]
	if b == nil {
		b = &builder{App: App{ID: id, Submit: Unknown, Launched: Unknown, Ready: Unknown, Last: Unknown},
			dags: map[int32]*dag{}, containers: map[string]int32{}}
		r.apps[id] = b
		r.order = append(r.order, b)
	}
	return b
}

func (b *builder) dag(id int32) *dag {
	d := b.dags[id]
	if d == nil {
		d = &dag{DAG: DAG{ID: id, Submit: Unknown, Start: Unknown, End: Unknown, Arrival: Unknown},
			names: map[string]int32{}, vertices: map[int32]*vertex{}}
		b.dags[id] = d
	}
	return d
}

func (d *dag) vertex(id int32) *vertex {
	v := d.vertices[id]
	if v == nil {
		v = &vertex{Vertex: Vertex{ID: id, Tasks: Unknown, Init: Unknown, Configured: Unknown, Start: Unknown, End: Unknown},
			attempts: map[[2]int32]int{}, scheduled: map[int32]Millis{}}
		d.vertices[id] = v
	}
	return v
}

func (r *Reader) container(b *builder, id string) int32 {
	at, ok := b.containers[id]
	if !ok {
		at = int32(len(b.Containers))
		b.containers[id] = at
		b.Containers = append(b.Containers, Container{ID: id, Launched: Unknown, Stopped: Unknown})
	}
	return at
}

func (b *builder) application(f *fields) {
	b.User = cmp.Or(f.text("user"), b.User)
	conf := map[string]any{}
	if f.into("config", &conf) {
		b.Conf = map[string]string{}
		for name, v := range conf {
			if s, ok := v.(string); ok && kept[name] {
				b.Conf[name] = s
			}
		}
	}
}

func (r *Reader) dagEvent(b *builder, d *dag, event string, at Millis, f *fields) {
	b.User = cmp.Or(b.User, f.text("user"))
	b.Queue = cmp.Or(r.strings.Get(f.text("queueName")), b.Queue)
	d.plan.Name = cmp.Or(f.text("dagName"), d.plan.Name)
	if f.into("dagPlan", &d.plan) {
		for i, v := range d.plan.Vertices { // their order is that of the ids
			if _, known := d.names[v.Name]; !known && i < mostVertices {
				d.names[v.Name] = int32(i)
			}
		}
	}
	ids := map[string]string{}
	if f.into("vertexNameIdMapping", &ids) {
		for name, id := range ids {
			if x, ok := parse(id); ok && x.kind == "vertex" {
				d.names[name] = x.n[1]
			}
		}
	}
	if id := f.text("callerId"); id != "" {
		d.query = id
		if b.Caller = "other"; callers[f.text("callerType")] {
			b.Caller = f.text("callerType")
		}
	}
	d.Start = history.Earlier(d.Start, r.time(f.number("startTime")))
	switch event {
	case "DAG_SUBMITTED":
		d.Submit = history.Earlier(d.Submit, at)
	case "DAG_STARTED":
		d.Start = history.Earlier(d.Start, at)
	case "DAG_FINISHED":
		d.End = at
	}
	d.End = r.time(f.number("endTime")).Or(d.End)
	d.Result = max(d.Result, results[f.text("status")])
}

func (r *Reader) vertexEvent(b *builder, d *dag, v *vertex, event string, at Millis, f *fields) {
	if name := f.text("vertexName"); name != "" {
		d.names[name] = v.ID
	}
	var plugin struct {
		Scheduler string `json:"taskSchedulerClassName"`
	}
	if f.into("servicePlugin", &plugin) && plugin.Scheduler != "" {
		b.Scheduler = r.strings.Get(plugin.Scheduler[strings.LastIndexByte(plugin.Scheduler, '.')+1:])
	}
	settles := event == "VERTEX_CONFIGURE_DONE" || event == "VERTEX_PARALLELISM_UPDATED"
	if n := f.count("numTasks"); n >= 0 && (settles || !v.settled) {
		v.Tasks, v.settled = n, settles
	}
	v.Init = history.Earlier(v.Init, r.time(f.number("initTime")))
	v.Start = history.Earlier(v.Start, r.time(f.number("startTime")))
	switch event {
	case "VERTEX_INITIALIZED":
		v.Init = history.Earlier(v.Init, at)
	case "VERTEX_CONFIGURE_DONE":
		v.Configured = at
	case "VERTEX_STARTED":
		v.Start = history.Earlier(v.Start, at)
	case "VERTEX_FINISHED":
		v.End = at
	}
	v.End = r.time(f.number("endTime")).Or(v.End)
	v.Result = max(v.Result, results[f.text("status")])
}

func (r *Reader) attemptEvent(b *builder, v *vertex, task, n int32, event string, at Millis, f *fields) {
	key := [2]int32{task, n}
	i, ok := v.attempts[key]
	if !ok {
		i = len(v.Attempts)
		v.attempts[key] = i
		v.Attempts = append(v.Attempts, Attempt{Task: task, Number: n, Container: Unknown, Scheduled: Unknown,
			Created: Unknown, Allocated: Unknown, Start: Unknown, End: Unknown})
	}
	a := &v.Attempts[i]
	id, node := f.text("containerId"), f.text("nodeId")
	if id == "" {
		id, node = f.relative("containerId"), f.relative("nodeId")
	}
	if x, ok := parse(id); ok && x.kind == "container" && x.app == b.ID {
		a.Container = r.container(b, id)
		if host, _, _ := strings.Cut(node, ":"); host != "" {
			b.Containers[a.Container].Host = r.strings.Get(host)
		}
	}
	a.Created = history.Earlier(a.Created, r.time(f.number("creationTime")))
	a.Allocated = history.Earlier(a.Allocated, r.time(f.number("allocationTime")))
	a.Start = history.Earlier(a.Start, r.time(f.number("startTime")))
	switch event {
	case "TASK_ATTEMPT_STARTED":
		a.Start = history.Earlier(a.Start, at)
	case "TASK_ATTEMPT_FINISHED":
		a.End = at
	}
	a.End = r.time(f.number("endTime")).Or(a.End)
	a.Result = cmp.Or(results[f.text("status")], a.Result)
	cause := f.text("taskAttemptErrorEnum")
	a.Preempted = a.Preempted || cause == "EXTERNAL_PREEMPTION" || cause == "INTERNAL_PREEMPTION"
}
