package capacity

import (
	"math"

	"schedtune/internal/java"
	"schedtune/yarnconf"
)

// needHeap holds queues by how much of their guarantee they have been assigned.
type needHeap struct {
	java.PriorityQueue[*tempQueue]
	calc  yarnconf.Calculator
	total res
}

func newNeedHeap(calc yarnconf.Calculator, total res) *needHeap {
	h := &needHeap{calc: calc, total: total}
	h.Compare = h.compare
	return h
}

func (h *needHeap) ratio(t *tempQueue) float64 {
	if h.calc.Compare(h.total, t.guaranteed, res{}) > 0 {
		return float64(h.calc.Divide(h.total, t.ideal, t.guaranteed))
	}
	return math.MaxInt32
}

func (h *needHeap) compare(a, b *tempQueue) int {
	ra, rb := h.ratio(a), h.ratio(b)
	if a.priority != b.priority && (ra < 1) == (rb < 1) {
		if a.priority > b.priority {
			return -1
		}
		return 1
	}
	switch {
	case ra < rb:
		return -1
	case ra > rb:
		return 1
	}
	return 0
}
