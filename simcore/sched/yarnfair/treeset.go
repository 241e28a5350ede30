package yarnfair

// Under drf a weight of 0 makes shares that are no numbers; the original takes
// them as equal to any. That is no order any more, and what comes of it is up to
// the tree set that the original sorts with. Its red-black tree is followed here
// for such queues alone.

// member of a tree set.
type member[T any] struct {
	item                T
	left, right, parent *member[T]
	black               bool
}

// treeSet is a red-black tree as of Introduction to Algorithms (Cormen,
// Leiserson, Rivest), which java.util.TreeMap follows.
type treeSet[T any] struct {
	root *member[T]
}

// treeOrder returns items in the order in which a tree set is walked that they
// have been put into one by one.
func treeOrder[T any](items []T, compare func(a, b T) int) []T {
	var t treeSet[T]
	for _, x := range items {
		t.put(x, compare)
	}
	return t.root.walk(make([]T, 0, len(items)))
}

func (m *member[T]) walk(dst []T) []T {
	if m == nil {
		return dst
	}
	return m.right.walk(append(m.left.walk(dst), m.item))
}

func (t *treeSet[T]) put(x T, compare func(a, b T) int) {
	var parent *member[T]
	at := &t.root
	for *at != nil {
		parent = *at
		switch c := compare(x, parent.item); {
		case c < 0:
			at = &parent.left
		case c > 0:
			at = &parent.right
		default:
			return
		}
	}
	*at = &member[T]{item: x, parent: parent}
	t.balance(*at)
}

func (m *member[T]) red() bool { return m != nil && !m.black }

// balance restores the colours after an insertion.
func (t *treeSet[T]) balance(x *member[T]) {
	for x != t.root && x.parent.red() {
		up := x.parent.parent
		onLeft := x.parent == up.left
		uncle := up.left
		if onLeft {
			uncle = up.right
		}
		if uncle.red() {
			x.parent.black, uncle.black, up.black = true, true, false
			x = up
			continue
		}
		if onLeft == (x == x.parent.right) {
			x = x.parent
			t.rotate(x, onLeft)
		}
		x.parent.black, up.black = true, false
		t.rotate(up, !onLeft)
	}
	t.root.black = true
}

// rotate turns a member down to the left or to the right.
func (t *treeSet[T]) rotate(p *member[T], left bool) {
	child, inner := &p.left, func(m *member[T]) **member[T] { return &m.right }
	if left {
		child, inner = &p.right, func(m *member[T]) **member[T] { return &m.left }
	}
	r := *child
	*child = *inner(r)
	if *child != nil {
		(*child).parent = p
	}
	r.parent = p.parent
	switch {
	case p.parent == nil:
		t.root = r
	case p.parent.left == p:
		p.parent.left = r
	default:
		p.parent.right = r
	}
	*inner(r) = p
	p.parent = r
}
