package models

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"slices"
	"strings"

	"schedtune/classify/modelfile"
)

// csvDecoder knows what each field of a line is.
type csvDecoder struct {
	use  []int // index into Row.Values, or one of the negative codes
	line bytes.Reader
	csv  *csv.Reader // of the line
}

// Codes of fields with a meaning of their own.
const (
	fieldTime = -1 - iota
	fieldNode
	fieldJob
	fieldKind
	fieldDecision
	fieldOutcome
)

// special returns the code of a column name of the log, 0 for an ordinary one.
func (r *Reader) special(name string) int {
	i := slices.Index(r.specials[:], name)
	if i >= 0 {
		r.has[i] = true
	}
	return -1 - i
}

// specialNames are the names of fields with a meaning of their own, by code: that of i is
// -1 - i.
func specialNames(n Names) [6]string {
	if n.jobs {
		return [6]string{"submit", "", "id", "class"}
	}
	return [6]string{cmp.Or(n.Time, "time"), cmp.Or(n.Node, "node"), "job", "kind", "decision", "outcome"}
}

func (d *csvDecoder) header(r *Reader, line []byte) error {
	d.csv = csv.NewReader(&d.line)
	d.csv.FieldsPerRecord, d.csv.ReuseRecord, d.csv.TrimLeadingSpace = -1, true, true
	fields, err := d.split(line)
	if err != nil {
		return fmt.Errorf("header: %w", err)
	}
	if len(fields) == 1 && strings.ContainsAny(fields[0], ";\t|") {
		return fmt.Errorf("header: one column, %.40q; use names and numbers with commas between them", fields[0])
	}
	seen := map[string]bool{}
	for _, f := range fields {
		name := strings.TrimSpace(f)
		if name == "" || seen[name] {
			return fmt.Errorf("header: column %d is named %.40q: must be different names, not empty", len(seen)+1, name)
		}
		if _, err := number(name); err == nil {
			return fmt.Errorf("header: column %d is the number %.40s; use a header line with column names first", len(seen)+1,
				name)
		}
		seen[name] = true
		code := r.special(name)
		if code == 0 {
			code = len(r.columns)
			r.columns = append(r.columns, name)
		}
		d.use = append(d.use, code)
	}
	r.row.Values = make([]float64, len(r.columns))
	return nil
}

func decodeCSV(r *Reader, line []byte, row *Row) error {
	d := &r.csv
	row.reset()
	fields, err := d.split(line)
	if err != nil {
		return err
	}
	if len(fields) != len(d.use) {
		return fmt.Errorf("%d fields: must be %d as in the header", len(fields), len(d.use))
	}
	for i, f := range fields {
		if e := r.field(d.use[i], strings.TrimSpace(f)); e != nil && err == nil { // the node may come later
			err = fmt.Errorf("field %d: %w", i+1, e)
		}
		if n := len(row.Faults); n > 0 && row.Faults[n-1].Column == d.use[i] {
			row.Faults[n-1].Err = fmt.Errorf("field %d: %w", i+1, row.Faults[n-1].Err)
		}
	}
	return err
}

// field reads a field of the row.
func (r *Reader) field(code int, f string) (err error) {
	row := &r.row
	switch code {
	case fieldTime:
		row.Time, err = seconds(f, &r.form)
	case fieldNode:
		row.Node = f
	case fieldJob:
		row.Job = f
	case fieldKind:
		row.Kind = f
	case fieldDecision:
		row.Decision, err = parseDecision(f)
	case fieldOutcome:
		row.Outcome, err = parseOutcome(f)
	default:
		if r.used != nil && !r.used[code] {
			return nil
		}
		text, v := r.texts != nil && r.texts[code], 0.0
		if v, err = number(f); err == nil && (!text || v != v) {
			row.Values[code] = v
			return nil
		}
		row.Values[code] = modelfile.TextValue(f)
		if r.lenient {
			row.Faults = append(row.Faults, Fault{code, err})
		}
		if r.lenient || text {
			return nil
		}
	}
	return err
}

// parseDecision reads whether something was assigned: an empty field decides,
// as every row does without the column.
func parseDecision(f string) (bool, error) {
	switch strings.ToLower(f) {
	case "", "true":
		return true, nil
	case "false":
		return false, nil
	}
	v, err := number(f)
	if err != nil || v != v {
		return false, fmt.Errorf("decision %.40q: must be 0 or false where nothing was assigned, else another number or true",
			f)
	}
	return v != 0, nil
}

// split returns the fields of a line, valid until the next call.
func (d *csvDecoder) split(line []byte) ([]string, error) {
	d.line.Reset(line)
	fields, err := d.csv.Read()
	var of *csv.ParseError // which counts lines of its own
	if errors.As(err, &of) {
		err = of.Err
	}
	return fields, err
}
