package papers

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"schedtune/datasets"
	"schedtune/internal/report/svg"
	"schedtune/simcore"
)

// Chart is a picture of a section.
type Chart struct {
	Name string // file name without paper and ending
	SVG  []byte
}

// chartList are the lines of data/charts.csv. A chart shows the expressions of the column
// "values", one for all series or one by series, in which {x} is the item of the axis and
// {s} the series; "rows TABLE" are the rows of a published table.
var chartList = table("charts")

// addCharts draws the section's charts.
func (r *runner) addCharts(s *Section) {
	for _, line := range chartList() {
		if line["paper"] != s.Paper || line["section"] != s.ID {
			continue
		}
		draw := map[string]func(*Section, record) []byte{
			"curve": r.curve, "bars": r.curve, "running": r.runningTasks, "distribution": r.distribution,
		}[line["kind"]]
		if draw == nil {
			check(fmt.Errorf("chart %s of %s: kind %q: unknown", line["name"], s.ID, line["kind"]))
		}
		s.Charts = append(s.Charts, Chart{line["name"], draw(s, line)})
	}
}

// curve draws means with their intervals, over numbers as lines with bands and over names
// as bars.
func (r *runner) curve(s *Section, line record) []byte {
	items, labels := strings.Split(line["items"], "|"), []string(nil)
	if id, ok := strings.CutPrefix(line["items"], "rows "); ok {
		items = nil
		for _, row := range must(datasets.Published(s.Paper, id)).Rows {
			items, labels = append(items, row[0]), append(labels, row[0]+" "+row[1])
		}
	}
	title := line["title"]
	if title == "" {
		title = s.Title
	}
	curve := svg.Chart{Title: title, X: svg.Axis{Label: line["x"]}, Y: svg.Axis{Label: line["y"]}}
	bars := svg.Bars{Title: title, X: svg.Axis{Label: line["x"]}, Categories: items}
	if labels != nil {
		bars.Categories = labels
	}
	values := strings.Split(line["values"], "|")
	x := &scope{r, s, false}
	for i, name := range strings.Split(line["series"], "|") {
		series := svg.Series{Name: name, Shape: svg.Line, Colour: i%svg.Colours + 1}
		bar := svg.BarSeries{Name: name, Colour: series.Colour}
		band := svg.Band{Colour: series.Colour}
		if i == 0 { // one name for all in the legend
			band.Name = "95 % interval"
		}
		for _, item := range items {
			f := x.eval(strings.NewReplacer("{x}", item, "{s}", name).Replace(values[i%len(values)]))
			bar.Values = append(bar.Values, f.Mean)
			bar.Low, bar.High = append(bar.Low, f.Low), append(bar.High, f.High)
			if line["kind"] == "bars" {
				continue
			}
			at := must(strconv.ParseFloat(item, 64))
			series.Points = append(series.Points, svg.Point{X: at, Y: f.Mean})
			band.Low = append(band.Low, svg.Point{X: at, Y: f.Low})
			band.High = append(band.High, svg.Point{X: at, Y: f.High})
		}
		curve.Series, curve.Bands = append(curve.Series, series), append(curve.Bands, band)
		bars.Series = append(bars.Series, bar)
	}
	if line["kind"] == "bars" {
		return bars.File()
	}
	return curve.File()
}

// runningTasks draws running maps and reduces over time, of one run.
func (r *runner) runningTasks(_ *Section, line record) []byte {
	scenario, label, _ := strings.Cut(line["values"], "/")
	trials := r.trials(scenario)
	i := slices.IndexFunc(trials, func(t trial) bool { return t.label == label })
	o := must(r.run(&trials[i], r.opt.Seed))
	c := svg.Chart{Title: line["title"], X: svg.Axis{Label: line["x"], Seconds: true}, Y: svg.Axis{Label: line["y"]}}
	for k, name := range []string{"maps", "reduces"} {
		s := svg.Series{Name: name, Shape: svg.Step}
		for _, p := range o.recording.steps[simcore.Kind(k)] {
			s.Points = append(s.Points, svg.Point{X: p.at.Seconds(), Y: float64(p.n)})
		}
		s.Points = svg.Thin(s.Points, 400)
		c.Series = append(c.Series, s)
	}
	return c.File()
}

// distribution draws the share of jobs over their times.
func (r *runner) distribution(_ *Section, line record) []byte {
	x, y := svg.Axis{Label: line["x"], Seconds: true}, svg.Axis{Label: line["y"], Percent: true}
	c := svg.Chart{Title: line["title"], X: x, Y: y}
	for name := range strings.SplitSeq(line["series"], "|") {
		times := r.jobTimes(line["values"] + "/" + name)
		c.Series = append(c.Series, svg.Series{Name: name, Shape: svg.Step, Points: svg.Thin(svg.ECDF(times), 300)})
	}
	return c.File()
}
