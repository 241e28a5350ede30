package yarn

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A wrong file is refused with its name, the line, the figure, and what is
// allowed.
func TestWrongCalibrations(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "c.json")
	for text, want := range map[string]string{
		" \n":                                ": the file is empty; allowed: a calibration.json written by fit durations (schema schedtune/calibration/v1)",
		"{\n\"a\"":                           ":2: JSON: the file ends in the middle; allowed: ",
		"node,mib":                           ":1: JSON: invalid character 'o' in literal null (expecting 'u'); allowed: ",
		"{\n\"node_beat_ms\": 5,\n}":         ":3: JSON: invalid character '}' looking for beginning of object key string; allowed: ",
		"{\"nodes\":\n{}}":                   `:1: unknown figure "nodes"; allowed: `,
		"{\"node_beat_ms\":9,\n\"extra\":1}": `:2: unknown figure "extra"; allowed: `,
		"[]":                                 ":1: JSON: array where an object is expected; allowed: ",
		"{}\n{}":                             ":2: text after the object; allowed: ",
		"{\n\"schema\":\"schedtune/fit-durations/v1\",\"source\":1}": `:2: schema is "schedtune/fit-durations/v1"; allowed: a calibration.json written by fit durations`,
		"{\n\"commit_ms\":\n7}":                ":3: commit_ms: JSON: number where a value of type list of numbers is expected; allowed: ",
		"{\n\n\"am_threads\":\"two\"}":         ":3: am_threads: JSON: string where a value of type number is expected; allowed: ",
		`{"node_beat_ms":0}`:                   ": calibration: node_beat_ms is 0; allowed: 1 to 3.6e+06",
		`{"schema":"schedtune/calibration/v1"`: ":1: JSON: the file ends in the middle",
	} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := LoadCalibration(path); err == nil || !strings.HasPrefix(err.Error(), path+want) {
			t.Errorf("%q: %v\nwant %s", text, err, path+want)
		}
	}
	for _, p := range []string{filepath.Join(dir, "nosuch"), dir} {
		if _, err := LoadCalibration(p); err == nil || !strings.HasPrefix(err.Error(), p+": ") || !strings.Contains(err.Error(), "; allowed: a calibration.json") {
			t.Error(err)
		}
	}
}
