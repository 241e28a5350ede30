package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// A command without input runs on embedded data and says so on standard error.
func TestEmbeddedStandsIn(t *testing.T) {
	for _, args := range [][]string{
		{"check", "--embedded"}, {"explain", "--queue", "root.batch", "--user", "etl"}, {"simulate"},
		{"compare", "--schedulers", "capacity", "--replications", "1"},
		{"why", "job_0001", "--replications", "1"}, {"size", "--budget", "20", "--check", "2", "--nodes", "20,20"},
	} {
		if out, errs := must(t, 0, args...); !strings.Contains(errs, "embedded") || out == "" {
			t.Errorf("%v: %q on standard error, %q", args, errs, out)
		}
	}
}

// tune timetable without input has files of weeks while it works, in the time zone asked
// for, and leaves nothing; with a file of the person's own none is used.
func TestEmbeddedWeeks(t *testing.T) {
	var errs bytes.Buffer
	e := &env{Name: "tune", Stderr: &errs}
	f := &timetableFlags{zone: "Europe/Berlin", times: autoSwitch}
	done, err := f.embedded(e)
	if err != nil {
		t.Fatal(err)
	}
	in := f.req.Inputs
	for _, path := range append([]string{in.Config, in.Cluster}, in.Traces...) {
		if info, err := os.Stat(path); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", path, err)
		}
	}
	if err := f.validate(); err != nil || f.zone != "Europe/Berlin" || f.req.Begins == "" ||
		!strings.Contains(errs.String(), "daynight") {
		t.Errorf("%+v, %v, %q", f, err, errs.String())
	}
	done()
	if _, err := os.Stat(in.Config); err == nil {
		t.Error("the files are still there")
	}
	own := &timetableFlags{}
	own.req.Inputs.Config = "own.xml"
	if _, err := own.embedded(e); err != nil || own.req.Inputs.Cluster != "" || own.zone != "" {
		t.Errorf("%+v, %v", own.req.Inputs, err)
	}
}
