package datasets

import (
	"bufio"
	"bytes"
	"cmp"
	"embed"
	"encoding/csv"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

//go:embed tables/*.csv
var tableFiles embed.FS

// Table is a table or a figure of a paper as it was published. Cells are kept
// as printed; sizes are in bytes where the source used prefixes.
type Table struct {
	Paper string // "coshh", "learning", "omo", "coupling", "thesis"
	ID    string // "6", "6.12"; "claims" for figures stated in the text
	Title string
	// Source names paper, section and table; Units the units of the columns;
	// Note what is unclear or contradictory in the source.
	Source, Units, Note string
	Columns             []string
	Rows                [][]string // as many cells as columns each
}

// Papers lists the papers with published tables.
func Papers() []string { return []string{"coupling", "coshh", "learning", "omo", "thesis"} }

// TableIDs lists the published tables of a paper in ascending order.
func TableIDs(paper string) []string {
	names, err := fs.Glob(tableFiles, "tables/"+paper+"-*.csv")
	if err != nil {
		return nil
	}
	ids := make([]string, 0, len(names))
	for _, n := range names {
		ids = append(ids, strings.TrimSuffix(strings.TrimPrefix(path.Base(n), paper+"-"), ".csv"))
	}
	slices.SortFunc(ids, compareIDs)
	return ids
}

// compareIDs orders "2" before "10", "6.2" before "6.10" and numbers before words.
func compareIDs(a, b string) int {
	return slices.CompareFunc(strings.Split(a, "."), strings.Split(b, "."), func(x, y string) int {
		m, errM := strconv.Atoi(x)
		n, errN := strconv.Atoi(y)
		switch {
		case errM == nil && errN == nil:
			return cmp.Compare(m, n)
		case errM == nil:
			return -1
		case errN == nil:
			return 1
		}
		return cmp.Compare(x, y)
	})
}

// Published returns a table of a paper.
func Published(paper, id string) (*Table, error) {
	b, err := tableFiles.ReadFile("tables/" + paper + "-" + id + ".csv")
	if err != nil {
		ids := TableIDs(paper)
		if len(ids) == 0 {
			return nil, fmt.Errorf("paper %q: must be one of %s", paper, strings.Join(Papers(), ", "))
		}
		return nil, fmt.Errorf("table %q of %s: must be one of %s", id, paper, strings.Join(ids, ", "))
	}
	t := &Table{Paper: paper, ID: id}
	if err := t.parse(b); err != nil {
		return nil, fmt.Errorf("table %s of %s: %w", id, paper, err)
	}
	return t, nil
}

// parse reads the "# key: value" header and the comma-separated rest.
func (t *Table) parse(b []byte) error {
	keys := map[string]*string{"title": &t.Title, "source": &t.Source, "units": &t.Units, "note": &t.Note}
	s := bufio.NewScanner(bytes.NewReader(b))
	for s.Scan() && strings.HasPrefix(s.Text(), "# ") {
		key, value, _ := strings.Cut(s.Text()[2:], ": ")
		field, ok := keys[key]
		if !ok {
			return fmt.Errorf("header key %q: must be one of title, source, units, note", key)
		}
		*field = value
	}
	r := csv.NewReader(bytes.NewReader(b))
	r.Comment = '#'
	rows, err := r.ReadAll()
	if err != nil {
		return err
	}
	if len(rows) < 2 {
		return fmt.Errorf("%d lines, need a header and at least one row", len(rows))
	}
	t.Columns, t.Rows = rows[0], rows[1:]
	return nil
}

// Column returns the index of a column.
func (t *Table) Column(name string) (int, error) {
	if i := slices.Index(t.Columns, name); i >= 0 {
		return i, nil
	}
	return 0, fmt.Errorf("table %s of %s, column %q: must be one of %s", t.ID, t.Paper, name,
		strings.Join(t.Columns, ", "))
}

// Cell returns the text at a row (by its first cell) and a column.
func (t *Table) Cell(row, column string) (string, error) {
	c, err := t.Column(column)
	if err != nil {
		return "", err
	}
	for _, r := range t.Rows {
		if r[0] == row {
			return r[c], nil
		}
	}
	return "", fmt.Errorf("table %s of %s, row %q: not found", t.ID, t.Paper, row)
}

// Float returns the number at a row (by its first cell) and a column.
func (t *Table) Float(row, column string) (float64, error) {
	s, err := t.Cell(row, column)
	if err != nil {
		return 0, err
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 0, fmt.Errorf("table %s of %s, row %q, column %q: %q is not a number", t.ID, t.Paper, row, column, s)
	}
	return v, nil
}

// Embedded tables that the sets are made of: one that is missing or holds no numbers is a defect of
// the program, for which published and floats panic.

// published returns a table of a paper.
func published(paper, id string) *Table {
	t, err := Published(paper, id)
	if err != nil {
		panic(err)
	}
	return t
}

// floats returns a row's cells from the given column on as numbers.
func (t *Table) floats(row, from int) []float64 {
	var out []float64
	for c := from; c < len(t.Columns); c++ {
		out = append(out, number(t.Rows[row][c]))
	}
	return out
}

// number reads a cell of an embedded table.
func number(cell string) float64 {
	v, err := strconv.ParseFloat(cell, 64)
	if err != nil {
		panic("datasets: " + err.Error())
	}
	return v
}
