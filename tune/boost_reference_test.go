package tune

import (
	"math"
	"slices"
	"testing"

	"schedtune/internal/rng"
)

// node is a regression tree by exhaustive search: of all cuts of one coordinate that
// leave at least boostLeaf points on either side the one that takes most of the squared
// residuals, level by level, three of them; a leaf holds boostStep times the sum of its
// residuals by one more than its points.
type node struct {
	leaf        float64
	cut         float64
	left, right *node
}

func growTree(x, rest []float64, depth int) *node {
	sum, squares := 0.0, func(v []float64) float64 {
		if len(v) == 0 {
			return 0
		}
		m, s := 0.0, 0.0
		for _, r := range v {
			m += r / float64(len(v))
		}
		for _, r := range v {
			s += (r - m) * (r - m)
		}
		return s
	}
	for _, r := range rest {
		sum += r
	}
	t := &node{leaf: boostStep * sum / float64(len(rest)+1)}
	if depth == 0 {
		return t
	}
	part := func(cut float64) (lx, lr, rx, rr []float64) {
		for i, v := range x {
			if v > cut {
				rx, rr = append(rx, v), append(rr, rest[i])
			} else {
				lx, lr = append(lx, v), append(lr, rest[i])
			}
		}
		return lx, lr, rx, rr
	}
	sorted := slices.Sorted(slices.Values(x))
	best, found := 1e-12, false
	for i := 1; i < len(sorted); i++ {
		if sorted[i] == sorted[i-1] {
			continue
		}
		cut := (sorted[i] + sorted[i-1]) / 2
		lx, lr, rx, rr := part(cut)
		if len(lx) < boostLeaf || len(rx) < boostLeaf {
			continue
		}
		if gain := squares(rest) - squares(lr) - squares(rr); gain > best {
			best, found, t.cut = gain, true, cut
		}
	}
	if found {
		lx, lr, rx, rr := part(t.cut)
		t.left, t.right = growTree(lx, lr, depth-1), growTree(rx, rr, depth-1)
	}
	return t
}

func (t *node) at(v float64) float64 {
	switch {
	case t.left == nil:
		return t.leaf
	case v > t.cut:
		return t.right.at(v)
	}
	return t.left.at(v)
}

// On one coordinate the model is that of the exhaustive search, tree for tree: with
// blocks of different means, with points that share a place, with few points.
func TestBoostAgainstExhaustiveSearch(t *testing.T) {
	for seed, c := range []struct{ n, block, places int }{{7, 7, 1000}, {24, 8, 1000}, {50, 10, 12}, {64, 5, 1000}} {
		k := rng.NewKey(uint64(seed), 3)
		var points []Point
		var x, y []float64
		var block []int
		for i := range c.n {
			v := math.Floor(k.Float64(uint64(i))*float64(c.places)) / float64(c.places)
			x, points = append(x, v), append(points, Point{v, 0.5})
			y = append(y, math.Sin(6*v)+0.3*k.At(1).Norm(uint64(i))+10*float64(i/c.block))
			block = append(block, i/c.block)
		}
		m := fitBoost(points, block, y, k)
		fitted := make([]float64, c.n)
		var trees []*node
		for range boostTrees {
			rest := make([]float64, c.n)
			sum, n := map[int]float64{}, map[int]float64{}
			for i, b := range block {
				sum[b] += y[i] - fitted[i]
				n[b]++
			}
			for i, b := range block {
				rest[i] = y[i] - fitted[i] - sum[b]/n[b]
			}
			tree := growTree(x, rest, boostDepth)
			trees = append(trees, tree)
			for i, v := range x {
				fitted[i] += tree.at(v)
			}
		}
		for i := range 40 {
			v, want := float64(i)/39, 0.0
			for _, tree := range trees {
				want += tree.at(v)
			}
			if got := m.at(Point{v, 0.1}); math.Abs(got-want) > 1e-6 {
				t.Fatalf("%+v: %v at %v, want %v", c, got, v, want)
			}
		}
	}
}

// Of several coordinates a tree sees half, rounded up, of those that vary, each as
// often as any other: of five, one of which is constant, two; a tree of three levels
// splits by no other. Over 200 trees each of the four is drawn 100 times, standard
// deviation 7.
func TestBoostDrawsHalfOfTheCoordinates(t *testing.T) {
	var points []Point
	block := make([]int, 60)
	k := rng.NewKey(4, 4)
	for i := range 60 {
		p := uniformPoint(k.At(uint64(i)), 5)
		p[2] = 0.5
		points = append(points, p)
	}
	b := newBoosting(newPointSet(points, block), [][]float64{make([]float64, 60)}, nil)
	b.worth[0] = 1
	for i, p := range points {
		b.rest[0][i] = p[0] + p[1] - p[3] - p[4]
	}
	drawn := map[int]int{}
	for i := range uint64(200) {
		columns := b.draw(k.At(1000 + i))
		if len(columns) != 2 || columns[0] == columns[1] {
			t.Fatalf("drawn %v", columns)
		}
		for _, c := range columns {
			drawn[c]++
		}
		tree := b.grow(k.At(1000 + i))
		for _, c := range tree.coord {
			if c >= 0 && !slices.Contains(columns, c) {
				t.Fatalf("split by %d, drawn %v", c, columns)
			}
		}
		if tree.coord[0] < 0 {
			t.Fatal("no split of a slope")
		}
	}
	for _, c := range []int{0, 1, 3, 4} {
		if n := drawn[c]; n < 65 || n > 135 {
			t.Errorf("coordinate %d drawn %d times of 200, want about 100", c, n)
		}
	}
	if drawn[2] != 0 {
		t.Error("a constant coordinate was drawn")
	}
	b.columns = b.columns[:3]
	if got := b.draw(k); len(got) != 2 {
		t.Errorf("of three coordinates %d are drawn, want 2", len(got))
	}
}

// Levels by hand. Of values 1 to 5 the median is 3 and the spread 2: what lies further
// behind than twice the spread stands at 7, and what breaks limits half a spread and
// then by ranks behind that.
func TestLevelsByHand(t *testing.T) {
	v := func(x float64) Score { return Score{Values: []float64{x}} }
	bad := func(x float64) Score { return Score{Values: []float64{0}, Violation: x} }
	for _, c := range []struct {
		scores []Score
		want   []float64
	}{
		{[]Score{v(2), v(1), v(3), v(5), v(4)}, []float64{2, 1, 3, 5, 4}},
		{[]Score{v(1), v(2), v(3), v(50), v(60)}, []float64{1, 2, 3, 7, 7}},
		{[]Score{v(1), v(2), v(3), v(4)}, []float64{1, 2, 3, 4}}, // the lower median: spread 1
		{[]Score{v(1), v(2), v(5), v(6)}, []float64{1, 2, 4, 4}},
		// Spread 1; one fifth of it by rank, and a half at once.
		{[]Score{bad(2), v(1), v(2), v(3), bad(1)}, []float64{3 + 0.2 + 0.5 + 0.2, 1, 2, 3, 3 + 0.2 + 0.5}},
		// With fewer than three that keep all limits the spread is 0.05.
		{[]Score{v(1), v(1.02), bad(1), bad(2)}, []float64{1, 1.02, 1.02 + 0.0125 + 0.025, 1.02 + 0.0125 + 0.025 + 0.0125}},
		{[]Score{bad(1), {Failed: true}}, []float64{0.025 + 0.025, 0.075}},
		{[]Score{{Values: []float64{0}, Lost: 1}, v(1), v(2), v(3)}, []float64{3 + 0.25 + 0.5, 1, 2, 3}},
	} {
		got := levels(c.scores)
		for i := range got {
			if math.Abs(got[i]-c.want[i]) > 1e-12 {
				t.Errorf("%v: levels %v, want %v", c.scores, got, c.want)
				break
			}
		}
	}
}

// An archive drops whole blocks, the oldest, once it has more than its most: of
// blocks of 60 the fourth ends the first, and the numbers begin at 0 again; a block of
// one point tells nothing.
func TestArchiveDropsTheOldest(t *testing.T) {
	var a archive
	block := func(n int, mark float64) ([]Point, []Score, int) {
		points, scores := make([]Point, n), make([]Score, n)
		for i := range points {
			points[i], scores[i] = Point{mark}, Score{Values: []float64{float64(i)}}
		}
		return points, scores, ownBlock
	}
	a.add(block(1, 0))
	if len(a.points) != 0 || a.blocks != 0 {
		t.Error("a block of one point was taken")
	}
	for i, want := range []struct {
		points, blocks int
		first          float64
	}{{60, 1, 1}, {120, 2, 1}, {120, 2, 2}, {120, 2, 3}} {
		a.add(block(60, float64(i+1)))
		if len(a.points) != want.points || a.blocks != want.blocks || a.points[0][0] != want.first ||
			len(a.y) != want.points || a.block[len(a.block)-1] != want.blocks-1 {
			t.Errorf("after block %d: %d points in %d blocks from block %v, want %+v", i+1, len(a.points), a.blocks,
				a.points[0][0], want)
		}
	}
	if a.fresh != 240 {
		t.Errorf("%d points since a model was fitted, want 240", a.fresh)
	}
	a = archive{}
	a.add(block(80, 1))
	if a.add(block(80, 2)); len(a.points) != maxArchive {
		t.Errorf("%d points, want %d: no more than the most", len(a.points), maxArchive)
	}
}
