package tune

import (
	"bytes"
	"path/filepath"
	"slices"
	"testing"

	"schedtune/internal/rng"
)

// The models' threads change nothing: of CMA-ES, of rounds with limits and of a front.
func TestThreadsChangeNothing(t *testing.T) {
	rounds := partedProblem(t, 1)
	rounds.Windows, rounds.Constraints = 3, []Constraint{{Metric: "cost", Op: "<=", Factor: 1.05}}
	for name, p := range map[string]Problem{"cmaes": partedProblem(t, 1), "rounds": rounds, "front": twoParted(t, 1)} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			log, res := logged(t, p, Options{Seed: 4, Budget: 140, Threads: 1}, filepath.Join(dir, "1"))
			if again, same := logged(t, p, Options{Seed: 4, Budget: 140, Threads: 8}, filepath.Join(dir, "8")); !bytes.Equal(
				log, again) || !bytes.Equal(res, same) {
				t.Error("eight threads make another study")
			}
		})
	}
}

// The cuts of a level are those that a search finds which looks at the nodes one by one, at
// every cut in turn, with sums of its own: of one cost and of several, with equal values and
// with coordinates that count less.
func TestCutsByHand(t *testing.T) {
	for seed := range uint64(30) {
		key := rng.NewKey(seed, 9)
		n, coords, costs := 20+key.IntN(0, 60), 1+key.IntN(1, 5), 1+key.IntN(2, 3)
		x, block := make([]Point, n), make([]int, n)
		y := make([][]float64, costs)
		for i := range x {
			x[i], block[i] = uniformPoint(key.At(uint64(i)), coords), i%4
			for c := range x[i] {
				if c%2 == 1 {
					x[i][c] = float64(int(4 * x[i][c]))
				}
			}
			for o := range y {
				y[o] = append(y[o], key.At(uint64(i)).Norm(uint64(100+o)))
			}
		}
		prefer := make([]float64, coords)
		for c := range prefer {
			prefer[c] = []float64{1, 0.35}[key.IntN(uint64(10+c), 2)]
		}
		b := newBoosting(newPointSet(x, block), y, prefer)
		b.residuals()
		b.weigh()
		tree := b.grow(key)
		columns := b.draw(key)
		in := make([]int, n) // the node of each point
		first, nodes := 0, 1
		for range boostDepth {
			for k := range nodes {
				var of []int
				for i := range in {
					if in[i] == first+k {
						of = append(of, i)
					}
				}
				c, cut := b.cutByHand(of, columns)
				if c != tree.coord[first+k] || c >= 0 && cut != tree.cut[first+k] {
					t.Fatalf("seed %d: node %d of %d points is cut by %d at %v, want %d at %v",
						seed, first+k, len(of), tree.coord[first+k], tree.cut[first+k], c, cut)
				}
			}
			for i := range in {
				c, up := tree.coord[in[i]], 0
				if c >= 0 && x[i][c] > tree.cut[in[i]] {
					up = 1
				}
				in[i] = 2*in[i] + 1 + up
			}
			first, nodes = first+nodes, 2*nodes
		}
	}
}

// cutByHand is the coordinate and the place of the best cut of some points; -1 if none.
func (b *boosting) cutByHand(of, columns []int) (coord int, cut float64) {
	coord, most := -1, 0.0
	for _, c := range columns {
		order := slices.Clone(of)
		slices.SortStableFunc(order, func(i, j int) int {
			if b.x[i][c] < b.x[j][c] {
				return -1
			} else if b.x[i][c] > b.x[j][c] {
				return 1
			}
			return 0
		})
		for r := boostLeaf; r <= len(order)-boostLeaf; r++ {
			lo, hi := b.x[order[r-1]][c], b.x[order[r]][c]
			if lo == hi {
				continue
			}
			gain, n := 0.0, float64(len(order))
			for o, rest := range b.rest {
				mean, sum := 0.0, 0.0
				for _, i := range of {
					mean += rest[i] / n
				}
				for _, i := range order[:r] {
					sum += rest[i] - mean
				}
				gain += b.worth[o] * sum * sum * n / (float64(r) * (n - float64(r)))
			}
			if gain *= b.prefer[c]; gain > most+1e-12 {
				coord, cut, most = c, (lo+hi)/2, gain
			}
		}
	}
	return coord, cut
}
