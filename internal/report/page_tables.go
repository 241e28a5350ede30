package report

import (
	"math"
	"slices"

	"schedtune/simcore"
	"schedtune/tune"
)

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
