package tune

import (
	"math"
	"slices"

	"schedtune/internal/rng"
)

// When the evolution strategy begins again.

// deviation is the standard deviation of coordinate i.
func (s *cmaes) deviation(i int) float64 {
	return s.sigma * s.a[i] * math.Sqrt(math.Max(s.c.At(i, i), 1e-14))
}

// collapsed reports that the distribution is smaller than any setting's step.
func (s *cmaes) collapsed() bool {
	if slices.Max(s.d) > 1e7*slices.Min(s.d) || math.IsNaN(s.sigma) {
		return true
	}
	for i := range s.n {
		if s.cuts[i] == nil && s.deviation(i) > 1e-3 {
			return false
		}
	}
	return s.gen > 10
}

// startAgain restarts larger from half-way between the mean and a random point.
func (s *cmaes) startAgain() {
	s.restart++
	u := uniformPoint(rng.Key(s.cfg.key().Uint64(uint64(s.restart))), len(s.start))
	for i, v := range s.belief() {
		u[i] = (u[i] + v) / 2
	}
	s.begin(u, startSigma)
}
