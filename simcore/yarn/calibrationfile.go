package yarn

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"strings"
	"sync"

	"schedtune/internal/fileio"
)

// Names of the built-in calibrations, which LoadCalibration accepts instead of a file.
const (
	CalibrationDefault     = "default"      // see Default
	CalibrationMiniCluster = "mini-cluster" // see MiniCluster
)

// OneMachineNote is the advice for clusters whose nodes are one machine.
const OneMachineNote = "all nodes are one machine: --calibration " + CalibrationMiniCluster + " has its launches " +
	"share two cores"

// The embedded calibrations: the default, and what differs from it in the mini-cluster's.
var (
	//go:embed calibration.json
	builtIn []byte
	//go:embed minicluster.json
	miniCluster []byte
)

// standard, standardSpark and standardTez are the defaults of runs, which do not change them.
var (
	standard      = sync.OnceValue(Default)
	standardSpark = sync.OnceValue(DefaultSpark)
	standardTez   = sync.OnceValue(DefaultTez)
)

// Default returns the built-in figures for clusters of separate machines: those of the recorded
// Hadoop 3.4.1 runs (small JVMs with a class-data archive on a 2-core machine), with launches
// sharing the cores of their own node.
func Default() *Calibration {
	c := read(&Calibration{}, builtIn)
	c.Spark, c.Tez = nil, nil
	return c
}

// MiniCluster returns the calibration of Hadoop's mini-cluster: all nodes are one
// machine of two cores, which launches and exits share. The figures of Spark are fitted on
// recorded Spark 3.5.5 runs (go run ./validation calibrate --cores 1.568).
func MiniCluster() *Calibration { return read(Default(), miniCluster) }

// DefaultSpark returns the built-in figures of Spark that go with Default: what the starts of
// drivers and executors took that met least company.
func DefaultSpark() *SparkCalibration { return read(&Calibration{}, builtIn).Spark }

// DefaultTez returns the built-in figures of Tez, likewise.
func DefaultTez() *TezCalibration { return read(&Calibration{}, builtIn).Tez }

// read reads an embedded calibration into another.
func read(c *Calibration, text []byte) *Calibration {
	if err := json.Unmarshal(text, c); err != nil {
		panic(err) // embedded
	}
	return c
}

// LoadCalibration reads a calibration file, or returns a built-in calibration by
// its name. Errors name the file, with the line where it is known.
func LoadCalibration(path string) (*Calibration, error) {
	switch path {
	case CalibrationDefault:
		return Default(), nil
	case CalibrationMiniCluster:
		return MiniCluster(), nil
	}
	b, err := fileio.ReadFile(path, fileio.Small)
	if err != nil {
		return nil, &fileio.FileError{File: path, Err: err,
			Reason: fmt.Sprintf("%s: must be a calibration.json written by fit durations, %s or %s",
				fileio.Cause(err), CalibrationDefault, CalibrationMiniCluster)}
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

// ParseCalibration reads the JSON form; missing figures come from Default.
func ParseCalibration(b []byte) (*Calibration, error) {
	c, err := decodeCalibration("calibration", b)
	if err != nil {
		return nil, err
	}
	return c, c.Validate()
}

// decodeCalibration reads the JSON form without checking the figures. It checks the schema first,
// since a file of another schema has other fields, and rejects unknown fields.
func decodeCalibration(name string, text []byte) (*Calibration, error) {
	at := func(field string) int64 { // line of the field, 1 if unknown
		end := 0
		if loc := regexp.MustCompile(`"` + regexp.QuoteMeta(field) + `"\s*:`).FindIndex(text); loc != nil {
			end = loc[0]
		}
		return int64(1 + bytes.Count(text[:end], []byte("\n")))
	}
	var given map[string]any
	if err := json.Unmarshal(text, &given); err != nil {
		return nil, fileio.In(name, fileio.JSONError(text, err))
	}
	schema := given["schema"]
	if schema != nil && schema != CalibrationSchema {
		return nil, &fileio.FileError{File: name, Line: at("schema"),
			Reason: fmt.Sprintf("schema %q: must be %s", fmt.Sprint(schema), CalibrationSchema)}
	}
	c := Default()
	c.Source = ""
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	err := d.Decode(c)
	if err == nil {
		if schema == nil && c.Validate() == nil { // {} and other files without a figure of a calibration
			return nil, &fileio.FileError{File: name, Line: 1, Reason: "no schema: must be " + CalibrationSchema}
		}
		if err := c.complete(given); err != nil {
			return nil, fileio.In(name, err)
		}
		return c, nil
	}
	if field, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		return nil, &fileio.FileError{File: name, Line: at(strings.Trim(field, `"`)), Reason: "unknown field " + field}
	}
	return nil, fileio.In(name, fileio.JSONError(text, err))
}

// complete returns an error for a file without any figure, and for a part that lacks some.
func (c *Calibration) complete(given map[string]any) error {
	maps.DeleteFunc(given, func(name string, v any) bool { return name == "schema" || name == "source" || v == nil })
	if len(given) == 0 {
		return &fileio.FileError{Line: 1, Reason: "no figures: must have one or more, such as node_beat_ms and " +
			"am_start_ms; --calibration " + CalibrationDefault + " has the built-in ones"}
	}
	var missing []string
	for prefix, f := range c.figures() {
		if part, ok := given[strings.TrimSuffix(prefix, ".")].(map[string]any); ok && part[f.name] == nil {
			missing = append(missing, prefix+f.name)
		}
	}
	if len(missing) > 0 {
		return &fileio.FileError{Key: strings.Join(missing, ", "), Reason: "missing: spark and tez must have all of their " +
			"figures, or be left out for the built-in ones"}
	}
	return nil
}

// Bytes returns the JSON form, indented, with a final newline.
func (c *Calibration) Bytes() ([]byte, error) {
	b, err := json.MarshalIndent(c, "", "  ")
	return append(b, '\n'), err
}
