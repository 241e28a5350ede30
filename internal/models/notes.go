package models

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// notes say which columns hold texts and are not used, and what the log does not tell, with
// the columns that may be meant.
func (f *overloadFit) notes(rows []Row) (notes []string) {
	used := f.space.Used(f.features, f.label)
	var left []string
	for i, c := range f.space.Columns {
		if slices.Contains(f.space.Texts, c) && !used[i] {
			left = append(left, c)
		}
	}
	if left != nil {
		notes = append(notes, "left out, as they hold texts: "+strings.Join(left, ", "))
	}
	hasNode, hasTime := false, false
	for i := range rows {
		if r := &rows[i]; r.Err == nil {
			hasNode, hasTime = hasNode || r.Node != "", hasTime || r.Time == r.Time
		}
	}
	ids, times := f.mayBe(rows)
	add := func(has bool, what, flag string, columns []string) {
		if has {
			return
		}
		if columns != nil {
			what += fmt.Sprintf("; did you mean %s %s?", flag, strings.Join(columns, " or "))
		}
		notes = append(notes, what)
	}
	add(hasNode, "no column node: all rows are one node's", "--node", ids)
	add(hasTime, "no column time: the order of rows is not checked", "--time", times)
	return notes
}

// idNames are parts of names of columns that tell machines apart.
var idNames = []string{"node", "host", "machine", "instance", "container", "pod", "server", "vm"}

// mayBe returns the columns that look like the node: few different whole numbers without
// gaps that take turns, or by their name; and like the time: they rise and never fall.
func (f *overloadFit) mayBe(rows []Row) (ids, times []string) {
	for c, name := range f.space.Columns {
		least, most, last := math.Inf(1), math.Inf(-1), math.NaN()
		changes, falls, n, whole := 0, 0, 0, true
		seen, turn := map[float64]bool{}, 0 // turn is how many rows come before one repeats
		for i := range rows {
			if rows[i].Err != nil {
				continue
			}
			v := rows[i].Values[c]
			if v != v {
				falls++ // a time is always there
				continue
			}
			n++
			least, most, whole = math.Min(least, v), math.Max(most, v), whole && v == math.Trunc(v)
			if v < last {
				falls++
			}
			if last == last && v != last {
				changes++
			}
			if len(seen) == n-1 && !seen[v] {
				turn = n
			}
			seen[v], last = true, v
		}
		lower := strings.ToLower(name)
		named := slices.ContainsFunc(idNames, func(part string) bool { return strings.Contains(lower, part) })
		text := slices.Contains(f.space.Texts, name)
		dense := whole && most-least+1 == float64(len(seen))
		switch {
		case len(seen) < 2 || n < 4:
		case falls == 0 && !text && changes > 1, text && strings.Contains(lower, "time"):
			times = append(times, name)
		case 2*len(seen) > n || 2*changes <= n: // an id comes again and again, but not in a row
		case named && (text || whole), !text && dense && len(seen) > 3 && turn == len(seen):
			ids = append(ids, name)
		}
	}
	return ids, times
}
