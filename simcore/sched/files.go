package sched

import (
	"fmt"
	"slices"

	"schedtune/classify/modelfile"
	"schedtune/cluster"
	"schedtune/internal/fileio"
	"schedtune/predict"
)

// Models that `fit` saved, as parameters of schedulers. Parse reads them, so that all runs of a
// study judge by the same.

// openFile reads the file of a parameter.
func openFile(param, path string) (any, error) {
	switch param {
	case "classes":
		c := &cluster.Saved{}
		return c, fileio.OpenJSON(path, c)
	case "release":
		r := &release{}
		return r, fileio.OpenJSON(path, r)
	}
	m, err := modelfile.Open(path)
	if err != nil {
		return nil, err
	}
	_, err = m.Bind(nodeColumns)
	return m, err
}

// release is a saved fit of the container release frequency.
type release struct {
	Beta    float64         `json:"beta"`
	State   predict.Release `json:"state"`
	Windows struct {
		Seconds float64 `json:"window_s"`
	} `json:"windows"`
}

// Validate checks a fit that was decoded.
func (r *release) Validate() error {
	if _, err := predict.NewRelease(r.Beta); err != nil || !(r.Windows.Seconds >= 0.1 && r.Windows.Seconds <= 3600) {
		return fmt.Errorf("weight %v and windows of %v s: must be above 0 to 1, and 0.1 to 3600 s", r.Beta, r.Windows.Seconds)
	}
	return nil
}

// nodeColumns are what a simulation knows of a decision, by the names that heartbeat logs of
// tune simulate and of the sample have.
var nodeColumns = []string{"job_cpu", "job_memory", "job_disk", "job_network", "load1", "cpus", "cpu", "memory", "swap",
	"disk", "network", "tasks", "maps", "reduces"}

// file returns the file that a parameter of the spec names; nil for none.
func file[T any](files map[string]any, param string) *T {
	f, _ := files[param].(*T)
	return f
}

// takesFile reports whether a value of the parameter names a file.
func (p *Param) takesFile(value string) bool {
	return p.File && value != p.Default && !slices.Contains(p.Choices, value) && p.check(value) != nil
}
