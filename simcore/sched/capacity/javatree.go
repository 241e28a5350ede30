package capacity

// Preemption within a queue sorts applications by a comparison that can go
// round in circles. What comes out of the original then depends on the steps of
// its collections, so these are followed.

// priorityQueue is java.util.PriorityQueue: a binary heap.
type priorityQueue[T any] struct {
	list    []T
	compare func(a, b T) int
}

func (h *priorityQueue[T]) add(t T) {
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

func (h *priorityQueue[T]) remove() T {
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

// treeSet is java.util.TreeSet: a red-black tree. An item that compares equal to
// one on its way down is left out.
type treeSet[T any] struct {
	root    *treeNode[T]
	compare func(a, b T) int
}

type treeNode[T any] struct {
	item         T
	parent, l, r *treeNode[T]
	red          bool
}

func (t *treeSet[T]) add(item T) {
	x := &treeNode[T]{item: item, red: true}
	link := &t.root
	for *link != nil {
		x.parent = *link
		switch c := t.compare(item, x.parent.item); {
		case c < 0:
			link = &x.parent.l
		case c > 0:
			link = &x.parent.r
		default:
			return
		}
	}
	*link = x
	t.balance(x)
}

// balance restores the colours' rules after x came in red.
func (t *treeSet[T]) balance(x *treeNode[T]) {
	for x != t.root && x.parent.red {
		p, g := x.parent, x.parent.parent
		left := p == g.l
		uncle := g.l
		if left {
			uncle = g.r
		}
		if uncle != nil && uncle.red {
			p.red, uncle.red, g.red = false, false, true
			x = g
			continue
		}
		if left != (x == p.l) { // an inner grandchild becomes an outer one
			t.rotate(p, left)
			x, p = p, x
		}
		p.red, g.red = false, true
		t.rotate(g, !left)
	}
	t.root.red = false
}

// rotate turns x down to the left, or to the right.
func (t *treeSet[T]) rotate(x *treeNode[T], left bool) {
	y := x.l
	if left {
		y = x.r
		x.r = y.l
	} else {
		x.l = y.r
	}
	moved := x.l
	if left {
		moved = x.r
	}
	if moved != nil {
		moved.parent = x
	}
	y.parent = x.parent
	switch {
	case x.parent == nil:
		t.root = y
	case x.parent.l == x:
		x.parent.l = y
	default:
		x.parent.r = y
	}
	if left {
		y.l = x
	} else {
		y.r = x
	}
	x.parent = y
}

// items lists what is in the set, in its order.
func (t *treeSet[T]) items() []T {
	var out []T
	var walk func(n *treeNode[T])
	walk = func(n *treeNode[T]) {
		if n != nil {
			walk(n.l)
			out = append(out, n.item)
			walk(n.r)
		}
	}
	walk(t.root)
	return out
}
