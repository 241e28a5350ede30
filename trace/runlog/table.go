package runlog

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"schedtune/internal/fileio"
	"schedtune/simcore"
	"schedtune/trace/internal/history"
)

// MaxMillis is the latest time of a run, in milliseconds: about three years.
const MaxMillis = 1e11

// Open opens a file of a run, or its gzipped form. It reads at most
// bounded.Table bytes. The error of a file that is in neither form wraps
// fs.ErrNotExist.
func Open(dir, name string) (io.ReadCloser, error) {
	for _, n := range []string{name, name + ".gz"} {
		path := filepath.Join(dir, n)
		f, err := fileio.OpenBounded(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		plain, err := fileio.OpenText(f)
		if err != nil {
			f.Close()
			return nil, &fileio.FileError{File: path, Err: err}
		}
		return struct {
			io.Reader
			io.Closer
		}{fileio.Reader(plain, fileio.Table), f}, nil
	}
	return nil, fmt.Errorf("%s: %w", filepath.Join(dir, name), fs.ErrNotExist)
}

// JSON reads a document of a run into v.
func JSON(dir, name string, v any) error {
	in, err := Open(dir, name)
	if err != nil {
		return err
	}
	defer in.Close()
	b, err := io.ReadAll(in)
	if err == nil {
		err = json.Unmarshal(b, v)
	}
	if err != nil {
		return &fileio.FileError{File: filepath.Join(dir, name), Err: err}
	}
	return nil
}

// Epoch is a run's time zero in milliseconds since 1970, from result.json.
func Epoch(dir string) (int64, error) {
	var v struct {
		T0 int64 `json:"t0_epoch_ms"`
	}
	err := JSON(dir, "result.json", &v)
	if err == nil && v.T0 <= 0 {
		err = &fileio.FileError{File: filepath.Join(dir, "result.json"),
			Err: errors.New("no t0_epoch_ms: must be the time zero of the run in milliseconds since the epoch")}
	}
	return v.T0, err
}

// Row is one line of a table with named columns.
type Row struct {
	cols   map[string]int
	v      []string
	strict bool  // a column that the table lacks is an error
	err    error // the first fault of a cell
}

// Table calls f for each row of a table, a CSV file with a header. Columns in
// need must be there; Every asks for every column that f reads. The row is good
// until the next call. An error of f, and that of a cell that f read,
// comes back with file and line.
func Table(dir, name string, need []string, f func(*Row) error) error {
	in, err := Open(dir, name)
	if err != nil {
		return err
	}
	defer in.Close()
	w := &Row{cols: map[string]int{}, strict: slices.Equal(need, Every)}
	return fileio.EachRow(filepath.Join(dir, name), in, func(head []string) error {
		for i, h := range head {
			w.cols[h] = i
		}
		for _, col := range need {
			if _, ok := w.cols[col]; !ok && !w.strict {
				return fmt.Errorf("no column %q: the header must have %s", col, strings.Join(need, ", "))
			}
		}
		return nil
	}, func(_ int64, cells []string) error {
		w.v = cells
		return errors.Join(f(w), w.err)
	})
}

// Every stands for all columns that are read.
var Every = []string{"*"}

// Fail notes a fault of the row; the first one counts.
func (w *Row) Fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

// Str returns a cell, empty where the table has no such column.
func (w *Row) Str(col string) string {
	if w == nil {
		return ""
	}
	i, ok := w.cols[col]
	if !ok {
		if w.strict {
			w.Fail(fmt.Errorf("no column %q", col))
		}
		return ""
	}
	return w.v[i]
}

// Float returns a cell's number; ok is false where it is empty. What is no
// number, or beyond the limit, is a fault of the row.
func (w *Row) Float(col string, most float64) (v float64, ok bool) {
	text := w.Str(col)
	if text == "" {
		return 0, false
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(v) || math.Abs(v) > most {
		w.Fail(fmt.Errorf("column %s: %.80q: must be a number of at most %g", col, text, most))
		return 0, false
	}
	return v, true
}

// Int returns a cell's number without its fraction, none where it is empty.
func (w *Row) Int(col string, none int64) int64 {
	if v, ok := w.Float(col, 1<<40); ok {
		return int64(v)
	}
	return none
}

// Num returns a cell's number without its fraction, Unknown where it is empty.
func (w *Row) Num(col string) int64 { return w.Int(col, history.Unknown) }

// Millis returns a time as it is in the table, Unknown where the cell is empty.
func (w *Row) Millis(col string) history.Millis { return history.Millis(w.Num(col)) }

// At returns a time given in milliseconds, Never where the cell is empty.
func (w *Row) At(col string) simcore.Time {
	if v, ok := w.Float(col, MaxMillis); ok {
		return simcore.Time(v * float64(simcore.Millisecond))
	}
	return simcore.Never
}
