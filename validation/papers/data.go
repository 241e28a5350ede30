package papers

import (
	"bytes"
	"embed"
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"schedtune/datasets"
)

// The tables in data/:
//
//	sections.csv    tables and figures in the order of the results; title and source are
//	                empty where a published table has them (package datasets); touches
//	                names the sections that an experiment runs again
//	runs.csv        scenarios: the trials label, set, scheduler (a name of schedulers.csv or
//	                a spec) and settings, that run with common seeds, and replications
//	rows-PAPER.csv  rows: published and ours are expressions (expr.go), rule says when the
//	                row is met (rule.go), null is its null model as NAME=EXPRESSION, group
//	                names the magnitudes that share a constant null model, apart says why
//	                a row is not counted, note what a calibration sets
//	chapter6.csv    the thesis's tables 6.1 to 6.20 and the figure that each holds
//	headlines.csv   the rows that a paper stands for
//	papers.csv      titles, and a paragraph about what comes out
//	reasons.csv     why rows of a section are missed
//	sentences.csv   statements of COSHH that a reading of its set-up may contradict
//
// A line with a value in the column "for" stands for several lines: lists are separated by
// ";", their items by "|", the parts of an item by "~". Each combination of items gives a
// line in which {1}, {2}, … are the parts in order. "1..32" is a list of numbers, and
// "cells TABLE [COLUMN]" lists row, column and second cell of a published table.
//
//go:embed data/*
var files embed.FS

// record is a line of a table by column.
type record map[string]string

// A wrong line of a table is a defect of the program, and a run may be stopped: check panics with
// such an error, which caught returns where a section begins.
type failed struct{ error }

func check(err error) {
	if err != nil {
		panic(failed{err})
	}
}

func must[T any](v T, err error) T {
	check(err)
	return v
}

// caught sets the error with which check panicked.
func caught(err *error) {
	switch x := recover().(type) {
	case nil:
	case failed:
		*err = x.error
	default:
		panic(x)
	}
}

// records returns the expanded lines of a table in data/; paper is whose tables "cells"
// means.
func records(name, paper string) (out []record) {
	b := must(files.ReadFile("data/" + name + ".csv"))
	lines := must(csv.NewReader(bytes.NewReader(b)).ReadAll())
	for _, line := range lines[1:] {
		r := record{}
		for c, column := range lines[0] {
			r[column] = line[c]
		}
		out = append(out, r.expand(paper, 1)...)
	}
	return out
}

// expand returns the lines that r stands for; next is the number of the next part.
func (r record) expand(paper string, next int) (out []record) {
	first, rest, _ := strings.Cut(r["for"], ";")
	if first == "" {
		return []record{r}
	}
	for _, parts := range listItems(paper, first) {
		var pairs []string
		for i, p := range parts {
			pairs = append(pairs, fmt.Sprintf("{%d}", next+i), p)
		}
		in := strings.NewReplacer(pairs...)
		one := record{}
		for k, v := range r {
			one[k] = in.Replace(v)
		}
		one["for"] = in.Replace(rest)
		out = append(out, one.expand(paper, next+len(parts))...)
	}
	return out
}

// listItems parses one list of the column "for".
func listItems(paper, list string) (out [][]string) {
	var from, to int
	if n, _ := fmt.Sscanf(list, "%d..%d", &from, &to); n == 2 {
		for i := from; i <= to; i++ {
			out = append(out, []string{strconv.Itoa(i)})
		}
		return out
	}
	for item := range strings.SplitSeq(list, "|") {
		parts := strings.Split(item, "~")
		cells, ok := strings.CutPrefix(parts[0], "cells ")
		if !ok {
			out = append(out, parts)
			continue
		}
		id, column, _ := strings.Cut(cells, " ")
		t := must(datasets.Published(paper, id))
		for _, row := range t.Rows {
			for c := 1; c < len(row); c++ {
				if row[c] != "" && (column == "" || column == t.Columns[c]) {
					out = append(out, append([]string{row[0], t.Columns[c], row[1]}, parts[1:]...))
				}
			}
		}
	}
	return out
}

// table returns a reader of a table that needs no published table.
func table(name string) func() []record {
	return sync.OnceValue(func() []record { return records(name, "") })
}

// The tables that concern all papers.
var (
	sectionList = table("sections")
	runList     = table("runs")
	specs       = sync.OnceValue(func() record {
		out := record{}
		for _, r := range records("schedulers", "") {
			out[r["name"]] = r["spec"]
		}
		return out
	})
)
