package sparkreplay

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"schedtune/simcore"
)

// Tez applications of a recorded run.

// dagNumber returns the number in a DAG's id dag_STAMP_APPLICATION_NUMBER, 0 without one.
func dagNumber(id string) int32 {
	n, _ := strconv.ParseInt(id[strings.LastIndexByte(id, '_')+1:], 10, 32)
	return int32(n)
}

func (l *loader) dag(w row) {
	a := l.of(w)
	d := &DAG{Number: dagNumber(w.Str("dag")), Name: w.Str("dag_name"), Submit: w.must("submit_ms"),
		Finish: w.must("finish_ms")}
	if d.Number != int32(len(a.DAGs))+1 && a != &l.lost {
		w.Fail(fmt.Errorf("column dag: %.80q: must end in %d", w.Str("dag"), len(a.DAGs)+1))
	}
	a.DAGs = append(a.DAGs, d)
}

func (l *loader) vertex(w row) {
	a := l.of(w)
	k := int(dagNumber(w.Str("dag"))) - 1
	if k < 0 || k >= len(a.DAGs) {
		w.unknown("dag", "dags.csv")
		return
	}
	v := &Vertex{ID: w.int32("vertex"), Name: w.Str("vertex_name"), Tasks: w.int32("tasks"), MiB: w.number("mib", maxNodeMiB, 0),
		Priority: w.int32("priority"), Scheduled: w.At("first_scheduled_ms"), Start: w.At("start_ms"), Edges: map[string]string{}}
	for e := range strings.FieldsSeq(w.Str("edges")) {
		name, kind, _ := strings.Cut(e, ":")
		v.Edges[name] = kind
	}
	a.DAGs[k].Vertices = append(a.DAGs[k].Vertices, v)
}

// checkDAGs checks that vertices are numbered, read earlier ones, and have the tasks that ran.
func (a *App) checkDAGs() error {
	for _, d := range a.DAGs {
		slices.SortStableFunc(d.Vertices, func(x, y *Vertex) int { return cmp.Compare(x.ID, y.ID) })
		seen := map[string]bool{}
		for i, v := range d.Vertices {
			for name := range v.Edges {
				if !seen[name] {
					return fmt.Errorf("vertices.csv: vertex %d of DAG %d reads %q: must be an earlier one", v.ID, d.Number, name)
				}
			}
			if seen[v.Name] = true; v.ID != int32(i) || v.Tasks < 0 {
				return fmt.Errorf("vertices.csv: vertex %d of DAG %d with %d tasks: must be numbered from 0, with tasks", v.ID,
					d.Number, v.Tasks)
			}
		}
	}
	for _, t := range a.Tasks {
		if int(t.DAG) > len(a.DAGs) || t.DAG < 1 || int(t.Stage) >= len(a.DAGs[t.DAG-1].Vertices) || t.Stage < 0 ||
			t.Index < 0 || t.Index >= a.DAGs[t.DAG-1].Vertices[t.Stage].Tasks {
			return fmt.Errorf("tasks.csv: task %d of vertex %d of DAG %d is not in vertices.csv", t.Index, t.Stage, t.DAG)
		}
	}
	return nil
}

// settleTez applies the scenario's settings.
func (a *App) settleTez(common map[string]string, p *PlanJob) {
	s := simcore.DefaultTezSettings()
	get := func(name string, def int64) int64 {
		v, err := strconv.ParseInt(cmp.Or(p.Conf[name], common[name]), 10, 64)
		if err != nil {
			return def
		}
		return v
	}
	span := func(to *simcore.Time, name string, unit simcore.Time) {
		if v := get(name, int64(*to/unit)); v < 0 {
			*to = simcore.Never
		} else {
			*to = simcore.Time(v) * unit
		}
	}
	on := func(to *bool, name string) {
		if v := cmp.Or(p.Conf[name], common[name]); v != "" {
			*to = v == "true"
		}
	}
	span(&s.IdleMin, "tez.am.container.idle.release-timeout-min.millis", simcore.Millisecond)
	span(&s.IdleMax, "tez.am.container.idle.release-timeout-max.millis", simcore.Millisecond)
	s.IdleMax = max(s.IdleMax, s.IdleMin)
	span(&s.SubmitTimeout, "tez.session.am.dag.submit.timeout.secs", simcore.Second)
	on(&s.Reuse, "tez.am.container.reuse.enabled")
	on(&s.AnyFallback, "tez.am.container.reuse.non-local-fallback.enabled")
	s.Held = int32(get("tez.am.session.min.held-containers", 0))
	s.Old = strings.HasSuffix(cmp.Or(p.Conf["tez.am.yarn.scheduler.class"], common["tez.am.yarn.scheduler.class"]),
		".YarnTaskSchedulerService")
	a.Tez, a.Job.Executors = s, true
	a.AMMiB, a.TaskMiB = get("tez.am.resource.memory.mb", 1024), get("tez.task.resource.memory.mb", 640)
}
