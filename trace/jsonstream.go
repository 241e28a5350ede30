package trace

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"

	"schedtune/internal/fileio"
)

// eachObject decodes JSON objects that follow one another without separators
// and calls f with each, holding one of them in memory at a time.
func eachObject[T any](in *input, f func(*T, int64) error) error {
	dec := json.NewDecoder(fileio.JSON(in))
	for {
		dec.More() // skips the blanks that part two objects
		start := dec.InputOffset()
		in.mark(start)
		var v T
		err := dec.Decode(&v)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			if errors.Is(err, io.ErrUnexpectedEOF) {
				return in.fail(in.off, describe(err))
			}
			return in.fail(errOffset(dec, start, err), describe(err))
		}
		line := in.line(start)
		if err := f(&v, line); err != nil {
			return in.at(line, err)
		}
	}
}

// errOffset finds the byte an error of the decoder concerns.
func errOffset(dec *json.Decoder, start int64, err error) int64 {
	var syn *json.SyntaxError
	var typ *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syn):
		return max(start, syn.Offset)
	case errors.As(err, &typ):
		return start + typ.Offset // counted from the object's start
	}
	return dec.InputOffset()
}

// describe rewords the decoder's errors for people.
func describe(err error) error {
	var typ *json.UnmarshalTypeError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the file ends inside an object; it is truncated")
	case errors.As(err, &typ):
		return fmt.Errorf("field %s: %s where %s is expected", typ.Field, typ.Value, jsonKind(typ.Type))
	}
	return err
}

// jsonKind names what JSON has for a Go type.
func jsonKind(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	}
	return "a number"
}

// text is a string that sources also write as a number, a boolean or null.
type text string

// UnmarshalJSON accepts any scalar.
func (t *text) UnmarshalJSON(b []byte) error {
	switch {
	case len(b) == 0 || bytes.Equal(b, []byte("null")):
		*t = ""
		return nil
	case b[0] == '"':
		var s string
		if err := json.Unmarshal(b, &s); err != nil {
			return err
		}
		*t = text(s)
		return nil
	case b[0] == '{' || b[0] == '[':
		return fmt.Errorf("%s where a string or a number is expected", clip(string(b)))
	}
	*t = text(b)
	return nil
}

// some is a list that the web services of Hadoop 3.5.0's history server write as its one
// member where it has one, and as "" where it has none.
type some[T any] []T

// UnmarshalJSON accepts a list, one member, "" and null.
func (s *some[T]) UnmarshalJSON(b []byte) error {
	switch {
	case isNone(b):
		*s = nil
		return nil
	case b[0] == '[':
		return json.Unmarshal(b, (*[]T)(s))
	}
	*s = make([]T, 1)
	return json.Unmarshal(b, &(*s)[0])
}

// isNone reports whether an answer's member stands for nothing.
func isNone(b []byte) bool {
	return len(b) == 0 || bytes.Equal(b, []byte("null")) || bytes.Equal(b, []byte(`""`))
}

// num is an integer that sources also write as a string or as a float; absent
// and null are Unknown only if the struct was preset, see known.
type num struct {
	v  int64
	ok bool
}

// UnmarshalJSON accepts 12, 12.0, "12" and null.
func (n *num) UnmarshalJSON(b []byte) error {
	s := strings.Trim(string(b), `"`)
	if s == "null" || s == "" {
		return nil
	}
	v, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		f, ferr := strconv.ParseFloat(s, 64)
		if ferr != nil || f < -1<<62 || f > 1<<62 {
			return fmt.Errorf("%s where a number is expected", clip(string(b)))
		}
		v = int64(f)
	}
	*n = num{v, true}
	return nil
}

// numOf is the num of a figure that is known.
func numOf[T ~int | ~int64](v T) num { return num{int64(v), true} }

// nonZero is the num of a figure that is unknown where it is 0.
func nonZero[T ~int | ~int64](v T) num { return num{int64(v), v != 0} }

// MarshalJSON writes the number.
func (n num) MarshalJSON() ([]byte, error) { return strconv.AppendInt(nil, n.v, 10), nil }

// or returns the number, or def where it is absent or negative.
func (n num) or(def int64) int64 {
	if !n.ok || n.v < 0 {
		return def
	}
	return n.v
}

// millis is a time as it stands; Trace.finish takes what is below 0 as unknown.
func (n num) millis() Millis {
	if !n.ok {
		return Unknown
	}
	return Millis(n.v)
}

// clip shortens a value for an error message.
func clip(s string) string {
	if len(s) > 40 {
		return s[:37] + "..."
	}
	return s
}

// interner shares equal strings: a trace names few hosts and many tasks.
type interner map[string]string

func (in interner) get(s string) string {
	if v, ok := in[s]; ok {
		return v
	}
	s = strings.Clone(s)
	in[s] = s
	return s
}
