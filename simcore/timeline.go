package simcore

import "fmt"

// Timeline records how many maps and reduces run over time, in total or by
// queue, user, class or job: the series of the papers' figures. Its Event goes
// into Config.Trace; a run without it pays nothing.
type Timeline struct {
	Series []Series // by group, in the workload's order

	of func(JobID) int32
}

// Series is the running tasks of one group; a point holds from its time to the
// next point's.
type Series struct {
	Name   string
	Points []TimelinePoint
}

// TimelinePoint is a step of a Series.
type TimelinePoint struct {
	At            Time
	Maps, Reduces int32
}

// NewTimeline returns a timeline by "total", "queue", "user", "class" or
// "job".
func NewTimeline(w *Workload, by string) (*Timeline, error) {
	t := &Timeline{}
	switch by {
	case "total":
		t.name("total")
		t.of = func(JobID) int32 { return 0 }
	case "queue":
		t.name(w.Queues...)
		t.of = func(j JobID) int32 { return w.Jobs[j].Queue }
	case "user":
		t.name(w.Users...)
		t.of = func(j JobID) int32 { return w.Jobs[j].User }
	case "class":
		t.name(w.Classes...)
		t.of = func(j JobID) int32 { return w.Jobs[j].Class }
	case "job":
		for i := range w.Jobs {
			t.name(w.Jobs[i].ID)
		}
		t.of = func(j JobID) int32 { return int32(j) }
	default:
		return nil, fmt.Errorf("timeline by %q: want total, queue, user, class or job", by)
	}
	return t, nil
}

func (t *Timeline) name(names ...string) {
	for _, n := range names {
		t.Series = append(t.Series, Series{Name: n})
	}
}

// Event takes in one event of the run.
func (t *Timeline) Event(at Time, e Event) {
	switch e.Kind {
	case TaskStarted:
		t.step(at, e.Task, 1)
	case TaskFinished, TaskFailed, TaskKilled:
		t.step(at, e.Task, -1)
	}
}

// step adds a point, or changes the last one of the same time. Jobs without a
// group (class -1) are left out.
func (t *Timeline) step(at Time, task Task, delta int32) {
	g := t.of(task.Job)
	if g < 0 {
		return
	}
	p := &t.Series[g].Points
	var last TimelinePoint
	if n := len(*p); n > 0 {
		last = (*p)[n-1]
	}
	if len(*p) == 0 || last.At != at {
		last.At = at
		*p = append(*p, last)
	}
	q := &(*p)[len(*p)-1]
	if task.Kind == Map {
		q.Maps += delta
	} else {
		q.Reduces += delta
	}
}

// Mean returns the mean of running maps and reduces between two times.
func (s *Series) Mean(from, to Time) (maps, reduces float64) {
	for i, p := range s.Points {
		end := to
		if i+1 < len(s.Points) {
			end = min(to, s.Points[i+1].At)
		}
		if d := float64(end - max(p.At, from)); d > 0 {
			maps += d * float64(p.Maps)
			reduces += d * float64(p.Reduces)
		}
	}
	span := float64(to - from)
	return maps / span, reduces / span
}
