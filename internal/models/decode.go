package models

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"schedtune/internal/fileio"
)

// DecodeModel reads a model file, which holds one JSON document and nothing
// else. Errors are *fileio.FileError; the caller knows the file.
func DecodeModel(r io.Reader, m any) error {
	b, err := fileio.ReadAll(r, fileio.Table)
	switch {
	case err != nil:
		return &fileio.FileError{Err: err}
	case len(bytes.TrimSpace(b)) == 0:
		return &fileio.FileError{Reason: "the file is empty"}
	}
	if err := json.Unmarshal(b, m); err != nil {
		return &fileio.FileError{Line: lineOf(b, err), Reason: jsonReason(err), Err: err}
	}
	return nil
}

// lineOf is where a JSON text is at fault; 0 if that is not known.
func lineOf(text []byte, err error) int64 {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	at := int64(-1)
	switch {
	case errors.As(err, &syntax):
		at = syntax.Offset
	case errors.As(err, &kind):
		at = kind.Offset
	}
	if at < 0 || at > int64(len(text)) {
		return 0
	}
	return 1 + int64(bytes.Count(text[:at], []byte{'\n'}))
}

// jsonReason says what is wrong with a JSON text without naming Go's types.
func jsonReason(err error) string {
	var kind *json.UnmarshalTypeError
	if !errors.As(err, &kind) {
		return "no such JSON: " + err.Error()
	}
	if kind.Field == "" {
		return "JSON: " + kind.Value + " where an object is expected"
	}
	return fmt.Sprintf("JSON: field %s is of the wrong kind: %s", kind.Field, kind.Value)
}
