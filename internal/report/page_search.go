package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"schedtune/internal/fileio"
	"schedtune/internal/report/svg"
	"schedtune/simcore"
	"schedtune/tune"
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

// figures lists the charts that the data allow, by section. A chart without data is left out rather
// than drawn empty; report.html leaves out a section, and the link to it, that has no chart.
func (d *page) figures() map[string][]figure {
	m := map[string][]figure{}
	add := func(section string, f figure) { m[section] = append(m[section], f) }
	if d.BestFound != nil {
		add("lead", d.leadFigure())
	}
	d.sliceFigures(add)
	if f, ok := d.frontFigure(); ok {
		add("result", f)
	}
	if len(d.Runs) > 0 {
		d.timelineFigures(add)
		d.distributionFigures(add)
	}
	if len(d.Trials) > 1 {
		add("search", d.progressFigure())
	}
	if list := d.importance(); len(list) > 0 {
		add("search", importanceFigure(list))
	}
	if f, ok := d.shareFigure(); ok {
		add("changes", f)
	}
	return m
}

// plots draws all figures as files, such as memory-before.svg, in a fixed order: equal studies give
// equal bytes, and the map of figures has none.
func (d *page) plots() []fileio.OutputFile {
	figs := d.figures()
	var out []fileio.OutputFile
	for _, section := range []string{"lead", "result", "changes", "slices", "timeline", "distribution", "search"} {
		for _, f := range figs[section] {
			out = append(out, fileio.OutputFile{Name: "plots/" + f.ID + ".svg", Data: f.draw(wide).File()})
		}
	}
	return out
}

// leadFigure is what the page opens with: the changes of the objectives with their intervals, and
// of the mean completion time by queue.
func (d *page) leadFigure() figure {
	var bars []svg.Bar
	for i := range d.Gain {
		mean, low, high := gainEnds(&d.Gain[i])
		bars = append(bars, svg.Bar{Name: d.Gain[i].Metric, Value: mean, Low: low, High: high})
	}
	queues := 0
	for _, g := range d.groupsOf("queue") {
		before, after := g.completions()
		if queues == leadQueues || !(before > 0) || g.After.Jobs == 0 {
			continue
		}
		queues++
		low, high := math.NaN(), math.NaN() // no whiskers where similar workloads did not measure the queue
		if g.Drawn != nil && g.Drawn.Low != nil {
			low, high = *g.Drawn.Low, *g.Drawn.High
		}
		bars = append(bars, svg.Bar{Name: g.Name, Value: after/before - 1, Low: low, High: high})
	}
	return barFigure("lead", svg.Bars{Title: "Change of " + d.Objectives[0] + ", and of the mean completion time by queue",
		Desc:  "Horizontal bars; to the left of zero is less than with the current settings",
		Label: "change from the current configuration", Bars: bars, Signed: true})
}

// leadQueues bounds the queues of the opening picture.
const leadQueues = 12

// Bounds of the slices: parameters, and dots of each.
const (
	slicesShown = 6
	sliceDots   = 400
)

// sliceFigures draw the gains over the values of the settings that carry most of the gain, where
// the values are numbers; gains beyond the range of the search's progress stand on the edge.
func (d *page) sliceFigures(add func(string, figure)) {
	shown := 0
	for _, name := range d.byShare() {
		var dots []svg.Point
		values := map[float64]bool{}
		for i := 0; i < len(d.Trials); i += 1 + len(d.Trials)/sliceDots {
			t := &d.Trials[i]
			x, err := strconv.ParseFloat(t.settings[name], 64)
			if err != nil || math.IsNaN(t.Gain) {
				continue
			}
			values[x] = true
			dots = append(dots, svg.Point{X: x, Y: t.Gain})
		}
		// Two values are a switch, of which two columns of dots show less than the table of changes.
		if len(values) <= 2 || shown == slicesShown {
			continue
		}
		shown++
		slices.SortStableFunc(dots, func(a, b svg.Point) int { return cmp.Compare(a.X, b.X) })
		title := "Gain by " + name
		add("slices", figure{fmt.Sprintf("slice-%d", shown), title, func(width int) renderer {
			c := &svg.Chart{Title: title, Desc: "A dot for each configuration tried: its value of the setting and its gain",
				Width: width, Height: 200, X: svg.Axis{Label: name}, Y: d.gainAxis(),
				Series: []svg.Series{{Name: "configuration", Points: dots, Shape: svg.Dots, Colour: 8}}}
			present, best := valueOf(d.Present, name), valueOf(d.found().Configuration, name)
			if !math.IsNaN(present) {
				c.Marks = append(c.Marks, svg.Mark{Name: "current", At: present, Vertical: true})
			}
			if !math.IsNaN(best) && best != present {
				c.Marks = append(c.Marks, svg.Mark{Name: d.foundTitle(), At: best, Vertical: true})
			}
			return c
		}})
	}
}

// progressFigure shows how the search came to its best, and beside it the gain in the confirmation:
// the distance between the two is the selection bias. The axis counts runs rather than trials, since
// these are what a budget buys.
func (d *page) progressFigure() figure {
	title := "Gain over the current configuration, by runs"
	return figure{"search", title, func(width int) renderer {
		// A gain from few workloads is mostly luck. Such dots are grey and never the best so far, lest the
		// curve promise what the confirmation cannot keep.
		dots := [2]svg.Series{{Name: "configuration", Shape: svg.Dots, Colour: 2},
			{Name: "configuration on few workloads", Shape: svg.Dots, Colour: 8}}
		best := svg.Series{Name: "best so far", Shape: svg.Step, Colour: 1}
		for _, t := range d.Trials {
			of := &dots[1]
			if t.Steady {
				of = &dots[0]
			}
			of.Points = append(of.Points, svg.Point{X: float64(t.Runs), Y: t.Gain})
			best.Points = append(best.Points, svg.Point{X: float64(t.Runs), Y: t.Best})
		}
		c := &svg.Chart{Title: title, Desc: "Gains of the configurations tried, each over the current one on the same " +
			"workloads, and the best so far; gains beyond the range stand on its edge", Width: width, Height: 240,
			X: svg.Axis{Label: "simulation runs"}, Y: d.gainAxis(), Series: []svg.Series{best, dots[0], dots[1]},
			Marks: []svg.Mark{{Name: "current configuration"}}}
		if gain := d.confirmed(); gain != 0 {
			c.Marks = append(c.Marks, svg.Mark{Name: "in the confirmation", At: gain})
		}
		return c
	}}
}

// confirmed is the gain in the confirmation, shown beside the search's own figures, which favour the
// winner; 0 = none.
func (d *page) confirmed() float64 {
	if d.Study.Confirmed == 0 || len(d.Gain) == 0 {
		return 0
	}
	return d.Gain[0].Mean
}

// gainAxis reaches from a little beyond the best gain to as far below zero. Worse trials, which
// may be worse by orders of magnitude, are drawn on its edge.
func (d *page) gainAxis() svg.Axis {
	best := max(d.Trials[len(d.Trials)-1].Best, d.confirmed(), 0.05)
	return svg.Axis{Label: "gain", Percent: true, Min: -best, Max: 1.5 * best}
}

// barFigure is a figure of horizontal bars.
func barFigure(id string, bars svg.Bars) figure {
	return figure{id, bars.Title, func(width int) renderer {
		b := bars
		b.Width = width
		return &b
	}}
}

// plainBar is a bar without an interval.
func plainBar(name string, value float64) svg.Bar {
	return svg.Bar{Name: name, Value: value, Low: math.NaN(), High: math.NaN()}
}

// importanceFigure shows what the model of all runs makes of the settings, at most twelve, changed or
// not: what matters and stayed as it was is an answer too.
func importanceFigure(list []tune.Importance) figure {
	var bars []svg.Bar
	for _, p := range list[:min(len(list), 12)] {
		bars = append(bars, plainBar(p.Name, p.Share))
	}
	return barFigure("importance", svg.Bars{
		Title: "How much each setting explains of the differences between the configurations tried",
		Desc:  "Horizontal bars, the settings that change first", Label: "part of the differences", Bars: bars})
}

// shareFigure shows the shares that the reduction measured; not ok with one change, which has it all.
// Changes that move together stand under the first of them.
func (d *page) shareFigure() (figure, bool) {
	var bars []svg.Bar
	changes := d.found().Changes
	for i, c := range changes {
		if c.Share != nil && leads(changes, i) {
			bars = append(bars, plainBar(c.Setting, *c.Share))
		}
	}
	return barFigure("changes", svg.Bars{Title: "Share of the gain that each change carries", Desc: "Horizontal bars",
		Label: "share of the gain", Bars: bars}), len(bars) > 1
}

// frontFigure shows what the first objective costs the second, with the current settings on the same
// runs; not ok with one objective. The current settings come from FrontPresent and not from the
// confirmation: points of different runs would differ by their workloads too.
func (d *page) frontFigure() (f figure, ok bool) {
	if len(d.Objectives) < 2 || d.FrontPresent == nil {
		return f, false
	}
	a, b := d.Objectives[0], d.Objectives[1]
	point := func(c *Configuration) (p []svg.Point) { // none where an objective has no value
		x, okx := metric(c.Metrics, a)
		y, oky := metric(c.Metrics, b)
		if okx && oky {
			p = []svg.Point{{X: x, Y: y}}
		}
		return p
	}
	var dots, knee []svg.Point
	for i := range d.Front {
		if p := point(&d.Front[i]); d.confirmedPoint(i) {
			knee = p
		} else {
			dots = append(dots, p...)
		}
	}
	present := point(d.FrontPresent)
	all := slices.Concat(present, dots, knee)
	if present == nil || len(all) == 1 {
		return f, false
	}
	slices.SortFunc(dots, func(a, b svg.Point) int { return cmp.Compare(a.X, b.X) })
	title := fmt.Sprintf("%s against %s, on the front's own runs", upperFirst(a), b)
	return figure{"front", title, func(width int) renderer {
		c := &svg.Chart{Title: title, Desc: "The Pareto front of two objectives as dots, with the current settings",
			Width: width, Height: 300,
			X: frontAxis(a, all, func(p svg.Point) float64 { return p.X }),
			Y: frontAxis(b, all, func(p svg.Point) float64 { return p.Y }),
			Series: []svg.Series{{Name: "Pareto front", Points: dots, Shape: svg.Dots, Colour: 1},
				{Name: "current settings", Points: present, Shape: svg.Dots, Colour: 8}}}
		if knee != nil {
			c.Series = append([]svg.Series{{Name: "compromise", Points: knee, Shape: svg.Dots, Colour: 2}}, c.Series...)
		}
		return c
	}}, true
}

// frontAxis covers the front and the current settings with a margin; the axes
// of trade-offs need not begin at zero.
func frontAxis(name string, all []svg.Point, of func(svg.Point) float64) svg.Axis {
	lo, hi := of(all[0]), of(all[0])
	for _, p := range all {
		lo, hi = min(lo, of(p)), max(hi, of(p))
	}
	pad := max((hi-lo)*0.08, math.Abs(hi)*0.01, 1e-9)
	unit := simcore.MetricOf(name).Unit
	return svg.Axis{Label: name, Seconds: unit == "s", Percent: unit == "share", Min: lo - pad, Max: hi + pad}
}
