package capacity

import (
	"math"

	"schedtune/internal/java"
	"schedtune/yarnconf"
)

// needHeap holds queues by how much of their guarantee they have been assigned, those with
// least first (AbstractPreemptableResourceCalculator.TQComparator). It is Java's heap step by
// step, since queues of equal need come out in an order that follows from that.
type needHeap struct {
	java.PriorityQueue[*tempQueue]
	calc  yarnconf.Calculator
	total res
}

// newNeedHeap makes an empty heap of queues of a partition of so much.
func newNeedHeap(calc yarnconf.Calculator, total res) *needHeap {
	h := &needHeap{calc: calc, total: total}
	h.Compare = h.compare
	return h
}

// ratio is the part of its guarantee that a queue has been assigned (getIdealPctOfGuaranteed).
func (h *needHeap) ratio(t *tempQueue) float64 {
	if h.calc.Compare(h.total, t.guaranteed, res{}) > 0 {
		return float64(h.calc.Divide(h.total, t.ideal, t.guaranteed))
	}
	return math.MaxInt32
}

// compare puts the needier queue first, and among queues on the same side of their guarantees
// the one of higher priority.
func (h *needHeap) compare(a, b *tempQueue) int {
	ra, rb := h.ratio(a), h.ratio(b)
	if a.priority != b.priority && (ra < 1) == (rb < 1) {
		return first(a.priority > b.priority)
	}
	switch {
	case ra < rb:
		return -1
	case ra > rb:
		return 1
	}
	return 0 // where one is no number too
}
