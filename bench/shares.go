package main

import (
	"fmt"
	"math"
	"strconv"

	"schedtune/internal/rng"
	"schedtune/tune"
)

// simplex has k shares that sum to 100 and asks for a target vector: the
// coordinates are half the log of the share over its target, rotated, with
// condition number 100.
func simplex(k int, noise string, instance uint64, budget int) (*problem, error) {
	name := fmt.Sprintf("simplex-%d", k-1)
	sh := shape{"simplex", func(x []float64) float64 {
		s := 0.0
		for i, v := range x {
			s += math.Pow(100, part(i, len(x))) * v * v
		}
		return s
	}}
	f := newFunction(sh, k, noise, name, instance)
	f.rotation = rotation(k, f.key.At(forRotation))
	target, start := simplexPoint(k, f.key.At(forOptimum)), simplexPoint(k, f.key.At(forPresent))
	for i := range f.optimum {
		f.optimum[i] = 0
	}
	var ps []tune.Param
	var best tune.Settings
	for i := range k {
		n := fmt.Sprintf("q%d", i)
		ps = append(ps, tune.Param{Name: n, Kind: tune.Share, Group: "root", Min: 1, Step: 0.1,
			Present: formatShare(start[i])})
		best = append(best, tune.Setting{Name: n, Value: formatShare(target[i])})
	}
	space, err := tune.NewSpace(ps...)
	if err != nil {
		return nil, err
	}
	f.mapping = func(s tune.Settings) []float64 {
		v := numbers(s)
		sum := 0.0
		for _, x := range v {
			sum += x
		}
		for i := range v {
			v[i] = 0.5 * math.Log(v[i]/sum*100/target[i])
		}
		return v
	}
	return f.finish(name, space, best, budget), nil
}

// simplexPoint is a vector of shares in tenths of a point, each at least 1.
func simplexPoint(k int, key rng.Key) []float64 {
	w, sum := make([]float64, k), 0.0
	for i := range w {
		w[i] = key.Exp(uint64(i)) + 0.1
		sum += w[i]
	}
	left := 1000 - 10*k
	out := make([]float64, k)
	rest := left
	for i := range w {
		n := int(float64(left) * w[i] / sum)
		if i == k-1 {
			n = rest
		}
		rest -= n
		out[i] = 1 + float64(n)/10
	}
	return out
}

func formatShare(v float64) string { return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64) }
