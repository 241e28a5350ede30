package papers

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"schedtune/datasets"
	"schedtune/internal/stats"
)

// The expressions of the columns "published" and "ours": a number, a name, or a function
// of expressions such as below(two-greps/Coupling/time 01,two-greps/Fair/time 01). Names
// contain no commas and no parentheses. A name is
//
//	scenario/label/figure  measured by replication; * in it gives the means of all matches
//	r2 9 5                 a figure of the thesis's chapter 6: experiment 9, type or queue 5;
//	                       the published one in the column "published"
//	two-greps-wait         a figure that the paper states in its text
//
// Functions of several values work replication by replication. Their first argument may
// be a list such as W=TeraSort|set A, which stands for the second argument with {W}
// replaced by each item.

// figure is the value of an expression.
type figure struct {
	by []float64 // by replication; nil where only an estimate is known
	Estimate
}

func newFigure(by []float64) figure { return figure{by, estimate(by)} }

// scope is what names refer to.
type scope struct {
	r         *runner
	section   *Section
	published bool // the column "published"
}

// elementwise lists the functions of two or more values that fold them.
var elementwise = map[string]func(a, b float64) float64{
	"below": func(a, b float64) float64 { return 100 * (1 - a/b) }, // by how many percent a lies below b
	"minus": func(a, b float64) float64 { return a - b },
	"over":  func(a, b float64) float64 { return a / b },
	"times": func(a, b float64) float64 { return a * b },
	"sum":   func(a, b float64) float64 { return a + b },
	"least": math.Min,
	"most":  math.Max,
}

// ofOne lists the functions of the values of one expression.
var ofOne = map[string]func(by []float64) float64{
	"avg":      func(by []float64) float64 { return estimate(by).Mean },
	"smallest": slices.Min[[]float64],
	"largest":  slices.Max[[]float64],
	"place":    func(by []float64) float64 { return float64(slices.Index(by, slices.Min(by)) + 1) },
}

// eval evaluates an expression.
func (x *scope) eval(text string) figure {
	name, inner, ok := strings.Cut(text, "(")
	if !ok || !strings.HasSuffix(inner, ")") {
		return newFigure(x.name(text))
	}
	args := arguments(strings.TrimSuffix(inner, ")"))
	if by := x.special(name, args); by != nil {
		return newFigure(by)
	}
	var values []figure
	for _, a := range args {
		values = append(values, x.eval(a))
	}
	switch {
	case name == "apart" && len(values) == 2:
		// The difference of estimates without their pairs has an interval as wide as both.
		a, b := values[0].Estimate, values[1].Estimate
		return figure{nil, Estimate{a.Mean - b.Mean, a.Low - b.High, a.High - b.Low, min(a.N, b.N)}}
	case name == "mean":
		return x.fold(name, values, func(sum, v float64) float64 { return sum + v/float64(len(values)) }, true)
	case elementwise[name] != nil:
		return x.fold(name, values, elementwise[name], false)
	case ofOne[name] != nil && len(values) == 1:
		return newFigure([]float64{ofOne[name](values[0].by)})
	}
	panic(failed{fmt.Errorf("function %s of %d arguments: unknown", name, len(args))})
}

// fold combines values replication by replication, from 0 or from the first; one without
// replications goes with every other.
func (x *scope) fold(name string, values []figure, f func(a, b float64) float64, zero bool) figure {
	n := 1
	for _, v := range values {
		n = max(n, len(v.by))
	}
	out := make([]float64, n)
	for k, v := range values {
		if len(v.by) != n && len(v.by) != 1 {
			check(fmt.Errorf("%s of %d and %d replications", name, n, len(v.by)))
		}
		for i := range out {
			if y := v.by[i%len(v.by)]; k == 0 && !zero {
				out[i] = y
			} else {
				out[i] = f(out[i], y)
			}
		}
	}
	return newFigure(out)
}

// arguments splits at commas outside of parentheses and expands a leading list.
func arguments(text string) []string {
	var out []string
	depth, from := 0, 0
	for i, c := range text + "," {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ',' && depth == 0:
			out = append(out, text[from:i])
			from = i + 1
		}
	}
	key, list, ok := strings.Cut(out[0], "=")
	if !ok || len(key) != 1 || len(out) != 2 {
		return out
	}
	var expanded []string
	for item := range strings.SplitSeq(list, "|") {
		expanded = append(expanded, strings.ReplaceAll(out[1], "{"+key+"}", item))
	}
	return expanded
}

// special evaluates the functions whose arguments are names; nil for others.
func (x *scope) special(name string, args []string) []float64 {
	switch {
	case name == "cell" && len(args) == 3:
		return []float64{cell(x.section.Paper, args[0], args[1], args[2])}
	case name == "column" && len(args) == 2:
		return column(x.section.Paper, args[0], args[1])
	case name == "cells" && len(args) == 2:
		return []float64{x.r.cellsMeasure(args[0], args[1])}
	case name == "spearman":
		return []float64{stats.Spearman(x.section.group(args[0]))}
	case name == "error":
		return []float64{100 * meanRelativeError(x.section.group(args[0]))}
	case name == "lowest":
		return []float64{x.lowest(args[0])}
	case name == "crossover":
		return []float64{x.crossover(args[0])}
	case name == "quantiles" && len(args) == 2:
		return []float64{x.quantiles(args[0], args[1])}
	}
	return nil
}

// chapter6Name matches the figures of the thesis's chapter 6.
var chapter6Name = regexp.MustCompile(`^([lrv][012]|m) (\d+) (\d+)$`)

func (x *scope) name(text string) []float64 {
	if v, err := strconv.ParseFloat(text, 64); err == nil {
		return []float64{v}
	}
	if m := chapter6Name.FindStringSubmatch(text); m != nil {
		return []float64{x.chapter6(m[1], must(strconv.Atoi(m[2])), must(strconv.Atoi(m[3])))}
	}
	if strings.Contains(text, "*") {
		_, means := x.r.means(text)
		return means
	}
	if strings.Count(text, "/") >= 2 {
		return x.r.find(text)
	}
	return []float64{cell(x.section.Paper, "claims", text, "value")}
}

// cell returns a figure of a published table.
func cell(paper, table, row, column string) float64 {
	return must(must(datasets.Published(paper, table)).Float(row, column))
}

// column returns a column of a published table.
func column(paper, table, name string) (out []float64) {
	t := must(datasets.Published(paper, table))
	for _, row := range t.Rows {
		out = append(out, must(t.Float(row[0], name)))
	}
	return out
}

// lowest returns what * stands for at the smallest mean of a pattern.
func (x *scope) lowest(pattern string) float64 {
	at, means := x.r.means(pattern)
	return must(strconv.ParseFloat(at[slices.Index(means, slices.Min(means))], 64))
}

// crossover returns the number from which on COSHH's completion time is the smallest; NaN
// if it is not at the end.
func (x *scope) crossover(scenarios string) float64 {
	var at []string
	var m [3][]float64
	for i, label := range []string{"FIFO", "Fair", "COSHH"} {
		at, m[i] = x.r.means(scenarios + "/" + label + "/completion")
	}
	from := math.NaN()
	for k := len(at) - 1; k >= 0 && m[2][k] < math.Min(m[0][k], m[1][k]); k-- {
		from = must(strconv.ParseFloat(at[k], 64))
	}
	return from
}

// quantiles returns at how many percent of 19 quantiles the job times of a, of all
// replications together, are smaller than those of b.
func (x *scope) quantiles(a, b string) float64 {
	first, second := x.r.jobTimes(a), x.r.jobTimes(b)
	below := 0.0
	for p := 5; p < 100; p += 5 {
		if i := p * len(second) / 100; first[i] < second[i] {
			below++
		}
	}
	return 100 * below / 19
}

// jobTimes returns the times of the jobs of "scenario/label" in ascending order.
func (r *runner) jobTimes(name string) (out []float64) {
	scenario, label, _ := strings.Cut(name, "/")
	for key, by := range r.scenario(scenario) {
		if strings.HasPrefix(key, label+"/time ") {
			out = append(out, by...)
		}
	}
	slices.Sort(out)
	return out
}
