package java

// Where Hadoop sorts by a comparison that is no order (applications that precede each
// other in a circle, shares that are no numbers), what comes out depends on the steps
// of the collection.

// PriorityQueue is java.util.PriorityQueue: a binary heap.
type PriorityQueue[T any] struct {
	Compare func(a, b T) int
	list    []T
}

// Items are all items as the heap holds them: the first one first, then in no
// order. They must not be changed.
func (h *PriorityQueue[T]) Items() []T { return h.list }

// Len is the number of items.
func (h *PriorityQueue[T]) Len() int { return len(h.list) }

// Add puts an item in.
func (h *PriorityQueue[T]) Add(t T) {
	h.list = append(h.list, t)
	k := len(h.list) - 1
	for k > 0 {
		up := (k - 1) / 2
		if h.Compare(t, h.list[up]) >= 0 {
			break
		}
		h.list[k] = h.list[up]
		k = up
	}
	h.list[k] = t
}

// Remove takes the first item out; there must be one.
func (h *PriorityQueue[T]) Remove() T {
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
		if c+1 < n && h.Compare(h.list[c], h.list[c+1]) > 0 {
			c++
		}
		if h.Compare(x, h.list[c]) <= 0 {
			break
		}
		h.list[k] = h.list[c]
		k = c
	}
	h.list[k] = x
	return top
}

// TreeSet is java.util.TreeSet: a red-black tree. An item that compares equal to
// one on its way down is left out.
type TreeSet[T any] struct {
	Compare func(a, b T) int
	root    *node[T]
}

type node[T any] struct {
	item         T
	parent, l, r *node[T]
	red          bool
}

// Add puts an item in, unless it meets an equal one.
func (t *TreeSet[T]) Add(item T) {
	x := &node[T]{item: item, red: true}
	link := &t.root
	for *link != nil {
		x.parent = *link
		switch c := t.Compare(item, x.parent.item); {
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
func (t *TreeSet[T]) balance(x *node[T]) {
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
func (t *TreeSet[T]) rotate(x *node[T], left bool) {
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

// Items lists what is in the set, in its order.
func (t *TreeSet[T]) Items() []T {
	var out []T
	var walk func(n *node[T])
	walk = func(n *node[T]) {
		if n != nil {
			walk(n.l)
			out = append(out, n.item)
			walk(n.r)
		}
	}
	walk(t.root)
	return out
}
