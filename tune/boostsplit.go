package tune

import "math"

// The search for splits, where a fit spends its time. Coordinates are sorted once for all
// trees; at each level of a tree a coordinate's points are dealt out to the nodes in that
// order, so that each node's cuts are looked at in one pass with few variables.

// splitSearch is what the search keeps from split to split.
type splitSearch struct {
	about  []float64 // per point, its costs' residuals about the means of its node
	sum    []float64 // of these over the points before a cut
	dealt  column    // a coordinate's points by node
	bounds [1<<boostDepth + 1]int32
}

// split finds the best split of every node of a level: the one that takes most of
// the squared residuals. With residuals r about their mean in a node of m points, a split
// that leaves n of them with sum s on the left takes s²/n + s²/(m-n) = s² m / (n (m-n)).
func (b *boosting) split(t *boostTree, columns []int, first, nodes int) {
	var count, gain nodeSums
	for _, n := range b.node {
		count[n-first]++
	}
	b.centre(first, count)
	for k := range nodes {
		b.splits.bounds[k+1] = b.splits.bounds[k] + int32(count[k])
	}
	for _, c := range columns {
		prefer := 1.0
		if b.prefer != nil {
			prefer = b.prefer[c]
		}
		in := b.deal(b.sorted[c], first, nodes)
		for k := range nodes {
			from, to := b.splits.bounds[k], b.splits.bounds[k+1]
			if cut, g := b.cut(in.points[from:to], in.values[from:to], prefer, gain[k]); g > gain[k] {
				gain[k] = g
				t.coord[first+k], t.cut[first+k] = c, cut
			}
		}
	}
}

// deal is a coordinate with the points of each node of a level together.
func (b *boosting) deal(c column, first, nodes int) column {
	if nodes == 1 {
		return c
	}
	out := &b.splits.dealt
	if out.points == nil {
		out.points, out.values = make([]int32, len(c.points)), make([]float64, len(c.points))
	}
	at := b.splits.bounds
	for r, i := range c.points {
		k := b.node[i] - first
		out.points[at[k]], out.values[at[k]] = i, c.values[r]
		at[k]++
	}
	return *out
}

// cut is the best cut of a node's points, in the order of a coordinate, that is better than
// a gain, and its own gain; what it is given where none is.
func (b *boosting) cut(points []int32, values []float64, prefer, gain float64) (at, best float64) {
	m, best := len(points), gain
	if m < 2*boostLeaf || values[boostLeaf-1] == values[m-1] {
		return 0, best
	}
	about, sum := b.splits.about, b.splits.sum
	clear(sum)
	count, squares := float64(m), 0.0
	for r := range m - boostLeaf + 1 {
		if r >= boostLeaf && values[r] > values[r-1] {
			// Most cuts are far from the best, which tells without a division.
			n := float64(r)
			if parts := n * (count - n); squares*count*prefer > best*parts*(1-1e-9) {
				if g := squares * count / parts * prefer; g > best+1e-12 {
					at, best = (values[r]+values[r-1])/2, g
				}
			}
		}
		if len(sum) == 1 {
			sum[0] += about[points[r]]
			squares = sum[0] * sum[0]
		} else {
			squares = accumulate(sum, about[int(points[r])*len(sum):])
		}
	}
	return at, best
}

// accumulate adds to sums and returns the sum of their squares.
func accumulate(sums, more []float64) float64 {
	squares := 0.0
	more = more[:len(sums)]
	for o := range sums {
		sums[o] += more[o]
		squares += sums[o] * sums[o]
	}
	return squares
}

// centre sets the residuals of points, all costs of a point together, about the means of
// their nodes, such that squares of all costs can be added.
func (b *boosting) centre(first int, count nodeSums) {
	outs := len(b.rest)
	if b.splits.about == nil {
		b.splits.about, b.splits.sum = make([]float64, len(b.node)*outs), make([]float64, outs)
	}
	for o, rest := range b.rest {
		var mean nodeSums
		for i, n := range b.node {
			mean[n-first] += rest[i]
		}
		for k := range mean {
			mean[k] /= math.Max(count[k], 1)
		}
		scale := math.Sqrt(b.worth[o])
		for i, n := range b.node {
			b.splits.about[i*outs+o] = scale * (rest[i] - mean[n-first])
		}
	}
}
