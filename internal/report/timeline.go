package report

import (
	"slices"

	"schedtune/internal/report/svg"
	"schedtune/simcore"
	"schedtune/simcore/mr1"
	"schedtune/simcore/yarn"
)

// Recorder builds a Timeline while a run goes on. It keeps one point per
// change, so memory grows with the number of attempts.
type Recorder struct {
	work    *simcore.Workload
	queues  []track
	maps    track
	reduces track
}

// track is one step function under construction.
type track struct {
	level float64
	pts   []svg.Point
}

func (t *track) add(at simcore.Time, delta float64) {
	t.level += delta
	x := at.Seconds()
	if n := len(t.pts); n > 0 && t.pts[n-1].X == x {
		t.pts[n-1].Y = t.level
		return
	}
	t.pts = append(t.pts, svg.Point{X: x, Y: t.level})
}

// NewRecorder prepares for one run of a workload.
func NewRecorder(w *simcore.Workload) *Recorder {
	return &Recorder{work: w, queues: make([]track, len(w.Queues))}
}

// Event takes the events of the Hadoop 1 runtime (mr1.Config.Trace).
func (r *Recorder) Event(at simcore.Time, e mr1.Event) {
	delta := 0.0
	switch e.Kind {
	case mr1.TaskStarted:
		delta = 1
	case mr1.TaskFinished, mr1.TaskFailed, mr1.TaskKilled:
		delta = -1
	default:
		return
	}
	r.Task(at, e.Task.Job, e.Task.Kind, delta)
}

// Change takes the container changes of the YARN runtime
// (yarn.RunConfig.Trace). Application masters count as containers of their
// queue and as no task.
func (r *Recorder) Change(at simcore.Time, c yarn.ContainerChange) {
	if c.Master {
		r.Container(at, c.Job, float64(c.Delta))
		return
	}
	r.Task(at, c.Job, c.Kind, float64(c.Delta))
}

// Task changes the number of running tasks of a job by delta.
func (r *Recorder) Task(at simcore.Time, job simcore.JobID, kind simcore.Kind, delta float64) {
	r.Container(at, job, delta)
	if kind == simcore.Reduce {
		r.reduces.add(at, delta)
		return
	}
	r.maps.add(at, delta)
}

// Container changes the number of containers of a job's queue by delta, for
// containers that run no task (application masters, reservations refused).
func (r *Recorder) Container(at simcore.Time, job simcore.JobID, delta float64) {
	r.queues[r.work.Jobs[job].Queue].add(at, delta)
}

// Timeline returns what was recorded, one series per queue in order of name.
func (r *Recorder) Timeline(unit string) Timeline {
	t := Timeline{Unit: unit, Maps: r.maps.pts, Reduces: r.reduces.pts}
	order := make([]int, len(r.queues))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch x, y := r.work.Queues[a], r.work.Queues[b]; {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
	for _, q := range order {
		t.Containers = append(t.Containers, svg.Series{Name: r.work.Queues[q], Points: r.queues[q].pts, Shape: svg.Area})
	}
	return t
}

// Completions lists the completion times of a run's jobs by queue, in order of
// the queues' names, ascending within a queue.
func Completions(w *simcore.Workload, res *simcore.Result) []Sample {
	byQueue := make([][]float64, len(w.Queues))
	for i := range res.Jobs {
		j := &res.Jobs[i]
		if !j.Failed {
			q := w.Jobs[j.Job].Queue
			byQueue[q] = append(byQueue[q], j.Completion().Seconds())
		}
	}
	var out []Sample
	for q, values := range byQueue {
		if len(values) > 0 {
			slices.Sort(values)
			out = append(out, Sample{w.Queues[q], values})
		}
	}
	slices.SortFunc(out, func(a, b Sample) int {
		if a.Name < b.Name {
			return -1
		}
		return 1
	})
	return out
}

// groupMetrics are the columns of the tables by queue and user.
func groupMetrics() []string {
	return []string{"mean-completion", "p95-completion", "mean-wait", "p95-wait"}
}

// Groups compares two runs of one workload by queue and by user.
func Groups(w *simcore.Workload, before, after *simcore.Result) ([]Group, error) {
	var out []Group
	for _, g := range []struct {
		kind  string
		names []string
	}{{"queue", w.Queues}, {"user", w.Users}} {
		group := Group{Kind: g.kind, Metrics: append([]string{"jobs"}, groupMetrics()...), Units: []string{"jobs", "s", "s", "s", "s"}}
		names := slices.Clone(g.names)
		slices.Sort(names)
		for _, name := range names {
			row := GroupRow{Name: name}
			for _, m := range group.Metrics {
				b, err := before.Value(g.kind + "." + name + "." + m)
				if err != nil {
					return nil, err
				}
				a, err := after.Value(g.kind + "." + name + "." + m)
				if err != nil {
					return nil, err
				}
				row.Before, row.After = append(row.Before, b), append(row.After, a)
			}
			group.Rows = append(group.Rows, row)
		}
		out = append(out, group)
	}
	return out, nil
}
