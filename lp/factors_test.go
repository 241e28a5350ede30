package lp

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// rank of a matrix of integers, exactly.
func rank(cols [][]int64, m int) int {
	var rows [][]*big.Rat
	for _, c := range cols {
		row := make([]*big.Rat, m)
		for i := range row {
			row[i] = big.NewRat(c[i], 1)
		}
		rows = append(rows, row)
	}
	n, t := 0, new(big.Rat)
	for i := range m {
		p := slices.IndexFunc(rows[n:], func(r []*big.Rat) bool { return r[i].Sign() != 0 })
		if p < 0 {
			continue
		}
		rows[n], rows[n+p] = rows[n+p], rows[n]
		for _, r := range rows[n+1:] {
			q := new(big.Rat).Quo(r[i], rows[n][i])
			for k := range m {
				r[k] = new(big.Rat).Sub(r[k], t.Mul(q, rows[n][k]))
			}
		}
		if n++; n == len(rows) {
			break
		}
	}
	return n
}

// Matrices of -1, 0 and 1 cancel in the elimination. As many columns are given back
// as the rank is short of, computed exactly; with rows in their place the matrix is
// regular, and its factors solve.
func TestRankOfSmallIntegers(t *testing.T) {
	const seed = 41
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	short := 0
	for trial := range 400 {
		m := 2 + r.IntN(9)
		full := make([][]int64, m)
		rows, vals := make([][]int32, m), make([][]float64, m)
		for p := range m {
			full[p] = make([]int64, m)
			for i := range m {
				if v := int64(r.IntN(5)) - 2; v >= -1 && v <= 1 && v != 0 {
					full[p][i] = v
					rows[p], vals[p] = append(rows[p], int32(i)), append(vals[p], float64(v))
				}
			}
		}
		col := func(p int) ([]int32, []float64) { return rows[p], vals[p] }
		f := newLU(m)
		badPos, badRow := f.factor(col)
		if want := m - rank(full, m); len(badPos) != want || len(badRow) != want {
			t.Fatalf("trial %d: positions %v and rows %v are left over, want %d", trial, badPos, badRow, want)
		}
		for k, p := range badPos {
			rows[p], vals[p] = []int32{badRow[k]}, []float64{-1}
			short++
		}
		if bad, _ := f.factor(col); bad != nil {
			t.Fatalf("trial %d: singular with rows in place", trial)
		}
		checkFactors(t, f, rows, vals, r, trial)
	}
	if short < 100 {
		t.Errorf("%d dependent columns in all, want more to judge by", short)
	}
}

// A row of one entry is a pivot without arithmetic only where the entry is at least
// a thousandth of its column and 1e-11; smaller ones go to the elimination.
func TestSmallSingletonsAreRefused(t *testing.T) {
	for v, first := range map[float64]bool{1: true, 1e-2: true, 2e-3: true, 9e-4: false, -1e-2: true, -9e-4: false} {
		for _, size := range []float64{1, 128} { // of the whole column
			checkSingleton(t, v, size, first)
		}
	}
	for v, ok := range map[float64]bool{1e-10: true, 1e-11: true, 9e-12: false, -9e-12: false} {
		f := newLU(1)
		bad, _ := f.factor(func(int) ([]int32, []float64) { return []int32{0}, []float64{v} })
		if (bad == nil) != ok {
			t.Errorf("single entry %v: left over %v", v, bad)
		}
	}
}

func checkSingleton(t *testing.T, v, size float64, first bool) {
	t.Helper()
	rows := [][]int32{{0, 1, 2}, {1, 2}, {1, 2}}
	vals := [][]float64{{v * size, size, -size}, {1, 2}, {3, 1}}
	f := newLU(3)
	if bad, _ := f.factor(func(p int) ([]int32, []float64) { return rows[p], vals[p] }); bad != nil {
		t.Fatal(bad)
	}
	if got := f.step[0] == 0 && f.pc[0] == 0; got != first {
		t.Errorf("entry %v of %v: first pivot %v, want %v (rows %v, columns %v)", v*size, size, got, first, f.pr, f.pc)
	}
	checkFactors(t, f, rows, vals, rand.New(rand.NewPCG(1, 0)), 0)
}

// The pivot of a column: among the rows without one, those of at least a tenth of the
// largest entry; of these the one with the fewest entries, then the smallest number.
func TestPivotOfAColumn(t *testing.T) {
	for _, c := range []struct {
		work        []float64
		count, step []int32
		want        int
	}{
		{[]float64{1, 0.5, 0.2}, []int32{3, 2, 4}, []int32{-1, -1, -1}, 1},
		{[]float64{1, 0.05, 0.2}, []int32{3, 2, 4}, []int32{-1, -1, -1}, 0},
		{[]float64{1, -0.1, 0.2}, []int32{3, 2, 4}, []int32{-1, -1, -1}, 1},
		{[]float64{1, -1, 1}, []int32{2, 2, 2}, []int32{-1, -1, -1}, 0},
		{[]float64{9, 0.5, 0.2}, []int32{1, 3, 2}, []int32{0, -1, -1}, 2}, // a row with a pivot neither leads nor is taken
		{[]float64{9, 0.5, 0.2}, []int32{1, 3, 2}, []int32{7, -1, -1}, 2},
		{[]float64{9, 1e-12, 2e-12}, []int32{1, 1, 1}, []int32{0, -1, -1}, -1},
		{[]float64{9, 1e-13, -1e-11}, []int32{1, 1, 1}, []int32{0, -1, -1}, 2},
		{[]float64{9, 9, 9}, []int32{1, 1, 1}, []int32{0, 1, 2}, -1},
	} {
		f := newLU(3)
		f.work, f.rowCount, f.step = c.work, c.count, c.step
		for _, order := range [][]int32{{0, 1, 2}, {2, 1, 0}, {1, 2, 0}} {
			f.touched = order
			if got := f.choosePivot(); got != c.want {
				t.Errorf("%v with counts %v, steps %v, in the order %v: row %d, want %d", c.work, c.count, c.step, order, got,
					c.want)
			}
		}
	}
}

// A change of the basis holds the entries above 1e-14 but the pivot.
func TestUpdateDropsWhatIsNothing(t *testing.T) {
	f := newLU(5)
	f.factor(func(p int) ([]int32, []float64) { return []int32{int32(p)}, []float64{1} })
	f.update(1, []float64{1, 4, 1e-14, -2e-14, 0})
	if !slices.Equal(f.etaIdx, []int32{0, 3}) || !slices.Equal(f.etaVal, []float64{1, -2e-14}) || f.etaPiv[0] != 4 {
		t.Errorf("entries %v at %v, pivot %v", f.etaVal, f.etaIdx, f.etaPiv)
	}
}

// The limit of entries itself is allowed: with 25 rows 2000 of them, and not one more.
func TestEntriesUpToTheLimit(t *testing.T) {
	const m = 25
	f := newLU(m)
	f.factor(func(p int) ([]int32, []float64) { return []int32{int32(p)}, []float64{1} })
	add := func(entries int) {
		alpha := make([]float64, m)
		for i := range entries + 1 {
			alpha[i] = 1
		}
		f.update(0, alpha)
	}
	for range 80 {
		add(24)
	}
	for range 4 {
		add(20)
	}
	if len(f.etaIdx) != 2000 || f.stale() {
		t.Errorf("stale with %d entries", len(f.etaIdx))
	}
	if add(1); !f.stale() {
		t.Errorf("not stale with %d entries", len(f.etaIdx))
	}
}

// Columns that are triangular before a block of full ones are set aside first: the
// factors hold the entries of the matrix and no more, whatever the order of rows and
// columns. Factors of the same size made again need no memory.
func TestColumnsBeforeABlock(t *testing.T) {
	const seed = 44
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for trial := range 40 {
		k, b := 2+r.IntN(12), r.IntN(4)
		if b == 1 {
			b = 0 // a block of one is triangular, too
		}
		m, entries := k+b, 0
		rowOf, colOf := r.Perm(m), r.Perm(m)
		rows, vals := make([][]int32, m), make([][]float64, m)
		for j := range m {
			for i := range m {
				if j >= k || i == j || i < j && r.IntN(3) == 0 {
					p := colOf[j]
					rows[p], vals[p] = append(rows[p], int32(rowOf[i])), append(vals[p], 1+r.Float64())
					entries++
				}
			}
		}
		col := func(p int) ([]int32, []float64) { return rows[p], vals[p] }
		f := newLU(m)
		if bad, _ := f.factor(col); bad != nil {
			t.Fatalf("trial %d: dependent columns %v", trial, bad)
		}
		if got := m + len(f.lRow) + len(f.uRow); got != entries || len(f.lRow) != b*(b-1)/2 {
			t.Errorf("trial %d: %d entries, %d of them in L, of a matrix of %d before a block of %d", trial, got, len(f.lRow),
				entries, b)
		}
		checkFactors(t, f, rows, vals, r, trial)
		if b == 0 {
			if n := testing.AllocsPerRun(5, func() { f.factor(col) }); n != 0 {
				t.Errorf("trial %d: factors made again allocate %v times", trial, n)
			}
		}
	}
}

// Badly scaled rows: the largest entries decide the pivots, so that the solution is
// accurate to the last digits though the rows differ by 12 powers of ten.
func TestFactorsOfBadlyScaledRows(t *testing.T) {
	const seed = 42
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for trial := range 50 {
		m := 3 + r.IntN(10)
		rows, vals := make([][]int32, m), make([][]float64, m)
		for p := range m {
			for i := range m {
				v := r.NormFloat64()
				if i == p {
					v += 5 // well conditioned once the columns are scaled
				}
				rows[p], vals[p] = append(rows[p], int32(i)), append(vals[p], v*math.Pow(10, float64(p%5-2)*2))
			}
		}
		f := newLU(m)
		if bad, _ := f.factor(func(p int) ([]int32, []float64) { return rows[p], vals[p] }); bad != nil {
			t.Fatalf("trial %d: %v", trial, bad)
		}
		checkFactors(t, f, rows, vals, r, trial)
	}
}

// The dual of 1/20 in Beale's example, each variable of it by hand: rows 0 and 1 give
// 0, row 2 its cost; and phase 1 tells what has no point from what has no end.
func TestBealeByHand(t *testing.T) {
	p := dense([]float64{0.75, -150, 0.02, -6}, [][]float64{{0.25, -60, -1.0 / 25, 9}, {0.5, -90, -1.0 / 50, 3},
		{0, 0, 1, 0}},
		[]float64{-inf, -inf, -inf}, []float64{0, 0, 1}, nil, nil)
	s, err := Simplex{}.Solve(p)
	if err != nil {
		t.Fatal(err)
	}
	// x = (1/25, 0, 1, 0): rows 1 and 2 bind, so y0 = 0, y1 = 0.75/0.5 = 1.5 and
	// y2 = 0.02 + 1.5/50 = 0.05.
	for i, want := range []float64{0, 1.5, 0.05} {
		near(t, "dual", s.Dual[i], want)
	}
	for j, want := range []float64{0.04, 0, 1, 0} {
		near(t, "variable", s.X[j], want)
	}
	p.RowUpper[2] = inf // and now x2 may grow for ever
	if _, err := (Simplex{}).Solve(p); !errors.Is(err, ErrUnbounded) {
		t.Errorf("without the last row: %v", err)
	}
	p.RowLower[2], p.RowUpper[2] = -inf, -1 // x2 <= -1 and x2 >= 0
	if _, err := (Simplex{}).Solve(p); !errors.Is(err, ErrInfeasible) {
		t.Errorf("with x2 <= -1: %v", err)
	}
}
