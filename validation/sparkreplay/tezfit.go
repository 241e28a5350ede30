package sparkreplay

import (
	"slices"

	"schedtune/internal/calibrate"
	"schedtune/internal/stats"
	"schedtune/simcore"
	"schedtune/simcore/yarn"
)

// fitTez takes the latencies of recorded Tez applications; fitStarts gives the work of starts.
func fitTez(list []*Run) *yarn.TezCalibration {
	c := yarn.DefaultTez()
	values := map[*yarn.Latency][]float64{}
	add := func(to *yarn.Latency, from, until simcore.Time, less simcore.Time) {
		if from != simcore.Never && until != simcore.Never {
			values[to] = append(values[to], max(float64(until-from-less)/float64(simcore.Millisecond), 0))
		}
	}
	for _, r := range list {
		for _, a := range r.Apps {
			if !a.tez() {
				continue
			}
			add(&c.Stop, a.Stopping, a.Unregistered, 0)
			add(&c.Exit, a.Unregistered, a.Released, 0)
			for _, x := range a.Containers {
				if x.Kind != "EXECUTOR" {
					continue
				}
				add(&c.LaunchWait, x.Acquired, x.StartRequest, 0)
				if at := a.GivenUp[x.ID]; x.End == "completed" {
					add(&c.Gone, at, x.Released, 0)
				}
			}
			for _, d := range a.DAGs {
				for _, v := range d.Vertices {
					if len(v.Edges) == 0 {
						add(&c.DAGStart, d.Submit, v.Start, 0)
					}
				}
			}
			for _, t := range a.Tasks {
				if t.Status != succeeded {
					continue
				}
				v := a.DAGs[t.DAG-1].Vertices[t.Stage]
				if t.Launch > a.firstPull(t.Container) {
					if pull := a.pulled(t, nil); pull >= 0 {
						add(&c.Poll, t.Launch-pull, t.Launch, 0)
					}
				}
				switch last := a.lastSource(t, v); {
				case len(v.Edges) > 0 && last > t.Launch:
					add(&c.Read, last, t.Read, 0)
				case len(v.Edges) == 0 && t.Launch > a.firstPull(t.Container):
					add(&c.TaskSpan, t.Launch, t.Finish, t.Asked)
				case len(v.Edges) == 0:
					add(&c.FirstTask, t.Launch, t.Finish, t.Asked)
				}
			}
		}
	}
	later := stats.Median(values[&c.TaskSpan])
	for i := range values[&c.FirstTask] {
		values[&c.FirstTask][i] = max(values[&c.FirstTask][i]-later, 0)
	}
	for to, v := range values {
		if slices.Sort(v); len(v) >= 5 {
			*to = calibrate.Quantiles(v, 0)
		}
	}
	c.FirstWork = 0
	return c
}

// firstPull returns when a container pulled its first task, Never if it pulled none.
func (a *App) firstPull(container string) simcore.Time {
	at := simcore.Never
	for _, t := range a.Tasks {
		if t.Container == container {
			at = min(at, t.Launch)
		}
	}
	return at
}

// lastSource returns when the last source task of a vertex ended.
func (a *App) lastSource(t *Task, v *Vertex) (at simcore.Time) {
	d := a.DAGs[t.DAG-1]
	for _, o := range a.Tasks {
		if o.DAG == t.DAG && o.Status == succeeded && v.Edges[d.Vertices[o.Stage].Name] != "" {
			at = max(at, o.Finish)
		}
	}
	return at
}
