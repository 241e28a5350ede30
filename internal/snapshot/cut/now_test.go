package cut

import (
	"fmt"
	"slices"
	"strings"

	"schedtune/simcore"
	"schedtune/trace"
	"schedtune/trace/sparklog"
)

// The answers of the web services at an instant.

func (r *Run) ms(at simcore.Time) int64 { return r.Epoch + int64(at/simcore.Millisecond) }

// now makes the answers: applications, running containers, masters of MapReduce, Spark's drivers.
func (r *Run) now(at simcore.Time) (apps []any, containers map[string][]any, masters map[string]any,
	drivers map[string]*sparklog.Progress) {
	apps, containers, masters, drivers = []any{}, map[string][]any{}, map[string]any{}, map[string]*sparklog.Progress{}
	for i := range r.Apps {
		a := &r.Apps[i]
		gone := a.Released
		if gone == simcore.Never {
			gone = a.Unregistered
		}
		if a.Submit > at || gone <= at {
			continue
		}
		apps = append(apps, r.appAnswer(a, at))
		list := []any{}
		for _, c := range a.containers {
			if c.allocated <= at && c.released > at {
				list = append(list, map[string]any{"containerId": c.id, "allocatedMB": c.mib, "allocatedVCores": c.cores,
					"assignedNodeId": r.nodeID[c.node],
					"priority":       c.priority, "startedTime": r.ms(c.allocated), "finishedTime": 0,
					"elapsedTime": int64((at - c.allocated) / simcore.Millisecond), "containerState": "RUNNING"})
			}
		}
		containers[a.ID] = list
		if m := r.masterAnswer(a, at); m != nil {
			masters[a.ID] = m
		}
		if j := r.jobs[a.ID]; j != nil && j.Spark != nil && a.Registered <= at && a.Unregistered > at {
			drivers[a.ID] = j.Spark.Progress(sparklog.Millis(r.ms(at)))
		}
	}
	return apps, containers, masters, drivers
}

func (r *Run) appAnswer(a *App, at simcore.Time) any {
	state, final, diagnostics := "ACCEPTED", "UNDEFINED", ""
	switch {
	case a.Unregistered <= at:
		state, final = "RUNNING", "SUCCEEDED"
	case a.Registered <= at:
		state = "RUNNING"
	case a.Activated <= at:
		diagnostics = "Application is Activated, waiting for resources to be assigned for AM."
	default:
		diagnostics = fmt.Sprintf("Application is added to the scheduler and is not yet activated. AM Resource Request = "+
			"<memory:%d, vCores:1>", a.AM)
	}
	asks := []any{}
	ask := func(priority, mib, cores, n int64) {
		if n > 0 {
			asks = append(asks, map[string]any{"priority": priority, "resourceName": "*", "numContainers": n,
				"capability": map[string]any{"memory": mib, "vCores": cores}})
		}
	}
	switch {
	case a.Allocated > at:
		ask(0, a.AM, 1, 1)
	case a.Registered <= at && a.Type == "SPARK":
		r.sparkAsks(a, at, ask)
	case a.Registered+2*simcore.Second <= at:
		r.mapAsks(a, at, ask)
	}
	return map[string]any{"id": a.ID, "user": a.User, "name": a.Name, "queue": "root." + a.Queue, "state": state,
		"finalStatus": final, "applicationType": a.Type,
		"priority": 0, "startedTime": r.ms(a.Submit), "finishedTime": 0,
		"elapsedTime": int64((at - a.Submit) / simcore.Millisecond), "diagnostics": diagnostics, "resourceRequests": asks}
}

// sparkAsks are the last requests, less what was allocated since.
func (r *Run) sparkAsks(a *App, at simcore.Time, ask func(priority, mib, cores, n int64)) {
	last := map[int64]askRow{}
	var order []int64
	for _, x := range r.asks[a.ID] {
		if x.at <= at {
			if _, ok := last[x.priority]; !ok {
				order = append(order, x.priority)
			}
			last[x.priority] = x
		}
	}
	slices.Sort(order)
	for _, p := range order {
		x := last[p]
		for _, c := range a.containers {
			if c.kind != "AM" && c.priority == p && c.allocated > x.at && c.allocated <= at {
				x.num--
			}
		}
		ask(p, x.mib, x.cores, x.num)
	}
}

// mapAsks are the maps without a container; what is asked of reduces is not recorded.
func (r *Run) mapAsks(a *App, at simcore.Time, ask func(priority, mib, cores, n int64)) {
	j := r.jobs[a.ID]
	if j == nil {
		return
	}
	pending, mib := int64(max(j.Maps, 0)), int64(0)
	for _, c := range a.containers {
		if c.kind == "MAP" {
			mib = c.mib
			if c.allocated <= at {
				pending--
			}
		}
	}
	if mib > 0 {
		ask(20, mib, 1, pending)
	}
}

// masterAnswer is what a registered MapReduce master tells.
func (r *Run) masterAnswer(a *App, at simcore.Time) any {
	j := r.jobs[a.ID]
	if j == nil || a.Type != "MAPREDUCE" || a.Registered > at || a.Unregistered <= at {
		return nil
	}
	now := trace.Millis(r.ms(at))
	tasks := []any{}
	for i := range j.Tasks {
		t := &j.Tasks[i]
		w := t.Winner()
		if w == nil || w.Start > now || t.Kind != trace.Map && t.Kind != trace.Reduce {
			continue
		}
		m := map[string]any{"type": strings.ToUpper(t.Kind.String()), "state": "RUNNING", "startTime": w.Start,
			"finishTime": 0}
		if w.Finish <= now {
			m["state"], m["finishTime"] = "SUCCEEDED", w.Finish
		}
		tasks = append(tasks, m)
	}
	conf := map[string]string{}
	if j.Slowstart >= 0 {
		conf["mapreduce.job.reduce.slowstart.completedmaps"] = fmt.Sprint(j.Slowstart)
	}
	for kind, name := range map[string]string{"MAP": "map", "REDUCE": "reduce"} {
		for _, c := range a.containers {
			if c.kind == kind {
				conf["mapreduce."+name+".memory.mb"] = fmt.Sprint(c.mib)
			}
		}
	}
	return map[string]any{"job": map[string]any{"mapsTotal": max(j.Maps, 0), "reducesTotal": max(j.Reduces, 0)},
		"tasks": tasks, "conf": conf}
}
