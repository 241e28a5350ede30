package capacity

import (
	"math"

	"schedtune/yarnconf"
)

// needHeap is a binary heap of queues by how much of their guarantee they have
// been assigned. Ties come out as in Java's PriorityQueue, whose steps it
// follows.
type needHeap struct {
	list  []*tempQueue
	calc  yarnconf.Calculator
	total res
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

func (h *needHeap) add(t *tempQueue) {
	h.list = append(h.list, t)
	k := len(h.list) - 1
	for k > 0 {
		up := (k - 1) / 2
		if h.compare(t, h.list[up]) >= 0 {
			break
		}
		h.list[k] = h.list[up]
		k = up
	}
	h.list[k] = t
}

func (h *needHeap) remove() *tempQueue {
	top := h.list[0]
	n := len(h.list) - 1
	x := h.list[n]
	h.list = h.list[:n]
	if n == 0 {
		return top
	}
	k := 0
	for k < n/2 {
		c := 2*k + 1
		if c+1 < n && h.compare(h.list[c], h.list[c+1]) > 0 {
			c++
		}
		if h.compare(x, h.list[c]) <= 0 {
			break
		}
		h.list[k] = h.list[c]
		k = c
	}
	h.list[k] = x
	return top
}
