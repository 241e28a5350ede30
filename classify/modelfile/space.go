package modelfile

import (
	"math"
	"slices"
	"strings"
)

// Space is the columns of a log with the series that expressions compute from them over the
// rows of a node. It is not safe for concurrent use.
type Space struct {
	Columns []string // all of a log, in the order of a row's values
	Texts   []string // those that hold texts, as TextValue

	windows []window
	past    map[string][]ring // by node, of each window
	row     []float64
}

// holdsText reports whether a column holds texts.
func (s *Space) holdsText(column int) bool { return slices.Contains(s.Texts, s.Columns[column]) }

// mostRows bounds the memory of a window.
const mostRows = 10000

// window is a column computed from the newest rows of a node.
type window struct {
	kind string // lag, mean or sd
	of   *Expr
	rows int
}

// ring holds the newest values of a window's expression.
type ring struct {
	values []float64
	next   int
}

// window returns the column of a function over rows, the same for the same function.
func (s *Space) window(kind string, of *Expr, rows int) int {
	for i, w := range s.windows {
		if w.kind == kind && w.of.text == of.text && w.rows == rows {
			return len(s.Columns) + i
		}
	}
	s.windows = append(s.windows, window{kind, of, rows})
	return len(s.Columns) + len(s.windows) - 1
}

// longest returns the column with the longest name that the text begins with, as a whole
// name; -1 for none. A function's name before its parenthesis is none.
func (s *Space) longest(text string) int {
	best := -1
	for i, c := range s.Columns {
		if !strings.HasPrefix(text, c) || best >= 0 && len(c) <= len(s.Columns[best]) {
			continue
		}
		last, rest := c[len(c)-1], text[len(c):]
		named := isName(last) || isDigit(last)
		if rest == "" || rest[0] != '(' && !(named && (isName(rest[0]) || isDigit(rest[0]) || rest[0] == '.')) {
			best = i
		}
	}
	return best
}

// Row returns the values with those of the functions over the node's rows behind them, valid
// until the next call. It must be called once for each row of a node, in order of time.
func (s *Space) Row(node string, values []float64) []float64 {
	if len(s.windows) == 0 {
		return values
	}
	if s.past == nil {
		s.past = map[string][]ring{}
	}
	past := s.past[node]
	if past == nil {
		past = make([]ring, len(s.windows))
		s.past[node] = past
	}
	s.row = append(s.row[:0], values...)
	for i := range s.windows {
		s.row = append(s.row, s.windows[i].take(&past[i], s.windows[i].of.Eval(s.row)))
	}
	return s.row
}

// Forget begins the series of a node anew, of all nodes for "".
func (s *Space) Forget(node string) {
	if node == "" {
		clear(s.past)
	}
	delete(s.past, node)
}

// take adds a value and returns the function over the newest.
func (w *window) take(r *ring, v float64) float64 {
	size := w.rows
	if w.kind == "lag" {
		size++
	}
	if len(r.values) < size {
		r.values = append(r.values, v)
	} else {
		r.values[r.next] = v
		r.next = (r.next + 1) % size
	}
	if w.kind == "lag" {
		if len(r.values) < size {
			return math.NaN()
		}
		return r.values[r.next]
	}
	n, mean, m2 := 0.0, 0.0, 0.0
	for _, x := range r.values {
		if x == x {
			n++
			d := x - mean
			mean += d / n
			m2 += d * (x - mean)
		}
	}
	switch {
	case n == 0:
		return math.NaN()
	case w.kind == "mean":
		return mean
	}
	return math.Sqrt(m2 / n)
}

// Used reports for each column whether the features or the expressions read it.
func (s *Space) Used(features []Feature, more ...*Expr) []bool {
	used := make([]bool, len(s.Columns))
	var read func(e *Expr)
	read = func(e *Expr) {
		for _, c := range e.use {
			if c < len(used) {
				used[c] = true
			} else {
				read(s.windows[c-len(used)].of)
			}
		}
	}
	for i := range features {
		more = append(more, features[i].expr)
	}
	for _, e := range more {
		if e != nil {
			read(e)
		}
	}
	return used
}
