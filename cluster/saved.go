package cluster

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Sizes holds the features by which the papers on the traces of Facebook and Yahoo! classify jobs;
// 0 where not known.
type Sizes struct {
	Input         float64 `json:"input_bytes"`   // read by the maps
	Shuffle       float64 `json:"shuffle_bytes"` // copied to the reduces
	Output        float64 `json:"output_bytes"`  // written by the job
	Maps          float64 `json:"maps"`          // number of map tasks
	Reduces       float64 `json:"reduces"`       // number of reduce tasks
	MapSeconds    float64 `json:"map_s"`         // of all maps together
	ReduceSeconds float64 `json:"reduce_s"`      // of all reduces, after their shuffle
}

// Fields returns the sizes, in the order of SizeNames.
func (s *Sizes) Fields() [7]*float64 {
	return [...]*float64{&s.Input, &s.Shuffle, &s.Output, &s.Maps, &s.Reduces, &s.MapSeconds, &s.ReduceSeconds}
}

// SizeNames are the names of the features.
func SizeNames() []string {
	return []string{"input", "shuffle", "output", "maps", "reduces", "map time", "reduce time"}
}

// Features returns log10(1 + x) of each size: sizes of jobs span many powers of ten, and jobs
// that differ by a factor should fall apart.
func (s *Sizes) Features() []float64 {
	v := make([]float64, len(SizeNames()))
	for i, x := range s.Fields() {
		v[i] = math.Log10(1 + math.Max(*x, 0))
	}
	return v
}

// Saved are job classes as `fit classes --out DIR` saves them in model.json, to be decoded by
// encoding/json and then validated.
type Saved struct {
	Columns  []string    `json:"columns,omitempty"` // of a table of jobs
	Features []string    `json:"features"`          // of SizeNames, in their order
	Scaler   *Scaler     `json:"scaler"`
	Centers  [][]float64 `json:"centers"` // scaled
}

// Validate checks classes by sizes that were decoded.
func (s *Saved) Validate() error {
	if len(s.Columns) > 0 {
		return fmt.Errorf("classes by the columns %.100q of a table of jobs: must be by sizes (%s), of fit classes "+
			"without --jobs", s.Columns, strings.Join(SizeNames(), ", "))
	}
	return s.ValidateFor(SizeNames())
}

// ValidateFor checks classes by features of the names.
func (s *Saved) ValidateFor(names []string) error {
	n := len(s.Features)
	if s.Scaler == nil || len(s.Scaler.Mean) != n || len(s.Scaler.Deviation) != n {
		return fmt.Errorf("scaler of another size than the %d features", n)
	}
	if len(s.Centers) == 0 {
		return fmt.Errorf("no centres: must be at least 1")
	}
	for _, f := range s.Features {
		if !slices.Contains(names, f) {
			return fmt.Errorf("feature %q: must be one of %s", f, strings.Join(names, ", "))
		}
	}
	for i, c := range s.Centers {
		if len(c) != n {
			return fmt.Errorf("centre %d has %d coordinates: must be %d", i, len(c), n)
		}
	}
	return nil
}

// Point returns the point in the space of the centres of a job with all features of these names.
func (s *Saved) Point(names []string, all []float64) []float64 {
	p := make([]float64, 0, len(s.Features))
	for d, name := range names {
		if slices.Contains(s.Features, name) {
			p = append(p, all[d])
		}
	}
	return s.Scaler.Scale(p)
}

// Class returns the class of a job, that of the nearest centre.
func (s *Saved) Class(job Sizes) int {
	c, _ := nearest(s.Centers, s.Point(SizeNames(), job.Features()))
	return c
}
