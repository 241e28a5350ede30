package yarn

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"schedtune/internal/fileio"
)

// TestWrongCalibrations checks that errors of calibration files name the file, the line and the
// field.
func TestWrongCalibrations(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c.json")
	figures := DefaultSpark()
	figures.DriverStart = Latency{-1}
	spark, err := json.Marshal(figures)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, text string
		line       int64 // 0 = none
		want       string
	}{
		{"empty", " ", 1, "JSON: "},
		{"truncated", "{\n\"a\"", 2, "JSON: "},
		{"truncated after the schema", `{"schema":"schedtune/calibration/v1"`, 1, "JSON: "},
		{"no JSON", "node,mib", 1, "JSON: "},
		{"comma too many", "{\n\"node_beat_ms\": 5,\n}", 3, "JSON: "},
		{"unknown object", "{\"nodes\":\n{}}", 1, `unknown field "nodes"`},
		{"unknown number", "{\"node_beat_ms\":9,\n\"extra\":1}", 2, `unknown field "extra"`},
		{"no schema", "{}", 1, "no schema: must be " + CalibrationSchema},
		{"list", "[]", 1, "where an object is expected"},
		{"two objects", "{}\n{}", 2, "JSON: "},
		{"another schema", "{\n\"schema\":\"schedtune/fit-durations/v1\",\"source\":1}", 2,
			`schema "schedtune/fit-durations/v1"`},
		{"number for a latency", "{\n\"commit_ms\":\n7}", 3, "field commit_ms: number where a list is expected"},
		{"text for a number", "{\n\n\"am_threads\":\"two\"}", 3, "field am_threads: string where a number is expected"},
		{"out of range", `{"node_beat_ms":0}`, 0, "node_beat_ms 0: must be from 1 to 3.6e+06"},
		{"quantiles not ascending", `{"commit_ms":[3,2]}`, 0, "commit_ms: quantile 1 2: "},
		{"nothing but a schema", `{"schema":"` + CalibrationSchema + `"}`, 1, "no figures: must have one or more"},
		{"nothing but a source", `{"schema":"` + CalibrationSchema + `","source":"x","cores":null}`, 1, "no figures"},
		{"spark with few figures", fmt.Sprintf(`{"spark":%s}`, bytes.Replace(spark, []byte(`"launch_ms"`),
			[]byte(`"task_ms"`), 1)), 0, "launch_ms: missing: "},
		{"tez with one figure", `{"tez":{"dag_ms":[7]}}`, 0, "tez.master_start_ms, tez.launch_ms, "},
		{"spark out of range", fmt.Sprintf(`{"spark":%s}`, spark), 0, "spark.driver_start_ms: quantile 0 -1: "},
		{"scope", `{"cpu_scope":"rack"}`, 0, "cpu_scope rack: must be node or cluster"},
		{"no cores", `{"cpu_scope":"cluster"}`, 0, "cores 0: must be above 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := os.WriteFile(path, []byte(c.text), 0o666); err != nil {
				t.Fatal(err)
			}
			_, err := LoadCalibration(path)
			var at *fileio.FileError
			line := int64(0)
			if errors.As(err, &at) {
				line = at.Line
			}
			if err == nil || line != c.line || !strings.HasPrefix(err.Error(), path+":") || !strings.Contains(err.Error(),
				c.want) {
				t.Errorf("got error %v, want one of %s, line %d, with %q", err, path, c.line, c.want)
			}
		})
	}
}

// TestMissingCalibration checks the error of a file that cannot be read: it names the built-in
// calibrations.
func TestMissingCalibration(t *testing.T) {
	for _, path := range []string{filepath.Join(t.TempDir(), "none"), t.TempDir()} {
		t.Run(path, func(t *testing.T) {
			if _, err := LoadCalibration(path); err == nil || !strings.HasPrefix(err.Error(), path+": ") ||
				!strings.Contains(err.Error(), CalibrationMiniCluster) {
				t.Errorf("got error %v, want one of %s that names %s", err, path, CalibrationMiniCluster)
			}
		})
	}
}

// TestBuiltInCalibrations checks that the built-in calibrations are valid and equal after writing
// and reading.
func TestBuiltInCalibrations(t *testing.T) {
	for _, name := range []string{CalibrationDefault, CalibrationMiniCluster} {
		t.Run(name, func(t *testing.T) {
			c, err := LoadCalibration(name)
			if err != nil || c.Validate() != nil {
				t.Fatalf("%s: got errors %v, %v, want none", name, err, c.Validate())
			}
			c.Spark = DefaultSpark()
			text, err := c.Bytes()
			if err != nil {
				t.Fatal(err)
			}
			if back, err := ParseCalibration(text); err != nil || !cmp.Equal(back, c) {
				t.Errorf("%s: after writing and reading (error %v): %s", name, err, cmp.Diff(c, back))
			}
		})
	}
}

// TestScaled: latencies and work are scaled, but for the figures named, periods and the original
// are not.
func TestScaled(t *testing.T) {
	c := MiniCluster()
	d := c.Scaled(2, []string{"map_work_ms", "spark.wake_ms"})
	for _, x := range []struct {
		name      string
		got, want float64
	}{
		{"am_work_ms", d.AMWork, 2 * c.AMWork}, {"map_work_ms", d.MapWork, c.MapWork},
		{"node_beat_ms", d.NodeBeat, c.NodeBeat}, {"spark.stop_ms", d.Spark.Stop.At(1), 2 * c.Spark.Stop.At(1)},
		{"spark.wake_ms", d.Spark.Wake.At(1), c.Spark.Wake.At(1)},
		{"spark.driver_work_ms", d.Spark.DriverWork, 2 * MiniCluster().Spark.DriverWork},
	} {
		if x.got != x.want {
			t.Errorf("%s: got %v, want %v", x.name, x.got, x.want)
		}
	}
}
