package report

import (
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/template"

	"schedtune/internal/calibrate"
	"schedtune/internal/simulate"
	"schedtune/internal/text"
	"schedtune/simcore"
	"schedtune/trace"
)

// Simulation is the document of tune simulate.
type Simulation struct {
	Schema       string            `json:"schema"`
	Scheduler    string            `json:"scheduler"`
	Workload     string            `json:"workload"`
	Nodes        int               `json:"nodes"`
	Jobs         int               `json:"jobs"`
	Seed         uint64            `json:"seed"`
	Replications int               `json:"replications"`
	Metrics      []MeanMetric      `json:"metrics"`
	Groups       []MeanGroup       `json:"groups"`
	Refused      []simcore.Refusal `json:"refused"` // jobs that the scheduler did not take, per run
	// Latencies says where those of the cluster come from; absent without a history.
	Latencies *calibrate.Latencies `json:"latencies"`
	Notes     []string             `json:"notes"`
	Files     map[string]string    `json:"files"`
}

type MeanMetric struct {
	Name string  `json:"name"`
	Unit string  `json:"unit"`
	Mean float64 `json:"mean"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

type MeanGroup struct {
	Dimension string       `json:"dimension"`
	Name      string       `json:"name"`
	Metrics   []MeanMetric `json:"metrics"`
}

// Simulated summarises simulations with consecutive seeds: it computes means and intervals.
func Simulated(s *simulate.Runner, results []*simcore.Result, seed uint64) *Simulation {
	out := &Simulation{Schema: text.SchemaSimulate, Scheduler: s.Name(), Workload: s.Work.Name,
		Nodes: len(s.Cluster.Nodes),
		Jobs:  len(s.Work.Jobs), Seed: seed, Replications: len(results), Notes: s.Notes, Metrics: []MeanMetric{},
		Groups: []MeanGroup{}, Refused: simcore.Refusals(results...)}
	for _, m := range simcore.Metrics() {
		if s.Unit == "containers" && (m.Name == "map-utilisation" || m.Name == "reduce-utilisation") {
			continue // figures of slots
		}
		if v, _, ok := meanOf(results, m.Name, m); ok {
			out.Metrics = append(out.Metrics, v)
		}
	}
	for _, dim := range []struct {
		name   string
		groups []string
	}{{"queue", s.Work.Queues}, {"user", s.Work.Users}} {
		for _, g := range dim.groups {
			row := MeanGroup{Dimension: dim.name, Name: g}
			for _, m := range simcore.Metrics() {
				if v, _, ok := meanOf(results, dim.name+"."+g+"."+m.Name, m); m.PerGroup && ok {
					row.Metrics = append(row.Metrics, v)
				}
			}
			if len(row.Metrics) > 0 {
				out.Groups = append(out.Groups, row)
			}
		}
	}
	return out
}

// meanOf is a metric's mean over the replications, with its values; false if it has none.
func meanOf(results []*simcore.Result, name string, m simcore.Metric) (MeanMetric, []float64, bool) {
	v, ok := values(results, name)
	if !ok {
		return MeanMetric{}, nil, false
	}
	mean, low, high := interval(v)
	return MeanMetric{m.Name, m.Unit, mean, low, high}, v, true
}

//go:embed simulation.tmpl
var simulationPage string

var simulationTemplate = text.Table(simulationPage, template.FuncMap{})

// Columns returns the metrics that are shown of groups, those of DAGs where some ended.
func (s *Simulation) Columns() []string {
	list := []string{"jobs", "mean-completion", "p95-completion", "mean-wait", "p95-wait"}
	if slices.ContainsFunc(s.Metrics, func(m MeanMetric) bool { return m.Name == "mean-dag-completion" }) {
		list = append(list, "mean-dag-completion", "p95-dag-completion")
	}
	return list
}

// Print writes the summary as tables.
func (s *Simulation) Print(w io.Writer) error { return text.PrintTable(w, simulationTemplate, s) }

// Value is a metric as text.
func (g *MeanGroup) Value(name string) string {
	for _, m := range g.Metrics {
		if m.Name == name {
			return text.Amount(m.Mean, m.Unit)
		}
	}
	return "-"
}

//go:embed trace.tmpl
var tracePage string

var traceTemplate = text.Table(tracePage, template.FuncMap{"tasks": taskLine, "load": loadBars, "millis": millis,
	"executors": func(s *trace.SparkInfo) string {
		return bars(s.Load, func(p trace.ExecutorPoint) (string, float64) { return millis(p.FromMS), p.Executors })
	},
	"ended":   func(how string) string { return strings.Replace(how, "stayed", "until their application ended", 1) },
	"begin":   func(s string) string { return text.Begin(s, 32) },
	"numbers": func(list any) string { return strings.Trim(fmt.Sprint(list), "[]") },
})

// PrintTrace writes the summary of a trace.
func PrintTrace(w io.Writer, in *trace.Info) error { return text.PrintTable(w, traceTemplate, in) }

func taskLine(c trace.TaskCounts) string {
	var parts []string
	for _, x := range []struct {
		n    int
		what string
	}{{c.Maps, "maps"}, {c.Reduces, "reduces"}, {c.Spark, "tasks of Spark stages"},
		{c.Tez, "tasks of Tez vertices"},
		{c.Containers, "containers of unknown purpose"}, {c.Masters, "application masters"},
		{c.Derived, "derived, not recorded individually"}, {c.Other, "others"}, {c.Attempts, "attempts"}} {
		if x.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", x.n, x.what))
		}
	}
	return strings.Join(parts, ", ")
}

// loadBars draws arrivals with running tasks, or with the work submitted where it is not known when tasks ran.
func loadBars(in *trace.Info) string {
	if in.SpanMS == 0 {
		return ""
	}
	return bars(in.Load, func(p trace.LoadPoint) (string, float64) {
		row := fmt.Sprintf("%s\t%d", millis(p.FromMS), p.Jobs)
		if in.PeakDemand == 0 {
			return row, p.Work
		}
		return row, p.Running
	})
}

// bars are rows that end in a bar of their value, at most 50 characters long; "" if all are 0.
func bars[T any](points []T, row func(T) (string, float64)) string {
	top := 0.0
	for _, p := range points {
		_, v := row(p)
		top = max(top, v)
	}
	var b strings.Builder
	for _, p := range points {
		if cells, v := row(p); top > 0 {
			fmt.Fprintf(&b, "%s\t%s\t%s\n", cells, strings.Repeat("#", int(v/top*50+0.5)), text.Plain(v))
		}
	}
	return b.String()
}

func millis(m trace.Millis) string {
	if !m.Known() {
		return "?"
	}
	return text.PlainDuration(float64(m) / 1000)
}
