package datasets

import (
	"bufio"
	"bytes"
	"embed"
	"encoding/csv"
	"fmt"
	"io/fs"
	"path"
	"sort"
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

// Papers lists the papers with published tables, in reading order.
func Papers() []string { return []string{"coshh", "learning", "omo", "coupling", "thesis"} }

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
	sort.Slice(ids, func(i, j int) bool { return idLess(ids[i], ids[j]) })
	return ids
}

// idLess orders "2" < "10", "6.2" < "6.10" and numbers before words.
func idLess(a, b string) bool {
	x, y := strings.Split(a, "."), strings.Split(b, ".")
	for i := 0; i < len(x) && i < len(y); i++ {
		m, errM := strconv.Atoi(x[i])
		n, errN := strconv.Atoi(y[i])
		switch {
		case errM != nil && errN != nil && x[i] != y[i]:
			return x[i] < y[i]
		case (errM == nil) != (errN == nil):
			return errM == nil
		case m != n:
			return m < n
		}
	}
	return len(x) < len(y)
}

// Published returns a table of a paper.
func Published(paper, id string) (*Table, error) {
	b, err := tableFiles.ReadFile("tables/" + paper + "-" + id + ".csv")
	if err != nil {
		ids := TableIDs(paper)
		if len(ids) == 0 {
			return nil, fmt.Errorf("paper %q is unknown; allowed: %s", paper, strings.Join(Papers(), ", "))
		}
		return nil, fmt.Errorf("paper %s has no table %q; allowed: %s", paper, id, strings.Join(ids, ", "))
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
			return fmt.Errorf("header key %q is unknown; allowed: title, source, units, note", key)
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
		return fmt.Errorf("%d lines, want a head and at least one row", len(rows))
	}
	t.Columns, t.Rows = rows[0], rows[1:]
	return nil
}

// Column returns the index of a column.
func (t *Table) Column(name string) (int, error) {
	for i, c := range t.Columns {
		if c == name {
			return i, nil
		}
	}
	return 0, fmt.Errorf("table %s of %s has no column %q; allowed: %s", t.ID, t.Paper, name, strings.Join(t.Columns, ", "))
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
	return "", fmt.Errorf("table %s of %s has no row %q", t.ID, t.Paper, row)
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

// floats returns a row's cells from the given column on as numbers.
func (t *Table) floats(row, from int) ([]float64, error) {
	out := make([]float64, 0, len(t.Columns)-from)
	for c := from; c < len(t.Columns); c++ {
		v, err := strconv.ParseFloat(t.Rows[row][c], 64)
		if err != nil {
			return nil, fmt.Errorf("table %s of %s, row %d, column %q: %q is not a number", t.ID, t.Paper, row+1, t.Columns[c], t.Rows[row][c])
		}
		out = append(out, v)
	}
	return out, nil
}
