package sparkreplay

import (
	"schedtune/internal/stats"
	"schedtune/simcore"
	"schedtune/simcore/yarn"
	"schedtune/validation/replay"
)

// fitTez takes the latencies of recorded Tez applications; fitStarts gives the work of starts.
func fitTez(list []*Run) *yarn.TezCalibration {
	c := yarn.DefaultTez()
	waits := replay.Waits[*yarn.Latency]{}
	for _, r := range list {
		for _, a := range r.Apps {
			if !a.tez() {
				continue
			}
			waits.Take(&c.Stop, a.Stopping, a.Unregistered)
			waits.Take(&c.Exit, a.Unregistered, a.Released)
			for _, x := range a.Containers {
				if x.Kind != "EXECUTOR" {
					continue
				}
				waits.Take(&c.LaunchWait, x.Acquired, x.StartRequest)
				if at := a.GivenUp[x.ID]; x.End == "completed" {
					waits.Take(&c.Gone, at, x.Released)
				}
			}
			for _, d := range a.DAGs {
				for _, v := range d.Vertices {
					if len(v.Edges) == 0 {
						waits.Take(&c.DAGStart, d.Submit, v.Start)
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
						waits.Take(&c.Poll, t.Launch-pull, t.Launch)
					}
				}
				switch last := a.lastSource(t, v); {
				case len(v.Edges) > 0 && last > t.Launch:
					waits.Take(&c.Read, last, t.Read)
				case len(v.Edges) == 0 && t.Launch > a.firstPull(t.Container):
					waits.Take(&c.TaskSpan, min(t.Launch+t.Asked, t.Finish), t.Finish)
				case len(v.Edges) == 0:
					waits.Take(&c.FirstTask, min(t.Launch+t.Asked, t.Finish), t.Finish)
				}
			}
		}
	}
	later, first := stats.Median(waits[&c.TaskSpan]), waits[&c.FirstTask]
	for i := range first {
		first[i] = max(first[i]-later, 0)
	}
	waits.Fill(func(to *yarn.Latency) *yarn.Latency { return to })
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
