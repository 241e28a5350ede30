package sched

import (
	"fmt"
	"slices"

	"schedtune/classify"
	"schedtune/classify/modelfile"
	"schedtune/cluster"
	"schedtune/internal/fileio"
	"schedtune/predict"
	"schedtune/simcore"
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

// nodeColumns are what a simulation tells of a decision, by the names that heartbeat logs of
// tune simulate and of the sample have.
var nodeColumns = []string{"job_cpu", "job_memory", "job_disk", "job_network", "load1", "cpus", "cpu", "memory", "swap",
	"disk", "network", "tasks", "maps", "reduces"}

// fitted judges by a model that fit overload saved.
type fitted struct {
	cut    float64
	vector func(node string, row []float64) []float64
	row    []float64
	learns bool
}

// newFitted returns the model's classifier for one run, and how to make its vectors.
func newFitted(m *modelfile.Model, learns bool) (classify.Model, *fitted, error) {
	m = m.Copy()
	v, err := m.Bind(nodeColumns)
	if err != nil {
		return nil, nil, err
	}
	c := m.Classifier
	if learns {
		c = classify.Clone(c)
	}
	return c, &fitted{cut: m.Cut, vector: v, row: make([]float64, len(nodeColumns)), learns: learns}, nil
}

// features returns the vector of a decision; hints are the job's four, NaN where unknown.
func (f *fitted) features(node int32, hints []float64, st classify.NodeState, l simcore.NodeLoad) []float64 {
	copy(f.row, hints)
	copy(f.row[jobFeatures:], []float64{st.Load1, st.CPUs, st.CPU, st.Memory, st.Swap, st.Disk, st.Network, st.Tasks,
		float64(l.Maps), float64(l.Reduces)})
	return f.vector(fmt.Sprint(node), f.row)
}

// good reports whether the model says that a decision does not overload the node.
func (f *fitted) good(m classify.Model, x, scratch []float64) bool {
	return !modelfile.Overloaded(m, modelfile.Odds(m, x, scratch), f.cut)
}

// file returns the file that a parameter of the spec names; nil for none.
func file[T any](files map[string]any, param string) *T {
	f, _ := files[param].(*T)
	return f
}

// takesFile reports whether a value of the parameter names a file.
func (p *Param) takesFile(value string) bool {
	return p.File && value != p.Default && !slices.Contains(p.Choices, value) && p.check(value) != nil
}
