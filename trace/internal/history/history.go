// Package history has what the readers of Spark's and Tez's histories share: times, notes, and rows
// of figures.
package history

import (
	"encoding/json"
	"fmt"
	"iter"
	"reflect"
	"strings"
)

// Unknown marks a time, a count or a number of bytes that the history does not tell.
const Unknown = -1

// Millis is a point in time (milliseconds since the Unix epoch) or a span of it. Unknown
// where the history does not tell.
type Millis int64

// Known reports whether m was recorded.
func (m Millis) Known() bool { return m >= 0 }

// Or returns m, or other where m was not recorded.
func (m Millis) Or(other Millis) Millis {
	if m.Known() {
		return m
	}
	return other
}

// Earlier returns the earlier one of two times of which either may be unknown.
func Earlier(a, b Millis) Millis {
	if !a.Known() || b.Known() && b < a {
		return b
	}
	return a
}

// Note reports one thing that is missing or was assumed.
type Note struct {
	Kind  string `json:"kind"`            // missing, assumed or dropped
	Text  string `json:"text"`            // one line
	Count int    `json:"count"`           // how often
	Where string `json:"where,omitempty"` // FILE:LINE of the first
}

// Kinds of note.
const (
	Missing = "missing"
	Assumed = "assumed"
	Dropped = "dropped"
)

// mostNotes bounds the notes of a source.
const mostNotes = 1000

// AddNote counts a note by kind and text. A new one is appended with the place of its first cause.
func AddNote(notes []Note, n Note) []Note {
	for i := range notes {
		if notes[i].Kind == n.Kind && notes[i].Text == n.Text {
			notes[i].Count += n.Count
			return notes
		}
	}
	if n.Count == 0 || len(notes) >= mostNotes {
		return notes
	}
	return append(notes, n)
}

// Place returns FILE:LINE, the file alone before its first line.
func Place(file string, line int64) string {
	if line > 0 {
		return fmt.Sprintf("%s:%d", file, line)
	}
	return file
}

// Words returns the set of the words of a text.
func Words(text string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(text) {
		set[w] = true
	}
	return set
}

// Name returns the word for a value of which names has one each, and its number for another.
func Name[T ~uint8](names []string, v T) string {
	if int(v) < len(names) {
		return names[v]
	}
	return fmt.Sprintf("unknown (%d)", uint8(v))
}

// Row returns a struct of whole numbers and truth values as a JSON list in the order of its fields.
func Row(v any) ([]byte, error) {
	x := reflect.ValueOf(v)
	row := make([]int64, x.NumField())
	for i := range row {
		switch f := x.Field(i); {
		case f.CanInt():
			row[i] = f.Int()
		case f.CanUint():
			row[i] = int64(f.Uint())
		case f.Bool():
			row[i] = 1
		}
	}
	return json.Marshal(row)
}

// SetRow reads what Row writes into the struct that to points at. It returns an error for another
// number of figures, and for one that its field cannot hold.
func SetRow(b []byte, to any) error {
	var row []int64
	if err := json.Unmarshal(b, &row); err != nil {
		return err
	}
	x := reflect.ValueOf(to).Elem()
	if len(row) != x.NumField() {
		return fmt.Errorf("a row of %d figures: must be %d", len(row), x.NumField())
	}
	for i, v := range row {
		switch f := x.Field(i); {
		case f.CanInt() && !f.OverflowInt(v):
			f.SetInt(v)
		case f.CanUint() && v >= 0 && !f.OverflowUint(uint64(v)):
			f.SetUint(uint64(v))
		case f.Kind() == reflect.Bool:
			f.SetBool(v != 0)
		default:
			return fmt.Errorf("figure %d of a row, %d: out of range", i+1, v)
		}
	}
	return nil
}

// Pointers iterates over the elements of a list, to be changed or not to be copied.
func Pointers[T any](list []T) iter.Seq[*T] {
	return func(yield func(*T) bool) {
		for i := range list {
			if !yield(&list[i]) {
				return
			}
		}
	}
}
