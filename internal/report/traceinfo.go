package report

import (
	_ "embed"
	"fmt"
	"io"
	"reflect"
	"strings"
	"text/template"

	"schedtune/internal/text"
	"schedtune/trace"
)

//go:embed trace.tmpl
var tracePage string

var traceTemplate = table("trace", tracePage, template.FuncMap{"tasks": taskLine, "load": loadBars,
	"executors": func(s *trace.SparkInfo) string {
		return bars(s.Load, func(p trace.ExecutorPoint) (string, float64) { return millis(p.FromMS), p.Executors })
	}})

// PrintTrace writes the summary of a trace.
func PrintTrace(w io.Writer, in *trace.Info) error { return printTable(w, traceTemplate, in) }

// mostGroups is the largest number of rows of a table.
const mostGroups = 12

// table reads a template of tables with tabs between the cells.
func table(name, page string, own template.FuncMap) *template.Template {
	most := func(n []int) int { return append(n, mostGroups)[0] }
	return template.Must(template.New(name).Funcs(template.FuncMap{
		"first": func(list any, n ...int) any {
			v := reflect.ValueOf(list)
			return v.Slice(0, min(v.Len(), most(n))).Interface()
		},
		"more":    func(list any, n ...int) int { return max(reflect.ValueOf(list).Len()-most(n), 0) },
		"millis":  millis,
		"seconds": text.PlainDuration,
		"hours":   func(h float64) string { return text.PlainDuration(h * 3600) },
		"plain":   text.Plain,
		"count":   text.Count,
		"percent": func(part float64) float64 { return 100 * part },
		"begin":   func(s string) string { return text.Begin(s, 32) },
		"numbers": func(list any) string { return strings.Trim(fmt.Sprint(list), "[]") },
	}).Funcs(own).Parse(page))
}

// printTable writes what a template makes of a value, with its columns aligned.
func printTable(w io.Writer, t *template.Template, v any) error {
	tw := text.New(w)
	if err := t.Execute(tw, v); err != nil {
		return err
	}
	return tw.Flush()
}

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
