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
	e := &happening{r, f, event, at}
	switch x.kind {
	case "application":
		b.application(f)
	case "appattempt":
		b.Attempt = max(b.Attempt, x.n[0])
		e.first(&b.Submit, "", "appSubmitTime")
		e.first(&b.Launched, "AM_LAUNCHED", "")
		e.first(&b.Ready, "AM_STARTED", "")
	case "container":
		c := &b.Containers[r.container(b, strings.TrimPrefix(id, "tez_"))]
		e.first(&c.Launched, "CONTAINER_LAUNCHED", "")
		e.first(&c.Stopped, "CONTAINER_STOPPED", "")
	default:
		d := b.dag(x.n[0])
		switch x.kind {
		case "dag":
			e.dag(b, d)
		case "vertex":
			e.vertex(b, d, d.vertex(x.n[1]))
		case "task":
			v := d.vertex(x.n[1])
			if t := r.time(f.number("scheduledTime")); t.Known() {
				v.scheduled[x.n[2]] = t
			}
		case "attempt":
			e.attempt(b, d.vertex(x.n[1]), x.n[2], x.n[3])
		}
	}
}

// happening is an event of an entity with what its record tells.
type happening struct {
	*Reader
	*fields
	event string
	at    Millis
}

// first moves a time to the earliest told: of an event, or of a field of any record.
func (e *happening) first(to *Millis, event, field string) {
	if *to = history.Earlier(*to, e.Reader.time(e.number(field))); e.event == event {
		*to = history.Earlier(*to, e.at)
	}
}

// ends takes the time of the last event and the result.
func (e *happening) ends(end *Millis, event string) Result {
	if e.event == event {
		*end = e.at
	}
	*end = e.Reader.time(e.number("endTime")).Or(*end)
	return results[e.text("status")]
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

func (e *happening) dag(b *builder, d *dag) {
	b.User = cmp.Or(b.User, e.text("user"))
	b.Queue = cmp.Or(e.strings.Get(e.text("queueName")), b.Queue)
	d.plan.Name = cmp.Or(e.text("dagName"), d.plan.Name)
	if e.into("dagPlan", &d.plan) {
		for i, v := range d.plan.Vertices { // their order is that of the ids
			if _, known := d.names[v.Name]; !known && i < mostVertices {
				d.names[v.Name] = int32(i)
			}
		}
	}
	ids := map[string]string{}
	if e.into("vertexNameIdMapping", &ids) {
		for name, id := range ids {
			if x, ok := parse(id); ok && x.kind == "vertex" {
				d.names[name] = x.n[1]
			}
		}
	}
	if id := e.text("callerId"); id != "" {
		d.query = id
		if b.Caller = "other"; callers[e.text("callerType")] {
			b.Caller = e.text("callerType")
		}
	}
	e.first(&d.Submit, "DAG_SUBMITTED", "")
	e.first(&d.Start, "DAG_STARTED", "startTime")
	d.Result = max(d.Result, e.ends(&d.End, "DAG_FINISHED"))
}

func (e *happening) vertex(b *builder, d *dag, v *vertex) {
	if name := e.text("vertexName"); name != "" {
		d.names[name] = v.ID
	}
	var plugin struct {
		Scheduler string `json:"taskSchedulerClassName"`
	}
	if e.into("servicePlugin", &plugin) && plugin.Scheduler != "" {
		b.Scheduler = e.strings.Get(plugin.Scheduler[strings.LastIndexByte(plugin.Scheduler, '.')+1:])
	}
	settles := e.event == "VERTEX_CONFIGURE_DONE" || e.event == "VERTEX_PARALLELISM_UPDATED"
	if n := e.count("numTasks"); n >= 0 && (settles || !v.settled) {
		v.Tasks, v.settled = n, settles
	}
	e.first(&v.Init, "VERTEX_INITIALIZED", "initTime")
	e.first(&v.Start, "VERTEX_STARTED", "startTime")
	if e.event == "VERTEX_CONFIGURE_DONE" {
		v.Configured = e.at
	}
	v.Result = max(v.Result, e.ends(&v.End, "VERTEX_FINISHED"))
}

func (e *happening) attempt(b *builder, v *vertex, task, n int32) {
	key := [2]int32{task, n}
	i, ok := v.attempts[key]
	if !ok {
		i = len(v.Attempts)
		v.attempts[key] = i
		v.Attempts = append(v.Attempts, Attempt{Task: task, Number: n, Container: Unknown, Scheduled: Unknown,
			Created: Unknown, Allocated: Unknown, Start: Unknown, End: Unknown})
	}
	a := &v.Attempts[i]
	id, node := e.text("containerId"), e.text("nodeId")
	if id == "" {
		id, node = e.relative("containerId"), e.relative("nodeId")
	}
	if x, ok := parse(id); ok && x.kind == "container" && x.app == b.ID {
		a.Container = e.container(b, id)
		if host, _, _ := strings.Cut(node, ":"); host != "" {
			b.Containers[a.Container].Host = e.strings.Get(host)
		}
	}
	e.first(&a.Created, "", "creationTime")
	e.first(&a.Allocated, "", "allocationTime")
	e.first(&a.Start, "TASK_ATTEMPT_STARTED", "startTime")
	a.Result = cmp.Or(e.ends(&a.End, "TASK_ATTEMPT_FINISHED"), a.Result)
	cause := e.text("taskAttemptErrorEnum")
	a.Preempted = a.Preempted || cause == "EXTERNAL_PREEMPTION" || cause == "INTERNAL_PREEMPTION"
}
