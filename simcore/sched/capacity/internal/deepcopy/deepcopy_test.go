package deepcopy

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

type leaf struct{ n int }

type tree struct {
	name   string
	up     *tree
	down   []*tree
	rows   []leaf
	first  *leaf // of rows
	byName map[string]*tree
	twice  [2]*tree
	fixed  *leaf
	any    any
	empty  []int
}

func sample() *tree {
	root := &tree{name: "root", rows: []leaf{{1}, {2}}, byName: map[string]*tree{}}
	root.first = &root.rows[0]
	for _, n := range []string{"a", "b"} {
		c := &tree{name: n, up: root, rows: []leaf{{3}}}
		c.first = &c.rows[0]
		root.down = append(root.down, c)
		root.byName[n] = c
	}
	root.twice = [2]*tree{root.down[1], root}
	return root
}

// What is shared in the original is shared in the copy, and nothing of the copy is
// the original's.
func TestShape(t *testing.T) {
	root := sample()
	c := Of(root)
	if c == root || c.down[0] == root.down[0] || c.down[0].up != c || c.byName["a"] != c.down[0] ||
		c.twice[0] != c.down[1] || c.twice[1] != c {
		t.Fatal("pointers of the copy do not have the shape of the original's")
	}
	if c.first != &c.rows[0] || c.down[1].first != &c.down[1].rows[0] {
		t.Error("a pointer to an element does not point to the element's copy")
	}
	c.down[0].rows[0].n, c.down[0].name = 9, "z"
	if root.down[0].rows[0].n != 3 || root.down[0].name != "a" {
		t.Error("a change of the copy reached the original")
	}
	if c.empty != nil || len(c.rows) != 2 || c.rows[1].n != 2 {
		t.Errorf("%+v", c)
	}
}

func TestShared(t *testing.T) {
	root := sample()
	root.fixed, root.any = &leaf{5}, root
	c := Of(root, reflect.TypeFor[leaf]())
	if c.fixed != root.fixed || c.any != any(root) {
		t.Error("a shared type or an interface was copied")
	}
}

// A long chain needs no deep stack.
func TestLongChain(t *testing.T) {
	head := &tree{}
	for at, i := head, 0; i < 200_000; i++ {
		at.up = &tree{}
		at = at.up
	}
	n := 0
	for at := Of(head); at != nil; at = at.up {
		n++
	}
	if n != 200_001 {
		t.Error(n)
	}
}

// Where a pointer comes before its slice, the element would be in the copy twice, as it would
// of slices that overlap.
func TestElementTwice(t *testing.T) {
	overlapping := sample()
	overlapping.down[0].rows = overlapping.rows[1:]
	type late struct {
		first *leaf
		rest  *struct{ rows []leaf }
	}
	rest := &struct{ rows []leaf }{make([]leaf, 2)}
	for name, copied := range map[string]func(){"overlap": func() { Of(overlapping) },
		"late": func() { Of(&late{&rest.rows[1], rest}) }} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if r := fmt.Sprint(recover()); !strings.Contains(r, "a slice of deepcopy.leaf comes after a copy of its elements") {
					t.Errorf("panic %q", r)
				}
			}()
			copied()
		})
	}
}
