// Package cluster finds job classes: k-means with k-means++ starts, the choice
// of the number of classes, COSHH's primary and secondary classification, and
// a job-time predictor that looks up means by class, input size and cluster
// utilisation.
//
// Everything is deterministic: the draws of k-means++ come from the seed in
// Options by counter, and clusters are numbered in the lexicographic order of
// their centres, whatever start found them.
//
//	s := cluster.FitScaler(points)
//	r, err := cluster.KMeans(s.Apply(points), cluster.Options{K: 4, Seed: 1})
//
// Distances are Euclidean, so that features should be scaled first; points are held in
// memory; the effort of a start is rounds times points times clusters times coordinates.
// What the package is not: a collection of clustering methods.
//
// For a scheduler, Classify turns jobs into classes with arrival and execution
// rates for package lp, and Queues keeps both classifications of COSHH up to
// date as jobs arrive.
package cluster
