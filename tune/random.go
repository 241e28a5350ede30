package tune

import "schedtune/internal/rng"

// random draws points uniformly from the cube.
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
	out := make([]Point, r.n)
	for k := range out {
		out[k] = uniformPoint(r.key.At(r.gen).At(uint64(k)), r.dim)
	}
	r.gen++
	return out
}

// Tell implements Sampler; random search learns nothing.
func (r *random) Tell([]Point, []Score, int) {}

func uniformPoint(k rng.Key, dim int) Point {
	p := make(Point, dim)
	for i := range p {
		p[i] = k.Float64(uint64(i))
	}
	return p
}
