package tune

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"schedtune/internal/rng"
)

// Mirrored orthogonal sampling for CMA-ES after H. Wang, M. Emmerich and
// T. Bäck, "Mirrored Orthogonal Sampling for Covariance Matrix Adaptation
// Evolution Strategies", Evolutionary Computation 27 (2019), and, for the
// mirroring, D. Brockhoff, A. Auger, N. Hansen, D. Arnold and T. Hohm,
// "Mirrored Sampling and Sequential Selection for Evolution Strategies", PPSN
// 2010: samples come in pairs z, -z, and the z of different pairs are made
// orthogonal by Gram-Schmidt as far as there are dimensions, each keeping the
// length it was drawn with. The sample of a generation is then balanced around
// the mean, which matters most for the small populations of short studies.
//
// What differs: no pairwise selection; both of a pair may enter the mean.

// steps draws lambda vectors B D z.
func (s *cmaes) steps(key rng.Key) [][]float64 {
	out := make([][]float64, s.lambda)
	if s.n == 0 {
		return out
	}
	var block [][]float64
	for k := range out {
		if k%2 == 1 {
			out[k] = mapped(out[k-1], func(v float64) float64 { return -v })
			continue
		}
		z := mapped(indices(s.n), func(i int) float64 { return key.At(uint64(k)).Norm(uint64(i)) })
		if len(block) == s.n {
			block = nil
		}
		z = orthogonal(z, block)
		block = append(block, z)
		out[k] = s.shape(z)
	}
	return out
}

// shape returns B D z.
func (s *cmaes) shape(z []float64) []float64 {
	dz, y := mat.NewVecDense(s.n, nil), mat.NewVecDense(s.n, nil)
	for i, v := range z {
		dz.SetVec(i, s.d[i]*v)
	}
	y.MulVec(s.b, dz)
	return y.RawVector().Data
}

// orthogonal turns z out of the space of the others and keeps its length.
func orthogonal(z []float64, others [][]float64) []float64 {
	length := dot(z, z)
	out := slices.Clone(z)
	for _, o := range others {
		floats.AddScaled(out, -dot(out, o)/dot(o, o), o)
	}
	rest := dot(out, out)
	if rest < 1e-12*length {
		return z
	}
	floats.Scale(math.Sqrt(length/rest), out)
	return out
}
