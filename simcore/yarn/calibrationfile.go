package yarn

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
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
	var head struct {
		Schema any `json:"schema"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return nil, fileio.In(name, fileio.JSONError(text, err))
	}
	if head.Schema != nil && head.Schema != CalibrationSchema {
		return nil, &fileio.FileError{File: name, Line: at("schema"),
			Reason: fmt.Sprintf("schema %q: must be %s", fmt.Sprint(head.Schema), CalibrationSchema)}
	}
	c := Default()
	c.Source = ""
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	err := d.Decode(c)
	if err == nil {
		if head.Schema == nil && c.Validate() == nil { // {} and other files without a figure of a calibration
			err = &fileio.FileError{File: name, Line: 1, Reason: "no schema: must be " + CalibrationSchema}
		}
		return c, err
	}
	if field, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		return nil, &fileio.FileError{File: name, Line: at(strings.Trim(field, `"`)), Reason: "unknown field " + field}
	}
	return nil, fileio.In(name, fileio.JSONError(text, err))
}

// Bytes returns the JSON form, indented, with a final newline.
func (c *Calibration) Bytes() ([]byte, error) {
	b, err := json.MarshalIndent(c, "", "  ")
	return append(b, '\n'), err
}
