package models

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"schedtune/internal/fileio"
	"schedtune/internal/scenario"
)

// Row is one heartbeat. Its slices are reused by the next call of Next.
type Row struct {
	File     string
	Line     int64   // of the file, from 1
	Err      error   // why it could not be read
	Time     float64 // seconds, NaN if not given
	Node     string  // "" if not given
	Job      string
	Kind     string
	Decision bool
	Outcome  int       // 1 good, 0 bad, -1 not given
	Values   []float64 // in the order of Columns, NaN unknown; texts as modelfile.TextValue
	// Faults are the columns that hold no number, where the reader looks out for columns of
	// texts.
	Faults []Fault
}

// Fault is a field that could not be read.
type Fault struct {
	Column int // index into Values
	Err    error
}

// Reader reads a heartbeat log row by row.
type Reader struct {
	columns []string // beside those with a meaning of their own
	// specials are the columns with a meaning of their own, see specialNames.
	specials [6]string
	has      [6]bool // which of them the log has
	columnUse
	src    *fileio.Lines // a line that is too long is a bad row
	first  []byte        // a line that Next is to return once more
	decode func(r *Reader, line []byte, row *Row) error
	row    Row
	form   int  // of the last time, see seconds
	polled bool // answers of the ResourceManager

	csv  csvDecoder
	json jsonDecoder
	rm   rmDecoder
}

// columnUse is what is read of the columns.
type columnUse struct {
	used    []bool // columns that are read, nil = all
	texts   []bool // of these, columns of texts
	lenient bool   // Row.Faults instead of errors
}

// Names are the columns that hold the node and the time, where they are not named so.
type Names struct {
	Node, Time string
	jobs       bool // a table of jobs, with the columns id, submit and class
}

// NewReader opens a log and reads as much as tells its columns. An empty log, a first line that tells no
// columns and names that are no columns (*scenario.FlagError) are errors.
func NewReader(in io.Reader, names Names) (*Reader, error) {
	plain, err := fileio.OpenTable(in)
	if err != nil {
		return nil, err
	}
	r := &Reader{src: fileio.NewLines(plain, nil), specials: specialNames(names)}
	line, _, err := r.src.Next()
	for err == nil && len(bytes.TrimSpace(line)) == 0 {
		line, _, err = r.src.Next()
	}
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("the log is empty; use CSV with a header, JSON lines, or answers of /ws/v1/cluster/nodes")
	}
	if err != nil {
		return nil, err
	}
	if err := r.begin(bytes.TrimSpace(line)); err != nil {
		return nil, &fileio.FileError{Line: r.src.Number(), Err: err}
	}
	for i, given := range []string{names.Time, names.Node} {
		if given != "" && !r.has[i] {
			return nil, &scenario.FlagError{Flag: []string{"--time", "--node"}[i],
				Err: fmt.Errorf("column %q: must be one of %s", given, strings.Join(r.columns, ", "))}
		}
	}
	return r, nil
}

// begin finds the form from the first line.
func (r *Reader) begin(line []byte) error {
	if line[0] == '[' {
		return errors.New("a JSON array: must be one object per line")
	}
	if line[0] != '{' {
		r.decode = decodeCSV
		return r.csv.header(r, line)
	}
	if isRM(line) {
		r.polled, r.decode = true, decodeRM
		r.columns = append([]string(nil), rmColumns...)
	} else {
		r.decode = decodeJSON
		if err := r.json.header(r, line); err != nil {
			return err
		}
	}
	r.first = line
	r.row.Values = make([]float64, len(r.columns))
	return nil
}

// Columns returns the names of the numeric columns, in the order of
// Row.Values.
func (r *Reader) Columns() []string { return r.columns }

// Next returns the next row, valid until the next call; io.EOF at the end. A row that cannot be
// read has Err, and the node where it is known.
func (r *Reader) Next() (*Row, error) {
	for {
		if r.polled && r.rm.more() {
			r.rm.take(r)
			return &r.row, nil
		}
		line, err := r.first, error(nil)
		if r.first = nil; line == nil {
			line, _, err = r.src.Next()
		}
		r.row.Line, r.row.Node, r.row.Err = r.src.Number(), "", nil
		switch line = bytes.TrimSpace(line); {
		case errors.Is(err, fileio.ErrLong):
			r.row.Err = err
		case err != nil:
			return nil, err
		case len(line) > 0:
			r.row.Err = r.decode(r, line, &r.row)
		}
		if r.row.Err != nil || len(line) > 0 && !r.polled {
			return &r.row, nil
		}
	}
}

// reset clears what a row need not have.
func (w *Row) reset() {
	w.Time, w.Node, w.Job, w.Kind, w.Decision, w.Outcome, w.Faults = math.NaN(), "", "", "", true, -1, w.Faults[:0]
	for i := range w.Values {
		w.Values[i] = math.NaN()
	}
}

// number reads a numeric field; an empty one is NaN, as are NA, null, None and -.
func number(field string) (float64, error) {
	switch field {
	case "", "-", "NA", "N/A", "n/a", "null", "NULL", "None":
		return math.NaN(), nil
	}
	v, err := strconv.ParseFloat(field, 64)
	if err != nil || math.IsInf(v, 0) {
		return 0, fmt.Errorf("%.40q where a number is expected", field)
	}
	return v, nil
}

// timeForms are the forms of ISO 8601 that a time may have; seconds may have a fraction.
var timeForms = []string{"2006-01-02T15:04:05Z07:00", "2006-01-02 15:04:05Z07:00", "2006-01-02T15:04:05Z0700",
	"2006-01-02 15:04:05 Z07:00", "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04",
	"2006-01-02"}

// seconds reads a time: a number, or a time of ISO 8601 as seconds since 1970, in UTC where
// it has no zone. last is the form that fitted before.
func seconds(field string, last *int) (float64, error) {
	v, err := number(field)
	if err == nil {
		return v, nil
	}
	for i := range timeForms {
		k := (*last + i) % len(timeForms)
		if t, err := time.Parse(timeForms[k], field); err == nil {
			*last = k
			return float64(t.UnixMicro()) / 1e6, nil
		}
	}
	return 0, fmt.Errorf("time %.40q: must be seconds, or a time such as 2024-01-31T12:00:00Z", field)
}

// parseOutcome reads an outcome; an empty one is not given.
func parseOutcome(s string) (int, error) {
	switch strings.ToLower(s) {
	case "":
		return -1, nil
	case "good", "1", "true":
		return 1, nil
	case "bad", "0", "false":
		return 0, nil
	}
	return -1, fmt.Errorf("outcome %.40q: must be good, bad, 1, 0, true, false", s)
}
