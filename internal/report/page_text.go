package report

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"

	"schedtune/internal/text"
	"schedtune/simcore"
	"schedtune/tune"
)

// percentSign is the sign with a space that does not break.
const percentSign = "\u00a0%"

// drawSection draws the figures of a section in both widths, of which report.css shows one: a scaled
// chart would have unreadable text on a phone, and the page has no script to draw it anew. The ids of
// the two drawings have different prefixes, since a page must not have an id twice.
func drawSection(figs []figure) template.HTML {
	if len(figs) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(`<div class="figures">`)
	for _, f := range figs {
		fmt.Fprintf(&b, "<figure id=\"fig-%s\"><figcaption>%s</figcaption>\n"+
			`<div class="wide">%s</div><div class="narrow">%s</div></figure>`+"\n", template.HTMLEscapeString(f.ID),
			template.HTMLEscapeString(f.Caption), f.draw(wide).Render(f.ID+"-w"), f.draw(narrow).Render(f.ID+"-n"))
	}
	b.WriteString("</div>")
	return template.HTML(b.String())
}

// unitNumber prints a figure with its unit; NaN is a dash.
func unitNumber(v float64, unit string) string {
	if math.IsNaN(v) {
		return "–"
	}
	return noBreak(text.Amount(v, unit))
}

// noBreak sets minus signs and spaces that do not break.
func noBreak(figure string) string {
	return strings.NewReplacer("-", "−", " %", percentSign).Replace(figure)
}

// pairText prints before and after, and once if they are equal.
func pairText(before, after float64, unit string) string {
	if math.IsNaN(before) || math.IsNaN(after) {
		return text.Arrow(unitNumber(before, unit), unitNumber(after, unit))
	}
	return noBreak(text.Arrow(text.Pair(before, after, unit)))
}

// percentText prints a share as a percentage.
func percentText(v float64) string {
	if math.IsNaN(v) {
		return "–"
	}
	return text.Number(math.Round(v*1000)/10) + percentSign
}

// changeOf prints a relative change with its sign; NaN is left out. The sign tells the direction of
// the metric, not whether it is good: colour and words tell that.
func changeOf(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	v = math.Round(v*1000) / 10
	s := text.Number(v)
	if v > 0 {
		s = "+" + s
	}
	return s + percentSign
}

// intervalText prints the ends of an interval; both are 0 where none was computed, as for a single run.
func intervalText(low, high float64) string {
	if math.IsNaN(low) || math.IsNaN(high) || low == 0 && high == 0 {
		return ""
	}
	return changeOf(low) + " to " + changeOf(high)
}

// deltaText prints the relative difference of two figures.
func deltaText(before, after float64) string {
	if before == 0 || before == after {
		return ""
	}
	return changeOf(after/before - 1)
}

// diffHTML marks added and removed lines of a unified diff; the signs stay, so
// that colour is not the only difference.
func diffHTML(diff string) template.HTML {
	var b strings.Builder
	for _, line := range strings.Split(strings.TrimRight(diff, "\n"), "\n") {
		format := "%s\n"
		switch {
		case strings.HasPrefix(line, "+") && !strings.HasPrefix(line, "+++"):
			format = "<ins>%s</ins>\n"
		case strings.HasPrefix(line, "-") && !strings.HasPrefix(line, "---"):
			format = "<del>%s</del>\n"
		}
		fmt.Fprintf(&b, format, template.HTMLEscapeString(line))
	}
	return template.HTML(b.String())
}

// namedCell is a cell of a table with the name of its column, which a narrow page shows beside it.
type namedCell struct{ Name, Text string }

// measuredCells are the figures of each change, without columns of which nothing is known.
func (sum *Summary) measuredCells() [][]namedCell {
	rows := changeFigures(sum.found().Changes)
	cells := make([][]namedCell, len(rows)-1)
	for column, name := range rows[0] {
		for i := range cells {
			if known(rows, column) {
				cells[i] = append(cells[i], namedCell{name, typographic(rows[i+1][column])})
			}
		}
	}
	return cells
}

// headlineRow is one metric before and after. Unknown figures are NaN.
type headlineRow struct {
	Name string
	simcore.Metric
	Before, After float64 // means over the confirmation's runs
	// Change is the relative change with its interval, 0.18 is 18 % more; Class is "better" or
	// "worse" where the interval excludes zero.
	Change, Low, High float64
	Class             string
}

// headline are the metrics, the objectives first with their expected changes.
func (sum *Summary) headline() (out []headlineRow) {
	add := func(name string) {
		b, ok := metric(sum.Present.Metrics, name)
		if !ok {
			return
		}
		a, ok := metric(sum.found().Metrics, name)
		if !ok {
			a = math.NaN()
		}
		m := headlineRow{Name: name, Metric: simcore.MetricOf(name), Before: b, After: a, Change: math.NaN(), Low: math.NaN(),
			High: math.NaN()}
		i := slices.IndexFunc(sum.Gain, func(g tune.Gain) bool { return g.Metric == name })
		switch {
		case i >= 0:
			g := &sum.Gain[i]
			m.Change, m.Low, m.High = gainEnds(g)
			if g.Unknown {
				break
			}
			if g.Low > 0 {
				m.Class = "better"
			} else if g.High < 0 {
				m.Class = "worse"
			}
		case b != 0 && !sum.apart(): // else the column holds gains on similar workloads, which this is not
			m.Change = a/b - 1
		}
		out = append(out, m)
	}
	for _, o := range sum.Objectives {
		add(o)
	}
	for _, m := range sum.Present.Metrics {
		if !slices.Contains(sum.Objectives, m.Name) && !sum.limitOnly(m.Name) {
			add(m.Name)
		}
	}
	return out
}

// gainEnds is a gain as the change of its metric, 0.18 is 18 % more, with the ends of its interval,
// NaN where they are not known.
func gainEnds(g *tune.Gain) (mean, low, high float64) {
	a, b := change(g.Metric, g.Low)/100, change(g.Metric, g.High)/100
	if g.Unknown {
		a, b = math.NaN(), math.NaN()
	}
	return change(g.Metric, g.Mean) / 100, min(a, b), max(a, b)
}

// groupTable is the table of the queues or of the users: jobs, mean completion on similar workloads
// where it was measured, and figures of the recorded trace.
type groupTable struct {
	Kind    string // "queue" or "user"
	Columns []string
	Similar bool // some row has the mean completion on similar workloads
	Rows    []GroupRow
}

// groupMetrics are shown of each queue and user beside the number of jobs: the usual figure and the
// bad case, of what users wait for in all and of what the scheduler alone is to blame for.
var groupMetrics = []string{"mean-completion", "p95-completion", "mean-wait", "p95-wait"}

// groupTables are the tables of queues and users. The column of similar workloads is there only if a
// row has it, since small budgets measure none.
func (sum *Summary) groupTables() (out []groupTable) {
	for _, kind := range []string{"queue", "user"} {
		g := groupTable{Kind: kind, Columns: []string{"jobs finished"}, Rows: sum.groupsOf(kind)}
		if g.Similar = anyDrawn(g.Rows); g.Similar {
			g.Columns = append(g.Columns, "mean-completion on similar workloads")
		}
		g.Columns = append(g.Columns, groupMetrics...)
		if len(g.Rows) > 0 {
			out = append(out, g)
		}
	}
	return out
}

// groupCell is a figure before and after, NaN = unknown, with the interval of its change.
type groupCell struct {
	Unit          string
	Before, After float64
	Interval      string // 90 % of similar workloads change by this, "" = not known
}

// cells are the figures of a row of the page's tables; there is no mean over no jobs.
func (g *GroupRow) cells(similar bool) []groupCell {
	out := []groupCell{{"jobs", g.Before.Jobs, g.After.Jobs, ""}}
	switch {
	case similar && g.Drawn != nil:
		c := groupCell{"s", g.Drawn.Before, g.Drawn.After, ""}
		if text := g.Drawn.interval(); text != "" {
			c.Interval = typographic(text) + " %"
		}
		out = append(out, c)
	case similar:
		out = append(out, groupCell{"s", math.NaN(), math.NaN(), ""})
	}
	of := func(f GroupFigure, name string) float64 {
		if f.Jobs == 0 {
			return math.NaN()
		}
		return *f.byMetric()[name]
	}
	for _, name := range groupMetrics {
		out = append(out, groupCell{"s", of(g.Before, name), of(g.After, name), ""})
	}
	return out
}
