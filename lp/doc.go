// Package lp finds the allocation of job classes to machines that carries the
// largest multiple of the arrival rates (the linear program of COSHH, Rasooli
// and Down, section 3.2), and proves it.
//
// MaxLambda does all of it: it merges machines that are identical or multiples
// of each other, solves the small program that remains, splits the result over
// the machines and certifies it with a bound that does not trust the solver:
//
//	a, err := lp.MaxLambda([]float64{2.45, 2.45}, [][]float64{{9, 5}, {2, 1}})
//	a.Lambda        // 50/49
//	a.Delta         // [[0 0.5] [1 0.5]]
//	a.Suggested()   // classes of each machine: [[1] [0 1]]
//	a.Certificate   // lower and upper bound on lambda
//
// Problem is a general sparse linear program with two solvers: Simplex, in
// Go, and CLP, the COIN-OR library, in builds with the tag clp. Certify judges
// any allocation from anywhere.
//
// The effort grows with classes times groups of unlike machines: 20 classes on 1000
// machines that are all different take some hundredths of a second (results/speed.md). What
// the package is not: a solver of integer or of large general programs.
package lp
