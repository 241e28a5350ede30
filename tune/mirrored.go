package tune

import (
	"math"

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
			out[k] = negated(out[k-1])
			continue
		}
		z := make([]float64, s.n)
		for i := range z {
			z[i] = key.At(uint64(k)).Norm(uint64(i))
		}
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

func negated(x []float64) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = -v
	}
	return out
}

// orthogonal turns z out of the space of the others and keeps its length.
func orthogonal(z []float64, others [][]float64) []float64 {
	length := dot(z, z)
	out := append([]float64(nil), z...)
	for _, o := range others {
		f := dot(out, o) / dot(o, o)
		for i := range out {
			out[i] -= f * o[i]
		}
	}
	rest := dot(out, out)
	if rest < 1e-12*length {
		return z
	}
	f := math.Sqrt(length / rest)
	for i := range out {
		out[i] *= f
	}
	return out
}
