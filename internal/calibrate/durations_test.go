package calibrate

import (
	"bytes"
	"strings"
	"testing"

	"schedtune/trace"
)

// What is printed has no blanks at the ends of lines.
func TestPrintedLines(t *testing.T) {
	const run = "../testdata/runs/mapreduce"
	tr, err := trace.Open(run, trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := FitDurations(run, []*trace.Trace{tr}, "all")
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := r.Print(&text); err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(text.String(), "\n") {
		if strings.HasSuffix(line, " ") {
			t.Errorf("%q", line)
		}
	}
}
