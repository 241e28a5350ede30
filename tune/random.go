package tune

import "schedtune/internal/rng"

// random draws points uniformly from the cube; it learns nothing.
type random struct {
	dim, n int
	key    rng.Key
	gen    uint64
}

var _ Sampler = (*random)(nil)

func newRandom(c SamplerConfig) (Sampler, error) {
	return &random{dim: c.Space.Dim(), n: c.population(16), key: c.key()}, nil
}

// Ask implements Sampler.
func (r *random) Ask() []Point {
	key := r.key.At(r.gen)
	r.gen++
	return mapped(indices(r.n), func(k int) Point { return uniformPoint(key.At(uint64(k)), r.dim) })
}

// Tell implements Sampler.
func (r *random) Tell([]Point, []Score, int) {}

func uniformPoint(k rng.Key, dim int) Point {
	return mapped(indices(dim), func(i int) float64 { return k.Float64(uint64(i)) })
}

// sobol takes points of a scrambled Sobol sequence; it learns nothing.
type sobol struct {
	points *rng.Sobol
	n      int
	index  uint32
}

var _ Sampler = (*sobol)(nil)

func newSobol(c SamplerConfig) (Sampler, error) {
	return &sobol{points: rng.NewSobol(c.Space.Dim(), c.key()), n: c.population(16)}, nil
}

// Ask implements Sampler.
func (s *sobol) Ask() []Point {
	first := s.index
	s.index += uint32(s.n)
	return mapped(indices(s.n), func(k int) Point { return s.points.Point(first + uint32(k)) })
}

// Tell implements Sampler.
func (s *sobol) Tell([]Point, []Score, int) {}
