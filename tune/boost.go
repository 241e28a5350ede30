package tune

import (
	"cmp"
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
//
// Of several costs of a point a tree's leaves hold one value each, and a split is the one
// that takes most of the sum of their squared residuals, each over what it was at first
// (G. De'ath, "Multivariate regression trees", Ecology 83 (2002)).

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

// nodeSums are sums over the points of each node of a level, or of each leaf.
type nodeSums [1 << boostDepth]float64

// boostTree is a complete tree of boostDepth levels; node i has children 2i+1 and
// 2i+2. A coordinate of -1 sends everybody left.
type boostTree struct {
	coord [1<<boostDepth - 1]int
	cut   [1<<boostDepth - 1]float64
	leaf  []nodeSums // per cost
}

// at predicts the first cost of a point up to a constant.
func (m *boost) at(p Point) float64 {
	if m == nil {
		return 0
	}
	sum := 0.0
	for i := range m.trees {
		t := &m.trees[i]
		sum += t.leaf[0][t.find(p)]
	}
	return sum
}

// addTo adds all costs of a point, each up to a constant.
func (m *boost) addTo(out []float64, p Point) {
	if m == nil {
		return
	}
	for i := range m.trees {
		t := &m.trees[i]
		k := t.find(p)
		for o := range out {
			out[o] += t.leaf[o][k]
		}
	}
}

// find is the leaf of a point.
func (t *boostTree) find(p Point) int {
	n := 0
	for range boostDepth {
		n = t.child(n, p)
	}
	return n - len(t.coord)
}

// child is the node below a node that a point goes to.
func (t *boostTree) child(n int, p Point) int {
	if c := t.coord[n]; c >= 0 && p[c] > t.cut[n] {
		return 2*n + 2
	}
	return 2*n + 1
}

// pointSet is what models of points measured in blocks are fitted on.
type pointSet struct {
	x       []Point
	block   []int
	blocks  int
	sorted  []column // per coordinate
	columns []int    // coordinates that vary
}

// column is one coordinate of some points, in its order.
type column struct {
	points []int32
	values []float64
}

func newPointSet(x []Point, block []int) *pointSet {
	s := &pointSet{x: x, block: block, blocks: slices.Max(block) + 1}
	for c := range x[0] {
		idx := sortedIndices(len(x), func(i, j int) int { return cmp.Compare(x[i][c], x[j][c]) })
		values := mapped(idx, func(i int) float64 { return x[i][c] })
		s.sorted = append(s.sorted, column{mapped(idx, func(i int) int32 { return int32(i) }), values})
		if values[0] < values[len(values)-1] {
			s.columns = append(s.columns, c)
		}
	}
	return s
}

// boosting is the state of a fit.
type boosting struct {
	*pointSet
	y      [][]float64 // per cost and point
	fitted [][]float64 // f so far
	rest   [][]float64 // residuals
	worth  []float64   // per cost, what its squared residuals count for
	prefer []float64   // per coordinate, what the gain of its splits counts for; nil: all alike
	node   []int       // of the tree that grows, per point
	splits splitSearch
}

// fitBoost fits points of numbered blocks. It returns nil where nothing varies.
func fitBoost(x []Point, block []int, y []float64, key rng.Key) *boost {
	return newBoosting(newPointSet(x, block), [][]float64{y}, nil).fit(key)
}

// newBoosting prepares a fit of several costs of the points with the same trees.
// prefer is what the gain of a split by a coordinate counts for.
func newBoosting(s *pointSet, y [][]float64, prefer []float64) *boosting {
	b := &boosting{pointSet: s, y: y, prefer: prefer, worth: make([]float64, len(y)), node: make([]int, len(s.x))}
	for range y {
		b.fitted, b.rest = append(b.fitted, make([]float64, len(s.x))), append(b.rest, make([]float64, len(s.x)))
	}
	return b
}

// fit grows the trees; nil where nothing varies.
func (b *boosting) fit(key rng.Key) *boost {
	if len(b.columns) == 0 {
		return nil
	}
	m := &boost{}
	for k := range boostTrees {
		b.residuals()
		if k == 0 {
			b.weigh()
		}
		t := b.grow(key.At(uint64(k)))
		for i, p := range b.x {
			leaf := t.find(p)
			for o := range b.fitted {
				b.fitted[o][i] += t.leaf[o][leaf]
			}
		}
		m.trees = append(m.trees, t)
	}
	return m
}

// weigh makes the costs count alike: one alone as it is, several by what they vary
// within blocks.
func (b *boosting) weigh() {
	for o, rest := range b.rest {
		if sum := dot(rest, rest); len(b.rest) == 1 {
			b.worth[o] = 1
		} else if sum > 1e-12 {
			b.worth[o] = 1 / sum
		}
	}
}

// residuals subtracts what is fitted and the blocks' means from the costs.
func (b *boosting) residuals() {
	for o, rest := range b.rest {
		for i := range rest {
			rest[i] = b.y[o][i] - b.fitted[o][i]
		}
		centreBlocks(rest, b.block, b.blocks)
	}
}

// grow fits one tree to the residuals, level by level, on half of the coordinates.
func (b *boosting) grow(key rng.Key) boostTree {
	var t boostTree
	for i := range t.coord {
		t.coord[i] = -1
	}
	columns := b.draw(key)
	clear(b.node)
	first, nodes := 0, 1
	for range boostDepth {
		b.split(&t, columns, first, nodes)
		for i, p := range b.x {
			b.node[i] = t.child(b.node[i], p)
		}
		first, nodes = first+nodes, 2*nodes
	}
	t.leaf = make([]nodeSums, len(b.rest))
	for o, rest := range b.rest {
		var sum, n nodeSums
		for i, k := range b.node {
			sum[k-first] += rest[i]
			n[k-first]++
		}
		for k := range sum {
			t.leaf[o][k] = boostStep * sum[k] / (n[k] + 1)
		}
	}
	return t
}

// draw takes half of the coordinates that vary.
func (b *boosting) draw(key rng.Key) []int {
	out := slices.Clone(b.columns)
	n := (len(out) + 1) / 2
	for i := range n {
		j := i + key.IntN(uint64(i), len(out)-i)
		out[i], out[j] = out[j], out[i]
	}
	return out[:n]
}
