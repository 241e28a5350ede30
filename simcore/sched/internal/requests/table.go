package requests

import (
	"math/bits"

	"schedtune/simcore/yarn"
)

// table finds rows by their places: a hash table with open addressing, at most half full.
// Rows of an application are looked for several times for each of its containers, and a
// master sends most of them with each heartbeat.
type table struct {
	slots []int32 // index of a row, plus 1; 0: none. A power of two of them, or none at all
	shift uint8   // of a 32-bit hash, to the index of a slot
}

// find is the index of a place's row among rows, -1 where there is none.
func (t *table) find(rows []Row, p yarn.Place) int {
	if len(t.slots) == 0 {
		return -1
	}
	for h := t.first(p); ; h++ {
		i := int(t.slots[h&(len(t.slots)-1)]) - 1
		if i < 0 || rows[i].Place == p {
			return i
		}
	}
}

// first is the slot at which the search for a place begins (Knuth's multiplicative hash).
func (t *table) first(p yarn.Place) int { return int(uint32(p) * 0x9E3779B1 >> (t.shift & 31)) }

// add takes the last of some rows in, whose place is new; the others are there.
func (t *table) add(rows []Row) {
	from := len(rows) - 1
	if 2*len(rows) > len(t.slots) {
		n := max(2*len(t.slots), 8)
		t.slots, t.shift = make([]int32, n), uint8(32-bits.TrailingZeros(uint(n)))
		from = 0
	}
	for i := from; i < len(rows); i++ {
		h := t.first(rows[i].Place)
		for t.slots[h&(len(t.slots)-1)] != 0 {
			h++
		}
		t.slots[h&(len(t.slots)-1)] = int32(i) + 1
	}
}

// clear takes all rows out.
func (t *table) clear() { clear(t.slots) }
