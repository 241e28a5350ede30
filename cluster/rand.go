package cluster

import (
	"math"
	"slices"
)

// AdjustedRand compares two labellings of the same objects: 1 for the same
// partition, 0 on average for independent ones, below 0 for less than that
// (Hubert, Arabie, Comparing Partitions, 1985). Labels are numbers from 0 up.
// It is NaN where the slices differ in length or a label is negative. Two partitions of
// which each is trivial in the same way (all together, or all apart) compare as 1.
func AdjustedRand(a, b []int) float64 {
	if len(a) != len(b) || slices.ContainsFunc(a, negative) || slices.ContainsFunc(b, negative) {
		return math.NaN()
	}
	rows, cols := counts(a), counts(b)
	cells := map[[2]int]int{}
	for i := range a {
		cells[[2]int{a[i], b[i]}]++
	}
	together := 0.0 // pairs together in both; whole numbers, so any order gives one sum
	for _, n := range cells {
		together += pairs(n)
	}
	inA, inB := 0.0, 0.0
	for _, n := range rows {
		inA += pairs(n)
	}
	for _, n := range cols {
		inB += pairs(n)
	}
	all := pairs(len(a))
	if all == 0 {
		return 1
	}
	expected := inA * inB / all
	if most := (inA + inB) / 2; most != expected {
		return (together - expected) / (most - expected)
	}
	return 1
}

func negative(label int) bool { return label < 0 }

func counts(labels []int) map[int]int {
	n := map[int]int{}
	for _, l := range labels {
		n[l]++
	}
	return n
}

func pairs(n int) float64 { return float64(n) * float64(n-1) / 2 }
