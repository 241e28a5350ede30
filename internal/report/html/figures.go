package html

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"schedtune/internal/fileio"
	"schedtune/internal/report/svg"
)

// figure is one chart of the page, drawn twice: wide for screens, narrow for
// phones, so that its text keeps its size.
type figure struct {
	ID, Caption string
	draw        func(width int) renderer
}

type renderer interface {
	Render(idPrefix string) []byte
	File() []byte
}

// Widths of the two drawings in CSS pixels.
const (
	wide   = 660
	narrow = 328
)

// maxPoints is what a timeline is thinned to.
const maxPoints = 600

// figures lists the charts that the data allow, by section.
func (d *Data) figures() map[string][]figure {
	m := map[string][]figure{}
	add := func(section string, f figure) { m[section] = append(m[section], f) }
	if len(d.Lead) > 0 {
		add("lead", d.leadFigure())
	}
	d.sliceFigures(add)
	if d.Front != nil && len(d.Front.Points) > 0 {
		add("result", d.frontFigure())
	}
	if d.Before != nil || d.After != nil {
		d.timelineFigures(add)
		d.distributionFigures(add)
	}
	if len(d.Trials) > 1 {
		add("search", d.progressFigure())
	}
	if len(d.Importance) > 0 {
		add("search", d.importanceFigure())
	}
	if f, ok := d.shareFigure(); ok {
		add("changes", f)
	}
	return m
}

// sections is the order of figures when they are written as files.
func sections() []string {
	return []string{"lead", "result", "changes", "slices", "timeline", "distribution", "search"}
}

func value(v []float64, i int) float64 {
	if i < len(v) {
		return v[i]
	}
	return math.NaN()
}

// run is one of the runs of a page with what it is called.
type run struct {
	id, name string
	colour   int
	*Run
}

// runs lists the runs that are shown.
func (d *Data) runs() (out []run) {
	if d.Before != nil {
		out = append(out, run{"before", "current", 8, d.Before})
	}
	if d.After != nil {
		out = append(out, run{"after", d.after(), 1, d.After})
	}
	return out
}

// timelineFigures draws both runs on the same axes, so that they compare.
func (d *Data) timelineFigures(add func(string, figure)) {
	end, top, running := 0.0, 0.0, 0.0
	for _, r := range d.runs() {
		e, t, m := r.Timeline.extent()
		end, top, running = max(end, e), max(top, t), max(running, m)
	}
	if end <= 0 {
		return
	}
	for _, r := range d.runs() {
		tl := &r.Timeline
		if len(tl.Queues) == 0 {
			continue
		}
		title := tl.title() + ", " + r.name
		add("timeline", figure{"memory-" + r.id, title, func(width int) renderer {
			return tl.chart(title, width, end, top)
		}})
		title2 := "Running maps and reduces, " + r.name
		add("timeline", figure{"tasks-" + r.id, title2, func(width int) renderer {
			return &svg.Chart{Title: title2, Desc: "Two step curves over time", Width: width, Height: 200,
				X: timeAxis(end), Y: svg.Axis{Label: "running tasks", Min: 0, Max: running * 1.05},
				Series: thinned([]svg.Series{{Name: "maps", Points: tl.Maps, Shape: svg.Step},
					{Name: "reduces", Points: tl.Reduces, Shape: svg.Step}}, end)}
		}})
	}
	for i := range d.Limits {
		if i < queuesDrawn {
			add("timeline", d.queueFigure(&d.Limits[i], i+1, end))
		}
	}
}

// queuesDrawn bounds the charts of single queues.
const queuesDrawn = 6

// queueFigure draws what a queue holds in both runs between its guaranteed and its maximum memory.
func (d *Data) queueFigure(l *Limits, number int, end float64) figure {
	title := "Memory of " + l.Queue
	return figure{fmt.Sprintf("memory-queue-%d", number), title, func(width int) renderer {
		c := &svg.Chart{Title: title, Desc: "Step curves over time with lines at the queue's limits", Width: width,
			Height: 200, X: timeAxis(end), Y: svg.Axis{Label: "GiB"}}
		for _, r := range d.runs() {
			for _, s := range r.Timeline.Queues {
				if s.Name == l.Queue {
					c.Series = append(c.Series, svg.Series{Name: r.name, Points: s.Points, Shape: svg.Step, Colour: r.colour})
				}
			}
		}
		c.Series = thinned(c.Series, end)
		for _, m := range []struct {
			name string
			at   [2]float64
		}{{"guaranteed", l.Guaranteed}, {"maximum", l.Maximum}} {
			if m.at[0] == m.at[1] {
				c.Marks = append(c.Marks, svg.Mark{Name: m.name, At: m.at[0]})
				continue
			}
			c.Marks = append(c.Marks, svg.Mark{Name: m.name + ", current", At: m.at[0]},
				svg.Mark{Name: m.name + ", " + d.after(), At: m.at[1]})
		}
		return c
	}}
}

func timeAxis(end float64) svg.Axis {
	return svg.Axis{Label: "time since the first submission", Seconds: true, Min: 0, Max: end}
}

// title is what the chart of a run shows.
func (t *Timeline) title() string {
	if t.Unit == "GiB" {
		return "Memory by queue"
	}
	return upper(t.Unit) + " by queue"
}

// TimelineChart draws what the queues hold in one run, of what.
func TimelineChart(of string, t *Timeline) *svg.Chart {
	end, top, _ := t.extent()
	return t.chart(t.title()+", "+of, wide, end, top)
}

// chart draws what the queues hold and on top of it what is pending, up to 1.5 times the capacity.
func (t *Timeline) chart(title string, width int, end, top float64) *svg.Chart {
	c := &svg.Chart{Title: title, Desc: "Stacked areas over time, one per queue", Width: width, Height: 280, Stacked: true,
		X: timeAxis(end), Y: svg.Axis{Label: t.Unit, Min: 0, Max: top * 1.05}}
	c.Series = append(c.Series, t.Queues...)
	if slices.ContainsFunc(t.Pending, func(p svg.Point) bool { return p.Y > 0 }) {
		c.Series = append(c.Series, svg.Series{Name: "pending demand", Points: t.Pending, Shape: svg.Area, Colour: 8,
			Faint: true})
	}
	c.Series = thinned(c.Series, end)
	if n := len(t.Lost); n > 0 {
		c.Series = append(c.Series, svg.Series{Name: fmt.Sprintf("preempted or lost container (%d)", n), Points: t.Lost,
			Shape: svg.Dots, Colour: 6})
	}
	if t.Capacity > 0 {
		c.Y.Max = 1.5 * t.Capacity
		c.Marks = []svg.Mark{{Name: "cluster", At: t.Capacity}}
	}
	return c
}

// extent returns the last change and the largest levels.
func (t *Timeline) extent() (end, top, running float64) {
	total := map[float64]float64{}
	var xs []float64
	for _, s := range t.Queues {
		level := 0.0
		for _, p := range s.Points {
			if _, ok := total[p.X]; !ok {
				xs = append(xs, p.X)
			}
			total[p.X] += p.Y - level
			level = p.Y
			end = max(end, p.X)
		}
	}
	slices.Sort(xs)
	sum := 0.0
	for _, x := range xs {
		sum += total[x]
		top = max(top, sum)
	}
	for _, s := range [][]svg.Point{t.Maps, t.Reduces} {
		for _, p := range s {
			running = max(running, p.Y)
			end = max(end, p.X)
		}
	}
	return end, max(1, top), max(1, running)
}

// thinned brings all series onto one span of time and to few points.
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

// distributionFigures adds the distributions of completion times, of all jobs and by
// queue where there are several.
func (d *Data) distributionFigures(add func(string, figure)) {
	var names []string
	for _, r := range d.runs() {
		for _, s := range r.Completions {
			names = append(names, s.Name)
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	d.distribution(add, "completion", "Completion times of all jobs", "")
	for i, name := range names {
		if i < queuesDrawn && len(names) > 1 {
			d.distribution(add, fmt.Sprintf("completion-queue-%d", i+1), "Completion times, queue "+name, name)
		}
	}
}

// distribution adds the step curves of both runs for one queue, "" = all jobs.
func (d *Data) distribution(add func(string, figure), id, title, queue string) {
	var series []svg.Series
	log, right := false, 0.0
	for _, r := range d.runs() {
		var v []float64
		for _, s := range r.Completions {
			if queue == "" || s.Name == queue {
				v = append(v, s.Values...)
			}
		}
		if len(v) == 0 {
			continue
		}
		slices.Sort(v)
		last := v[len(v)-1]
		positive := sort.SearchFloat64s(v, math.SmallestNonzeroFloat64)
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

func upper(s string) string {
	if s == "" || s[0] < 'a' || s[0] > 'z' {
		return s
	}
	return string(s[0]-'a'+'A') + s[1:]
}

// Plots draws all figures as files, such as memory-before.svg, in a fixed order.
func Plots(d *Data) []fileio.OutputFile {
	figs := d.figures()
	var out []fileio.OutputFile
	for _, section := range sections() {
		for _, f := range figs[section] {
			out = append(out, fileio.OutputFile{Name: "plots/" + f.ID + ".svg", Data: f.draw(wide).File()})
		}
	}
	return out
}
