package trace

import (
	_ "embed"
	"strconv"
	"strings"
)

// swimText holds the papers' tables of job classes found by k-means: bytes and
// task-seconds of a typical job.
//
//go:embed swim_classes.tsv
var swimText string

// swimClass is one row of them.
type swimClass struct {
	jobs                      float64 // how many the paper's trace has
	input, shuffle, output    float64 // bytes
	duration                  float64 // seconds of the job
	mapSeconds, reduceSeconds float64 // task-seconds
	label                     string
}

// swimClasses is one table.
type swimClasses struct {
	name    string
	classes []swimClass
}

// swimTable chooses the table by the file's name; FB-2009 is the default.
func swimTable(file string) *swimClasses {
	t := &swimClasses{name: "FB-2009 (Chen, Ganapathi, Griffith, Katz, MASCOTS 2011)"}
	if strings.Contains(file, "2010") {
		t.name = "FB-2010 (Chen, Alspaugh, Katz, VLDB 2012)"
	}
	for line := range strings.Lines(swimText) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		if !strings.HasPrefix(t.name, f[0]) {
			continue
		}
		c := swimClass{label: f[8]}
		for i, to := range []*float64{&c.jobs, &c.input, &c.shuffle, &c.output, &c.duration, &c.mapSeconds,
			&c.reduceSeconds} {
			*to, _ = strconv.ParseFloat(f[1+i], 64) // a test reads all
		}
		t.classes = append(t.classes, c)
	}
	return t
}
