package models

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// Writer writes a heartbeat log as CSV.
type Writer struct {
	w       *csv.Writer
	columns int
	row     []string
}

// standardColumns are the numeric columns of a log that a simulator writes:
// the job's usage on the scale of 1 to 10, then the node's state.
func standardColumns() []string {
	return []string{"job_cpu", "job_memory", "job_disk", "job_network",
		"load1", "cpus", "cpu", "memory", "disk", "network", "tasks"}
}

// NewWriter writes the header: time, node, job, kind, decision, outcome and
// the numeric columns.
func NewWriter(w io.Writer, columns []string) (*Writer, error) {
	out := &Writer{w: csv.NewWriter(w), columns: len(columns)}
	names := specialNames(Names{})
	return out, out.w.Write(append(names[:], columns...))
}

// Write writes one row; Outcome -1 and NaN become empty fields. Names must not
// hold line breaks.
func (w *Writer) Write(r *Row) error {
	if len(r.Values) != w.columns {
		return fmt.Errorf("a row of %d values: must be %d", len(r.Values), w.columns)
	}
	if strings.ContainsAny(r.Node+r.Job+r.Kind, "\r\n") {
		return fmt.Errorf("node %q, job %q, kind %q: must be no line breaks", r.Node, r.Job, r.Kind)
	}
	outcome := ""
	if r.Outcome >= 0 {
		outcome = [2]string{"bad", "good"}[r.Outcome&1]
	}
	w.row = append(w.row[:0], NumberField(r.Time), r.Node, r.Job, r.Kind, "0", outcome)
	if r.Decision {
		w.row[4] = "1"
	}
	for _, v := range r.Values {
		w.row = append(w.row, NumberField(v))
	}
	return w.w.Write(w.row)
}

// Flush writes what is buffered.
func (w *Writer) Flush() error {
	w.w.Flush()
	return w.w.Error()
}

// NumberField returns a number as a field of a table, empty for NaN.
func NumberField(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}
