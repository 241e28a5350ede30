package kernel

import "math/bits"

// Table maps numbers to indices: a hash table with open addressing, at most half full. The zero
// value is empty.
type Table struct {
	slots []numbered // a power of two of them, or none at all
	n     int        // entries
	shift uint8      // of a 32-bit hash, to the index of a slot
}

// numbered is a number and its index plus 1, or 0 in a free slot.
type numbered struct{ key, at int32 }

// Find returns the index of a number, -1 if it has none.
func (t *Table) Find(key int32) int {
	if len(t.slots) == 0 {
		return -1
	}
	for h := t.first(key); ; h++ {
		if e := &t.slots[h&(len(t.slots)-1)]; e.key == key || e.at == 0 {
			return int(e.at) - 1
		}
	}
}

// first returns the slot at which the search for a number begins (Knuth's multiplicative hash).
func (t *Table) first(key int32) int { return int(uint32(key) * 0x9E3779B1 >> (t.shift & 31)) }

// Add adds a new number with its index.
func (t *Table) Add(key int32, at int) {
	if t.n++; 2*t.n > len(t.slots) {
		old := t.slots
		n := max(2*len(old), 8)
		t.slots, t.shift = make([]numbered, n), uint8(32-bits.TrailingZeros(uint(n)))
		for _, e := range old {
			if e.at != 0 {
				t.put(e)
			}
		}
	}
	t.put(numbered{key, int32(at) + 1})
}

// put stores an entry in the first free slot.
func (t *Table) put(e numbered) {
	h := t.first(e.key)
	for t.slots[h&(len(t.slots)-1)].at != 0 {
		h++
	}
	t.slots[h&(len(t.slots)-1)] = e
}

// Clear removes all entries.
func (t *Table) Clear() {
	if t.n > 0 {
		clear(t.slots)
		t.n = 0
	}
}
