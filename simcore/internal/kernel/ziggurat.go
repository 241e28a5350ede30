package kernel

import (
	"math"

	"schedtune/internal/rng"
)

// The exponential draw uses Marsaglia and Tsang's ziggurat (The Ziggurat Method
// for Generating Random Variables, J. Stat. Software 5(8), 2000) with 256
// layers of equal area under exp(-x): one table look-up in 98.9 % of draws
// instead of a logarithm. Differences from the paper: 53-bit uniforms, and
// rejected draws continue with further draws of the same key.
const (
	zigguratLayers = 256
	zigguratTail   = 7.69711747013104972 // start of the base layer's tail
	zigguratArea   = 3.949659822581572e-3
)

// zigguratX are the right edges of the layers, falling; layer 0 is the base
// with the tail, and zigguratX[256] is 0.
var zigguratX = zigguratEdges()

// zigguratEdges computes zigguratX.
func zigguratEdges() (x [zigguratLayers + 1]float64) {
	x[0] = zigguratArea / math.Exp(-zigguratTail)
	x[1] = zigguratTail
	for i := 2; i < zigguratLayers; i++ {
		x[i] = -math.Log(math.Exp(-x[i-1]) + zigguratArea/x[i-1])
	}
	return x
}

// expDraw returns an exponential draw with mean 1. A key is itself a mixed
// word, so it serves as the first uniform.
func expDraw(k rng.Key) float64 {
	u := uint64(k)
	layer := u & (zigguratLayers - 1)
	x := float64(int64(u>>11)) / (1 << 53) * zigguratX[layer]
	if x < zigguratX[layer+1] {
		return x
	}
	return expSlow(k, layer, x)
}

// expSlow is expDraw for a first uniform that is not below the next layer's edge.
func expSlow(k rng.Key, layer uint64, x float64) float64 {
	for try := uint64(0); ; try += 2 {
		v := k.Open(try)
		if layer == 0 {
			return zigguratTail - math.Log(v)
		}
		low, high := math.Exp(-zigguratX[layer]), math.Exp(-zigguratX[layer+1])
		if low+v*(high-low) < math.Exp(-x) {
			return x
		}
		u := k.Uint64(try + 1)
		layer = u & (zigguratLayers - 1)
		x = float64(u>>11) / (1 << 53) * zigguratX[layer]
		if x < zigguratX[layer+1] {
			return x
		}
	}
}
