// Package deepcopy copies a value with everything it points to, unexported fields
// included, so that the copy can be changed without the original noticing.
package deepcopy

import (
	"reflect"
	"unsafe"
)

// Of returns a copy of *src and of all that is reachable from it by pointers,
// slices, arrays, maps and structs. What several pointers share is copied once, and
// a pointer to an element of a copied slice points to the element's copy, where the slice
// comes first. Functions, interfaces, channels and pointers to the types of shared are taken
// over as they are. Slices lose spare capacity.
//
// Depth does not cost stack: what pointers lead to is copied one after the other, in the
// order of discovery. Of panics where the copy would have an element twice: where such slices
// overlap, or where a pointer to an element comes before its slice.
func Of[T any](src *T, shared ...reflect.Type) *T {
	c := copier{memo: map[key]reflect.Value{}, shared: map[reflect.Type]bool{}, pointed: map[reflect.Type]bool{},
		deep: map[reflect.Type][]int{}}
	for _, t := range shared {
		c.shared[reflect.PointerTo(t)] = true
	}
	c.collect(reflect.TypeFor[*T](), map[reflect.Type]bool{})
	dst := c.pointer(reflect.ValueOf(src))
	for ; len(c.todo) > 0; c.todo = c.todo[1:] {
		c.into(c.todo[0].dst, c.todo[0].src)
	}
	return dst.Interface().(*T)
}

// key is an object: a struct and its first field have one address and two types.
type key struct {
	at unsafe.Pointer
	of reflect.Type
}

type pair struct{ dst, src reflect.Value }

type copier struct {
	memo    map[key]reflect.Value  // pointers to copies
	shared  map[reflect.Type]bool  // pointers that are taken over
	pointed map[reflect.Type]bool  // types that pointers lead to
	deep    map[reflect.Type][]int // see deepFields
	todo    []pair                 // allocated, not filled yet, in the order of discovery
}

// collect notes the types that pointers lead to.
func (c *copier) collect(t reflect.Type, seen map[reflect.Type]bool) {
	if seen[t] || c.shared[t] {
		return
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Pointer:
		c.pointed[t.Elem()] = true
		c.collect(t.Elem(), seen)
	case reflect.Slice, reflect.Array:
		c.collect(t.Elem(), seen)
	case reflect.Map:
		c.collect(t.Key(), seen)
		c.collect(t.Elem(), seen)
	case reflect.Struct:
		for i := range t.NumField() {
			c.collect(t.Field(i).Type, seen)
		}
	}
}

// isFlat reports whether values of a type hold nothing that has to be copied.
func (c *copier) isFlat(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer:
		return c.shared[t]
	case reflect.Slice, reflect.Map:
		return false
	case reflect.Array:
		return c.isFlat(t.Elem())
	case reflect.Struct:
		return len(c.deepFields(t)) == 0
	}
	return true
}

// pointer returns the copy's pointer for one of the original.
func (c *copier) pointer(p reflect.Value) reflect.Value {
	k := key{p.UnsafePointer(), p.Type().Elem()}
	if made, ok := c.memo[k]; ok {
		return made
	}
	made := reflect.New(p.Type().Elem())
	c.memo[k] = made
	c.todo = append(c.todo, pair{made.Elem(), p.Elem()})
	return made
}

// into fills an addressable value with the copy of another.
func (c *copier) into(dst, src reflect.Value) {
	t := src.Type()
	if dst.Set(src); c.isFlat(t) {
		return
	}
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		if src.IsNil() {
			return
		}
	}
	switch t.Kind() {
	case reflect.Pointer:
		dst.Set(c.pointer(src))
	case reflect.Slice:
		c.slice(dst, src)
	case reflect.Array:
		for i := range src.Len() {
			c.into(dst.Index(i), src.Index(i))
		}
	case reflect.Map:
		c.table(dst, src)
	case reflect.Struct:
		for _, i := range c.deepFields(t) {
			c.into(open(dst.Field(i)), open(src.Field(i)))
		}
	}
}

// deepFields are the fields of a struct type that an assignment does not copy.
func (c *copier) deepFields(t reflect.Type) []int {
	f, known := c.deep[t]
	if !known {
		for i := range t.NumField() {
			if !c.isFlat(t.Field(i).Type) {
				f = append(f, i)
			}
		}
		c.deep[t] = f
	}
	return f
}

// open lifts the protection of an unexported field.
func open(f reflect.Value) reflect.Value {
	return reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr())).Elem()
}

func (c *copier) slice(dst, src reflect.Value) {
	n, elem := src.Len(), src.Type().Elem()
	made := reflect.MakeSlice(src.Type(), n, n)
	dst.Set(made)
	if c.pointed[elem] {
		for i := range n {
			k := key{src.Index(i).Addr().UnsafePointer(), elem}
			if _, known := c.memo[k]; known {
				panic("deepcopy: a slice of " + elem.String() + " comes after a copy of its elements")
			}
			c.memo[k] = made.Index(i).Addr()
		}
	}
	if c.isFlat(elem) {
		reflect.Copy(made, src)
		return
	}
	for i := range n {
		c.into(made.Index(i), src.Index(i))
	}
}

func (c *copier) table(dst, src reflect.Value) {
	made := reflect.MakeMapWithSize(src.Type(), src.Len())
	dst.Set(made)
	for it := src.MapRange(); it.Next(); {
		made.SetMapIndex(c.fresh(it.Key()), c.fresh(it.Value()))
	}
}

// fresh copies a value that has no address.
func (c *copier) fresh(v reflect.Value) reflect.Value {
	from, to := reflect.New(v.Type()).Elem(), reflect.New(v.Type()).Elem()
	from.Set(v)
	c.into(to, from)
	return to
}
