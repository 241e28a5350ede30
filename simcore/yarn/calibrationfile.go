package yarn

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"reflect"
	"regexp"
	"strings"

	"schedtune/internal/fileio"
)

// The file of a calibration: one JSON object of CalibrationSchema. Figures that it leaves
// out are those of Default; figures that it does not know are refused, so that a misspelt
// one is not passed over.

// allowedCalibration says what a calibration file is.
const allowedCalibration = "a calibration.json written by fit durations (schema " + CalibrationSchema + "), or a built-in one: " + builtInNames

// LoadCalibration reads a calibration file, or returns a built-in calibration by
// its name. Errors name the file, the line or the figure, and what is allowed.
func LoadCalibration(path string) (*Calibration, error) {
	if c := builtIn(path); c != nil {
		return c, nil
	}
	b, err := fileio.ReadFile(path, fileio.Small)
	if err != nil {
		var pe *fs.PathError
		if errors.As(err, &pe) {
			err = pe.Err
		}
		return nil, fmt.Errorf("%s: %w; allowed: %s", path, err, allowedCalibration)
	}
	c, err := decodeCalibration(path, b)
	if err != nil {
		return nil, err
	}
	if err := c.Validate(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return c, nil
}

// ParseCalibration reads the JSON form; figures left out come from Default.
func ParseCalibration(b []byte) (*Calibration, error) {
	c, err := decodeCalibration("calibration", b)
	if err != nil {
		return nil, err
	}
	return c, c.Validate()
}

// decodeCalibration reads the JSON form without a look at the figures. The
// schema comes first: a file of another one has other fields too.
func decodeCalibration(name string, b []byte) (*Calibration, error) {
	f := calibrationFile{name, b}
	if len(bytes.TrimSpace(b)) == 0 {
		return nil, fmt.Errorf("%s: the file is empty; allowed: %s", name, allowedCalibration)
	}
	if err := f.checkSchema(); err != nil {
		return nil, err
	}
	c := Default()
	c.Source = ""
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	err := d.Decode(c)
	var typ *json.UnmarshalTypeError
	switch {
	case errors.As(err, &typ):
		return nil, f.fail(typ.Offset-1, "%s: JSON: %s where a value of type %s is expected", typ.Field, typ.Value, plainType(typ.Type))
	case err != nil:
		if field, unknown := strings.CutPrefix(err.Error(), "json: unknown field "); unknown {
			return nil, f.fail(f.at(strings.Trim(field, `"`)), "unknown figure %s", field)
		}
		return nil, f.fail(0, "%v", err)
	}
	return c, nil
}

// calibrationFile is the text of a file, for errors that name its lines.
type calibrationFile struct {
	name string
	text []byte
}

// fail is the error at a byte of the file.
func (f *calibrationFile) fail(offset int64, format string, args ...any) error {
	line := 1 + bytes.Count(f.text[:min(max(offset, 0), int64(len(f.text)))], []byte("\n"))
	return fmt.Errorf("%s:%d: %s; allowed: %s", f.name, line, fmt.Sprintf(format, args...), allowedCalibration)
}

// at is the byte where a field is named, 0 where it is not.
func (f *calibrationFile) at(field string) int64 {
	loc := regexp.MustCompile(`"` + regexp.QuoteMeta(field) + `"\s*:`).FindIndex(f.text)
	if loc == nil {
		return 0
	}
	return int64(loc[0])
}

// checkSchema reports an error unless the file is one JSON object of this schema or of
// none.
func (f *calibrationFile) checkSchema() error {
	d := json.NewDecoder(bytes.NewReader(f.text))
	var head struct {
		Schema any `json:"schema"`
	}
	err := d.Decode(&head)
	var syn *json.SyntaxError
	var typ *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syn):
		return f.fail(syn.Offset-1, "JSON: %v", err)
	case errors.As(err, &typ):
		return f.fail(typ.Offset-1, "JSON: %s where an object is expected", typ.Value)
	case err != nil:
		return f.fail(int64(len(f.text)), "JSON: the file ends in the middle")
	}
	if head.Schema != nil && head.Schema != CalibrationSchema {
		return f.fail(f.at("schema"), "schema is %q", fmt.Sprint(head.Schema))
	}
	if _, err := d.Token(); err != io.EOF {
		return f.fail(d.InputOffset(), "text after the object")
	}
	return nil
}

// plainType names a type as people who write JSON do.
func plainType(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Float64:
		return "number"
	case reflect.Slice:
		return "list of numbers"
	case reflect.Struct, reflect.Map:
		return "object"
	}
	return t.String()
}

// Write writes the JSON form, indented, with a final newline.
func (c *Calibration) Write(w io.Writer) error {
	b, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(b, '\n'))
	return err
}
