package kernel

import (
	"fmt"
	"testing"

	"schedtune/internal/rng"
	"schedtune/simcore"
)

// sortedEvents is the slow reference: the earliest (time, leaf) by scanning.
type sortedEvents []simcore.Time

func (s sortedEvents) next() (int32, simcore.Time, bool) {
	best, at := int32(-1), simcore.Never
	for i, t := range s {
		if t < at {
			best, at = int32(i), t
		}
	}
	return best, at, best >= 0
}

func checkTree(t *testing.T, n int, ops []byte) {
	t.Helper()
	tree, ref := newTree(n), make(sortedEvents, n)
	for i := range ref {
		ref[i] = simcore.Never
	}
	for i := 0; i+2 < len(ops); i += 3 {
		leaf, at := int32(int(ops[i])%n), simcore.Time(ops[i+1])
		if ops[i+2]%4 == 0 {
			tree.Clear(leaf)
			ref[leaf] = simcore.Never
		} else {
			tree.Set(leaf, at)
			ref[leaf] = at
		}
		l, a, ok := tree.Next()
		wl, wa, wok := ref.next()
		if l != wl || a != wa || ok != wok {
			t.Fatalf("n=%d after op %d: next = (%d, %d, %v), reference says (%d, %d, %v)", n, i/3, l, a, ok, wl, wa, wok)
		}
		if tree.When(leaf) != ref[leaf] {
			t.Fatalf("n=%d after op %d: leaf %d at %d, want %d", n, i/3, leaf, tree.When(leaf), ref[leaf])
		}
	}
}

// Rising gives the earliest leaves of the two subtrees that a leaf is in.
func TestRising(t *testing.T) {
	for _, n := range []int{1, 5, 64, 200, 1000, 5000} {
		tree, k := newTree(n), rng.NewKey(3, uint64(n))
		for i := range n {
			if k.IntN(uint64(2*i), 3) > 0 {
				tree.Set(int32(i), simcore.Time(k.IntN(uint64(2*i+1), 1000)))
			}
		}
		for leaf := int32(0); leaf < int32(n); leaf += int32(1 + n/50) {
			late, soon := tree.Rising(leaf)
			for _, x := range []struct {
				got int32
				up  uint
			}{{late, tree.up}, {soon, tree.up + 4}} {
				want, at := int32(-1), simcore.Never
				for i := range int32(n) {
					if (tree.size+int(i))>>x.up == (tree.size+int(leaf))>>x.up && tree.When(i) < at {
						want, at = i, tree.When(i)
					}
				}
				if x.got != want && (tree.size+int(leaf))>>x.up > 0 {
					t.Fatalf("%d leaves: beside leaf %d comes %d, want %d", n, leaf, x.got, want)
				}
			}
		}
	}
}

func TestTreeEqualsSortedReference(t *testing.T) {
	for _, n := range []int{1, 2, 3, 7, 8, 9, 100} {
		k := rng.NewKey(1, uint64(n))
		ops := make([]byte, 6000)
		for i := range ops {
			ops[i] = byte(k.Uint64(uint64(i)))
		}
		checkTree(t, n, ops)
	}
}

func FuzzTree(f *testing.F) {
	f.Add(uint8(5), []byte{1, 2, 3, 1, 9, 1, 0, 9, 1, 1, 0, 0})
	f.Fuzz(func(t *testing.T, n uint8, ops []byte) { checkTree(t, int(n)+1, ops) })
}

func TestTreeLimit(t *testing.T) {
	tree := newTree(1 << 20)
	if days := tree.Limit().Seconds() / 86400; days < 203 || days > 204 {
		t.Errorf("2^20 leaves hold %v days, want 2^44 µs = 203.6 days", days)
	}
	tree.Set(3, tree.Limit()-1)
	if _, at, ok := tree.Next(); !ok || at != tree.Limit()-1 {
		t.Errorf("last time: got %v %v", at, ok)
	}
	tree.Set(3, tree.Limit())
	if _, _, ok := tree.Next(); ok {
		t.Error("a time from the limit on must read as never")
	}
	if got := newTree(1).Limit(); got > simcore.Never {
		t.Errorf("limit %d beyond Never", got)
	}
}

func BenchmarkTree(b *testing.B) {
	for _, n := range []int{256, 4096, 65536} {
		b.Run(fmt.Sprintf("leaves=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			tree, k := newTree(n), rng.NewKey(1, 1)
			for i := range n {
				tree.Set(int32(i), simcore.Time(k.IntN(uint64(i), 1000000)))
			}
			var steps [4096]simcore.Time
			for i := range steps {
				steps[i] = simcore.Seconds(k.Exp(uint64(i)))
			}
			i := 0
			for b.Loop() {
				leaf, at, _ := tree.Next()
				tree.Set(leaf, at+steps[i&4095])
				i++
			}
		})
	}
}
