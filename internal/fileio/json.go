package fileio

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"reflect"
)

// Validator checks what was decoded, and completes it.
type Validator interface{ Validate() error }

// OpenJSON reads a file that holds one JSON document and nothing else, such as a saved model,
// into v, and has v checked. Errors are *FileError.
func OpenJSON(path string, v Validator) error {
	f, err := OpenBounded(path)
	if err != nil {
		return OpenError(path, err, "")
	}
	defer f.Close()
	return In(path, ReadJSON(f, v))
}

// ReadJSON is OpenJSON of what is open; the caller knows the file.
func ReadJSON(r io.Reader, v Validator) error {
	b, err := ReadAll(r, Large)
	switch {
	case err != nil:
		return err
	case len(bytes.TrimSpace(b)) == 0:
		return &FileError{Reason: "the file is empty"}
	}
	if err := json.Unmarshal(b, v); err != nil {
		return JSONError(b, err)
	}
	return v.Validate()
}

// JSONError returns where an error of encoding/json lies in a text, and what is wrong without
// Go's types.
func JSONError(text []byte, err error) *FileError {
	reason, at := JSONCause(err)
	out := &FileError{Reason: "not the expected JSON: " + reason, Err: err}
	if at >= 0 && at <= int64(len(text)) {
		out.Line = 1 + int64(bytes.Count(text[:at], []byte{'\n'}))
	}
	return out
}

// JSONCause returns what an error of encoding/json means in JSON's words, and after how many
// bytes of what was decoded it came, -1 where the error does not tell.
func JSONCause(err error) (reason string, at int64) {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "the file ends inside an object; it is truncated", -1
	case errors.As(err, &syntax):
		return syntax.Error(), syntax.Offset
	case errors.As(err, &kind):
		if kind.Field != "" {
			reason = "field " + kind.Field + ": "
		}
		return reason + kind.Value + " where " + jsonKind(kind.Type) + " is expected", kind.Offset
	}
	return err.Error(), -1
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
