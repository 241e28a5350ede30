package models

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"schedtune/internal/fileio"
)

// head reads copies of the rows at the beginning, of which columns of texts can be told, and
// counts those that are good.
func (s *stream) head() (rows []Row, good int, err error) {
	s.use(columnUse{lenient: true})
	for good < rangeRows && len(rows) < 20*rangeRows {
		row, err := s.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, 0, err
		}
		c := *row
		c.Values, c.Faults = slices.Clone(row.Values), slices.Clone(row.Faults)
		if rows = append(rows, c); c.Err == nil {
			good++
		}
	}
	return rows, good, nil
}

// each calls f with the rows of the head and all that follow.
func (s *stream) each(head []Row, f func(*Row)) error {
	for i := range head {
		f(&head[i])
	}
	for {
		row, err := s.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		f(row)
	}
}

// nothing is the error of a table without a good row.
func (s *stream) nothing() error {
	return &fileio.FileError{File: s.sources[0].Name,
		Reason: fmt.Sprintf("no row could be read (%d bad)%s: must have a header with column names and at least one row "+
			"of numbers", s.in.BadRows, firstFault(s.in))}
}

// textColumns are those of which no field is a number.
func textColumns(columns []string, rows []Row) (out []string) {
	texts, numbers := make([]int, len(columns)), make([]int, len(columns))
	for i := range rows {
		if rows[i].Err != nil {
			continue
		}
		for c, v := range rows[i].Values {
			if v == v {
				numbers[c]++
			}
		}
		for _, b := range rows[i].Faults {
			texts[b.Column]++
			numbers[b.Column]--
		}
	}
	for c, name := range columns {
		if texts[c] > 0 && numbers[c] == 0 {
			out = append(out, name)
		}
	}
	return out
}

// spoiled makes a row bad for a used column that holds no number.
func (w *Row) spoiled(used []bool) {
	for _, b := range w.Faults {
		if w.Err == nil && (used == nil || used[b.Column]) {
			w.Err = b.Err
		}
	}
}

func firstFault(in *Intake) string {
	if len(in.Faults) == 0 {
		return ""
	}
	return "; first: " + in.Faults[0]
}
