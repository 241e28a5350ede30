package trace

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"schedtune/internal/fileio"
)

// eachObject decodes JSON objects that follow one another without separators
// and calls f with each, holding one of them in memory at a time.
func eachObject[T any](in *input, f func(*T, int64) error) error {
	return decodeEach(in, json.NewDecoder(fileio.JSON(in)), false, f)
}

// decodeEach is eachObject of what a decoder has left, or of the list that it is in.
func decodeEach[T any](in *input, dec *json.Decoder, list bool, f func(*T, int64) error) error {
	for {
		more := dec.More() // skips the blanks that part two objects
		if list && !more {
			return nil
		}
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
	_, at := fileio.JSONCause(err)
	var typ *json.UnmarshalTypeError
	switch {
	case at < 0:
		return dec.InputOffset()
	case errors.As(err, &typ):
		return start + at // counted from the object's start
	}
	return max(start, at)
}

// describe rewords the decoder's errors for people.
func describe(err error) error {
	if reason, _ := fileio.JSONCause(err); reason != err.Error() {
		return errors.New(reason)
	}
	return err
}

// text is a string that sources also write as a number, a boolean or null.
type text = fileio.Scalar

// List is a list that web services of Hadoop write as its one member where it has one, and as
// "" where it has none (all of 3.5.0's history server, some of other servers).
type List[T any] []T

// UnmarshalJSON accepts a list, one member, "" and null.
func (s *List[T]) UnmarshalJSON(b []byte) error {
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

// num is an integer that sources also write as a string or as a float.
type num = fileio.Number

// numOf is the num of a figure that is known.
func numOf[T ~int | ~int64](v T) num { return num{V: int64(v), OK: true} }

// nonZero is the num of a figure that is unknown where it is 0.
func nonZero[T ~int | ~int64](v T) num { return num{V: int64(v), OK: v != 0} }

// millis is a time as it stands; Trace.finish takes what is below 0 as unknown.
func millis(n num) Millis {
	if !n.OK {
		return Unknown
	}
	return Millis(n.V)
}

// clip shortens a value for an error message.
func clip(s string) string {
	if len(s) > 40 {
		return s[:37] + "..."
	}
	return s
}
