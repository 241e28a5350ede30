package sparkreplay

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"schedtune/trace"
	"schedtune/trace/tezlog"
)

// Tez applications of a recorded run.

// dagNumber returns the number in a DAG's id dag_STAMP_APPLICATION_NUMBER, 0 without one.
func dagNumber(id string) int32 {
	n, _ := strconv.ParseInt(id[strings.LastIndexByte(id, '_')+1:], 10, 32)
	return int32(n)
}

func (r *Run) dag(a *App, w row) {
	d := &DAG{Number: dagNumber(w.Str("dag")), Name: w.Str("dag_name"), Submit: w.must("submit_ms"),
		Finish: w.must("finish_ms")}
	if d.Number != int32(len(a.DAGs))+1 {
		w.Fail(fmt.Errorf("column dag: %.80q: must end in %d", w.Str("dag"), len(a.DAGs)+1))
	}
	a.DAGs = append(a.DAGs, d)
}

func (r *Run) vertex(a *App, w row) {
	k := int(dagNumber(w.Str("dag"))) - 1
	if k < 0 || k >= len(a.DAGs) {
		w.unknown("dag", "dags.csv")
		return
	}
	v := &Vertex{ID: w.int32("vertex"), Name: w.Str("vertex_name"), Tasks: w.int32("tasks"),
		MiB: w.number("mib", maxNodeMiB, 0), Scheduled: w.At("first_scheduled_ms"), Start: w.At("start_ms"),
		Edges: map[string]string{}}
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
func (a *App) settleTez(common map[string]string, p *PlanJob) (err error) {
	conf := map[string]string{"tez.am.resource.memory.mb": "1024", "tez.task.resource.memory.mb": "640"}
	maps.Copy(conf, common)
	maps.Copy(conf, p.Conf)
	if a.Tez, err = trace.TezSettings(&tezlog.App{Conf: conf}); err != nil {
		return err
	}
	a.Job.Executors = true
	a.AMMiB, err = strconv.ParseInt(conf["tez.am.resource.memory.mb"], 10, 64)
	if err == nil {
		a.TaskMiB, err = strconv.ParseInt(conf["tez.task.resource.memory.mb"], 10, 64)
	}
	return err
}
