package fileio

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
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
	out, at := &FileError{Reason: "no such JSON: " + err.Error(), Err: err}, int64(-1)
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		at = syntax.Offset
	case errors.As(err, &kind) && kind.Field == "":
		at, out.Reason = kind.Offset, "JSON: "+kind.Value+" where an object is expected"
	case kind != nil:
		at, out.Reason = kind.Offset, "JSON: field "+kind.Field+" is of the wrong kind: "+kind.Value
	}
	if at >= 0 && at <= int64(len(text)) {
		out.Line = 1 + int64(bytes.Count(text[:at], []byte{'\n'}))
	}
	return out
}
