package report

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"sort"
	"strings"

	"schedtune/internal/diagnose"
	"schedtune/internal/report/svg"
	"schedtune/internal/report/timeline"
	"schedtune/simcore"
)

// shownRun is one simulated run, shown as timelines and distributions.
type shownRun struct {
	id, name    string
	colour      int
	timeline    runTimeline
	completions map[string][]float64 // seconds by queue
}

// runTimeline holds step functions over seconds since the first submission.
type runTimeline struct {
	unit     string       // of what queues hold: "GiB" or "slots"
	queues   []svg.Series // what each holds
	pending  []svg.Point  // requested and not allocated, in unit
	lost     []svg.Point  // containers that ended before their work did, each with what all held after it
	capacity float64      // of the cluster, in GiB; 0 = of slots
	tasks    []svg.Series // what runs, of those kinds that the run has
}

// points are the steps as a chart draws them, with times in seconds and numbers divided by a unit.
func points(s timeline.Steps, unit float64) []svg.Point {
	var pts []svg.Point
	for _, x := range s {
		pts = append(pts, svg.Point{X: x.At.Seconds(), Y: float64(x.N) / unit})
	}
	return pts
}

// timelineOf is the timeline of a recorded run, one series per queue in order of name: the
// memory that its containers hold of a cluster's MiB, or its slots in use.
func timelineOf(r *timeline.Recorder, memory int64) runTimeline {
	t := runTimeline{unit: "slots", pending: points(r.Pending, mibPerGiB), lost: points(r.Lost, mibPerGiB)}
	for _, kind := range []struct {
		name string
		timeline.Steps
	}{{"maps", r.Tasks[simcore.Map]}, {"reduces", r.Tasks[simcore.Reduce]}, {"Spark executors", r.Executors}} {
		if len(kind.Steps) > 0 {
			t.tasks = append(t.tasks, svg.Series{Name: kind.name, Points: points(kind.Steps, 1), Shape: svg.Step})
		}
	}
	levels, unit := r.Queues, 1.0
	if len(r.Pending) > 0 {
		t.unit, levels, unit, t.capacity = "GiB", r.Memory, mibPerGiB, gib(memory)
	}
	for q, name := range r.Work.Queues {
		t.queues = append(t.queues, svg.Series{Name: name, Points: points(levels[q], unit), Shape: svg.Area})
	}
	slices.SortStableFunc(t.queues, func(a, b svg.Series) int { return strings.Compare(a.Name, b.Name) })
	return t
}

// completions lists the completion times of a run's jobs by queue. Failed jobs have none: they would look
// like fast ones.
func completions(w *simcore.Workload, res *simcore.Result) map[string][]float64 {
	byQueue := map[string][]float64{}
	for i := range res.Jobs {
		if j := &res.Jobs[i]; !j.Failed {
			q := w.Queues[w.Jobs[j.Job].Queue]
			byQueue[q] = append(byQueue[q], j.Completion().Seconds())
		}
	}
	return byQueue
}

// timelineFigures draws both runs on the same axes, so that they compare: with axes of its own the
// shorter run would look as long as the other, and the fuller one as empty.
func (d *page) timelineFigures(add func(string, figure)) {
	end, running := 0.0, 0.0
	for _, r := range d.Runs {
		e, m := r.timeline.extent()
		end, running = max(end, e), max(running, m)
	}
	if end <= 0 {
		return
	}
	for _, r := range d.Runs {
		tl := &r.timeline
		if len(tl.queues) == 0 {
			continue
		}
		title := tl.title() + ", " + r.name
		add("timeline", figure{"memory-" + r.id, title, func(width int) renderer {
			return tl.chart(title, width, end)
		}})
		if len(tl.tasks) == 0 {
			continue
		}
		var kinds []string
		for _, s := range tl.tasks {
			kinds = append(kinds, s.Name)
		}
		tasks := "Running " + strings.Join(kinds, ", ") + ", " + r.name
		add("timeline", figure{"tasks-" + r.id, tasks, func(width int) renderer {
			return &svg.Chart{Title: tasks, Desc: "Step curves over time", Width: width, Height: 200,
				X: timeAxis(end), Y: svg.Axis{Label: "running", Min: 0, Max: running * 1.05},
				Series: thinned(tl.tasks, end)}
		}})
	}
	drawn := 0
	for _, same := range []bool{false, true} { // those whose limits change first
		for i := range d.Terms {
			if t := &d.Terms[i]; t.Leaf && t.Same() == same && drawn < queuesDrawn {
				drawn++
				add("timeline", d.queueFigure(t, drawn, end))
			}
		}
	}
}

// queuesDrawn bounds the charts of single queues: a cluster may have hundreds, and each chart is drawn
// twice. Those whose limits change come first, so that no change is left out for a queue without one.
const queuesDrawn = 6

// queueFigure draws what a queue holds in both runs between its guaranteed and its maximum memory.
// A limit that the change leaves alone is one line; else each run has its own, since a queue at its
// old maximum is the usual reason for a recommended change.
func (d *page) queueFigure(l *diagnose.TermsChange, number int, end float64) figure {
	title := "Memory of " + l.Queue
	return figure{fmt.Sprintf("memory-queue-%d", number), title, func(width int) renderer {
		c := &svg.Chart{Title: title, Desc: "Step curves over time with lines at the queue's limits", Width: width,
			Height: 200, X: timeAxis(end), Y: svg.Axis{Label: "GiB"}}
		for _, r := range d.Runs {
			for _, s := range r.timeline.queues {
				if s.Name == l.Queue {
					c.Series = append(c.Series, svg.Series{Name: r.name, Points: s.Points, Shape: svg.Step, Colour: r.colour})
				}
			}
		}
		c.Series = thinned(c.Series, end)
		for _, m := range []struct {
			name          string
			before, after int64
		}{{"guaranteed", l.Before.Guaranteed, l.After.Guaranteed}, {"maximum", l.Before.Maximum, l.After.Maximum}} {
			if m.before == m.after {
				c.Marks = append(c.Marks, svg.Mark{Name: m.name, At: gib(m.before)})
				continue
			}
			c.Marks = append(c.Marks, svg.Mark{Name: m.name + ", current", At: gib(m.before)},
				svg.Mark{Name: m.name + ", " + d.foundTitle(), At: gib(m.after)})
		}
		return c
	}}
}

func timeAxis(end float64) svg.Axis {
	return svg.Axis{Label: "time since the first submission", Seconds: true, Min: 0, Max: end}
}

// title is what the chart of a run shows.
func (t *runTimeline) title() string {
	if t.unit == "GiB" {
		return "Memory by queue"
	}
	return upperFirst(t.unit) + " by queue"
}

// TimelineChart draws what the queues hold in one run, of what, on a cluster of so many MiB.
func TimelineChart(of string, rec *timeline.Recorder, memory int64) *svg.Chart {
	t := timelineOf(rec, memory)
	end, _ := t.extent()
	return t.chart(t.title()+", "+of, wide, end)
}

// chart draws what the queues hold and on top of it what is pending, up to 1.5 times the capacity:
// pending demand can be many times the cluster, and an axis that reached it would flatten the queues.
func (t *runTimeline) chart(title string, width int, end float64) *svg.Chart {
	c := &svg.Chart{Title: title, Desc: "Stacked areas over time, one per queue", Width: width, Height: 280, Stacked: true,
		X: timeAxis(end), Y: svg.Axis{Label: t.unit}}
	c.Series = append(c.Series, t.queues...)
	if slices.ContainsFunc(t.pending, func(p svg.Point) bool { return p.Y > 0 }) {
		c.Series = append(c.Series, svg.Series{Name: "pending demand", Points: t.pending, Shape: svg.Area, Colour: 8,
			Faint: true})
	}
	c.Series = thinned(c.Series, end) // before the dots: thinning would drop lost containers
	if n := len(t.lost); n > 0 {
		c.Series = append(c.Series, svg.Series{Name: fmt.Sprintf("preempted or lost container (%d)", n), Points: t.lost,
			Shape: svg.Dots, Colour: 6})
	}
	if t.capacity > 0 {
		c.Y.Max = 1.5 * t.capacity
		c.Marks = []svg.Mark{{Name: "cluster", At: t.capacity}}
	}
	return c
}

// extent returns the last change and the most that runs of a kind, at least 1: an axis needs a length in an
// empty run too.
func (t *runTimeline) extent() (end, running float64) {
	for _, s := range slices.Concat(t.queues, t.tasks) {
		for _, p := range s.Points {
			end = max(end, p.X)
		}
	}
	for _, s := range t.tasks {
		for _, p := range s.Points {
			running = max(running, p.Y)
		}
	}
	return end, max(1, running)
}

// thinned brings all series onto one span of time and to few points: areas are stacked only where all
// have a value, and a page of unthinned steps of a long trace would have tens of MB.
func thinned(in []svg.Series, end float64) []svg.Series {
	out := slices.Clone(in)
	for i := range out {
		pts := append([]svg.Point{{X: 0, Y: 0}}, out[i].Points...)
		if last := pts[len(pts)-1]; last.X < end {
			pts = append(pts, svg.Point{X: end, Y: last.Y})
		}
		out[i].Points = svg.Thin(pts, maxPoints)
	}
	return out
}

// distributionFigures adds the distributions of completion times, of all jobs and by queue where
// there are several. Means hide that a change may speed up most jobs and delay a few; curves show it.
func (d *page) distributionFigures(add func(string, figure)) {
	queues := map[string][]float64{}
	for _, r := range d.Runs {
		maps.Copy(queues, r.completions)
	}
	names := slices.Sorted(maps.Keys(queues))
	d.distribution(add, "completion", "Completion times of all jobs", "")
	for i, name := range names {
		if i < queuesDrawn && len(names) > 1 {
			d.distribution(add, fmt.Sprintf("completion-queue-%d", i+1), "Completion times, queue "+name, name)
		}
	}
}

// distribution adds the step curves of both runs for one queue, "" = all jobs. A queue without a
// finished job in one run has one curve only.
func (d *page) distribution(add func(string, figure), id, title, queue string) {
	var series []svg.Series
	log, right := false, 0.0
	for _, r := range d.Runs {
		var v []float64
		for name, values := range r.completions {
			if queue == "" || name == queue {
				v = append(v, values...)
			}
		}
		if len(v) == 0 {
			continue
		}
		slices.Sort(v)
		last := v[len(v)-1]
		positive := sort.SearchFloat64s(v, math.SmallestNonzeroFloat64)
		// Jobs of seconds beside jobs of hours: on a linear axis the short ones are a vertical line.
		log = log || positive < len(v) && last/v[positive] > 30
		right = max(right, last)
		series = append(series, svg.Series{Name: r.name, Points: svg.ECDF(v), Shape: svg.Step, Colour: r.colour})
	}
	if len(series) == 0 {
		return
	}
	if len(series) == 2 { // both curves go to the same end
		for i := range series {
			series[i].Points = append(series[i].Points, svg.Point{X: right, Y: 1})
		}
	}
	add("distribution", figure{id, title, func(width int) renderer {
		return &svg.Chart{Title: title, Desc: "Share of jobs completed within a time, step curves", Width: width,
			Height: 220, X: svg.Axis{Label: "completion time", Seconds: true, Log: log},
			Y: svg.Axis{Label: "share of jobs", Percent: true, Min: 0, Max: 1}, Series: series}
	}})
}
