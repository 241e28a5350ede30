package models

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"schedtune/classify/modelfile"
)

// csvDecoder knows what each field of a line is.
type csvDecoder struct {
	use    []int // index into Row.Values, or one of the negative codes
	fields [][]byte
	names  map[string]string // interned texts
	form   int               // of the last time, see seconds
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
	return [6]string{cmp.Or(n.Time, "time"), cmp.Or(n.Node, "node"), "job", "kind", "decision", "outcome"}
}

func (d *csvDecoder) header(r *Reader, line []byte) error {
	fields, err := d.split(line)
	if err != nil {
		return fmt.Errorf("header: %w", err)
	}
	if len(fields) == 1 && bytes.ContainsAny(fields[0], ";\t|") {
		return fmt.Errorf("header: one column, %.40q; use names and numbers with commas between them", fields[0])
	}
	seen := map[string]bool{}
	for _, f := range fields {
		name := string(bytes.TrimSpace(f))
		if name == "" || seen[name] {
			return fmt.Errorf("header: column %d is named %.40q: must be different names, not empty", len(seen)+1, name)
		}
		if _, err := number([]byte(name)); err == nil {
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
	d.names = map[string]string{}
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
		f = bytes.TrimSpace(f)
		if e := r.field(d, d.use[i], f); e != nil && err == nil { // the node may come later
			err = fmt.Errorf("field %d: %w", i+1, e)
		}
		if n := len(row.Faults); n > 0 && row.Faults[n-1].Column == d.use[i] {
			row.Faults[n-1].Err = fmt.Errorf("field %d: %w", i+1, row.Faults[n-1].Err)
		}
	}
	return err
}

// field reads a field of the row.
func (r *Reader) field(d *csvDecoder, code int, f []byte) (err error) {
	row := &r.row
	switch code {
	case fieldTime:
		row.Time, err = seconds(f, &d.form)
	case fieldNode:
		row.Node = d.intern(f)
	case fieldJob:
		row.Job = d.intern(f)
	case fieldKind:
		row.Kind = d.intern(f)
	case fieldDecision:
		row.Decision, err = parseDecision(f)
	case fieldOutcome:
		row.Outcome, err = parseOutcome(d.intern(f))
	default:
		if r.used != nil && !r.used[code] {
			return nil
		}
		text, v := r.texts != nil && r.texts[code], 0.0
		if v, err = number(f); err == nil && (!text || v != v) {
			row.Values[code] = v
			return nil
		}
		row.Values[code] = modelfile.TextValue(string(f))
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
func parseDecision(f []byte) (bool, error) {
	switch {
	case len(f) == 0 || bytes.EqualFold(f, []byte("true")):
		return true, nil
	case bytes.EqualFold(f, []byte("false")):
		return false, nil
	}
	v, err := number(f)
	if err != nil || v != v {
		return false, fmt.Errorf("decision %.40q: must be 0 or false where nothing was assigned, else another number or true",
			f)
	}
	return v != 0, nil
}

// maxNames bounds the table of interned texts.
const maxNames = 1 << 16

// intern returns the text of a field without making a new string each time.
func (d *csvDecoder) intern(f []byte) string {
	if s, ok := d.names[string(f)]; ok {
		return s
	}
	s := string(f)
	if len(d.names) < maxNames {
		d.names[s] = s
	}
	return s
}

// split cuts a line at its commas; the fields are valid until the next call.
func (d *csvDecoder) split(line []byte) ([][]byte, error) {
	d.fields = d.fields[:0]
	for {
		if len(line) > 0 && line[0] == '"' {
			field, rest, err := quoted(line)
			if err != nil {
				return nil, err
			}
			d.fields = append(d.fields, field)
			if len(rest) == 0 {
				return d.fields, nil
			}
			if rest[0] != ',' {
				return nil, fmt.Errorf("text after a closing quote")
			}
			line = rest[1:]
			continue
		}
		i := bytes.IndexByte(line, ',')
		if i < 0 {
			d.fields = append(d.fields, line)
			return d.fields, nil
		}
		d.fields = append(d.fields, line[:i])
		line = line[i+1:]
	}
}

// quoted reads a quoted field at the beginning of a line; "" stands for ".
func quoted(line []byte) (field, rest []byte, err error) {
	for i := 1; i < len(line); i++ {
		if line[i] != '"' {
			field = append(field, line[i])
			continue
		}
		if i+1 < len(line) && line[i+1] == '"' {
			field = append(field, '"')
			i++
			continue
		}
		return field, line[i+1:], nil
	}
	return nil, nil, fmt.Errorf("a quoted field has no end")
}
