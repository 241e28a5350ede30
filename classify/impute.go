package classify

// Most frequent value of missing job features (Dhok, Varma, section V-A: "in
// absence of these parameters, mode of the values for each resource").

// Modes counts the levels of every job feature seen and replaces missing ones
// by the most frequent. The zero value is unusable; use NewModes.
type Modes struct {
	Schema Schema      `json:"features"` // of the vectors
	Counts [][]float64 `json:"counts"`   // one histogram per feature; nil for node features
}

// NewModes returns an empty counter for the schema's job features, of 2 to 1000 levels each
// (Schema.Validate); others are not counted.
func NewModes(s Schema) *Modes {
	m := &Modes{Schema: append(Schema(nil), s...), Counts: make([][]float64, len(s))}
	for i, f := range s {
		if f.Job && f.Levels >= 2 && f.Levels <= 1000 {
			m.Counts[i] = make([]float64, f.Levels)
		}
	}
	return m
}

// Observe counts the job features that are known.
func (m *Modes) Observe(x []float64) {
	for i, h := range m.Counts {
		if h != nil && i < len(x) {
			if l := m.Schema[i].Level(x[i]); l >= 0 {
				h[l]++
			}
		}
	}
}

// Fill replaces missing (NaN) job features in place by the middle of their most
// frequent level; of equally frequent levels the lowest. A feature never seen
// stays missing.
func (m *Modes) Fill(x []float64) {
	for i, h := range m.Counts {
		if h == nil || i >= len(x) || x[i] == x[i] {
			continue
		}
		best := 0
		for l, n := range h {
			if n > h[best] {
				best = l
			}
		}
		if h[best] > 0 {
			x[i] = m.Schema[i].Value(best)
		}
	}
}
