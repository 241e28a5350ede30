package cluster

import (
	"math"
	"slices"
)

// Scaler standardises features: (x - mean) / standard deviation, with the
// deviation of the population (divided by n) and constant features left at
// their difference from the mean (scikit-learn's StandardScaler). Without it
// the feature with the largest unit decides every distance.
type Scaler struct {
	Mean      []float64 `json:"mean"`      // of each feature
	Deviation []float64 `json:"deviation"` // 0 for constant features
}

// FitScaler measures the features of points, which must have one length, as what the
// scaler is given later: it and Scale, Apply and Unscale panic on a longer point. It is nil
// for no points.
func FitScaler(points [][]float64) *Scaler {
	if len(points) == 0 {
		return nil
	}
	dims, n := len(points[0]), float64(len(points))
	s := &Scaler{Mean: make([]float64, dims), Deviation: make([]float64, dims)}
	constant := slices.Repeat([]bool{true}, dims)
	for _, p := range points {
		for d, v := range p {
			s.Mean[d] += v / n
			constant[d] = constant[d] && v == points[0][d]
		}
	}
	for d, c := range constant {
		if c { // exactly: over many points the sum's rounding would pass for a spread
			s.Mean[d] = points[0][d]
		}
	}
	for _, p := range points {
		for d, v := range p {
			e := v - s.Mean[d]
			s.Deviation[d] += float64(e*e) / n
		}
	}
	for d, v := range s.Deviation {
		s.Deviation[d] = math.Sqrt(v)
		if s.Deviation[d] <= 1e-12*math.Abs(s.Mean[d]) {
			s.Deviation[d] = 0 // rounding of a constant
		}
	}
	return s
}

// Apply returns scaled copies of points.
func (s *Scaler) Apply(points [][]float64) [][]float64 {
	out := make([][]float64, len(points))
	for i, p := range points {
		out[i] = s.Scale(p)
	}
	return out
}

// Scale returns the scaled copy of one point.
func (s *Scaler) Scale(p []float64) []float64 {
	out := make([]float64, len(p))
	for d, v := range p {
		out[d] = v - s.Mean[d]
		if s.Deviation[d] > 0 {
			out[d] /= s.Deviation[d]
		}
	}
	return out
}

// Unscale returns the point whose scaled form is p.
func (s *Scaler) Unscale(p []float64) []float64 {
	out := make([]float64, len(p))
	for d, v := range p {
		if s.Deviation[d] > 0 {
			v *= s.Deviation[d]
		}
		out[d] = v + s.Mean[d]
	}
	return out
}
