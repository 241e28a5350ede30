// Package sparkrun reads recorded runs of real Spark applications on a real
// YARN: folders with the scenario, tables of what the driver, the application
// master, the ResourceManager and the NodeManagers did, in milliseconds.
package sparkrun

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strconv"

	"schedtune/internal/bounded"
	"schedtune/internal/plaintext"
	"schedtune/simcore"
)

// open opens a file of a run, or its gzipped form.
func open(dir, name string) (io.Reader, func(), error) {
	for _, n := range []string{name, name + ".gz"} {
		path := filepath.Join(dir, n)
		f, err := bounded.Open(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		plain, err := plaintext.Open(f)
		if err != nil {
			f.Close()
			return nil, nil, fmt.Errorf("%s: %w", path, err)
		}
		return bounded.Reader(plain, bounded.Table), func() { f.Close() }, nil
	}
	return nil, nil, fmt.Errorf("%s: %w", filepath.Join(dir, name), fs.ErrNotExist)
}

// row is one line of a table with named columns.
type row struct {
	file string
	line int
	cols map[string]int
	v    []string
	err  *error
}

func (w *row) str(col string) string {
	i, ok := w.cols[col]
	if !ok {
		w.fail(fmt.Errorf("no column %q", col))
		return ""
	}
	if i >= len(w.v) {
		return ""
	}
	return w.v[i]
}

func (w *row) fail(err error) {
	if *w.err == nil {
		*w.err = fmt.Errorf("%s:%d: %w", w.file, w.line, err)
	}
}

// num reads a whole number, or def where the field is empty.
func (w *row) num(col string, def int64) int64 {
	s := w.str(col)
	if s == "" {
		return def
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		w.fail(fmt.Errorf("%s is %q; allowed: a whole number", col, s))
		return def
	}
	return n
}

func (w *row) int32(col string) int32 { return int32(w.num(col, -1)) }

// at reads an instant in milliseconds; Never where the field is empty.
func (w *row) at(col string) simcore.Time {
	n := w.num(col, -1<<40)
	if n == -1<<40 {
		return simcore.Never
	}
	return simcore.Time(n) * simcore.Millisecond
}

// table calls f for each row of a table. A missing table has no rows.
func table(dir, name string, f func(*row)) error {
	in, done, err := open(dir, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer done()
	r := csv.NewReader(in)
	r.FieldsPerRecord, r.ReuseRecord = -1, true
	var failed error
	w := &row{file: filepath.Join(dir, name), cols: map[string]int{}, err: &failed}
	for {
		v, err := r.Read()
		if err == io.EOF || failed != nil {
			return failed
		}
		if err != nil {
			return fmt.Errorf("%s: %w", w.file, err)
		}
		w.line, _ = r.FieldPos(0)
		if len(w.cols) == 0 {
			for i, c := range v {
				w.cols[c] = i
			}
			continue
		}
		w.v = v
		f(w)
	}
}
