package tune

import (
	"cmp"
	"math"
	"slices"

	"schedtune/internal/rng"
)

// Boosted regression trees after J. Friedman, "Greedy Function Approximation: A
// Gradient Boosting Machine", Annals of Statistics 29 (2001), as a model of what
// points of the unit cube cost. Points are measured in blocks that share their
// seeds, and what a seed does to everybody is no property of a point: the cost of
// point i in block j is taken as
//
//	y_ij = f(x_i) + b_j + noise,
//
// and b_j is fitted again after every tree, as the mean of the block's residuals
// (backfitting). So the model learns from differences within blocks, and blocks on
// heavy and on light workloads go together.

// Sizes of the model: that of a tree and how much of it is added follow Friedman's
// advice for few data, small trees and small steps.
const (
	boostTrees = 60
	boostDepth = 3
	boostStep  = 0.15
	boostLeaf  = 3 // points in a leaf at least
)

// boost is a fitted model; nil predicts 0.
type boost struct {
	trees []boostTree
}

// boostTree is a complete tree of boostDepth levels; node i has children 2i+1 and
// 2i+2. A coordinate of -1 sends everybody left.
type boostTree struct {
	coord [1<<boostDepth - 1]int
	cut   [1<<boostDepth - 1]float64
	leaf  [1 << boostDepth]float64
}

// at predicts the cost of a point up to a constant.
func (m *boost) at(p Point) float64 {
	if m == nil {
		return 0
	}
	sum := 0.0
	for i := range m.trees {
		sum += m.trees[i].at(p)
	}
	return sum
}

func (t *boostTree) at(p Point) float64 {
	n := 0
	for range boostDepth {
		c := t.coord[n]
		n = 2*n + 1
		if c >= 0 && p[c] > t.cut[(n-1)/2] {
			n++
		}
	}
	return t.leaf[n-len(t.coord)]
}

// boosting is the state of a fit.
type boosting struct {
	x       []Point
	block   []int
	y       []float64
	fitted  []float64 // f so far
	rest    []float64 // residuals
	sorted  [][]int32 // per coordinate, points in its order
	node    []int     // of the tree that grows, per point
	blocks  int
	key     rng.Key
	columns []int // coordinates that vary
}

// fitBoost fits points of numbered blocks. It returns nil where nothing varies.
func fitBoost(x []Point, block []int, y []float64, key rng.Key) *boost {
	b := &boosting{x: x, block: block, y: y, key: key, fitted: make([]float64, len(x)), rest: make([]float64, len(x)), node: make([]int, len(x))}
	for _, j := range block {
		b.blocks = max(b.blocks, j+1)
	}
	b.sort()
	if len(b.columns) == 0 {
		return nil
	}
	m := &boost{}
	for k := range boostTrees {
		b.residuals()
		t := b.grow(key.At(uint64(k)))
		for i, p := range x {
			b.fitted[i] += t.at(p)
		}
		m.trees = append(m.trees, t)
	}
	return m
}

// sort orders the points by every coordinate.
func (b *boosting) sort() {
	for c := range b.x[0] {
		idx := make([]int32, len(b.x))
		for i := range idx {
			idx[i] = int32(i)
		}
		slices.SortStableFunc(idx, func(i, j int32) int { return cmp.Compare(b.x[i][c], b.x[j][c]) })
		b.sorted = append(b.sorted, idx)
		if b.x[idx[0]][c] < b.x[idx[len(idx)-1]][c] {
			b.columns = append(b.columns, c)
		}
	}
}

// residuals takes what is fitted and the blocks' means from the costs.
func (b *boosting) residuals() {
	sum, n := make([]float64, b.blocks), make([]float64, b.blocks)
	for i, j := range b.block {
		b.rest[i] = b.y[i] - b.fitted[i]
		sum[j] += b.rest[i]
		n[j]++
	}
	for i, j := range b.block {
		b.rest[i] -= sum[j] / n[j]
	}
}

// grow fits one tree to the residuals, level by level, on half of the coordinates.
func (b *boosting) grow(key rng.Key) boostTree {
	var t boostTree
	for i := range t.coord {
		t.coord[i] = -1
	}
	columns := b.draw(key)
	for i := range b.node {
		b.node[i] = 0
	}
	first, nodes := 0, 1
	for range boostDepth {
		b.split(&t, columns, first, nodes)
		for i, p := range b.x {
			n := b.node[i]
			next := 2*n + 1
			if c := t.coord[n]; c >= 0 && p[c] > t.cut[n] {
				next++
			}
			b.node[i] = next
		}
		first, nodes = first+nodes, 2*nodes
	}
	var sum, n [1 << boostDepth]float64
	for i, k := range b.node {
		sum[k-first] += b.rest[i]
		n[k-first]++
	}
	for k := range sum {
		t.leaf[k] = boostStep * sum[k] / (n[k] + 1)
	}
	return t
}

// draw takes half of the coordinates that vary.
func (b *boosting) draw(key rng.Key) []int {
	out := append([]int(nil), b.columns...)
	n := (len(out) + 1) / 2
	for i := range n {
		j := i + key.IntN(uint64(i), len(out)-i)
		out[i], out[j] = out[j], out[i]
	}
	return out[:n]
}

// split finds the best split of every node of a level: the one that takes most of
// the squared residuals.
func (b *boosting) split(t *boostTree, columns []int, first, nodes int) {
	var total, count, gain [1 << boostDepth]float64
	for i, n := range b.node {
		total[n-first] += b.rest[i]
		count[n-first]++
	}
	for _, c := range columns {
		var sum, n, last [1 << boostDepth]float64
		for k := range nodes {
			last[k] = math.Inf(-1)
		}
		for _, i := range b.sorted[c] {
			k := b.node[i] - first
			v := b.x[i][c]
			if n[k] >= boostLeaf && count[k]-n[k] >= boostLeaf && v > last[k] {
				right, m := total[k]-sum[k], count[k]-n[k]
				g := sum[k]*sum[k]/n[k] + right*right/m - total[k]*total[k]/count[k]
				if g > gain[k]+1e-12 {
					gain[k] = g
					t.coord[first+k], t.cut[first+k] = c, (v+last[k])/2
				}
			}
			sum[k] += b.rest[i]
			n[k]++
			last[k] = v
		}
	}
}
