package replay

import (
	"compress/gzip"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"schedtune/simcore"
)

// The tables of a run: CSV files with a header, plain or gzipped.

// open opens a file of the run, or its gzipped form.
func (r *Run) open(name string) (io.ReadCloser, error) {
	for _, n := range []string{name, name + ".gz"} {
		f, err := os.Open(r.path(n))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil || !strings.HasSuffix(n, ".gz") {
			return f, err
		}
		z, err := gzip.NewReader(f)
		if err != nil {
			f.Close()
			return nil, fmt.Errorf("%s: %w", r.path(n), err)
		}
		return &zipped{z, f}, nil
	}
	return nil, fmt.Errorf("%s: %w", r.path(name), fs.ErrNotExist)
}

type zipped struct {
	*gzip.Reader
	f *os.File
}

func (z *zipped) Close() error { return errors.Join(z.Reader.Close(), z.f.Close()) }

// row is one line of a table with named columns.
type row struct {
	file string
	line int
	cols map[string]int
	v    []string
}

func (w *row) str(col string) string {
	if i, ok := w.cols[col]; ok && i < len(w.v) {
		return w.v[i]
	}
	return ""
}

func (w *row) num(col string) int64 {
	n, err := strconv.ParseFloat(w.str(col), 64)
	if err != nil {
		return 0
	}
	return int64(n)
}

// at reads a time in milliseconds, Never if empty.
func (w *row) at(col string) simcore.Time {
	n, err := strconv.ParseFloat(w.str(col), 64)
	if err != nil {
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
	if err != nil {
		return fmt.Errorf("%s: header: %w", r.path(name), err)
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
			return fmt.Errorf("%s: %w", r.path(name), err)
		}
		w.line++
		if err := f(w); err != nil {
			return fmt.Errorf("%s:%d: %w", w.file, w.line, err)
		}
	}
}
