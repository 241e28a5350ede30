package classify

import (
	"fmt"
	"math"
	"slices"
)

// Features on the paper's scale (Dhok, Varma, section IV-A): job features are
// hints from 1 (least) to 10 (most); node features are measured and spread
// over the same ten levels between a low and a high value.

// Feature describes one entry of a feature vector.
type Feature struct {
	Name string `json:"name"`           // unique in a schema, not empty
	Unit string `json:"unit,omitempty"` // for people
	// Job marks a feature of the job (a hint that may be missing and is then
	// replaced by its most frequent value), not of the node.
	Job bool `json:"job,omitempty"`
	// Levels is the number of histogram levels, 2 to 1000.
	Levels int `json:"levels"`
	// Low and High are the values of the first and the last level: level =
	// round((x-Low)/(High-Low) * (Levels-1)), values outside are cut. With
	// Low 1, High 10 and 10 levels, level = x - 1.
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Schema is the order and meaning of a feature vector.
type Schema []Feature

// Largest is the largest magnitude of a feature that is learned from: squares
// of larger ones overflow, and a model that holds infinities cannot be saved.
const Largest = 1e150

// Validate reports the first feature whose description is unusable.
func (s Schema) Validate() error {
	if len(s) == 0 {
		return fmt.Errorf("classify: schema without features: must be 1 or more")
	}
	seen := make(map[string]bool, len(s))
	for i, f := range s {
		switch {
		case f.Name == "":
			return fmt.Errorf("classify: feature %d has no name", i)
		case seen[f.Name]:
			return fmt.Errorf("classify: feature %q is named twice", f.Name)
		case f.Levels < 2 || f.Levels > 1000:
			return fmt.Errorf("classify: feature %q has %d levels: must be 2 to 1000", f.Name, f.Levels)
		case !(f.Low < f.High) || math.IsInf(f.High-f.Low, 0) || math.IsInf(f.scale(), 0):
			return fmt.Errorf("classify: feature %q has the range %v to %v: must be low below high, their difference and "+
				"levels per unit finite", f.Name, f.Low, f.High)
		}
		seen[f.Name] = true
	}
	return nil
}

// Names returns the features' names in order.
func (s Schema) Names() []string {
	names := make([]string, len(s))
	for i, f := range s {
		names[i] = f.Name
	}
	return names
}

// Index returns the position of the named feature, or -1.
func (s Schema) Index(name string) int {
	return slices.IndexFunc(s, func(f Feature) bool { return f.Name == name })
}

// Level returns the histogram level of a value, 0 to Levels-1; -1 for NaN.
func (f *Feature) Level(x float64) int {
	if x != x {
		return -1
	}
	return cut(float64((x-f.Low)*f.scale())+0.5, f.Levels)
}

// scale is levels per unit of the feature.
func (f *Feature) scale() float64 { return float64(f.Levels-1) / (f.High - f.Low) }

// cut turns a level plus one half into the level.
func cut(l float64, levels int) int {
	switch {
	case l < 0:
		return 0
	case l >= float64(levels):
		return levels - 1
	}
	return int(l)
}

// Value returns the value in the middle of a level.
func (f *Feature) Value(level int) float64 {
	return f.Low + float64(level)*(f.High-f.Low)/float64(f.Levels-1)
}

// PaperSchema returns twelve features: the paper's four job features on its
// scale of 1 to 10 and eight node features of section IV-A in the units of a
// NodeState.
func PaperSchema() Schema {
	job := func(name string) Feature {
		return Feature{Name: name, Unit: "level 1 to 10", Job: true, Levels: 10, Low: 1, High: 10}
	}
	node := func(name, unit string, low, high float64) Feature {
		return Feature{Name: name, Unit: unit, Levels: 10, Low: low, High: high}
	}
	return Schema{
		job("job_cpu"), job("job_memory"), job("job_disk"), job("job_network"),
		node("load_ratio", "1-minute load per processor", 0, 2),
		node("cpu", "share of processor time in use", 0, 1),
		node("memory_free", "share of memory free", 0, 1),
		node("disk", "share of disk bandwidth in use", 0, 1),
		node("network", "share of network bandwidth in use", 0, 1),
		node("tasks_per_cpu", "running tasks per processor", 0, 4),
		node("cpus", "processors", 1, 64),
		node("swap_free", "share of swap free", 0, 1),
	}
}

// Classes of an overload decision.
const (
	Bad  = 0 // the node was overloaded after the decision
	Good = 1 // it was not
)

// Binary returns the class names of overload decisions, index Bad and Good.
func Binary() []string { return []string{"bad", "good"} }
