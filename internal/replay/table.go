package replay

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"schedtune/internal/bounded"
	"schedtune/internal/plaintext"
	"schedtune/simcore"
)

// The tables of a run: CSV files with a header, plain or gzipped.

// open opens a file of the run, or its gzipped form.
func (r *Run) open(name string) (io.ReadCloser, error) {
	for _, n := range []string{name, name + ".gz"} {
		f, err := bounded.Open(r.path(n))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		plain, err := plaintext.Open(f)
		if err != nil {
			f.Close()
			return nil, fmt.Errorf("%s: %w", r.path(n), err)
		}
		return struct {
			io.Reader
			io.Closer
		}{bounded.Reader(plain, bounded.Table), f}, nil
	}
	return nil, fmt.Errorf("%s: %w", r.path(name), fs.ErrNotExist)
}

// row is one line of a table with named columns.
type row struct {
	file string
	line int
	cols map[string]int
	v    []string
	err  error // the first cell that is no number
}

func (w *row) str(col string) string {
	if i, ok := w.cols[col]; ok && i < len(w.v) {
		return w.v[i]
	}
	return ""
}

func (w *row) num(col string) int64 {
	n, _ := w.number(col, 1<<40)
	return int64(n)
}

// at reads a time in milliseconds, Never if empty.
func (w *row) at(col string) simcore.Time {
	n, ok := w.number(col, maxMillis)
	if !ok {
		return simcore.Never
	}
	return simcore.Time(n * float64(simcore.Millisecond))
}

// table reads a CSV table with a header.
func (r *Run) table(name string, f func(*row) error) error {
	in, err := r.open(name)
	if err != nil {
		return err
	}
	defer in.Close()
	c := csv.NewReader(in)
	c.FieldsPerRecord, c.ReuseRecord = -1, true
	head, err := c.Read()
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: the file is empty; allowed: a header and rows", r.path(name))
	}
	if err != nil {
		return plaintext.CSVError(r.path(name), err)
	}
	w := &row{file: r.path(name), line: 1, cols: map[string]int{}}
	for i, h := range head {
		w.cols[h] = i
	}
	for {
		w.v, err = c.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return plaintext.CSVError(r.path(name), err)
		}
		w.line, _ = c.FieldPos(0)
		if err = f(w); err == nil {
			err = w.err
		}
		if err != nil {
			return fmt.Errorf("%s:%d: %w", w.file, w.line, err)
		}
	}
}
