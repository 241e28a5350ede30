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
//	charts.csv      pictures of sections (chart.go)
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

// records returns the expanded lines of a table in data/; paper is whose tables "cells"
// means.
func records(name, paper string) ([]record, error) {
	b, err := files.ReadFile("data/" + name + ".csv")
	if err != nil {
		return nil, err
	}
	lines, err := csv.NewReader(bytes.NewReader(b)).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("data/%s.csv: %w", name, err)
	}
	var out []record
	for i, line := range lines[1:] {
		r := record{}
		for c, column := range lines[0] {
			r[column] = line[c]
		}
		expanded, err := r.expand(paper, 1)
		if err != nil {
			return nil, fmt.Errorf("data/%s.csv, line %d: %w", name, i+2, err)
		}
		out = append(out, expanded...)
	}
	return out, nil
}

// expand returns the lines that r stands for; next is the number of the next part.
func (r record) expand(paper string, next int) ([]record, error) {
	first, rest, _ := strings.Cut(r["for"], ";")
	if first == "" {
		return []record{r}, nil
	}
	items, err := listItems(paper, first)
	if err != nil {
		return nil, err
	}
	var out []record
	for _, parts := range items {
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
		more, err := one.expand(paper, next+len(parts))
		if err != nil {
			return nil, err
		}
		out = append(out, more...)
	}
	return out, nil
}

// listItems parses one list of the column "for".
func listItems(paper, list string) ([][]string, error) {
	var out [][]string
	var from, to int
	if n, _ := fmt.Sscanf(list, "%d..%d", &from, &to); n == 2 {
		for i := from; i <= to; i++ {
			out = append(out, []string{strconv.Itoa(i)})
		}
		return out, nil
	}
	for item := range strings.SplitSeq(list, "|") {
		parts := strings.Split(item, "~")
		cells, ok := strings.CutPrefix(parts[0], "cells ")
		if !ok {
			out = append(out, parts)
			continue
		}
		id, column, _ := strings.Cut(cells, " ")
		t, err := datasets.Published(paper, id)
		if err != nil {
			return nil, err
		}
		for _, row := range t.Rows {
			for c := 1; c < len(row); c++ {
				if row[c] != "" && (column == "" || column == t.Columns[c]) {
					out = append(out, append([]string{row[0], t.Columns[c], row[1]}, parts[1:]...))
				}
			}
		}
	}
	return out, nil
}

// must returns a table that needs no published table. It panics if the table does not parse,
// which is a defect of the program.
func must(name string) []record {
	list, err := records(name, "")
	if err != nil {
		panic(err)
	}
	return list
}

// The tables that concern all papers.
var (
	sectionList = sync.OnceValue(func() []record { return must("sections") })
	runList     = sync.OnceValue(func() []record { return must("runs") })
	specs       = sync.OnceValue(func() record {
		out := record{}
		for _, r := range must("schedulers") {
			out[r["name"]] = r["spec"]
		}
		return out
	})
)
