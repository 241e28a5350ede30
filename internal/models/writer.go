package models

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// Writer writes a heartbeat log as CSV.
type Writer struct {
	w       *bufio.Writer
	columns int
	buf     []byte
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
	out := &Writer{w: bufio.NewWriterSize(w, 1<<16), columns: len(columns)}
	_, err := fmt.Fprintf(out.w, "time,node,job,kind,decision,outcome,%s\n", strings.Join(columns, ","))
	return out, err
}

// Write writes one row; Outcome -1 and NaN become empty fields. Names must not
// hold commas, quotes or line breaks.
func (w *Writer) Write(r *Row) error {
	if len(r.Values) != w.columns {
		return fmt.Errorf("row of %d values: must be %d", len(r.Values), w.columns)
	}
	if strings.ContainsAny(r.Node+r.Job+r.Kind, ",\"\r\n") {
		return fmt.Errorf("node %q, job %q, kind %q: must be no commas, quotes or line breaks", r.Node, r.Job, r.Kind)
	}
	b := appendNumber(w.buf[:0], r.Time)
	b = append(b, ',')
	b = append(append(append(append(append(append(b, r.Node...), ','), r.Job...), ','), r.Kind...), ',')
	if r.Decision {
		b = append(b, '1', ',')
	} else {
		b = append(b, '0', ',')
	}
	if r.Outcome >= 0 {
		b = append(b, [2]string{"bad", "good"}[r.Outcome&1]...)
	}
	for _, v := range r.Values {
		b = appendNumber(append(b, ','), v)
	}
	w.buf = append(b, '\n')
	_, err := w.w.Write(w.buf)
	return err
}

// Flush writes what is buffered.
func (w *Writer) Flush() error { return w.w.Flush() }

func appendNumber(b []byte, v float64) []byte {
	if math.IsNaN(v) {
		return b
	}
	return strconv.AppendFloat(b, v, 'g', -1, 64)
}
