package report

import (
	_ "embed"
	"fmt"
	"io"
	"strings"
	"text/template"

	"schedtune/internal/text"
	"schedtune/trace"
)

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
